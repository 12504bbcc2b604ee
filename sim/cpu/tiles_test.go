package cpu

import (
	"testing"

	"github.com/gosper-life/gosper/sim/simtest"
)

var tilePlans = []string{
	"avx512,tiles,slabs=8,depth=6,threads=2", "avx512,tiles,slabs=8,depth=1,threads=1",
	"avx2,tiles,slabs=4,depth=5,threads=2",
	"neon,tiles,slabs=4,depth=6,threads=2", "simd128,tiles,slabs=2,depth=6,threads=1",
	"portable,tiles,slabs=1,depth=2,threads=1", "portable,tiles,slabs=16,depth=16,threads=2",
}

func TestTilePlans(t *testing.T) {
	for _, plan := range runnable(t, tilePlans) {
		for i, notation := range []string{
			"B3/S23", "B2-a/S12", "B36/S23H", "B13/S012V",
			"MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA",
			"345/2/7", "R2,C0,M1,S6..9,B5..7,NM", "R3,C3,M0,S6..9,B5..7,NN", "R9,C0,M1,S100..160,B90..120,NM",
			"R20,C0,M1,S500..900,B480..640,NM",
		} {
			c := simtest.Case{
				Rule: notation, Topology: "T0", Seed: uint64(i), Percent: 45, Steps: []uint64{1, 6, 2, 13},
				Plan: plan,
			}
			if i >= 8 { // the reference takes its time
				c.Steps = []uint64{1, 2}
			}
			if err := simtest.Check(t.Context(), open, c); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestTilesOfTorus(t *testing.T) {
	for _, plan := range runnable(t, tilePlans) {
		for i, suffix := range []string{
			"T256,256", "T512,256", "T256,768", "T257,300", "T32,512", "T64,90", "T100,33",
			"T319,288", "T0,66", "T66,0",
		} {
			c := simtest.Case{
				Rule: "B3/S23", Topology: suffix, Seed: uint64(i), Percent: 5, Steps: []uint64{1, 6, 2, 13},
				Plan: plan,
			}
			if err := simtest.Check(t.Context(), open, c); err != nil {
				t.Error(err)
			}
		}
	}
	for i, notation := range []string{"345/2/7", "B36/S23H", "R3,C3,M0,S6..9,B5..7,NN"} {
		c := simtest.Case{
			Rule: notation, Topology: []string{"T256,512", "T300,260", "T513,70"}[i], Percent: 10,
			Steps: []uint64{7, 12}, Plan: "tiles",
		}
		if err := simtest.Check(t.Context(), open, c); err != nil {
			t.Error(err)
		}
	}
}
