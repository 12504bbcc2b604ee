package component

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// TestLayers: the clusters of parts of a volume that are joined are those of the volume.
func TestLayers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	spans := map[Span]bool{}
	for try := range 600 {
		kind := []topology.Kind{topology.Torus, topology.Plane}[try%2]
		w, h, d := 1+random.IntN(9), 1+random.IntN(7), 1+random.IntN(8)
		top, err := topology.NewVolume(kind, w, h, d)
		if err != nil {
			t.Fatal(err)
		}
		g, err := grid.New(w, h*d, 1)
		if err != nil {
			t.Fatal(err)
		}
		density := random.Float64()
		for y := range h * d {
			for x := range w {
				if random.Float64() < density {
					g.Set(x, y, 1)
				}
			}
		}
		for _, c := range ofVolumes {
			want, err := Label(g, top, c)
			if err != nil {
				t.Fatal(err)
			}
			var parts []*LayersPart
			for z := 0; z < d; {
				n := 1 + random.IntN(d-z)
				alone, err := topology.NewVolume(kind, w, h, n)
				if err != nil {
					t.Fatal(err)
				}
				of := grid.Part{Source: g, Bounds: grid.Rect{Y: z * h, W: w, H: n * h}, DY: -z * h}
				p, err := PartOfLayers(of, alone, c)
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, p)
				z += n
			}
			got, err := JoinLayers(top, c, parts)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%v, %v neighbours, %d parts: %+v, want %+v", top, c, len(parts), got, want)
			}
			spans[want.Span] = true
		}
	}
	if len(spans) < 8 {
		t.Errorf("clusters spanned the universe in these ways only: %v", spans)
	}
}
