// Package rle is Golly's run-length format with up to 256 states.
package rle

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/gosper-life/gosper/pattern/internal/codec"
	"github.com/gosper-life/gosper/rule/catalogue"
)

// Codec is the format.
var Codec = codec.Codec{Name: "rle", Suffixes: []string{".rle"}, States: 256, Rule: true, Read: read, Write: write}

// read reads Golly's run-length encoding, two-state and multi-state: see "RLE format" in Golly's help. It is
// stricter than Golly, which guesses in some cases: a count without a symbol, a leading zero and an unknown
// symbol are errors. A missing "!" is allowed.
func read(in *bufio.Reader, p *codec.File, c *codec.Canvas) error {
	r := reader{Scanner: codec.NewScanner(in), p: p, c: c}
	if err := r.header(); err != nil {
		return err
	}
	if err := r.body(); err != nil {
		return err
	}
	if p.Rule == "" {
		p.Rule = r.hashRule
	}
	if !r.headed && c.Blank() {
		return codec.ErrNoPattern
	}
	return nil
}

// reader reads the body symbol by symbol. A count and the prefix of a symbol wait in it for the symbol that ends them.
type reader struct {
	*codec.Scanner
	p        *codec.File
	c        *codec.Canvas
	hashRule string // of a "#r" line, which counts if the header names no rule
	headed   bool   // there is a header

	space *space // nil in two dimensions

	left   int // the column at which rows begin
	x, y   int
	count  int  // before the next symbol; 0 if there is none
	prefix byte // 'p' to 'y', the first half of a symbol for states above 24; 0 if there is none
}

// header reads up to the first line of the body. There may be no header.
func (r *reader) header() error {
	for {
		first, err := r.SkipSpace()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case first == '#':
			if err := r.hashLine(); err != nil {
				return err
			}
		case r.atHeader():
			line, err := r.Rest()
			if err != nil {
				return err
			}
			if err := r.sizeAndRule(line); err != nil {
				return err
			}
			r.Next()
			r.headed = true
			return nil
		default:
			return nil
		}
	}
}

// atHeader distinguishes "x = 3" from the symbol "xA".
func (r *reader) atHeader() bool {
	const enough = 64
	head, _ := r.In.Peek(enough)
	return IsHeader(head)
}

// IsHeader reports whether a line begins like "x = 3".
func IsHeader(line []byte) bool {
	return len(line) > 1 && (line[0] == 'x' || line[0] == 'X') && (codec.IsSpace(line[1]) || line[1] == '=')
}

// sizeAndRule parses "x = W, y = H, rule = R", in any case. What follows the rule is ignored, and the commas may be
// missing, as in Golly. A letter instead of a size means that it is not known. Other keys of one letter, such as the
// position "h = -4, v = 0", may stand before the rule.
func (r *reader) sizeAndRule(line string) error {
	pos := 0
	space := func() {
		for pos < len(line) && codec.IsSpace(line[pos]) {
			pos++
		}
	}
	comma := func() {
		if space(); pos < len(line) && line[pos] == ',' {
			pos++
			space()
		}
	}
	expect := func(token string) error {
		space()
		if rest := line[pos:]; len(rest) < len(token) || !strings.EqualFold(rest[:len(token)], token) {
			return r.Errorf(r.Column+pos, `header must be "x = W, y = H, rule = R": %q expected, found %s`, token,
				codec.Quote(line[pos:]))
		}
		pos += len(token)
		return nil
	}
	size := func(name string, n *int) error {
		if err := expect(name); err != nil {
			return err
		}
		if err := expect("="); err != nil {
			return err
		}
		space()
		end := pos
		for end < len(line) && line[end] != ',' && !codec.IsSpace(line[end]) {
			end++
		}
		var err error
		if end == pos+1 && line[pos]|' ' >= 'a' && line[pos]|' ' <= 'z' {
			pos = end
			return nil
		}
		if *n, err = r.Integer(line[pos:end], r.Column+pos); err == nil && *n < 0 {
			err = r.Errorf(r.Column+pos, "size %d is negative", *n)
		}
		pos = end
		return err
	}
	if err := size("x", &r.p.Bounds.W); err != nil {
		return err
	}
	comma()
	if err := size("y", &r.p.Bounds.H); err != nil {
		return err
	}
	for comma(); pos < len(line); comma() {
		if name, _, ok := strings.Cut(line[pos:], "="); !ok || len(strings.TrimSpace(name)) != 1 {
			break
		}
		var ignored int
		if size(line[pos:pos+1], &ignored); pos < len(line) && line[pos] != ',' {
			break
		}
	}
	if pos == len(line) {
		return nil
	}
	for _, token := range []string{"rule", "="} {
		if err := expect(token); err != nil {
			return err
		}
	}
	r.p.Rule = firstRule(line[pos:])
	return nil
}

