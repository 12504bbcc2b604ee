package codec

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// SyntaxError is an error in a text file and its position. Line and Column (in bytes) count from 1.
type SyntaxError struct {
	Line, Column int
	Err          error
}

// Error returns the position and the mistake there.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
}

// Unwrap returns the error without the position.
func (e *SyntaxError) Unwrap() error { return e.Err }

const (
	// maxLine is the longest line that is read as a whole. Rule tables of large neighbourhoods take a megabyte.
	// Rows of cells may be longer.
	maxLine = 4 << 20

	// maxWords bounds the names and comments that are kept from a file, in bytes.
	maxWords = 16 << 20
)

// Scanner reads text and knows its position.
type Scanner struct {
	In           *bufio.Reader
	Line, Column int // of the next byte, from 1

	words int // bytes of comments kept
}

// NewScanner returns a scanner at the first byte of in.
func NewScanner(in *bufio.Reader) *Scanner { return &Scanner{In: in, Line: 1, Column: 1} }

// Errorf returns a SyntaxError at a column of the current line.
func (s *Scanner) Errorf(column int, format string, args ...any) error {
	return &SyntaxError{s.Line, column, fmt.Errorf(format, args...)}
}

// Buffered returns the buffered bytes, at least one, without consuming them.
func (s *Scanner) Buffered() ([]byte, error) {
	if _, err := s.In.Peek(1); err != nil {
		return nil, err
	}
	return s.In.Peek(s.In.Buffered())
}

// Skip consumes n of the buffered bytes, which are on the current line.
func (s *Scanner) Skip(n int) {
	s.In.Discard(n) // never fails: the bytes are buffered
	s.Column += n
}

// newline consumes n of the buffered bytes, the last of which ends the line.
func (s *Scanner) newline(n int) {
	s.In.Discard(n)
	s.Line, s.Column = s.Line+1, 1
}

// SkipSpace consumes white space, including line ends. It returns the next byte without consuming it.
func (s *Scanner) SkipSpace() (byte, error) {
	for {
		b, err := s.In.Peek(1)
		switch {
		case err != nil:
			return 0, err
		case b[0] == '\n':
			s.newline(1)
		case IsSpace(b[0]):
			s.Skip(1)
		default:
			return b[0], nil
		}
	}
}

// Rest returns the rest of the current line without its end. The scanner's position stays at its start until
// Next is called, so that errors can point into it.
func (s *Scanner) Rest() (string, error) {
	var line []byte
	for {
		part, err := s.In.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return "", s.Errorf(s.Column, "line is longer than %d bytes", maxLine)
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

// Next moves on to the line after the one that Rest returned.
func (s *Scanner) Next() { s.Line, s.Column = s.Line+1, 1 }

// Comment keeps a line of a comment.
func (s *Scanner) Comment(list *[]string, text string) error {
	s.words += len(text) + 16
	if s.words > maxWords {
		return s.Errorf(s.Column, "more than %d bytes of comments", maxWords)
	}
	*list = append(*list, strings.Clone(text))
	return nil
}

// Describe keeps a line of a format that has no other place for the name and the author: "Name: Glider".
func (s *Scanner) Describe(p *File, text string) error {
	if name, ok := strings.CutPrefix(text, "Name:"); ok && p.Name == "" {
		p.Name = strings.TrimSpace(name)
		return nil
	}
	if author, ok := strings.CutPrefix(text, "Author:"); ok && p.Author == "" {
		p.Author = strings.TrimSpace(author)
		return nil
	}
	return s.Comment(&p.Comments, text)
}

// Integer parses a decimal number within ±MaxCoordinate at a column of the current line.
func (s *Scanner) Integer(text string, column int) (int, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= -MaxCoordinate || n >= MaxCoordinate {
		return 0, s.Errorf(column, "%s is not an integer within ±%d", Quote(text), MaxCoordinate)
	}
	return int(n), nil
}

// Field is a word of a line and its column, from 0.
type Field struct {
	Text   string
	Column int
}

// Fields splits a line at white space and commas.
func Fields(line string) []Field { return AppendFields(nil, line) }

// AppendFields appends the fields of a line to a list, so that many lines can use the memory of one.
func AppendFields(list []Field, line string) []Field {
	start := -1
	for i := 0; i <= len(line); i++ {
		if i == len(line) || IsSpace(line[i]) || line[i] == ',' {
			if start >= 0 {
				list = append(list, Field{line[start:i], start})
			}
			start = -1
		} else if start < 0 {
			start = i
		}
	}
	return list
}

// IsSpace reports whether c is ASCII white space.
func IsSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// Quote quotes a part of a file for an error message, cut to a sensible length.
func Quote(text string) string {
	if len(text) > 40 {
		return strconv.Quote(text[:40]) + "…"
	}
	return strconv.Quote(text)
}

// Generation parses a generation number at a column of the current line.
func (s *Scanner) Generation(text string, column int) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, s.Errorf(column, "generation %s is not an integer from 0 to 2^64-1", Quote(text))
	}
	return n, nil
}
