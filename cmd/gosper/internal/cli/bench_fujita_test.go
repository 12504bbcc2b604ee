package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/boris"
	"github.com/gosper-life/gosper/papers/fujita"
)

// The sweeps measure what this machine can, and their rows make tables and figures.
func TestSweepsOfOneLaunch(t *testing.T) {
	once := papers.Protocol{Generations: 2, Least: 2, Most: 2}
	for _, c := range []struct {
		paper paper
		wants []string
	}{
		{
			paper{name: fujita.Name, measure: fujitaSweep{64, once, once}.measure, tables: fujita.Tables, figures: fujita.Figures},
			[]string{"Table I", "| one core, columns ", "| one core, rows ", "| 58.3 ", "| reference on CPU, one core "},
		},
		{
			paper{name: boris.Name, measure: borisSweep{64, 64, once}.measure, tables: boris.Tables, figures: boris.Figures},
			[]string{"The best of each kernel", "| A40 ", "| Gosper, reference "},
		},
	} {
		var out, errOut bytes.Buffer
		flags := paperFlags{Engine: "reference", Out: t.TempDir()}
		if err := flags.run(t.Context(), &console.Console{Out: &out, Err: &errOut}, c.paper); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", c.paper.name, want, out.String())
			}
		}
		rows, err := readMeasurements([]string{flags.Out + "/" + c.paper.name + ".jsonl"}, c.paper.name)
		if err != nil || len(rows) == 0 || rows[0].Method != "gosper" {
			t.Errorf("%s: %v, %+v", c.paper.name, err, rows)
		}
	}
}
