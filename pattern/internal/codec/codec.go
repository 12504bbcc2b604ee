// Package codec is what the formats of pattern files share: what a format is (Codec), a canvas that readers draw on and that bounds their memory,
// rows that writers take cells from, and a scanner of text that knows where it is.
//
// Each format is a package of its own beside this one. Package pattern lists them and is the only one that programs see.
package codec

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/gosper-life/gosper/grid"
)

// Codec is a format of pattern files.
type Codec struct {
	Name     string
	Suffixes []string // the first is the usual one
	// Signature is what files begin with, "" where there is none. Signed formats have no files without.
	Signature string
	Signed    bool
	States    int  // the most that the cells of a file can have
	Rule      bool // files can say the rule
	Read      func(*bufio.Reader, *File, *Canvas) error
	Write     func(*bufio.Writer, grid.Source, Meta) error // nil: the format is only read
}

// Meta is pattern.Meta.
type Meta struct {
	Rule        string
	X, Y        int
	HasPosition bool
	Generation  uint64
	States      int
	Name        string
	Author      string
	Comments    []string
}

// File is what a reader finds in a file beside the cells, which it draws.
type File struct {
	Meta
	Bounds  grid.Rect     // the size the file states, at (0, 0); empty where it states none
	Squares []grid.Square // instead of cells, where the canvas keeps trees
	Drawn   uint64        // the bytes that the cells of Squares would take
	// RuleFile is the text of a rule file behind the pattern, from its line @RULE; nil: there is none.
	RuleFile []byte
}

// ErrNoPattern is what readers of text say of files in which they found nothing that the format has: neither a line that only it
// has nor a cell.
var ErrNoPattern = errors.New("there is no pattern in it")

// Unexpected is err, or io.ErrUnexpectedEOF for an end of file where more must follow.
func Unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// BirthFirst turns "23/36" into "B36/S23" and leaves other rules alone.
func BirthFirst(rule string) string {
	survival, birth, ok := strings.Cut(rule, "/")
	if !ok || strings.Trim(rule, "012345678/") != "" || strings.Contains(birth, "/") {
		return rule
	}
	return "B" + birth + "/S" + survival
}

// WriteLabel writes a name or an author after a prefix, where there is one.
func WriteLabel(w *bufio.Writer, prefix, text string) {
	if text != "" {
		WriteWords(w, prefix, text)
	}
}

// WriteWords writes each line of each text after a prefix.
func WriteWords(w *bufio.Writer, prefix string, texts ...string) {
	for _, text := range texts {
		for _, line := range strings.Split(text, "\n") {
			w.WriteString(strings.TrimRight(prefix+line, " \t\r"))
			w.WriteByte('\n')
		}
	}
}

// Repeat writes a symbol n times. It returns the first error that any write to w met.
func Repeat(w *bufio.Writer, symbol byte, n int) error {
	for ; n > 0; n-- {
		if err := w.WriteByte(symbol); err != nil {
			return err
		}
	}
	_, err := w.Write(nil)
	return err
}
