package cuda

import (
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/simtest"
)

// Universes in patches agree with the reference and with the processor.
func TestGPUPatches(t *testing.T) {
	needGPU(t)
	for i, c := range patchCases {
		c.Seed, c.Percent, c.Steps = uint64(i), 40, []uint64{1, 40, 3, 17, 1000}
		if err := simtest.Check(t.Context(), openGPU, c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for i, suffix := range []string{
		"T512,512", "T1024,1024", "T2048,2048", "T4096,4096", "T4096,3001", "T96,4000",
		"T8192,8192",
	} {
		for _, notation := range []string{"B3/S23", "B36/S125", "345/2/7"} {
			r, err := rule.Parse(notation)
			if err != nil {
				t.Fatal(err)
			}
			compareWithCPU(t, r, suffix, uint64(i), 5003)
		}
	}
}