// firstRule is the rule at the beginning of a text: its first word, and the words that belong to it. These are joined
// by a slash, a comma, a colon or a bar ("B3 / S23", "R2, C2, S2-3, B3"), are survivals after births ("B3 S23"), or
// counts after a letter ("B3/S 23"). Words like "h=-4" belong to no rule. The text may also be a name of several words,
// such as "Day & Night"; the rule is the one that it names.
func firstRule(text string) string {
	const joints = "/,:|"
	whole := strings.TrimRight(strings.TrimSpace(text), ",")
	if named, ok := catalogue.Lookup(whole); ok && strings.ContainsAny(whole, " \t") {
		return named.Notation
	}
	rule := ""
	for _, word := range strings.Fields(text) {
		joined := rule == "" || strings.ContainsAny(rule[len(rule)-1:], joints) || strings.ContainsAny(word[:1], joints) ||
			endsInLetter(rule) && word[0] >= '0' && word[0] <= '8'
		if strings.Contains(word, "=") && rule != "" && !strings.HasSuffix(rule, ":") {
			break
		}
		switch upper := strings.ToUpper(rule); {
		case joined:
			rule += word
		case upper[0] == 'B' && strings.Trim(upper[1:], "012345678") == "" && word[0]|' ' == 's':
			rule += "/" + word
		default:
			return strings.TrimSuffix(rule, ",")
		}
	}
	return strings.TrimSuffix(rule, ",")
}

// endsInLetter reports whether a rule ends in the letter that comes before births or survivals, without any counts.
func endsInLetter(rule string) bool {
	before, last := rule[:len(rule)-1], rule[len(rule)-1]|' '
	return (last == 'b' || last == 's') && (before == "" || strings.HasSuffix(before, "/"))
}

// hashLine reads a line that starts with "#". Like Golly it ignores positions in "#P" and "#R" lines.
func (r *reader) hashLine() error {
	line, err := r.Rest()
	if err != nil {
		return err
	}
	rest := ""
	if len(line) > 2 {
		rest = strings.TrimSpace(line[2:])
	}
	switch {
	case strings.HasPrefix(line, "#CXRLE"):
		err = r.extended(line)
	case len(line) < 2:
	case line[1] == 'C', line[1] == 'c':
		// One space after the letter belongs to the notation, further ones to the comment.
		err = r.Comment(&r.p.Comments, strings.TrimRight(strings.TrimPrefix(line[2:], " "), " \t"))
	case line[1] == 'N':
		r.p.Name = rest
	case line[1] == 'O':
		r.p.Author = rest
	case line[1] == 'r' && r.hashRule == "":
		r.hashRule = firstRule(rest)
	}
	r.Next()
	return err
}

