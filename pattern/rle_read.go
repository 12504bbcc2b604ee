package pattern

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// readRLE reads Golly's run-length encoding, two-state and multi-state. See "RLE format" in Golly's help. It is
// stricter than Golly where Golly guesses: a count without a symbol, a leading zero and an unknown symbol are errors. A
// missing "!" is not.
func readRLE(in *bufio.Reader, p *Pattern, c *canvas) error {
	r := rleReader{scanner: newScanner(in), p: p, c: c}
	if err := r.header(); err != nil {
		return err
	}
	if err := r.body(); err != nil {
		return err
	}
	if p.Rule == "" {
		p.Rule = r.hashRule
	}
	if !r.headed && c.blank() {
		return errNoPattern
	}
	return nil
}

type rleReader struct {
	*scanner
	p        *Pattern
	c        *canvas
	hashRule string // of a "#r" line, which counts where the header names no rule
	headed   bool   // there is a header

	x, y   int
	count  int  // before the next symbol; 0: none
	prefix byte // 'p' to 'y', the first half of a symbol for states above 24; 0: none
}

// header reads up to the first line of the body, which need not have a header before it.
func (r *rleReader) header() error {
	for {
		first, err := r.skipSpace()
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
			line, err := r.rest()
			if err != nil {
				return err
			}
			if err := r.sizeAndRule(line); err != nil {
				return err
			}
			r.next()
			r.headed = true
			return nil
		default:
			return nil
		}
	}
}

// atHeader tells "x = 3" from the symbol "xA".
func (r *rleReader) atHeader() bool {
	const enough = 64
	head, _ := r.in.Peek(enough)
	return isRLEHeader(head)
}

// isRLEHeader reports whether a line begins as "x = 3" does.
func isRLEHeader(line []byte) bool {
	return len(line) > 1 && (line[0] == 'x' || line[0] == 'X') && (isSpace(line[1]) || line[1] == '=')
}

