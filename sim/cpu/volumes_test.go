package cpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
		"avx512,bands,slabs=8,depth=1,threads=1",
		"avx512,bands,slabs=4,depth=1,threads=1",
		"avx2,bands,slabs=4,depth=1,threads=1",
		"neon,bands,slabs=4,depth=3,threads=1",
		"neon,bands,slabs=4,depth=1,threads=1",
		"simd128,bands,slabs=2,depth=2,threads=1",
		"simd128,bands,slabs=2,depth=1,threads=1",
		"slabs=1,depth=1,threads=1,runs=2",
	}
	simtest.Run(t, open, simtest.Options{Plans: runnable(t, plans), Volumes: true})
}

// TestVolumeLists compares small volumes with the reference, which have two copies of their cells: after odd and even
// numbers of generations, with cells written in between, for every number of slabs. Slabs are full or padded, have
// fewer rows than the radius, and rules add up sums from row to row or do not, and have one list for two
// generations or two.
func TestVolumeLists(t *testing.T) {
	ctx := context.Background()
	for i, notation := range []string{
		"3D4,5/5:T16,16,16", "3D4,5/5:P16,16,16", "3D5..7/6:T70,20,3", "3D5..7/6:P20,13,2", "3D0..6/1,3F:T130,8,1",
		"4/4/5/M:T33,24,5", "3D4/4|3D5/5:T10,8,6", "3D4/4|3D5/5|3D2/3F:T10,8,6", "3D/0,4,5:P9,16,4",
		"3DR2,C0,M0,S25..43,B25..35,NM:T64,16,9", "3DR3,C0,M1,S10..30,B12..25,NN:P40,11,7",
		"3DR5,C0,M1,S380..700,B405..520,NM:T20,8,12",
	} {
		r, suffix, err := rule.ParseApart(notation)
		if err != nil {
			t.Fatal(err)
		}
		top := *suffix
		want, err := reference.Open(ctx, sim.Config{Rule: r, Topology: top})
		if err != nil {
			t.Fatal(err)
		}
		engines := []sim.Engine{want}
		plans := runnable(t, []string{
			"avx512,slabs=1", "avx512,slabs=2", "avx512,slabs=4", "avx512,slabs=8", "avx2,slabs=2", "avx2,slabs=4",
			"neon,slabs=2", "neon,slabs=4", "simd128,slabs=1", "simd128,slabs=2",
		})
		for _, plan := range plans {
			e, err := Open(ctx, sim.Config{Rule: r, Topology: top, Plan: plan + ",depth=1,threads=1,runs=0"})
			if err != nil {
				t.Fatal(err)
			}
			engines = append(engines, e)
		}
		for _, e := range engines {
			if err := soup.Fill(ctx, e, top.W, top.H, uint64(i), 0.25, 1, nil); err != nil {
				t.Fatal(err)
			}
			for k, n := range []uint64{1, 2, 3} {
				if _, err := e.Step(ctx, n); err != nil {
					t.Fatal(err)
				}
				if err := e.WriteRow([]uint64{0b1011}, 0, 2, (top.H-1)*k/2, 4); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := e.Step(ctx, 1); err != nil {
				t.Fatal(err)
			}
		}
		for k, plan := range plans {
			if x, y, differ := gridtest.Difference(t, engines[1+k], want); differ {
				t.Errorf("%s, plan %s: cell (%d, %d) differs", notation, plan, x, y)
			}
			if got := gridtest.Population(t, engines[1+k]); got != gridtest.Population(t, want) {
				t.Errorf("%s, plan %s: population %d", notation, plan, got)
			}
		}
	}
}

// TestVolumeRuns compares runs of layers side by side in vectors with the reference: vectors that are full and
// others, runs of one layer, of fewer than the radius and of some, several threads, and rows that are read and
// written in parts.
func TestVolumeRuns(t *testing.T) {
	ctx := context.Background()
	for i, c := range []struct{ rule, plan string }{
		{"3D4,5/5:T7,5,24", "runs=24"},
		{"3D4,5/5:T7,5,24", "runs=8,threads=3"},
		{"3D5..7/6:T16,9,130", "portable,runs=65,threads=2"},
		{"3D4,5/5:T20,6,512", "portable,runs=512"},
		{"3D0..6/1,3F:T4,1,192", "runs=64"},
		{"4/4/5/M:T12,10,36", "runs=12"},
		{"3D4/4|3D5/5:T10,8,30", "runs=1"},
		{"3DR2,C0,M0,S25..43,B25..35,NM:T9,3,40", "runs=40"},
		{"3DR3,C0,M1,S10..30,B12..25,NN:T5,11,14", "runs=7"},
	} {
		r, suffix, err := rule.ParseApart(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		top := *suffix
		e, err := Open(ctx, sim.Config{Rule: r, Topology: top, Plan: "slabs=1,depth=1,threads=1," + c.plan})
		if err != nil {
			t.Fatal(err)
		}
		want, err := reference.Open(ctx, sim.Config{Rule: r, Topology: top})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range []sim.Engine{e, want} {
			if err := soup.Fill(ctx, u, top.W, top.H, uint64(i), 0.25, 1, nil); err != nil {
				t.Fatal(err)
			}
			for _, n := range []uint64{1, 2} {
				if _, err := u.Step(ctx, n); err != nil {
					t.Fatal(err)
				}
				if err := u.WriteRow([]uint64{0b101}, 0, 1, top.H-2, 3); err != nil {
					t.Fatal(err)
				}
			}
		}
		if x, y, differ := gridtest.Difference(t, e, want); differ {
			t.Errorf("%s, plan %s: cell (%d, %d) differs", c.rule, c.plan, x, y)
		}
		if got := gridtest.Population(t, e); got != gridtest.Population(t, want) {
			t.Errorf("%s, plan %s: population %d", c.rule, c.plan, got)
		}
		var parts [2][]uint64
		for k, u := range []sim.Engine{e, want} {
			for y := range top.H {
				row := make([]uint64, 1)
				if err := u.ReadRow(row, 0, 1, y, top.W); err != nil { // beyond the last column, too
					t.Fatal(err)
				}
				parts[k] = append(parts[k], row...)
			}
		}
		if !slices.Equal(parts[0], parts[1]) {
			t.Errorf("%s, plan %s: parts of rows differ", c.rule, c.plan)
		}
	}
	for _, c := range []struct{ rule, plan string }{
		{"3D4,5/5:P7,5,24", "runs=8"},
		{"3D4,5/5:T7,5,24", "runs=7"},
		{"3D4,5/5:T7,5,24", "runs=8,depth=2"},
		{"3D4,5/5:T7,5,24", "runs=8,threads=4"},
		{"3D4,5/5:T7,5,24", "runs=-1"},
		{"3D/0,4,5:T7,5,24", "runs=8"},
		{"3D4,5/5~flip=0.1:T7,5,24", "runs=8"},
		{"B3/S23:T70,50", "runs=2"},
	} {
		r, suffix, err := rule.ParseApart(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(ctx, sim.Config{Rule: r, Topology: *suffix, Plan: "slabs=1,depth=1,threads=1," + c.plan})
		if !errors.As(err, new(*sim.Unsupported)) {
			t.Errorf("%s, plan %s: %v", c.rule, c.plan, err)
		}
	}
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
