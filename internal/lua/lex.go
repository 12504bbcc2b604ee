package lua

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// token is a piece of a program. kind is the word or the sign itself, or one of the kinds below.
type token struct {
	kind  string
	line  int
	text  string // of names and strings
	value Value  // of numbers
}

const (
	tokenEnd    = "<eof>"
	tokenName   = "name"
	tokenString = "string"
	tokenNumber = "number"
)

// isKeyword reports whether a name is a word of the language.
func isKeyword(name string) bool {
	switch name {
	case "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
		"not", "or", "repeat", "return", "then", "true", "until", "while":
		return true
	}
	return false
}

// signs are the operators, longer ones before those that they begin with.
var signs = []string{
	"...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>",
	"+", "-", "*", "/", "%", "^", "#", "&", "~", "|", "<", ">", "=", "(", ")", "{", "}", "[", "]", ";", ":", ",", ".",
}

// lexer cuts a program into tokens.
type lexer struct {
	chunk string // the name of the program, for messages
	src   string
	at    int
	line  int
}

func (l *lexer) fail(format string, args ...any) {
	panic(&Error{Value: String(fmt.Sprintf("%s:%d: ", l.chunk, l.line) + fmt.Sprintf(format, args...))})
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

func (l *lexer) peek(ahead int) byte {
	if l.at+ahead < len(l.src) {
		return l.src[l.at+ahead]
	}
	return 0
}

// skip passes blanks and comments.
func (l *lexer) skip() {
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case c == '\n':
			l.line++
			l.at++
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			l.at++
		case c == '-' && l.peek(1) == '-':
			l.at += 2
			if l.peek(0) == '[' {
				if level := l.longLevel(); level >= 0 {
					l.long(level)
					continue
				}
			}
			for l.at < len(l.src) && l.src[l.at] != '\n' {
				l.at++
			}
		default:
			return
		}
	}
}

func (l *lexer) next() token {
	l.skip()
	t := token{line: l.line}
	if l.at >= len(l.src) {
		t.kind = tokenEnd
		return t
	}
	c := l.src[l.at]
	switch {
	case isAlpha(c):
		from := l.at
		for isAlpha(l.peek(0)) || isDigit(l.peek(0)) {
			l.at++
		}
		t.text = l.src[from:l.at]
		t.kind = tokenName
		if isKeyword(t.text) {
			t.kind = t.text
		}
		return t
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		t.kind, t.value = tokenNumber, l.number()
		return t
	case c == '"' || c == '\'':
		t.kind, t.text = tokenString, l.quoted(c)
		return t
	case c == '[':
		if level := l.longLevel(); level >= 0 {
			t.kind, t.text = tokenString, l.long(level)
			return t
		}
	}
	for _, sign := range signs {
		if strings.HasPrefix(l.src[l.at:], sign) {
			l.at += len(sign)
			t.kind = sign
			return t
		}
	}
	l.fail("unexpected symbol near '%c'", c)
	return t
}

func (l *lexer) number() Value {
	from := l.at
	exponents := "eE"
	if l.peek(0) == '0' && (l.peek(1) == 'x' || l.peek(1) == 'X') {
		exponents = "pP"
		l.at += 2
	}
	for {
		c := l.peek(0)
		if c != 0 && strings.IndexByte(exponents, c) >= 0 {
			l.at++
			if s := l.peek(0); s == '+' || s == '-' {
				l.at++
			}
			continue
		}
		if !isDigit(c) && !isAlpha(c) && c != '.' {
			break
		}
		l.at++
	}
	v := parseNumber(l.src[from:l.at])
	if v.IsNil() {
		l.fail("malformed number near '%s'", l.src[from:l.at])
	}
	return v
}

// longLevel returns the number of signs = in the bracket that opens a long string here, or −1 if none does.
func (l *lexer) longLevel() int {
	level := 0
	for l.peek(1+level) == '=' {
		level++
	}
	if l.peek(1+level) == '[' {
		return level
	}
	return -1
}

func (l *lexer) long(level int) string {
	l.at += level + 2
	closing := "]" + strings.Repeat("=", level) + "]"
	size := strings.Index(l.src[l.at:], closing)
	if size < 0 {
		l.fail("unfinished long string or comment")
	}
	s := l.src[l.at : l.at+size]
	l.line += strings.Count(s, "\n")
	l.at += size + len(closing)
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.TrimPrefix(s, "\n")
}

func (l *lexer) quoted(quote byte) string {
	l.at++
	var b strings.Builder
	for {
		if l.at >= len(l.src) || l.src[l.at] == '\n' {
			l.fail("unfinished string")
		}
		c := l.src[l.at]
		l.at++
		switch c {
		case quote:
			return b.String()
		case '\\':
			l.escape(&b)
		default:
			b.WriteByte(c)
		}
	}
}

func (l *lexer) escape(b *strings.Builder) {
	c := l.peek(0)
	l.at++
	if i := strings.IndexByte(`ntrabfv\"'`, c); i >= 0 {
		b.WriteByte("\n\t\r\a\b\f\v\\\"'"[i])
		return
	}
	switch {
	case c == '\n':
		l.line++
		b.WriteByte('\n')
	case c == 'x':
		high, low := hexDigit(l.peek(0)), hexDigit(l.peek(1))
		if high < 0 || low < 0 {
			l.fail("hexadecimal digit expected")
		}
		b.WriteByte(byte(high<<4 | low))
		l.at += 2
	case c == 'z':
		for strings.IndexByte(" \t\r\n\v\f", l.peek(0)) >= 0 && l.at < len(l.src) {
			if l.peek(0) == '\n' {
				l.line++
			}
			l.at++
		}
	case isDigit(c):
		n := int(c - '0')
		for i := 0; i < 2 && isDigit(l.peek(0)); i++ {
			n = n*10 + int(l.peek(0)-'0')
			l.at++
		}
		if n > 255 {
			l.fail("decimal escape too large near '\\%d'", n)
		}
		b.WriteByte(byte(n))
	case c == 'u' && l.peek(0) == '{':
		l.at++
		n := 0
		for hexDigit(l.peek(0)) >= 0 && n <= utf8.MaxRune {
			n = n<<4 | hexDigit(l.peek(0))
			l.at++
		}
		if l.peek(0) != '}' {
			l.fail("invalid UTF-8 escape")
		}
		l.at++
		b.WriteString(string(rune(n)))
	default:
		l.fail("invalid escape sequence '\\%c'", c)
	}
}
