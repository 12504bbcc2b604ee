package soup

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// Setting describes the universe that a Start fills.
type Setting struct {
	W, H    int // cells
	D       int // layers of a volume, of H/D rows each; 0 in two dimensions
	States  int // 2 to 256
	Seed    uint64
	Density float64     // 0 to 1, where Start.HasDensity
	Pattern grid.Source // where Start.HasPattern; many goroutines may read it
	X, Y    int         // where cell (0, 0) of the pattern is, for pattern
	Threads int         // 0 means one for each core
}

// Uses of chance beside the soup's own. Each has a seed that follows from that of the universe.
const (
	useFlip = 1 + iota
	useSet
	useField
	useBit   = 1 << 4  // and the number of the bit
	useExact = 1 << 32 // and the number of the attempt, times two
)

// derived is the seed of a use: the first output of PCG-DXSM (O'Neill 2014; Go's math/rand/v2) from the state
// seed·2^64 + use.
func derived(seed, use uint64) uint64 { return rand.NewPCG(seed, use).Uint64() }

// Fill writes the W×H cells of sink whose corner is (0, 0), as the function Fill does. The cells follow from
// the start and the setting alone, threads excepted. It fails for the reasons of Check as well, and for a
// pattern that does not fit the periods of repeat.
func (s Start) Fill(ctx context.Context, sink grid.Sink, in Setting, progress func(done, total uint64)) error {
	if s.IsSoup() {
		return Fill(ctx, sink, in.W, in.H, in.Seed, in.Density, in.Threads, progress)
	}
	if err := cmp.Or(s.Check(in.States, in.W, in.H), s.CheckLayers(in.D)); err != nil {
		return err
	}
	if in.W < 1 || in.H < 1 || int64(in.W) > grid.MaxSide || int64(in.H) > grid.MaxSide {
		return fmt.Errorf("start of %d×%d cells: width and height must be 1 to %d", in.W, in.H, int64(grid.MaxSide))
	}
	maker, err := s.maker(ctx, in)
	if err != nil {
		return err
	}
	planes := grid.PlanesOf(in.States)
	if s.HasNoise() {
		if maker, err = s.noisy(maker, planes, in); err != nil {
			return err
		}
	}
	f := filling{sink: sink, w: in.W, h: in.H, planes: planes, progress: progress}
	return f.run(ctx, in.Threads, maker)
}

// maker returns what makes the rows, without noise.
func (s Start) maker(ctx context.Context, in Setting) (func() rowMaker, error) {
	switch s.kind {
	case asExact:
		return s.exactly(ctx, in)
	case asShares:
		l, err := newLayers(in.Seed, s.parts)
		return func() rowMaker {
			row := l.maker(in.W)
			return func(dst [][]uint64, x, y, n int) error {
				clearRows(dst)
				row(dst, x, y, n)
				return nil
			}
		}, err
	case asBits:
		return s.bits(in)
	case asBlocks:
		return s.blocks(in)
	case asGauss:
		return s.gauss(in)
	case asCell:
		return one(in), nil
	case asPattern:
		return copied(in.Pattern, in.X, in.Y), nil
	case asRepeat:
		return s.repeated(in)
	case asBonds:
		return bonds(in)
	case asRegions:
		return s.patchwork(in)
	case asSymmetric:
		return s.symmetric(in)
	}
	whole, err := New(in.Seed, in.Density)
	return func() rowMaker {
		return func(dst [][]uint64, x, y, n int) error {
			clearRows(dst)
			whole.Row(dst[0], uint64(y)*uint64(in.W)+uint64(x), n)
			return nil
		}
	}, err
}

func clearRows(rows [][]uint64) {
	for _, row := range rows {
		clear(row)
	}
}

// layers are states with a share of the cells each, which take the numbers of a soup from 0 on: a cell of soups
// of rising density is in the state of the first that it is alive in.
type layers struct {
	states []int
	soups  []Soup
}

// newLayers makes a soup for each state, all of one seed. Each is as dense as all parts up to its
// state together, so a cell that is live in one is live in all that follow. The first soup in which a
// cell is live gives its state.
func newLayers(seed uint64, parts []part) (l layers, err error) {
	for i, p := range parts {
		whole, err := New(seed, min(1, sum(parts[:i+1])))
		if err != nil {
			return l, err
		}
		l.states, l.soups = append(l.states, p.at[0]), append(l.soups, whole)
	}
	return l, nil
}

// maker makes parts of rows of width w: cells in one of the states get it, others stay.
func (l layers) maker(w int) func(dst [][]uint64, x, y, n int) {
	before, upTo := newRow(min(w, longest)), newRow(min(w, longest))
	return func(dst [][]uint64, x, y, n int) {
		clear(before)
		for i, s := range l.soups {
			s.Row(upTo, uint64(y)*uint64(w)+uint64(x), n)
			for j := range (n + 63) >> 6 {
				here := upTo[j] &^ before[j]
				for k, row := range dst {
					row[j] = row[j]&^here | here*uint64(l.states[i]>>k&1)
				}
			}
			before, upTo = upTo, before
		}
	}
}

