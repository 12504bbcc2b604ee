package pattern

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// SyntaxError is what a text format does not allow, and where: Line and Column (in bytes) count from 1.
type SyntaxError struct {
	Line, Column int
	Err          error
}

// Error is the line, the column and what is wrong there.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
}

// Unwrap returns what is wrong.
func (e *SyntaxError) Unwrap() error { return e.Err }

const (
	// maxLine is the longest line that is read as one: rule tables of large neighbourhoods take a megabyte. Rows of
	// cells may be longer.
	maxLine = 4 << 20

	// maxWords bounds the names and comments kept of a file, in bytes.
	maxWords = 16 << 20
)

// scanner reads text and knows where it is.
type scanner struct {
	in           *bufio.Reader
	line, column int // of the next byte, from 1
	words        int // bytes of comments kept
}

func newScanner(in *bufio.Reader) *scanner { return &scanner{in: in, line: 1, column: 1} }

// errorf returns a SyntaxError at a column of the current line.
func (s *scanner) errorf(column int, format string, args ...any) error {
	return &SyntaxError{s.line, column, fmt.Errorf(format, args...)}
}

// chunk returns the bytes at hand, at least one, without consuming them.
func (s *scanner) chunk() ([]byte, error) {
	if _, err := s.in.Peek(1); err != nil {
		return nil, err
	}
	return s.in.Peek(s.in.Buffered())
}

// skip consumes n bytes of the chunk that are on the current line.
func (s *scanner) skip(n int) {
	s.in.Discard(n) // never fails: the bytes are buffered
	s.column += n
}

// newline consumes n bytes of the chunk, the last of which ends the line.
func (s *scanner) newline(n int) {
	s.in.Discard(n)
	s.line, s.column = s.line+1, 1
}

// skipSpace consumes white space, line ends included, and returns the next byte, which it leaves.
func (s *scanner) skipSpace() (byte, error) {
	for {
		b, err := s.in.Peek(1)
		switch {
		case err != nil:
			return 0, err
		case b[0] == '\n':
			s.newline(1)
		case isSpace(b[0]):
			s.skip(1)
		default:
			return b[0], nil
		}
	}
}

// rest returns the rest of the current line without its end. The scanner's position stays at its start until next is
// called, so that errors can point into it.
func (s *scanner) rest() (string, error) {
	var line []byte
	for {
		part, err := s.in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return "", s.errorf(s.column, "line is longer than %d bytes", maxLine)
		}
		if err == nil && line == nil {
			return strings.TrimRight(string(part), "\r\n"), nil
		}
		line = append(line, part...)
		if err == nil || err == io.EOF && len(line) > 0 {
			return strings.TrimRight(string(line), "\r\n"), nil
		}
		if err != bufio.ErrBufferFull {
			return "", err
		}
	}
}

// next moves on to the line after the one that rest returned.
func (s *scanner) next() { s.line, s.column = s.line+1, 1 }

// comment keeps a line of words.
func (s *scanner) comment(list *[]string, text string) error {
	s.words += len(text) + 16
	if s.words > maxWords {
		return s.errorf(s.column, "more than %d bytes of comments", maxWords)
	}
	*list = append(*list, strings.Clone(text))
	return nil
}

// describe keeps a line of words of a format that has no other place for the name and the author: "Name: Glider".
func (s *scanner) describe(p *Pattern, text string) error {
	if name, ok := strings.CutPrefix(text, "Name:"); ok && p.Name == "" {
		p.Name = strings.TrimSpace(name)
		return nil
	}
	if author, ok := strings.CutPrefix(text, "Author:"); ok && p.Author == "" {
		p.Author = strings.TrimSpace(author)
		return nil
	}
	return s.comment(&p.Comments, text)
}

// integer parses a decimal number within ±maxCoordinate that stands at a column of the current line.
func (s *scanner) integer(text string, column int) (int, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= -maxCoordinate || n >= maxCoordinate {
		return 0, s.errorf(column, "%s is not an integer within ±%d", quote(text), maxCoordinate)
	}
	return int(n), nil
}

// field is a word of a line and the column it stands at, from 0.
type field struct {
	text   string
	column int
}

// fields cuts a line at white space and commas.
func fields(line string) []field {
	var list []field
	start := -1
	for i := 0; i <= len(line); i++ {
		if i == len(line) || isSpace(line[i]) || line[i] == ',' {
			if start >= 0 {
				list = append(list, field{line[start:i], start})
			}
			start = -1
		} else if start < 0 {
			start = i
		}
	}
	return list
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// quote shows a piece of a file in an error message, cut to a sensible length.
func quote(text string) string {
	if len(text) > 40 {
		return strconv.Quote(text[:40]) + "…"
	}
	return strconv.Quote(text)
}

// generation parses a generation count that stands at a column of the current line.
func (s *scanner) generation(text string, column int) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, s.errorf(column, "generation %s is not an integer from 0 to 2^64-1", quote(text))
	}
	return n, nil
}
