package console

import (
	"bytes"
	"encoding/json"
	"strings"
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
	long := "file: symmetry " + strings.Repeat("é\x1b", 1<<16) + ": want none"
	if got := OneLine(long); len(got) > 2000 || !strings.HasPrefix(got, "file: symmetry é") ||
		!strings.HasSuffix(got, "é\\x1b: want none") {
		t.Errorf("%d bytes: %q", len(got), got)
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

// TestJSONIsPlain: strings keep their value, and a terminal obeys nothing in them.
func TestJSONIsPlain(t *testing.T) {
	var out bytes.Buffer
	c := &Console{Out: &out}
	given := map[string]string{"a\x7f": "\x1b[31m\u009b2J\x85\u202e\U000e0001 <Kürbis> \ufffd\t"}
	if err := c.PrintJSON(given); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"a\\u007f\": \"\\u001b[31m\\u009b2J\\ufffd\\u202e\\udb40\\udc01 <Kürbis> \ufffd\\t\"\n}\n"
	if got := out.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var read map[string]string
	if err := json.Unmarshal(out.Bytes(), &read); err != nil ||
		read["a\x7f"] != strings.ToValidUTF8(given["a\x7f"], "\ufffd") {
		t.Errorf("%q, %v", read, err)
	}
}
