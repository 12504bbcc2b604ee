package ensemble

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Dump says which cells results hold: those of some universes at some generations.
type Dump struct {
	Generations []uint64 // rising; none if no cells are wanted
	Bits        bool     // files have eight cells in a byte, not one

	universes []uint64 // of each root, rising; nil for all
}

// Kept is the cells of one universe, at one generation after the other: its planes, their rows from above, and in each row eight cells in a byte, that
// on the left in the highest bit.
type Kept struct {
	Universe int    `json:"universe"` // its number in the result
	Cells    []byte `json:"cells"`
}

// DumpedCells is the row of one universe at one generation whose cells are in a file: an array of universes, generations, rows and columns.
type DumpedCells struct {
	Place
	Index      uint64 `parquet:"index" json:"index" unit:"1"`
	Seed       uint64 `parquet:"seed" json:"seed,string" unit:"1"`
	Generation uint64 `parquet:"generation" json:"generation" unit:"generations"`
	File       string `parquet:"file" json:"file"`
	Axis0      int    `parquet:"axis_0" json:"axis_0" unit:"1"` // of the universe in the file's array
	Axis1      int    `parquet:"axis_1" json:"axis_1" unit:"1"` // of the generation
}

// Limits against typing errors that would fill a disk with files, or the memory with one result.
const (
	mostDumped = 10_000  // combinations of rule, size and density
	mostKept   = 1 << 30 // bytes of one universe
)

// dump reads which cells to keep.
func (s *Spec) dump(rules []rule.Rule, areas []topology.Topology) (d Dump, err error) {
	if s.Dump == "" {
		if s.DumpUniverses != "" || s.DumpAs != "" {
			return d, errors.New("dump_universes and dump_as say which cells to dump and how: dump says at which generations")
		}
		return d, nil
	}
	if d.Generations, err = numbers(s.Dump); err != nil {
		return d, fmt.Errorf("dump: %w", err)
	}
	if last := d.Generations[len(d.Generations)-1]; last > s.Generations {
		return d, fmt.Errorf("dump %d is later than the last generation, %d", last, s.Generations)
	}
	s.Dump = written(d.Generations)
	if s.DumpUniverses != "" {
		if d.universes, err = numbers(s.DumpUniverses); err != nil {
			return d, fmt.Errorf("dump_universes: %w", err)
		}
		s.DumpUniverses = written(d.universes)
	}
	switch s.DumpAs {
	case "bytes":
		s.DumpAs = ""
	case "", "bits":
		d.Bits = s.DumpAs == "bits"
	default:
		return d, fmt.Errorf("dump_as %q: want bytes, one for each cell, or bits, eight cells in a byte", s.DumpAs)
	}
	for _, r := range rules {
		if d.Bits && r.States > 2 {
			return d, fmt.Errorf("dump_as bits: rule %v has %d states; want bytes", r, r.States)
		}
		for _, t := range areas {
			if float64(len(d.Generations))*float64(grid.PlanesOf(r.States))*float64(d.rowBytes(t))*float64(t.H) > mostKept {
				return d, fmt.Errorf("dump: %d generations of a universe of %d×%d cells do not fit in %d bytes", len(d.Generations), t.W, t.H, mostKept)
			}
		}
	}
	if n := float64(len(rules)) * float64(len(areas)) * float64(len(s.Densities)); n > mostDumped {
		return d, fmt.Errorf("dump: %.0f combinations of rule, size and density would each have a file; want at most %d", n, mostDumped)
	}
	return d, nil
}

func (d *Dump) rowBytes(t topology.Topology) int { return (t.W + 7) / 8 }

// KeptBytes is how many bytes the cells of a universe take in a result.
func (d *Dump) KeptBytes(t topology.Topology, planes int) int {
	return len(d.Generations) * planes * t.H * d.rowBytes(t)
}

// Columns is how many bytes a row of cells takes in a file.
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

// DumpBytes is the size of all files of cells, without their headers of some bytes, and the number of files.
func (p *Study) DumpBytes() (size uint64, files int) {
	if len(p.Dump.Generations) == 0 {
		return 0, 0
	}
	universes := 0
	for _, part := range p.parts() {
		universes += p.Dump.Of(0, part.Universes)
	}
	for _, at := range p.Points {
		size += uint64(universes) * uint64(len(p.Dump.Generations)) * uint64(at.Topology.H) * uint64(p.Dump.Columns(at.Topology))
	}
	return size, len(p.Points)
}

// UniversesToDump returns an error if the spec names a universe that none of the roots has.
func (p *Study) UniversesToDump() error {
	most := 0
	for _, part := range p.parts() {
		most = max(most, part.Universes)
	}
	if all := p.Dump.universes; len(all) > 0 && all[len(all)-1] >= uint64(most) {
		return fmt.Errorf("dump_universes %d: there are only universes 0 to %d", all[len(all)-1], most-1)
	}
	return nil
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

// mostNumbers is how many numbers a list of ranges has at most.
const mostNumbers = 1 << 20

// numbers reads whole numbers and ranges of them, with both ends, "0,5,100..200/10". A range without a step has all numbers from its first to its last.
// They come in order, each once.
func numbers(text string) ([]uint64, error) {
	var list []uint64
	for item := range strings.SplitSeq(text, ",") {
		first, rest, isRange := strings.Cut(strings.TrimSpace(item), "..")
		last, every, stepped := strings.Cut(rest, "/")
		if !isRange {
			last = first
		}
		if !stepped {
			every = "1"
		}
		a, err := number.Whole(first)
		b, err2 := number.Whole(last)
		step, err3 := number.Whole(every)
		if err != nil || err2 != nil || err3 != nil || b < a || step < 1 {
			return nil, fmt.Errorf("%q: want whole numbers and ranges FIRST..LAST or FIRST..LAST/STEP, separated by commas", item)
		}
		if n := (b - a) / step; n >= mostNumbers-uint64(len(list)) {
			return nil, fmt.Errorf("%q: want at most %d numbers", text, mostNumbers)
		}
		for x := a; ; x += step {
			list = append(list, x)
			if b-x < step {
				break
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// written is the text of rising numbers that numbers reads: ranges of three numbers or more, as long as can be, from the left.
func written(list []uint64) string {
	var items []string
	for i := 0; i < len(list); {
		end := i + 1
		for end+1 < len(list) && list[end+1]-list[end] == list[i+1]-list[i] {
			end++
		}
		item := strconv.FormatUint(list[i], 10)
		if end-i < 2 {
			items, i = append(items, item), i+1
			continue
		}
		item += ".." + strconv.FormatUint(list[end], 10)
		if step := list[i+1] - list[i]; step > 1 {
			item += "/" + strconv.FormatUint(step, 10)
		}
		items, i = append(items, item), end+1
	}
	return strings.Join(items, ",")
}
