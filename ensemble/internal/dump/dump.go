// Package dump is about the cells of universes that results keep and merges write into files: which ones, and
// in which form.
package dump

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Dump selects the cells that results hold: those of some universes at some generations.
type Dump struct {
	Generations []uint64 // ascending; empty without --dump
	Bits        bool     // files have eight cells in a byte, not one
	NetCDF      bool     // files are of NetCDF, not of NumPy

	universes []uint64 // of each root, rising; nil for all
}

// Kept is the cells of one universe, at one generation after the other: its planes, their rows from above, and
// in each row eight cells in a byte, that on the left in the highest bit.
type Kept struct {
	Universe int    `json:"universe"` // its number in the result
	Cells    []byte `json:"cells"`
}

// mostKept is the number of bytes the cells of a universe take at most, so that a result fits in memory.
const mostKept = 1 << 30

// Parse reads which cells to keep, of universes of some rules and areas up to a generation: the texts of a
// spec's keys, which become canonical.
func Parse(at, universes, as *string, last uint64, rules []rule.Rule, areas []topology.Topology) (d Dump, err error) {
	if *at == "" {
		if *universes != "" || *as != "" {
			return d, errors.New("dump_universes and dump_as say which cells to dump and how: dump says at which generations")
		}
		return d, nil
	}
	if d.Generations, err = numbers(*at); err != nil {
		return d, fmt.Errorf("dump: %w", err)
	}
	if late := d.Generations[len(d.Generations)-1]; late > last {
		return d, fmt.Errorf("dump %d is later than the last generation, %d", late, last)
	}
	*at = written(d.Generations)
	if *universes != "" {
		if d.universes, err = numbers(*universes); err != nil {
			return d, fmt.Errorf("dump_universes: %w", err)
		}
		*universes = written(d.universes)
	}
	switch *as {
	case "bytes":
		*as = ""
	case "", "bits", "netcdf":
		d.Bits, d.NetCDF = *as == "bits", *as == "netcdf"
	default:
		return d, fmt.Errorf("dump_as %q: want bytes, one for each cell, bits, eight cells in a byte, or netcdf", *as)
	}
	for _, r := range rules {
		if d.Bits && r.States > 2 {
			return d, fmt.Errorf("dump_as bits: rule %v has %d states; want bytes", r, r.States)
		}
		for _, t := range areas {
			if float64(len(d.Generations))*float64(grid.PlanesOf(r.States))*float64(d.rowBytes(t))*float64(t.H) > mostKept {
				return d, fmt.Errorf("dump: %d generations of a universe of %d×%d cells do not fit in %d bytes", len(d.Generations),
					t.W, t.H, mostKept)
			}
		}
	}
	return d, nil
}

func (d *Dump) rowBytes(t topology.Topology) int { return (t.W + 7) / 8 }

// KeptBytes is the number of bytes the cells of a universe take in a result.
func (d *Dump) KeptBytes(t topology.Topology, planes int) int {
	return len(d.Generations) * planes * t.H * d.rowBytes(t)
}

// Columns is the number of bytes a row of cells takes in a file.
func (d *Dump) Columns(t topology.Topology) int {
	if d.Bits {
		return d.rowBytes(t)
	}
	return t.W
}

// Has reports whether the cells of a universe are kept. Universes are numbered from 0 for each root.
func (d *Dump) Has(index uint64) bool {
	if d.universes == nil {
		return len(d.Generations) > 0
	}
	_, found := slices.BinarySearch(d.universes, index)
	return found
}

// Last is the greatest number of a universe that the spec names, or 0 if it names none.
func (d *Dump) Last() uint64 {
	if len(d.universes) == 0 {
		return 0
	}
	return d.universes[len(d.universes)-1]
}

// Of is the number of universes, of count from first on, whose cells are kept.
func (d *Dump) Of(first uint64, count int) int {
	switch {
	case len(d.Generations) == 0:
		return 0
	case d.universes == nil:
		return count
	}
	from, _ := slices.BinarySearch(d.universes, first)
	end, _ := slices.BinarySearch(d.universes, first+uint64(count))
	return end - from
}

// TakeCells stores in a grid the cells that AppendCells has put first, and returns the rest. There must be enough.
func TakeCells(g *grid.Grid, cells []byte) []byte {
	g.Clear()
	for k := range g.Planes() {
		for y := range g.H() {
			row := g.Row(k, y)
			for x := 0; x < g.W(); x += 8 {
				row[x>>6] |= uint64(bits.Reverse8(cells[0])) << (x & 63)
				cells = cells[1:]
			}
		}
	}
	return cells
}

// AppendCells appends the cells of a grid in the form of Kept.
func AppendCells(dst []byte, g *grid.Grid) []byte {
	for k := range g.Planes() {
		for y := range g.H() {
			row := g.Row(k, y)
			for x := 0; x < g.W(); x += 8 {
				dst = append(dst, bits.Reverse8(byte(row[x>>6]>>(x&63))))
			}
		}
	}
	return dst
}
