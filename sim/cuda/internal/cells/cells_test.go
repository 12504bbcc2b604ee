package cells_test

import (
	"testing"

	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/ptx/ptxtest"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/topology"
)

// The drawing of Layout in numbers: two planes of three rows of 300 columns.
func TestLayout(t *testing.T) {
	l := cells.New(300, 3, 2, 2, 1, 4, 5)
	type sizes struct{ groups, margin, stride, plane, all, origin, plain int }
	got := sizes{l.Groups, l.Margin, l.Stride, int(l.PlaneBytes()), int(l.Bytes()), int(l.Origin()), l.PlainStride()}
	// 5 groups of 64 columns hold 300; a halo group to the left takes a line of 128 bytes, groups and one to the
	// right 48 of another.
	if want := (sizes{5, 128, 256, 12 * 256, 2 * 12 * 256, 4*256 + 128, 48}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	l.Shift = 7 // rows more in each plane
	if got := int(l.PlaneBytes()); got != 19*256 {
		t.Errorf("a plane takes %d bytes", got)
	}
}

// Every tool is a kernel of its name, for every number of words and planes and every surface.
func TestTools(t *testing.T) {
	for _, suffix := range []string{"T100,50", "T100+3,50", "P100,50", "K100*,50", "C100,50", "S50"} {
		surface, err := topology.Parse(suffix)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range []cells.Tool{
			cells.Population, cells.MakeSoup, cells.Extent, cells.Invert, cells.BlockCounts, cells.GroupCounts, cells.Halo,
			cells.Pack, cells.Unpack, cells.States, cells.Digests, cells.Join, cells.JoinDigests,
		} {
			for _, words := range []int{1, 2, 4} {
				var m ptx.Module
				tool.Write(&m, 3, words, surface)
				programs, err := ptxtest.Parse(m.String())
				if err != nil || len(programs) != 1 || programs[string(tool)] == nil {
					t.Errorf("%s on %s, %d words: %d programs, %v", tool, suffix, words, len(programs), err)
				}
			}
		}
	}
}
