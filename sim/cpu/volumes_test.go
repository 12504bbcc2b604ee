package cpu

import (
	"context"
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// TestVolumes runs the suite of three dimensions under the engine's own plans and under some it would not choose.
func TestVolumes(t *testing.T) {
	plans := []string{
		"",
		"portable,bands,slabs=1,depth=3,threads=1",
		"portable,bands,slabs=8,depth=2,threads=2",
		"avx2,bands,slabs=2,depth=2,threads=1",
		"avx512,bands,slabs=1,depth=1,threads=2",
		"avx512,bands,slabs=8,depth=2,threads=1",
		"avx512,bands,slabs=4,depth=3,threads=3",
		"neon,bands,slabs=4,depth=3,threads=1",
		"simd128,bands,slabs=2,depth=2,threads=1",
	}
	simtest.Run(t, open, simtest.Options{Plans: runnable(t, plans), Volumes: true})
}

// TestVolumeChance compares random bits with the reference: rare ones and others, in several generations a pass, with
// the seed of the rule and with another.
func TestVolumeChance(t *testing.T) {
	ctx := context.Background()
	top, err := topology.NewVolume(topology.Torus, 300, 21, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, notation := range []string{
		"3D4,5/5~flip=0.001", "3D4,5/5~flip=0.002,async=0.7", "3DPM/0.1,0.4,0.7/0.3,0.01", "3DQ5N/0.5,0.3,0.1",
		"3D5..7/6~dead=0.01,set1=0.0005",
	} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		for _, plan := range []string{"", "depth=3", "portable,depth=2"} {
			var engines []sim.Engine
			for _, c := range []struct {
				open sim.Opener
				plan string
			}{{Open, plan}, {reference.Open, ""}} {
				e, err := c.open(ctx, sim.Config{Rule: r, Topology: top, Plan: c.plan})
				if err != nil {
					t.Fatal(err)
				}
				if err := soup.Fill(ctx, e, top.W, top.H, 3, 0.2, 1, nil); err != nil {
					t.Fatal(err)
				}
				engines = append(engines, e)
			}
			for _, seed := range []uint64{r.Chance.Seed, 99} {
				for _, e := range engines {
					if err := e.(sim.Seeder).Reseed(seed); err != nil {
						t.Fatal(err)
					}
					if _, err := e.Step(ctx, 4); err != nil {
						t.Fatal(err)
					}
				}
				if x, y, differ := gridtest.Difference(t, engines[0], engines[1]); differ {
					t.Fatalf("%s, plan %q, seed %d: cell (%d, %d) differs", notation, plan, seed, x, y)
				}
			}
		}
	}
}

// TestWideVolumes compares cubes, octahedra and spheres of larger radii with the reference, on universes that are
// smaller than the radius along some axis, with several stacks and generations a pass.
func TestWideVolumes(t *testing.T) {
	ctx := context.Background()
	radii := []int{5, 16}
	if testing.Short() {
		radii = radii[:1]
	}
	for _, radius := range radii {
		for _, letter := range []byte("MN2") {
			size := rule.Neighbourhood{Letter: letter, Radius: radius, Volume: true}.Size()
			notation := fmt.Sprintf("3DR%d,C0,M%d,S%d..%d,B%d..%d,N%c", radius, radius&1, size*3/10, size*6/10, size*35/100,
				size/2, letter)
			r, err := rule.Parse(notation)
			if err != nil {
				t.Fatal(err)
			}
			for i, suffix := range []string{":T1,1,1", ":P5,3,2", ":T70,6,4", ":P33,9,6"} {
				top, err := topology.Parse(suffix)
				if err != nil {
					t.Fatal(err)
				}
				plan := []string{"", "depth=2,threads=2,slabs=1", "portable,depth=2"}[i%3]
				if top.D == 1 {
					plan = ""
				}
				e, err := Open(ctx, sim.Config{Rule: r, Topology: top, Plan: plan})
				if err != nil {
					t.Fatal(err)
				}
				oracle, err := reference.Open(ctx, sim.Config{Rule: r, Topology: top})
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range []sim.Engine{e, oracle} {
					if err := soup.Fill(ctx, e, top.W, top.H, 5, 0.45, 1, nil); err != nil {
						t.Fatal(err)
					}
					if _, err := e.Step(ctx, 3); err != nil {
						t.Fatal(err)
					}
				}
				if x, y, differ := gridtest.Difference(t, e, oracle); differ {
					t.Fatalf("%s%s, plan %q: cell (%d, %d) differs", notation, suffix, plan, x, y)
				}
			}
		}
	}
}
