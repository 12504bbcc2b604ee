package cpu

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
)

// Passes of several generations where the cells beside a row are copies of cells in other rows, or in columns.
func TestPassesOnSurfacesThatTurnAtTheSides(t *testing.T) {
	open := func(cfg sim.Config) (sim.Engine, error) { return Open(t.Context(), cfg) }
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom([]string{
			"B3/S23", "B2/S345/4", "B0123478/S01234678", "R2,C0,M1,S7..10,B7..11,NM", "R5,C0,M1,S34..58,B34..45,NM",
			"R3,C3,S2-7,9,B3-5,8,NC", "B3/S23|B36/S23",
		}).Draw(t, "rule")
		w, h := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(120, 200)).Draw(t, "w"), rapid.IntRange(2, 30).Draw(t, "h")
		topology := map[string]string{
			"klein": fmt.Sprintf("K%d,%d*", w, h), "shifted klein": fmt.Sprintf("K%d,%d*+1", w, h),
			"cross":  fmt.Sprintf("C%d,%d", w, h),
			"sphere": fmt.Sprintf("S%d", 2+w/3), "torus": fmt.Sprintf("T%d,%d%+d", w, h, rapid.IntRange(1, 9).Draw(t, "shift")),
		}[rapid.SampledFrom([]string{"klein", "shifted klein", "cross", "sphere", "torus"}).Draw(t, "kind")]
		depth, threads := rapid.IntRange(2, 9).Draw(t, "depth"), rapid.IntRange(1, 3).Draw(t, "threads")
		c := simtest.Case{
			Rule: rule, Topology: topology, Seed: 1, Percent: 40,
			Steps: []uint64{uint64(depth), 1, uint64(depth + 1)}, Threads: threads,
		}
		if rapid.Bool().Draw(t, "asked") {
			c.Plan = fmt.Sprintf("depth=%d,slabs=%d,threads=1", depth, 1<<rapid.IntRange(0, 1).Draw(t, "slabs"))
		}
		if err := simtest.Check(t.Context(), open, c); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
	})
}
