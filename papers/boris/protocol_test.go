package boris

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/experiment"
	_ "github.com/gosper-life/gosper/sim/reference"
)

// The protocol measures what there is without a GPU, and its rows make the tables.
func TestProtocol(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "-1")
	once := papers.Protocol{Generations: 2, Least: 2, Most: 2}
	p := Paper()
	p.Measure = sweep{64, 64, once}.measure
	rows, err := p.Run(t.Context(), experiment.Options{Engine: "reference"})
	if err != nil || len(rows) == 0 || rows[0].Method != papers.MethodGosper {
		t.Fatalf("%v: %+v", err, rows)
	}
	for _, m := range rows[1:] {
		if m.Compared == 0 {
			t.Errorf("not compared: %+v", m)
		}
	}
	var text strings.Builder
	if err := papers.WriteTables(&text, p.Tables(rows)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The best of each kernel", "| A40 ", "| Gosper, reference "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
