package bands

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// TestSlabs checks that a universe goes through the same states for all divisions into slabs, bands and passes. It
// uses sizes without small divisors and every kind of edge.
func TestSlabs(t *testing.T) {
	code := codegen.Fastest()
	if code == codegen.Portable {
		t.Skip("portable code has one slab")
	}
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 150).Draw(t, "width"), rapid.IntRange(1, 80).Draw(t, "height")
		suffix := fmt.Sprintf(rapid.SampledFrom([]string{
			"T%d,%d", "P%d,%d", "T%d,%d+3", "T%d+2,%d", "K%d*,%d", "K%d,%d*", "C%d,%d", "S%d",
		}).Draw(t, "surface"), w, h)
		if suffix[0] == 'S' {
			h = rapid.IntRange(1, 300).Draw(t, "side")
			w, suffix = h, fmt.Sprintf("S%d", h)
		}
		top, err := topology.Parse(suffix)
		if err != nil {
			t.Skip(err)
		}
		r, err := rule.Parse(rapid.SampledFrom([]string{
			"B3/S23", "345/2/4", "R2,C0,M1,S6..9,B5..7,NM",
			"R5,C0,M1,S34..58,B34..45,NM",
		}).Draw(t, "rule"))
		if err != nil {
			t.Fatal(err)
		}
		slabs := 1 << rapid.IntRange(0, 3).Draw(t, "slabs")
		settings := fmt.Sprintf("%s,bands,slabs=%d,depth=%d,threads=%d", code, slabs,
			rapid.IntRange(1, 8).Draw(t, "depth"), rapid.IntRange(1, 3).Draw(t, "threads"))
		compiled := compile.New(r)
		var engines []*Engine
		for _, s := range []string{"portable,bands,slabs=1,depth=1,threads=1", settings} {
			chosen, err := plan.Make(s, r, compiled.Columns(), top, 1)
			if err != nil {
				t.Skip(err) // not every plan suits every universe
			}
			e, err := New(top, chosen.Code.Program(compiled), chosen)
			if err != nil {
				t.Fatal(err)
			}
			if err := soup.Fill(context.Background(), e, w, h, 7, 0.4, 1, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Step(context.Background(), 11); err != nil {
				t.Fatal(err)
			}
			engines = append(engines, e)
		}
		if x, y, differ := gridtest.Difference(t, engines[0], engines[1]); differ {
			t.Fatalf("%s on %s: cell (%d, %d) differs", settings, suffix, x, y)
		}
	})
}