// sizeAndRule parses "x = W, y = H, rule = R", in any case. The rule ends at white space; what follows it is ignored, and the
// commas may be missing, as in Golly.
func (r *rleReader) sizeAndRule(line string) error {
	pos := 0
	space := func() {
		for pos < len(line) && isSpace(line[pos]) {
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
			return r.errorf(r.column+pos, `header must be "x = W, y = H, rule = R": %q expected, found %s`, token, quote(line[pos:]))
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
		for end < len(line) && line[end] != ',' && !isSpace(line[end]) {
			end++
		}
		var err error
		if *n, err = r.integer(line[pos:end], r.column+pos); err == nil && *n < 0 {
			err = r.errorf(r.column+pos, "size %d is negative", *n)
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
	if comma(); pos == len(line) {
		return nil
	}
	for _, token := range []string{"rule", "="} {
		if err := expect(token); err != nil {
			return err
		}
	}
	if rule := strings.Fields(line[pos:]); len(rule) > 0 {
		r.p.Rule = rule[0]
	}
	return nil
}

// hashLine reads a line that starts with "#". Places in "#P" and "#R" lines do not count, as in Golly.
func (r *rleReader) hashLine() error {
	line, err := r.rest()
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
		// One space after the letter is part of the notation, further ones of the comment.
		err = r.comment(&r.p.Comments, strings.TrimRight(strings.TrimPrefix(line[2:], " "), " \t"))
	case line[1] == 'N':
		r.p.Name = rest
	case line[1] == 'O':
		r.p.Author = rest
	case line[1] == 'r' && r.hashRule == "":
		if words := strings.Fields(rest); len(words) > 0 {
			r.hashRule = words[0]
		}
	}
	r.next()
	return err
}

// extended parses "#CXRLE Pos=x,y Gen=n", Golly's place of the upper left cell and generation count.
func (r *rleReader) extended(line string) error {
	for i, list := 0, fields(line); i < len(list); i++ {
		f := list[i]
		column := r.column + f.column + len("Pos=")
		var err error
		if text, ok := strings.CutPrefix(f.text, "Gen="); ok {
			r.p.Generation, err = r.generation(text, column)
		} else if text, ok := strings.CutPrefix(f.text, "Pos="); ok {
			if i++; i == len(list) {
				return r.errorf(column, `"Pos=" needs two numbers, as in "Pos=-5,7"`)
			}
			r.p.HasPosition = true
			if r.p.X, err = r.integer(text, column); err == nil {
				r.p.Y, err = r.integer(list[i].text, r.column+list[i].column)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// body reads the runs, to the "!" or the end of the file.
func (r *rleReader) body() error {
	blank := true // nothing but white space on this line yet
	for {
		b, err := r.chunk()
		if err == io.EOF {
			return r.noCount(0, "at the end of the file")
		}
		if err != nil {
			return err
		}
		start := 0 // of the current line in b
		for i, ch := range b {
			if digit := ch - '0'; digit <= 9 {
				if r.count > maxCoordinate/10-1 || r.count == 0 && digit == 0 || r.prefix != 0 {
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
					return r.errorf(r.column+i-start, "unknown symbol %q; after %q states up to 255 are written A to X", ch, r.prefix)
				}
				r.prefix = 0
				err = r.c.run(r.x, n, uint8(state))
				r.x += n
			case ch == 'o':
				err = r.c.run(r.x, n, 1)
				r.x += n
			case ch == 'b' || ch == '.':
				if r.x += n; r.x >= maxCoordinate {
					err = fmt.Errorf("row is longer than %d", maxCoordinate)
				}
			case ch >= 'A' && ch <= 'X':
				err = r.c.run(r.x, n, ch-'A'+1)
				r.x += n
			case ch >= 'p' && ch <= 'y':
				r.prefix = ch
				continue
			case ch == '$':
				r.x, r.y = 0, r.y+n
				err = r.c.row(r.y)
			case ch == '!':
				return r.noCount(i-start, `before "!"`)
			case isSpace(ch):
				// Some writers break lines between a count and its symbol; Golly, too, goes on there.
				if ch != '\n' && ch != '\r' {
					if err := r.noCount(i-start, "before the white space"); err != nil {
						return err
					}
				}
				if ch == '\n' {
					r.next()
					start, blank = i+1, true
				}
				continue
			case ch == '#' && blank && len(bytes.TrimSpace(b[start:i])) == 0:
				// The chunk ends here: the comment may be longer.
				b = b[:i]
			default:
				return r.errorf(r.column+i-start, `unknown symbol %q; allowed are b o . A to X, pA to yO, $ and !`, ch)
			}
			if err != nil {
				return &SyntaxError{r.line, r.column + i - start, err}
			}
			if len(b) == i {
				break
			}
			r.count = 0
		}
		blank = blank && len(bytes.TrimSpace(b[start:])) == 0
		r.in.Discard(len(b)) // never fails: the bytes are buffered
		r.column += len(b) - start
		if next, err := r.in.Peek(1); err == nil && next[0] == '#' && blank {
			if err := r.hashLine(); err != nil {
				return err
			}
		}
	}
}

// noCount returns an error when a count or half a symbol is pending.
func (r *rleReader) noCount(offset int, where string) error {
	switch {
	case r.prefix != 0:
		return r.errorf(r.column+offset, "symbol %q lacks its second letter %s", r.prefix, where)
	case r.count != 0:
		return r.errorf(r.column+offset, "count %d has no symbol %s", r.count, where)
	}
	return nil
}

func (r *rleReader) badDigit(offset int, digit byte) error {
	switch {
	case r.prefix != 0:
		return r.errorf(r.column+offset, "symbol %q needs a second letter A to X, found %q", r.prefix, digit)
	case r.count == 0:
		return r.errorf(r.column+offset, "count starts with 0; counts are 1 or more")
	}
	return r.errorf(r.column+offset, "count is larger than %d", maxCoordinate)
}
