package cuda

import (
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// TestCopyRows: rows go from one universe to another on the same GPU as they would row by row. The source has made a
// generation and has an edited row. The target has an edited row, too, outside the rows that are copied.
func TestCopyRows(t *testing.T) {
	const width, n, first, to = 130, 9, 4, 2
	const stream = "stream,depth=3,words=2,unroll=3,stages=2,kept=0,rows=20"
	for _, c := range []struct {
		rule, from, target, plan string
		way                      bool // the GPU copies
	}{
		{"B3/S23", "T%d,40", "T%d,20", stream, true},
		{"B3/S23", "P%d,40", "P%d,20", stream, true},
		{"/2/3", "T%d,40", "T%d,20", stream, true},
		{"R3,C0,M1,S7..12,B7..9,NM", "P%d,40", "P%d,20", "", true},
		{"B3/S23", "T%d,40", "T%d,20", "", false}, // all cells stay in registers
		{"B3/S23", "T%d,40", "P%d,20", stream, false},
		{"B3/S23", "T%d,40", "T%d,10", stream, false}, // the rows do not fit
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			driver := gpu.StandIn(&gputest.Driver{})
			open := func(suffix string) *engine {
				devs, err := driver.OpenAll(0)
				if err != nil {
					t.Fatal(err)
				}
				cfg := sim.Config{Plan: c.plan}
				if cfg.Rule, err = rule.Parse(c.rule); err != nil {
					t.Fatal(err)
				}
				if cfg.Topology, err = topology.Parse(fmt.Sprintf(suffix, width)); err != nil {
					t.Fatal(err)
				}
				e, err := OpenOn(devs, cfg, WindowSizes{})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { e.Close() })
				if err := soup.Fill(t.Context(), e, width, cfg.Topology.H, 5, 0.4, 1, nil); err != nil {
					t.Fatal(err)
				}
				return e.(*engine)
			}
			from, target := open(c.from), open(c.target)
			if _, err := from.Step(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			edit := []uint64{0x5A5A5A5A5A5A5A5A, 3, 1}
			for e, y := range map[*engine]int{from: first + 1, target: to + n} {
				if err := e.WriteRow(edit, 0, 0, y, width); err != nil {
					t.Fatal(err)
				}
			}
			want, err := grid.New(width, target.cells.Bounds().H, from.Planes())
			if err != nil {
				t.Fatal(err)
			}
			if err := grid.Copy(want, target, target.cells.Bounds(), 0, 0); err != nil {
				t.Fatal(err)
			}
			rows := grid.Rect{Y: first, W: width, H: n}
			if err := grid.Copy(want, from, rows, 0, to); err != nil {
				t.Fatal(err)
			}
			done, err := target.CopyRows(from, first, n, to)
			if err != nil || done != c.way {
				t.Fatalf("CopyRows returns %v, %v, want %v", done, err, c.way)
			}
			if err := grid.Copy(target, from, rows, 0, to); err != nil {
				t.Fatal(err)
			}
			x, y, differ, err := grid.FirstDifference(want, target)
			if err != nil || differ {
				t.Errorf("cell %d,%d differs, error %v", x, y, err)
			}
		})
	}
}
