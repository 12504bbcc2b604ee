package playne

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
	_ "github.com/gosper-life/gosper/sim/cpu"
)

// A small sweep goes all the way from soups to rows and tables. It has all rows that were requested: those of the
// processor, even on a machine with a GPU.
func TestProtocol(t *testing.T) {
	p := Paper()
	p.Measure = sweep{sides: []int{16, 20}, generations: 2, seeds: 2, density: 0.5}.run
	for _, c := range []struct {
		methods []string
		rows    int
	}{
		{[]string{MethodCPU, experiment.MethodGosper}, 8},
		{[]string{MethodCPU}, 4},
		{[]string{experiment.MethodGosper}, 4},
	} {
		rows, err := p.Run(t.Context(), experiment.Options{Engine: "cpu", Methods: c.methods})
		if err != nil || len(rows) != c.rows {
			t.Fatalf("%v: %d rows, %v", c.methods, len(rows), err)
		}
		for _, m := range rows {
			universes, _ := m.Number(ParameterUniverses)
			want := universes * float64(m.Width*m.Height) / m.Seconds
			if m.CellsPerSec != want || m.Paper != Name || (m.Method == MethodCPU) != (m.Compared == comparedGenerations) ||
				m.Realisations != 2 {
				t.Errorf("%+v, want %v cells/s", m, want)
			}
		}
		if len(c.methods) == 1 {
			continue
		}
		var text strings.Builder
		if err := experiment.WriteTables(&text, p.Tables(rows)); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"about 2.1", "one core of", "Gosper on one core", "L = 20", "about 150²"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("no %q in\n%s", want, text.String())
			}
		}
		if len(p.Figures(rows)) != 4 {
			t.Errorf("%d figures", len(p.Figures(rows)))
		}
	}
}

// miscounting finds a cluster too many.
type miscounting struct{ Simulations }

func (m miscounting) Histogram(dst []uint64) error {
	err := m.Simulations.Histogram(dst)
	dst[4]++
	return err
}

// Before one of Playne and Hawick's methods is measured its clusters and cells are compared with those of
// Gosper's own batches.
func TestClustersAreCompared(t *testing.T) {
	c := Config{L: 32, Universes: 3, Connectivity: 8}
	sims, err := OpenCPU(c, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer sims.Close()
	s := quick
	s.known = map[[2]int]expected{}
	if n, err := s.sameClusters(t.Context(), published{sims, c.L}, c); n == 0 || err != nil {
		t.Errorf("%d generations, %v", n, err)
	}
	_, err = s.sameClusters(t.Context(), published{miscounting{sims}, c.L}, c)
	if err == nil || !strings.Contains(err.Error(), "clusters of 4 cells in 3 generations of 3 universes of 32²") {
		t.Errorf("got %v", err)
	}
}
