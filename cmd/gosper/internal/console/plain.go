package console

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Plain returns text for a terminal. Names of files, entries of archives and arguments come from outside. A terminal
// obeys control characters in them: it changes its title, colours or keys, and hides earlier text. Plain writes each of
// them as Go does ("\x1b"), and also invalid UTF-8 and the characters that change the direction of text. Line breaks
// and tabs stay.
func Plain(text string) string {
	if !strings.ContainsFunc(text, commands) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1, commands(r):
			quoted := strconv.Quote(text[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// commands reports whether a terminal may take a character for a command. The replacement character stands for invalid
// UTF-8, too.
func commands(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError
}

// plainJSON escapes the same characters in JSON as Plain does in text. The encoder has escaped the characters below
// U+0020, and the others occur in strings alone. The replacement character stays, because it harms nobody in valid
// UTF-8.
func plainJSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, commands) {
		return text
	}
	var b []byte
	for _, r := range string(text) {
		if !commands(r) || r == utf8.RuneError {
			b = utf8.AppendRune(b, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return b
}

// plain is a writer that makes all text plain but the beginning of a line of progress.
type plain struct{ to io.Writer }

// Messages returns a writer for messages to a terminal. It makes all text plain, except the beginning of a Line.
func Messages(to io.Writer) io.Writer { return plain{to} }

// Write implements io.Writer.
func (p plain) Write(text []byte) (int, error) {
	rest, begins := strings.CutPrefix(string(text), eraseLine)
	rest = Plain(rest)
	if begins {
		rest = eraseLine + rest
	}
	if _, err := io.WriteString(p.to, rest); err != nil {
		return 0, err
	}
	return len(text), nil
}
