package scene

import (
	"testing"

	"github.com/gosper-life/gosper/grid"
)

// From very far away a block is far wider than the universe in it: only the universe is read.
func TestFrameFromFarAway(t *testing.T) {
	g, err := grid.New(70, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	g.Set(69, 2, 1)
	for _, scale := range []int{7, 20, 40, 50} {
		var f Frame
		f.Read(g, Region{X: -2 << scale, Y: -2 << scale, W: 4, H: 4, Scale: scale}, 1<<23)
		for i, d := range f.Density {
			if (d > 0) != (i == 10) {
				t.Errorf("scale %d: pixel %d has density %d", scale, i, d)
			}
		}
	}
}
