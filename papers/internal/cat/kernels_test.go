//go:build linux

package cat_test

import (
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/internal/cudagen/cudatest"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/papertest"
)

// perRadius are the methods that have a kernel for each radius.
var perRadius = map[cat.Method]bool{
	cat.Base: true, cat.Base8: true, cat.Shared: true, cat.Coarse: true, cat.MCell: true, cat.MCellPairs: true,
	cat.Pack: true, cat.Prefix: true,
}

// The kernels themselves, compiled for the processor, do as the reference does: every kernel, with the tiles of
// the heat map's corners, and beyond the paper's radii and neighbourhoods.
func TestKernels(t *testing.T) {
	d := cudatest.Device(t, "testdata/host.cpp")
	t.Run("cells", func(t *testing.T) { checkCells(t, d) })
	t.Run("volumes", func(t *testing.T) { checkVolumes(t, d) })
	check := func(m cat.Method, text string, density float64, o cat.Options, sizes ...[2]int) {
		t.Run(fmt.Sprint(m, " ", text, o.Tile, o.Change, o.Generations), func(t *testing.T) {
			r := parse(t, text)
			papertest.Run(t, papertest.Suite{
				Rule: text, Sizes: sizes, Steps: []int{1, 1 + o.Generations}, Density: density,
				Open: func(w, h int) (experiment.Stepper, error) { return m.Open(d, r, w, h, o) },
			})
		})
	}
	for _, m := range cat.All() {
		for _, p := range cat.Instances() {
			if !perRadius[m] && p.Radius%5 != 1 {
				continue
			}
			sizes := [][2]int{{44, 19}}
			if p.Radius == 1 || p.Radius == 9 || p.Radius == 16 {
				sizes = append(sizes, [2]int{70, 35}, [2]int{5, 1})
			}
			check(m, p.Notation, p.Density, cat.Options{}, sizes...)
		}
	}
	for _, tile := range [][2]int{{1, 1}, {1, 30}, {30, 1}, {2, 3}} {
		check(cat.CAT, cat.Instances()[9].Notation, 0.4, cat.Options{Tile: tile}, [2]int{70, 35})
	}
	for _, text := range []string{"R1,C2,S2-3,B2,N+", "R16,C2,S20-40,B22-30,N+"} {
		check(cat.CAT, text, 0.4, cat.Options{}, [2]int{70, 35})
	}
	for _, tile := range cat.KnownTiles {
		check(cat.CAT, cat.Instances()[9].Notation, 0.4, cat.Options{Tile: tile}, [2]int{70, 35})
	}
	for _, m := range []cat.Method{cat.MMA, cat.Cached} {
		check(m, cat.Instances()[9].Notation, 0.4, cat.Options{Tile: [2]int{2, 3}, Warps: 5}, [2]int{70, 35})
		for _, text := range []string{"R1,C2,S2-3,B2,N+", "R16,C2,S20-40,B22-30,N+"} {
			check(m, text, 0.4, cat.Options{Tile: [2]int{2, 3}}, [2]int{70, 35})
		}
	}
	for _, m := range []cat.Method{cat.Prefix, cat.Registers, cat.Int8} {
		check(m, cat.Instances()[9].Notation, 0.3, cat.Options{Rows: 1}, [2]int{70, 70})
	}
	for _, m := range cat.Beyond {
		for _, radius := range []int{17, 22, 23, 32, 33, 64} {
			if radius <= m.MaxRadius() {
				check(m, wideRule(radius), 0.4, cat.Options{Tile: [2]int{1, 3}}, [2]int{70, 35})
			}
		}
	}
	for _, m := range []cat.Method{cat.Rows, cat.Bits} {
		for _, text := range []string{
			"R3,C0,M0,S6..9,B7..9,NN", "R16,C0,M0,S180..240,B190..230,NN",
			"R9,C0,M0,S90..120,B95..110,NC",
		} {
			check(m, text, 0.45, cat.Options{}, [2]int{70, 35})
		}
	}
	for _, c := range launchGenerations {
		p := cat.Instances()[c.radius-1]
		o := cat.Options{Generations: c.generations}
		check(cat.Temporal, p.Notation, p.Density, o, [2]int{150, 90}, [2]int{5, 1}, [2]int{112, 48})
	}
	for _, m := range cat.Published {
		for _, change := range cat.Changes[m] {
			for _, radius := range []int{1, 16} {
				p := cat.Instances()[radius-1]
				check(m, p.Notation, p.Density, cat.Options{Change: change}, [2]int{70, 35}, [2]int{20, 250})
			}
			if m == cat.CAT {
				check(m, "R7,C2,S9-15,B8-13,N+", 0.4, cat.Options{Change: change}, [2]int{70, 35})
			}
		}
	}
}