// extended parses "#CXRLE Pos=x,y Gen=n": Golly's position of the upper left cell, and the generation.
func (r *reader) extended(line string) error {
	for i, list := 0, codec.Fields(line); i < len(list); i++ {
		f := list[i]
		column := r.Column + f.Column + len("Pos=")
		var err error
		if text, ok := strings.CutPrefix(f.Text, "Gen="); ok {
			r.p.Generation, err = r.Generation(text, column)
		} else if text, ok := strings.CutPrefix(f.Text, "Pos="); ok {
			if i++; i == len(list) {
				return r.Errorf(column, `"Pos=" needs two numbers, as in "Pos=-5,7"`)
			}
			r.p.HasPosition = true
			if r.p.X, err = r.Integer(text, column); err == nil {
				r.p.Y, err = r.Integer(list[i].Text, r.Column+list[i].Column)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// body reads the runs up to the "!" or the end of the file. Mark Niemiec's files have x, y and z besides o, for live
// cells of parts that he distinguishes. x and y before A to X begin the symbols of higher states.
func (r *reader) body() error {
	blank := true // only white space on this line so far
	for {
		b, err := r.Buffered()
		if err == io.EOF {
			return r.noCount(0, "at the end of the file")
		}
		if err != nil {
			return err
		}
		start := 0 // of the current line in b
		for i, ch := range b {
			if r.prefix >= 'x' && (ch < 'A' || ch > 'Z') {
				n := max(r.count, 1)
				if err := r.c.Run(r.x, n, 1); err != nil {
					return &codec.SyntaxError{Line: r.Line, Column: r.Column + i - start, Err: err}
				}
				r.x, r.count, r.prefix = r.x+n, 0, 0
			}
			if digit := ch - '0'; digit <= 9 {
				if r.count > codec.MaxCoordinate/10-1 || r.count == 0 && digit == 0 || r.prefix != 0 {
					return r.badDigit(i-start, ch)
				}
				r.count = r.count*10 + int(digit)
				continue
			}
			n := max(r.count, 1)
			switch {
			case r.prefix != 0:
				state := 24*(int(r.prefix-'p')+1) + int(ch-'A') + 1
				if ch < 'A' || ch > 'X' || state > 255 {
					return r.Errorf(r.Column+i-start, "unknown symbol %q; after %q states up to 255 are written A to X", ch, r.prefix)
				}
				r.prefix = 0
				err = r.c.Run(r.x, n, uint8(state))
				r.x += n
			case ch == 'o' || ch == 'z':
				err = r.c.Run(r.x, n, 1)
				r.x += n
			case ch == 'b' || ch == '.':
				if r.x += n; r.x >= codec.MaxCoordinate {
					err = fmt.Errorf("row is longer than %d", codec.MaxCoordinate)
				}
			case ch >= 'A' && ch <= 'X':
				err = r.c.Run(r.x, n, ch-'A'+1)
				r.x += n
			case ch >= 'p' && ch <= 'y':
				r.prefix = ch
				continue
			case ch == '$':
				r.x, r.y = r.left, r.y+n
				err = r.c.Row(r.y)
			case ch == '/' && r.space != nil:
				err = r.nextLayer(n)
			case ch == '!':
				if err := r.noCount(i-start, `before "!"`); err != nil {
					return err
				}
				r.In.Discard(i + 1) // never fails: the bytes are buffered
				return r.ruleFile()
			case codec.IsSpace(ch):
				// Some writers break lines between a count and its symbol. Golly accepts that, too.
				if ch != '\n' && ch != '\r' {
					if err := r.noCount(i-start, "before the white space"); err != nil {
						return err
					}
				}
				if ch == '\n' {
					r.Next()
					start, blank = i+1, true
				}
				continue
			case ch == '#' && blank && len(bytes.TrimSpace(b[start:i])) == 0:
				// The bytes end here, because the comment may be longer.
				b = b[:i]
			default:
				return r.describe(r.Column+i-start, ch)
			}
			if err == nil && r.space != nil && ch >= 'A' && ch != 'b' {
				err = r.inside()
			}
			if err != nil {
				return &codec.SyntaxError{Line: r.Line, Column: r.Column + i - start, Err: err}
			}
			if len(b) == i {
				break
			}
			r.count = 0
		}
		blank = blank && len(bytes.TrimSpace(b[start:])) == 0
		r.In.Discard(len(b)) // never fails: the bytes are buffered
		r.Column += len(b) - start
		if next, err := r.In.Peek(1); err == nil && next[0] == '#' && blank {
			if err := r.hashLine(); err != nil {
				return err
			}
		}
	}
}

// ruleFile keeps the text from a line that begins with @RULE on, which is a rule file after the pattern.
func (r *reader) ruleFile() error {
	const mark, most = "\n@RULE", 64 << 20
	if r.p.Rule == "" {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(r.In, most))
	if at := bytes.Index(text, []byte(mark)); at >= 0 {
		r.p.RuleFile = text[at+1:]
	}
	return err
}

// noCount returns an error if a count or half a symbol is pending.
func (r *reader) noCount(offset int, where string) error {
	switch {
	case r.prefix != 0:
		return r.Errorf(r.Column+offset, "symbol %q lacks its second letter %s", r.prefix, where)
	case r.count != 0:
		return r.Errorf(r.Column+offset, "count %d has no symbol %s", r.count, where)
	}
	return nil
}

func (r *reader) badDigit(offset int, digit byte) error {
	switch {
	case r.prefix != 0:
		return r.Errorf(r.Column+offset, "symbol %q needs a second letter A to X, found %q", r.prefix, digit)
	case r.count == 0:
		return r.Errorf(r.Column+offset, "count starts with 0; counts are 1 or more")
	}
	return r.Errorf(r.Column+offset, "count is larger than %d", codec.MaxCoordinate)
}
