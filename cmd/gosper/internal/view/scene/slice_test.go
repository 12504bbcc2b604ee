package scene

import (
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// TestSlices compares every cell of every slice with the cell of the volume.
func TestSlices(t *testing.T) {
	const w, h, d = 70, 5, 4
	volume, err := topology.NewVolume(topology.Torus, w, h, d)
	if err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(w, h*d, 2)
	if err != nil {
		t.Fatal(err)
	}
	state := func(x, y, z int) uint8 { return uint8((x*x + 3*y + 7*z + x*y*z) % 4) }
	for z := range d {
		for y := range h {
			for x := range w {
				g.Set(x, y+h*z, state(x, y, z))
			}
		}
	}
	for _, axis := range []byte("xyz") {
		s := Slice{Axis: axis}
		for s.At = range s.Number(volume) {
			columns, rows := s.Size(volume)
			var f Frame
			region := Region{X: -3, Y: -2, W: columns + 7, H: rows + 4}
			if err := f.Read(s.Of(g, volume), region, Unlimited); err != nil {
				t.Fatal(err)
			}
			for py := range region.H {
				for px := range region.W {
					want := uint8(0)
					if _, _, ok := s.Stored(volume, px-3, py-2); ok {
						want = state(s.Cell(px-3, py-2))
					}
					if got := f.State(px, py); got != want {
						t.Fatalf("slice %c=%d, column %d, row %d: state %d, want %d", axis, s.At, px-3, py-2, got, want)
					}
				}
			}
		}
	}
	if got := Middle(volume, 'y'); got != (Slice{'y', 2}) {
		t.Errorf("the middle slice across y is %+v", got)
	}
}
