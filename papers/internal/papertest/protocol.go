package papertest

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
)

// Protocol runs a paper's protocol without a GPU. Gosper's own engine comes first, every other method has been
// compared with it, and the tables of the rows have the texts that are wanted.
func Protocol(t *testing.T, p experiment.Paper, wanted ...string) {
	t.Helper()
	t.Setenv("CUDA_VISIBLE_DEVICES", "-1")
	rows, err := p.Run(t.Context(), experiment.Options{Engine: "reference"})
	if err != nil || len(rows) == 0 || rows[0].Method != experiment.MethodGosper {
		t.Fatalf("%v: %+v", err, rows)
	}
	for _, m := range rows[1:] {
		if m.Compared == 0 {
			t.Errorf("not compared: %+v", m)
		}
	}
	var text strings.Builder
	if err := experiment.WriteTables(&text, p.Tables(rows)); err != nil {
		t.Fatal(err)
	}
	for _, want := range wanted {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
