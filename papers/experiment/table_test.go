package experiment

import (
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	table := Table{
		Title: "Times", Header: []string{"d", "64×64"}, Rows: [][]string{{"t=16", "0.3"}, {"é", ""}},
		Note: "Seconds.",
	}
	if err := table.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	const want = `**Times**

| d    | 64×64 |
| ---- | ----- |
| t=16 | 0.3   |
| é    |       |

Seconds.
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}
