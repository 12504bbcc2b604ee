package session_test

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	flags "github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// TestFromStart: a viewer's first cells are those of gosper run with the same start, pattern and seed.
func TestFromStart(t *testing.T) {
	const rle = "x = 3, y = 3\nbo$2bo$3o!"
	seed, density := uint64(9), 0.3
	for _, text := range []string{
		"soup", "exact", "exact~1=77", "gauss~length=3,flip=0.1", "cell", "pattern~flip=0.02",
		"repeat~x=7,y=9,set1=0.1",
	} {
		cfg := config(t, "B3/S23", topology.Torus, 60, 45)
		start, err := soup.ParseStart(text)
		if err != nil {
			t.Fatal(err)
		}
		from := flags.Flags{Rule: "B3/S23", Size: flags.Size{W: 60, H: 45}, Start: text, Seed: &seed}
		s := session.Soup{Seed: seed, Density: density, Start: start}
		var want *flags.Origin
		if start.HasPattern() {
			s.Cells, from.Pattern = rle, "the pattern"
			p, err := pattern.Read(strings.NewReader(rle), "glider.rle")
			if err != nil {
				t.Fatal(err)
			}
			want, err = from.Of(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
		} else {
			if start.HasDensity() {
				from.Density = &density
			}
			if want, err = from.Origin(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		got, err := session.FromStart(t.Context(), cfg, s)
		if err != nil {
			t.Fatal(err)
		}
		var cells [2]*grid.Grid
		for i, load := range []func(e sim.Engine) error{
			func(e sim.Engine) error { return want.Load(t.Context(), e, nil) },
			func(e sim.Engine) error { return got.Load(t.Context(), e, func(done, total uint64) {}) },
		} {
			e, err := sim.Open(t.Context(), "cpu", cfg)
			must(t, err)
			must(t, load(e))
			cells[i], err = grid.New(60, 45, 1)
			must(t, err)
			must(t, grid.Copy(cells[i], e, cells[i].Bounds(), 0, 0))
			e.Close()
		}
		if !cells[0].Equal(cells[1]) || got.Soup.W != 60 || got.Soup.Start.String() != text {
			t.Errorf("%s: other cells, or %+v", text, got.Soup)
		}
	}
	for text, why := range map[string]string{
		"pattern": "the pattern's 300×1 cells do not fit the torus of 60×45", "repeat~x=9": "do not fit a period of 9×1",
		"exact~1=5000": "more than",
	} {
		start, err := soup.ParseStart(text)
		must(t, err)
		_, err = session.FromStart(t.Context(), config(t, "B3/S23", topology.Torus, 60, 45),
			session.Soup{Start: start, Cells: "300o!"})
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
