// Package codec holds what the formats of pattern files share: the description of a format (Codec), a canvas
// that readers draw on and that bounds their memory, rows that writers read cells from, and a scanner of text
// that knows its position.
//
// Each format has a package beside this one. Package pattern lists them, and programs use only that package.
package codec

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/gosper-life/gosper/grid"
)

// Codec is a format of pattern files.
type Codec struct {
	Name     string
	Suffixes []string // the first is the usual one
	// Signatures are the beginnings of files of the format.
	Signatures []string
	Signed     bool // whether every file has one of them
	States     int  // the most states that the cells of a file can have
	Rule       bool // whether files can state the rule
	Volumes    bool // whether files can hold three dimensions
	Read       func(*bufio.Reader, *File, *Canvas) error
	// Write is nil if the format can only be read. It ends with ctx's error soon after ctx is done.
	Write func(ctx context.Context, w *bufio.Writer, src grid.Source, meta Meta) error
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
	Depth       int
	RuleFiles   []string
}

// File is everything that a reader finds in a file except the cells, which it draws.
type File struct {
	Meta
	Bounds  grid.Rect     // the size that the file states, at (0, 0); empty if it states none
	Squares []grid.Square // in place of cells, if the canvas keeps trees
	Drawn   uint64        // the bytes that the cells of Squares would take
	// RuleFile is the text of a rule file after the pattern, from its line @RULE on; nil if there is none.
	RuleFile []byte
}

// ErrNoPattern is returned by readers of text if a file contains nothing of the format: neither a line that
// only the format has, nor a cell.
var ErrNoPattern = errors.New("there is no pattern in it")

// Unexpected returns io.ErrUnexpectedEOF for an end of file where more must follow, and other errors unchanged.
func Unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// BirthFirst turns "23/36" into "B36/S23". Other rules stay unchanged.
func BirthFirst(rule string) string {
	survival, birth, ok := strings.Cut(rule, "/")
	if !ok || strings.Trim(rule, "012345678/") != "" || strings.Contains(birth, "/") {
		return rule
	}
	return "B" + birth + "/S" + survival
}

// WriteLabel writes a name or an author after a prefix, if there is one.
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

// Repeat writes a symbol n times. It returns the first error of any write to w.
func Repeat(w *bufio.Writer, symbol byte, n int) error {
	for ; n > 0; n-- {
		if err := w.WriteByte(symbol); err != nil {
			return err
		}
	}
	_, err := w.Write(nil)
	return err
}