// bits makes each bit of the states a soup of its own.
func (s Start) bits(in Setting) (func() rowMaker, error) {
	soups := make([]Soup, grid.PlanesOf(in.States))
	for _, p := range s.parts {
		for _, bit := range p.at {
			var err error
			if soups[bit], err = New(derived(in.Seed, useBit+uint64(bit)), p.value); err != nil {
				return nil, err
			}
		}
	}
	return func() rowMaker {
		return func(dst [][]uint64, x, y, n int) error {
			for k, row := range dst {
				soups[k].Row(row, uint64(y)*uint64(in.W)+uint64(x), n)
			}
			return nil
		}
	}, nil
}

// noisy flips and sets cells of rows that are made.
func (s Start) noisy(maker func() rowMaker, planes int, in Setting) (func() rowMaker, error) {
	flips, err := New(derived(in.Seed, useFlip), s.flip)
	if err != nil {
		return nil, err
	}
	sets, err := newLayers(derived(in.Seed, useSet), s.set)
	if err != nil {
		return nil, err
	}
	return func() rowMaker {
		row, set, flipped := maker(), sets.maker(in.W), newRow(min(in.W, longest))
		return func(dst [][]uint64, x, y, n int) error {
			if err := row(dst, x, y, n); err != nil {
				return err
			}
			if s.flip > 0 {
				flips.Row(flipped, uint64(y)*uint64(in.W)+uint64(x), n)
				for j := range (n + 63) >> 6 {
					dst[0][j] ^= flipped[j]
				}
			}
			set(dst, x, y, n)
			return nil
		}
	}, nil
}

// blocks takes squares of cells from a soup, row by row of squares. Those at the right and lower edges may be cut off.
func (s Start) blocks(in Setting) (func() rowMaker, error) {
	whole, err := New(in.Seed, in.Density)
	across := uint64((in.W + s.side - 1) / s.side)
	return func() rowMaker {
		return func(dst [][]uint64, x, y, n int) error {
			clearRows(dst)
			for i := 0; i < n; {
				end := min(n, i+s.side-(x+i)%s.side)
				if whole.Alive(uint64(y/s.side)*across + uint64((x+i)/s.side)) {
					setBits(dst[0], i, end)
				}
				i = end
			}
			return nil
		}
	}, err
}

// patchwork makes soups of several densities side by side. They compare the same numbers with their densities. Regions
// share rows and columns evenly.
func (s Start) patchwork(in Setting) (func() rowMaker, error) {
	soups := map[float64]Soup{}
	for _, row := range s.region {
		for _, density := range row {
			whole, err := New(in.Seed, density)
			if err != nil {
				return nil, err
			}
			soups[density] = whole
		}
	}
	rows := make([][]Soup, len(s.region))
	for i, row := range s.region {
		for _, density := range row {
			rows[i] = append(rows[i], soups[density])
		}
	}
	return func() rowMaker {
		patch := newRow(min(in.W, longest))
		return func(dst [][]uint64, x, y, n int) error {
			clearRows(dst)
			row := rows[regionOf(y, len(rows), in.H)]
			for i := 0; i < n; {
				at := regionOf(x+i, len(row), in.W)
				end := min(n, border(at+1, len(row), in.W)-x)
				row[at].Row(patch, uint64(y)*uint64(in.W)+uint64(x+i), end-i)
				for j := range (end - i + 63) >> 6 {
					dst[0][i>>6+j] |= patch[j] << (i & 63)
					// a shift right by 64 - i&63: the part that does not fit beside the cells on the left
					if beyond := patch[j] >> 1 >> (^i & 63); beyond != 0 {
						dst[0][i>>6+j+1] |= beyond
					}
				}
				i = end
			}
			return nil
		}
	}, nil
}

// regionOf is the number of the region, of so many on a side, that has a cell.
func regionOf(at, regions, side int) int {
	high, low := bits.Mul64(uint64(at), uint64(regions))
	n, _ := bits.Div64(high, low, uint64(side))
	return int(n)
}

// border is the first cell of a region: the least that regionOf finds in it.
func border(region, regions, side int) int {
	high, low := bits.Mul64(uint64(region), uint64(side))
	low, carry := bits.Add64(low, uint64(regions-1), 0)
	n, _ := bits.Div64(high+carry, low, uint64(regions))
	return int(n)
}

// symmetryNames are the values of Start.as.
var symmetryNames = []string{"C2", "C4", "D2", "D2x", "D4", "D4x", "D8"}

// images lists for each symmetry to which of the eight images of a cell it leads. Bit 0 of an image exchanges left
// and right, bit 1 top and bottom, bit 2 columns and rows, which comes first.
var images = map[string][]int{
	"C2": {0, 3}, "C4": {0, 3, 5, 6}, "D2": {0, 1}, "D2x": {0, 4}, "D4": {0, 1, 2, 3}, "D4x": {0, 3, 4, 7},
	"D8": {0, 1, 2, 3, 4, 5, 6, 7},
}

