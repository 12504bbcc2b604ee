package console

import (
	"bytes"
	"testing"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"64×64, Kürbis\n\ttab":      "64×64, Kürbis\n\ttab",
		"a\x1b]0;title\ab":          `a\x1b]0;title\ab`,
		"over\rwritten\b\x7f":       `over\rwritten\b\x7f`,
		"\u009b31m":                 `\u009b31m`,
		"bad \xff\xc3 bytes\x9b":    `bad \xff\xc3 bytes\x9b`,
		"turned \u202exe.elr\u2066": `turned \u202exe.elr\u2066`,
		`"quoted" \n`:               `"quoted" \n`,
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got, want := OneLine("one\x1b[2J\ntwo\r\nthree"), `one\x1b[2J; two; three`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMessages: a line of progress keeps its beginning, and nothing else is a command.
func TestMessages(t *testing.T) {
	var out bytes.Buffer
	c := &Console{Err: Messages(&out), Out: &out, Terminal: true}
	l := c.Line(false)
	l.Show(func() string { return "reading \x1b[31m.rle" })
	l.Erase()
	c.Printf("%s\n", "\x1b[31m")
	if n, err := c.Err.Write([]byte("gosper: \r\x1b[Kx\n")); n != 14 || err != nil {
		t.Error(n, err)
	}
	want := "\r\x1b[Kreading \\x1b[31m.rle\r\x1b[K" + "\\x1b[31m\n" + "gosper: \\r\\x1b[Kx\n"
	if got := out.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
