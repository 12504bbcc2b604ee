package rulefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// File is the content of a rule file.
type File struct {
	Name        string
	Description string // the text below @RULE
	Path        string // where Find found it; "" for built-in rules
	Kind        string // the kind of rule if it is neither a table nor a tree; otherwise ""
	// Text is the text of the file if it has @FUNCTION. It is stored with the cells, which could not be continued without
	// it, because other programs do not know the rule.
	Text string
	// Neighbourhood is the one that the file names. The function looks at no other cells.
	Neighbourhood neighbourhood.Set

	Function *local.Function
	Symmetry string             // as the file names it; "" for trees
	Names    map[uint8]string   // by state; some states may be missing
	Colours  map[uint8][3]uint8 // by state: red, green and blue; a state may have none
	Icons    []Icons            // in several sizes, if there are any
	Shape    string             // the name of Golly's icons if the file names them, or ""
}

// Digest is a hash of the function, in hexadecimal digits. Files with the same name but different functions have
// different digests. Files that define the same function in different words have the same digest.
func (f *File) Digest() string { return fmt.Sprintf("%x", f.Function.Digest()) }

// Whence describes the origin of a rule for messages. The file is nil for a rule that is not from a file.
func (f *File) Whence() string {
	switch {
	case f == nil:
		return "it is notation now"
	case f.Path == "":
		return "it is built in, or came with a pattern"
	}
	return "it is read from " + f.Path
}

// IsBuiltIn reports whether the name has the same meaning everywhere. This is true if the rule is built in, or if its
// name is a notation, such as a turmite's.
func (f *File) IsBuiltIn() bool {
	if f.Path != "" || f.Kind != "" {
		return f.Path == ""
	}
	known, _ := builtIn(f.Name, func(a, b string) bool { return a == b }) // the error only says that the name is unknown
	return known != nil && known.Digest() == f.Digest()
}

// SyntaxError is an error in a rule file, with its line.
type SyntaxError struct {
	File string
	Line int // from 1
	Err  error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s, line %d: %v", e.File, e.Line, e.Err) }

func (e *SyntaxError) Unwrap() error { return e.Err }

// errNoFunction is the error of a file that defines no rule, because it has only colours, icons or names.
type errNoFunction struct{ file string }

func (e errNoFunction) Error() string { return e.file + " has neither @TABLE, @TREE nor @FUNCTION" }

// Limits bound the time and memory for reading a rule file. The zero value is for files that the user trusts: it has
// no deadline, and the default bound of memory.
type Limits struct {
	Context context.Context // Parse fails soon after it is done; nil means that it never is
	// Edges bounds the memory: edges of the decision diagram and of all that is held while it is made, about 40 bytes
	// each. 0 means 16,777,216. With a bound, @FUNCTION is refused, because the size of its circuit is only known
	// afterwards.
	Edges int

	packed []byte // the diagram of the file's table, if it has been made before
}

// Parse reads the text of a file. The suffix of its name says which kind it is: .table, .tree, or for all other names
// .rule. An error is one line that contains the name of the file.
func (l Limits) Parse(name string, content []byte) (*File, error) {
	if l.Context == nil {
		l.Context = context.Background()
	}
	all := text{string(bytes.TrimPrefix(content, []byte("\ufeff"))), 1}
	file := filepath.Base(name)
	f := &File{Name: strings.TrimSuffix(file, filepath.Ext(file))}
	var err error
	switch filepath.Ext(file) {
	case ".table":
		err = f.table(all, l)
	case ".tree":
		err = f.tree(all, l)
	default:
		err = f.sections(file, all, l)
	}
	switch e := err.(type) {
	case nil:
		return f, nil
	case *SyntaxError:
		e.File = file
		return nil, e
	case errNoFunction:
		return nil, e
	}
	return nil, fmt.Errorf("%s: %w", file, err)
}

// text is a part of a file, and the number of its first line.
type text struct {
	string
	at int
}

// line is a line of a file and its number.
type line struct {
	text string
	at   int
}

// fail returns an error in the line.
func (l line) fail(format string, args ...any) error {
	return &SyntaxError{Line: l.at, Err: fmt.Errorf(format, args...)}
}

// lines yields the lines without their ends. They take no memory of their own.
func (t text) lines() iter.Seq[line] {
	return func(yield func(line) bool) {
		at := t.at
		for l := range strings.Lines(t.string) {
			if !yield(line{strings.TrimRight(l, "\r\n"), at}) {
				return
			}
			at++
		}
	}
}

// sections reads a .rule file. The first of several sections of the same name counts, and the first table or
// tree. Unknown sections are ignored.
func (f *File) sections(file string, all text, limits Limits) error {
	if !strings.HasPrefix(all.string, "@RULE") {
		return (&line{at: 1}).fail(`a rule file begins with "@RULE" and the rule's name`)
	}
	seen := map[string]bool{}
	defer func() {
		if seen["@FUNCTION"] {
			f.Text = all.string
		}
	}()
	for rest := all; rest.string != ""; {
		head, body := rest.section()
		rest = text{rest.string[len(head.string)+len(body.string):], body.at + strings.Count(body.string, "\n")}
		words := strings.Fields(head.string)
		if name := words[0]; !seen[name] && (f.Function == nil ||
			name != "@TABLE" && name != "@TREE" && name != "@FUNCTION") {
			if head.at == 1 && len(words) > 1 {
				if f.Name = words[1]; !printable(f.Name) {
					return (&line{at: 1}).fail("the rule's name %q has characters that cannot be printed", f.Name)
				}
			}
			seen[name] = true
			if err := f.section(name, body, limits); err != nil {
				return err
			}
		}
	}
	if f.Function == nil {
		return errNoFunction{file}
	}
	return nil
}

// section returns the first line, which names a section, and the lines up to the next such line.
func (t text) section() (head, body text) {
	end := 0
	for l := range strings.Lines(t.string) {
		if end > 0 && isSection(l) {
			break
		}
		if end += len(l); head.string == "" {
			head = text{l, t.at}
		}
	}
	return head, text{t.string[len(head.string):end], t.at + 1}
}

// printable reports whether a name can be shown in messages and in the pages of viewers.
func printable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// isSection reports whether a line begins a section: @ and a capital letter.
func isSection(text string) bool {
	return len(text) > 1 && text[0] == '@' && text[1] >= 'A' && text[1] <= 'Z'
}

// section reads a section of a rule file. Sections that it does not know are ignored.
func (f *File) section(name string, body text, limits Limits) error {
	switch name {
	case "@RULE":
		var b strings.Builder
		for l := range body.lines() {
			b.WriteString(l.text + "\n")
		}
		f.Description = strings.Clone(strings.TrimSpace(b.String()))
	case "@TABLE":
		return f.table(body, limits)
	case "@TREE":
		return f.tree(body, limits)
	case "@FUNCTION":
		if limits.Edges > 0 {
			return errors.New("a table over any cells takes too long to read here: @TABLE and @TREE are allowed")
		}
		return f.function(body)
	case "@NAMES":
		f.names(body)
	case "@COLORS":
		f.colours(body)
	case "@ICONS":
		f.icons(body)
	}
	return nil
}
