package bands

import (
	"context"
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// TestDrawnSideBySide holds that rules with chance go through the same states where the words of several slabs are drawn side by side as where they
// are made one by one, on sizes whose strips are whole words and whatever lies beyond the edges.
func TestDrawnSideBySide(t *testing.T) {
	if !random.HasQuads() {
		t.Skip("no vectors")
	}
	for _, notation := range []string{
		"B3/S23~flip=0.1", "Ising~T=2.3", "B36/S23~async=0.9,set1=0.3,set0=0.1", "PM/0.25,0.75/1,0.5", "B3/S23~flip=0.3,dead=0.1,frozen=0.05", "Potts~q=5,T=0.9",
	} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		compiled := compile.New(r)
		for i, suffix := range []string{"T512,24", "P1024,22", "K1024*,12", "T2048,18", "C4096,16", "T16384,8", "T1000,18", "P500,20", "K2000*,12"} {
			top, err := topology.Parse(suffix)
			if err != nil {
				t.Fatal(err)
			}
			slabs, depth := 4>>(i%3), 1+i%4
			if top.Kind != topology.Torus && top.Kind != topology.Plane {
				depth = 1
			}
			var engines []*Engine
			for _, s := range []string{"portable,bands,slabs=1,depth=1,threads=1", fmt.Sprintf("%s,bands,slabs=%d,depth=%d,threads=2", codegen.AVX2, slabs, depth)} {
				chosen, err := plan.Make(s, r, compiled.Columns(), top, 1)
				if err != nil {
					t.Fatal(err)
				}
				e, err := New(top, chosen.Code.Program(compiled), chosen)
				if err != nil {
					t.Fatal(err)
				}
				if err := e.Reseed(11); err != nil {
					t.Fatal(err)
				}
				if err := soup.Fill(context.Background(), e, top.W, top.H, 7, 0.4, 1, nil); err != nil {
					t.Fatal(err)
				}
				if _, err := e.Step(context.Background(), 7); err != nil {
					t.Fatal(err)
				}
				engines = append(engines, e)
			}
			if x, y, differ := gridtest.Difference(t, engines[0], engines[1]); differ {
				t.Errorf("%s on %s in %d slabs: cell (%d, %d) differs", notation, suffix, slabs, x, y)
			}
		}
	}
}
