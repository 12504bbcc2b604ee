package cpu

import (
	"testing"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
)

// Rules that take turns and count beyond the 3×3 block, each by a sum of its own and as far as it reaches.
func TestTurnsBeyondTheBlock(t *testing.T) {
	open := func(cfg sim.Config) (sim.Engine, error) { return Open(t.Context(), cfg) }
	for i, rule := range []string{
		"R2,C0,M1,S7..10,B7..11,NM|R5,C0,M1,S34..58,B34..45,NM",
		"R5,C0,M1,S34..58,B34..45,NM|B3/S23|R2,C0,M0,S3..8,B5..9,NN",
		"R6,C0,M0,S28..45,B30..40,NN|R7,C0,M1,S40..70,B45..60,NN",
		"M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15|R2,C0,M0,S5..9,B6..8,NC",
		"R3,C3,S2-7,9,B3-5,8,NC|345/2/3|R2,C3,M1,S3..8,B5..9,NM",
		"R14,C0,M1,S230..400,B240..350,NM|B3/S23",
	} {
		for _, suffix := range []string{
			"T200,62", "T40,300", "P71,53", "T128+6,40", "K64*,40", "C40,64", "S64", "T0",
			"T0,60",
		} {
			for _, threads := range []int{1, 3} {
				c := simtest.Case{
					Rule: rule, Topology: suffix, Seed: uint64(i), Percent: 40, Steps: []uint64{3, 4, 1, 7},
					Threads: threads,
				}
				if err := simtest.Check(t.Context(), open, c); err != nil {
					t.Errorf("%+v: %v", c, err)
				}
			}
		}
	}
}