// needsSquare reports whether a symmetry exchanges columns and rows.
func needsSquare(as string) bool {
	return slices.ContainsFunc(images[as], func(i int) bool { return i > 3 })
}

// symmetric takes each cell from a soup, at the first of its images.
func (s Start) symmetric(in Setting) (func() rowMaker, error) {
	whole, err := New(in.Seed, in.Density)
	return func() rowMaker {
		return func(dst [][]uint64, x, y, n int) error {
			clearRows(dst)
			for i := range n {
				first := uint64(math.MaxUint64)
				for _, image := range images[s.as] {
					column, row := x+i, y
					if image&4 != 0 {
						column, row = row, column
					}
					if image&1 != 0 {
						column = in.W - 1 - column
					}
					if image&2 != 0 {
						row = in.H - 1 - row
					}
					first = min(first, uint64(row)*uint64(in.W)+uint64(column))
				}
				if whole.Alive(first) {
					dst[0][i>>6] |= 1 << (i & 63)
				}
			}
			return nil
		}
	}, err
}

// bonds makes a soup of bonds, and the sites that they join. Sites are always alive, bonds by chance, and the other
// cells are dead:
//
//	column     0    1    2    3
//	row 0    site bond site bond
//	row 1    bond dead bond dead
func bonds(in Setting) (func() rowMaker, error) {
	whole, err := New(in.Seed, in.Density)
	return func() rowMaker {
		return func(dst [][]uint64, x, y, n int) error {
			clearRows(dst)
			whole.Row(dst[0], uint64(y)*uint64(in.W)+uint64(x), n)
			even := uint64(0x5555555555555555) << (x & 1) // columns; a word has an even number of them, so all words alike
			for j := range (n + 63) >> 6 {
				if y&1 == 0 {
					dst[0][j] |= even
				} else {
					dst[0][j] &= even
				}
			}
			if spare := -n & 63; spare > 0 {
				last := &dst[0][(n-1)>>6]
				*last = *last << spare >> spare
			}
			return nil
		}
	}, err
}

// setBits sets bits from one to before another: single bits up to a whole word, whole words, and the rest.
func setBits(row []uint64, from, to int) {
	for ; from < to && from&63 != 0; from++ {
		row[from>>6] |= 1 << (from & 63)
	}
	for ; from+64 <= to; from += 64 {
		row[from>>6] = ^uint64(0)
	}
	for ; from < to; from++ {
		row[from>>6] |= 1 << (from & 63)
	}
}

// one makes the cell in the middle alive.
func one(in Setting) func() rowMaker {
	layers := max(in.D, 1)
	rows := in.H / layers
	middle := layers/2*rows + rows/2
	return func() rowMaker {
		return func(dst [][]uint64, x, y, n int) error {
			clearRows(dst)
			if i := in.W/2 - x; y == middle && i >= 0 && i < n {
				dst[0][i>>6] = 1 << (i & 63)
			}
			return nil
		}
	}
}

// copied takes cells from a source whose cell (0, 0) is at (x0, y0).
func copied(from grid.Source, x0, y0 int) func() rowMaker {
	return func() rowMaker {
		return func(dst [][]uint64, x, y, n int) error {
			clearRows(dst)
			for k, row := range dst[:min(len(dst), from.Planes())] {
				if err := from.ReadRow(row, k, x-x0, y-y0, n); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// CheckPattern refuses a pattern that is larger than the periods of repeat.
func (s Start) CheckPattern(p grid.Source) error {
	if !s.Repeats() {
		return nil
	}
	_, _, _, err := s.periods(p)
	return err
}

// periods are the sides of the rectangle that repeats, whose upper left corner has the pattern of box.
func (s Start) periods(p grid.Source) (px, py int, box grid.Rect, err error) {
	if box, err = p.Extent(); err != nil {
		return 0, 0, box, err
	}
	if px, py = s.x, s.y; px == 0 {
		px = max(box.W, 1)
	}
	if py == 0 {
		py = max(box.H, 1)
	}
	if box.W > px || box.H > py {
		err = fmt.Errorf("start %v: the pattern's %d×%d cells do not fit a period of %d×%d", s, box.W, box.H, px, py)
	}
	return px, py, box, err
}

// repeated takes cells from that rectangle.
func (s Start) repeated(in Setting) (func() rowMaker, error) {
	px, py, box, err := s.periods(in.Pattern)
	if err != nil {
		return nil, err
	}
	period, err := grid.New(px, py, grid.PlanesOf(in.States))
	if err != nil {
		return nil, err
	}
	if err := grid.Copy(period, in.Pattern, box, 0, 0); err != nil {
		return nil, err
	}
	return func() rowMaker {
		return func(dst [][]uint64, x, y, n int) error {
			clearRows(dst)
			for i := 0; i < n; {
				at := (x + i - s.dx%px + px) % px
				run := min(px-at, n-i)
				for k, row := range dst {
					grid.CopyBits(row, i, period.Row(k, (y-s.dy%py+py)%py), at, run)
				}
				i += run
			}
			return nil
		}
	}, nil
}
