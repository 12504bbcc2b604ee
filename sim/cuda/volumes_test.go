package cuda

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
)

// The kernels of volumes, run on the host: random rules of every notation on both topologies at awkward sizes, and
// known results.
func TestVolumes(t *testing.T) {
	t.Parallel()
	simtest.Run(t, openHost, simtest.Options{Volumes: true})
}

// volumePlans are of every kind that volumes take.
var volumePlans = []string{
	"stream,depth=1,words=1,unroll=1,stages=1,kept=0,rows=2",
	"stream,depth=1,words=2,unroll=3,stages=1,kept=0,rows=5",
	"stream,depth=1,words=4,unroll=2,stages=1,kept=0,rows=100",
	"stream,depth=1,words=2,unroll=2,stages=1,kept=0,rows=4,warps=3",
	"stream,depth=1,words=1,unroll=4,stages=1,kept=1,rows=3,recompute",
	"stream,depth=1,words=2,unroll=3,stages=1,kept=0,rows=2,warps=2,chunk=3",
}

// volumeCases are universes on which warps fold, those of one strip closed to a ring, several strips side by side, rows
// that are whole words and others, and radii greater than a side.
func volumeCases() []simtest.Case {
	var cases []simtest.Case
	for i, notation := range []string{
		"3D4,5/5", "3D0..6/1,3F", "3D2,3/3C", "3D4,5/5E", "3D3/3H", "3D/0,4,5", "4/4/5/M", "2,6,9/4,6,8-9/10/M",
		"3DR2,C0,M0,S25..43,B25..35,NM", "3DR3,C3,M1,S98..170,B103..130,NM", "3DR2,C0,M0,S5..9,B6..8,NN",
		"3DR4,C0,M1,S60..120,B70..100,N2", "3D4/4|3D5/5", "3D4,5/5~flip=0.05", "4/4/3/N~async=0.7",
	} {
		for j, suffix := range []string{"T70,6,5", "P70,6,5", "T1024,2,3", "T2048,1,4", "P1030,3,7", "T128,5,2", "T3,2,1"} {
			if (i+j)%3 == 0 {
				continue
			}
			cases = append(cases, simtest.Case{
				Rule: notation, Topology: suffix, Seed: uint64(100*i + j), Percent: 15 + 10*(j%3), Generation: uint64(i),
				Steps: []uint64{2, 3},
			})
		}
	}
	for i, notation := range []string{"3DIsing~T=4", "3DPotts~q=4,T=0.9", "3DSandpile~p=0.02", "3DPM/0.1,0.5/0.3~checkerboard"} {
		for j, suffix := range []string{"T70,6,4", "P70,5,7", "T1024,2,4", "P1030,3,7"} {
			cases = append(cases, simtest.Case{
				Rule: notation, Topology: suffix, Seed: uint64(100*i + j), Percent: 40, Generation: uint64(i),
				Steps: []uint64{2, 3},
			})
		}
	}
	return cases
}

func TestVolumePlans(t *testing.T) {
	t.Parallel()
	accepted := map[string]int{}
	for i, c := range volumeCases() {
		c.Plan = volumePlans[(i+i/len(volumePlans))%len(volumePlans)]
		err := simtest.Check(t.Context(), openHost, c)
		var unsupported *sim.Unsupported
		if err == nil {
			accepted[c.Plan]++
		} else if !errors.As(err, &unsupported) {
			t.Error(err)
		}
	}
	for _, plan := range volumePlans {
		if accepted[plan] == 0 {
			t.Errorf("plan %s was always refused", plan)
		}
	}
}

// The same on a card, and volumes of many strips beside the processor.
func TestGPUVolumes(t *testing.T) {
	needGPU(t)
	simtest.Run(t, openGPU, simtest.Options{Volumes: true})
	for i, c := range volumeCases() {
		if c.Plan = volumePlans[(i+i/len(volumePlans))%len(volumePlans)]; i%2 == 0 {
			c.Plan = ""
		}
		var unsupported *sim.Unsupported
		if err := simtest.Check(t.Context(), openGPU, c); err != nil && !errors.As(err, &unsupported) {
			t.Error(err)
		}
	}
	for i, notation := range []string{
		"3D4,5/5", "3D5..7/6", "3D0..6/1,3F", "3D4,5/5H", "4/4/5/M", "3D4,5/5~flip=0.001",
		"3DR2,C0,M0,S25..43,B25..35,NM", "3DR5,C0,M1,S380..700,B405..520,NM", "3DR4,C0,M1,S60..120,B70..100,N2",
		"3DR16,C0,M0,S9000..18000,B10000..16000,NM",
	} {
		for j, suffix := range []string{"T256,256,256", "P300,130,70", "T1024,100,90", "T2100,64,40"} {
			if i == 0 || (i+j)%3 == 0 {
				compareWithCPU(t, mustParse(t, notation), suffix, uint64(i), 20)
			}
		}
	}
}

// Volumes divided among three devices, a band of layers on each.
func TestVolumeBands(t *testing.T) {
	t.Parallel()
	for i, c := range volumeCases() {
		if i%4 != 0 {
			continue
		}
		var w, h, d int
		if _, err := fmt.Sscanf(c.Topology[1:], "%d,%d,%d", &w, &h, &d); err != nil {
			t.Fatal(err)
		}
		open, layers := openThree, 5*d+14
		if i%8 == 0 {
			open, layers = openEight, 5*d+40
		}
		c.Topology = fmt.Sprintf("%c%d,%d,%d", c.Topology[0], w, h, layers)
		c.Steps = []uint64{7, 2}
		if err := simtest.Check(t.Context(), open, c); err != nil {
			t.Error(err)
		}
	}
}

// Cubes, octahedra and spheres of large radii, on universes that are smaller.
func TestWideVolumes(t *testing.T) {
	t.Parallel()
	radii := []int{5, 16}
	if testing.Short() {
		radii = radii[:1]
	}
	for _, radius := range radii {
		for i, letter := range []byte("MN2") {
			size := rule.Neighbourhood{Letter: letter, Radius: radius, Volume: true}.Size()
			c := simtest.Case{
				Rule: fmt.Sprintf("3DR%d,C0,M%d,S%d..%d,B%d..%d,N%c", radius, radius&1, size*3/10, size*6/10, size*35/100, size/2,
					letter),
				Topology: []string{"T70,3,4", "P33,4,3", "T1,1,1"}[(i+radius)%3], Percent: 45, Steps: []uint64{2},
			}
			plans := []string{""}
			if radius == 5 { // the sums of eight warps do not fit in shared memory
				plans = append(plans, "stream,depth=1,words=4,unroll=2,stages=1,kept=0,rows=2,warps=8")
			}
			for _, c.Plan = range plans {
				if err := simtest.Check(t.Context(), openHost, c); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
