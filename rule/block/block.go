// Package block holds rules of 2×2 blocks, the Margolus neighbourhood: the plane is divided into blocks, and
// all four cells of a block change together. At even generations the upper left cells of blocks have even
// columns and rows, at odd generations odd ones, as in Golly's Margolus.lua. A rule that is a permutation of
// the blocks can be run backwards.
//
// T. Toffoli and N. Margolus, Cellular Automata Machines, MIT Press 1987, part III; the notation is MCell's
// (Mirek Wójtowicz) and LifeViewer's (Chris Rowett).
//
// The package is not about universes: [Rule] maps a block to a block. Start with [Parse].
package block

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/topology"
)

// Cells is the number of cells of a block, and Full the block whose cells are all live.
const (
	blocks = 16
	Cells  = 4
	Full   = blocks - 1
)

// Rule has the next block of each block. A block is the sum of the numbers of its live cells:
//
//	1 2
//	4 8
type Rule [blocks]uint8

// Parse reads 16 blocks as Golly and LifeViewer write them, M0,8,4,3,…, or as MCell does, MS,D0;8;4;3;…. at is
// the position of an error in text.
func Parse(text string) (r Rule, at int, err error) {
	separator, rest := ",", ""
	switch {
	case len(text) >= 4 && strings.EqualFold(text[:4], "MS,D"):
		separator, rest = ";", text[4:]
	case text != "" && (text[0] == 'M' || text[0] == 'm'):
		rest = text[1:]
	default:
		return r, 0, fmt.Errorf("a block rule begins with M or MS,D")
	}
	at = len(text) - len(rest)
	fields := strings.Split(rest, separator)
	for i, field := range fields {
		if i == blocks {
			return r, at, fmt.Errorf("a rule of 2×2 blocks has %d numbers, not %d", blocks, len(fields))
		}
		number := strings.TrimSpace(field)
		n, err := strconv.ParseUint(number, 10, 8)
		if err != nil || n > Full || number[0] == '+' {
			return r, at, fmt.Errorf("block %q: 0 to %d is allowed", number, Full)
		}
		r[i] = uint8(n)
		at += len(field) + len(separator)
	}
	if len(fields) < blocks {
		return r, len(text), fmt.Errorf("a rule of 2×2 blocks has %d numbers, not %d", blocks, len(fields))
	}
	return r, 0, nil
}

// String returns the rule as Golly and LifeViewer write it.
func (r Rule) String() string {
	var b strings.Builder
	for i, to := range r {
		b.WriteByte("M,"[min(i, 1)])
		b.WriteString(strconv.Itoa(int(to)))
	}
	return b.String()
}

// Corner returns the position of cell (x, y) in its block at a generation: 0 to 3 in reading order. The cell is
// bit 1<<Corner of the block. The block's upper left cell is (x - Corner&1, y - Corner>>1).
func Corner(x, y int, generation uint64) int {
	g := int(generation & 1)
	return (x+g)&1 | (y+g)&1<<1
}

// Inverse returns the rule that undoes r. If the rule has no inverse, ok is false and merged has two blocks with the
// same next block.
func (r Rule) Inverse() (inverse Rule, merged [2]int, ok bool) {
	from := [blocks]int{}
	for i, to := range r {
		if from[to] != 0 {
			return Rule{}, [2]int{from[to] - 1, i}, false
		}
		from[to] = i + 1
		inverse[to] = uint8(i)
	}
	return inverse, merged, true
}

// Conserves reports whether every block has as many live cells after a step as before.
func (r Rule) Conserves() bool {
	for i, to := range r {
		if bits.OnesCount8(to) != bits.OnesCount(uint(i)) {
			return false
		}
	}
	return true
}

// Complement returns r with its input blocks, its output blocks or both complemented.
func (r Rule) Complement(input, output bool) Rule {
	var c Rule
	for i := range c {
		from := i
		if input {
			from ^= Full
		}
		if c[i] = r[from]; output {
			c[i] ^= Full
		}
	}
	return c
}

// Uniform returns the state of all cells after a step from cells that are all in the given state. ok is false
// if the cells then differ.
func (r Rule) Uniform(state uint8) (next uint8, ok bool) {
	to := r[Full*(state&1)]
	return to & 1, to == 0 || to == Full
}

// Invariant reports whether turning every block by the symmetry and then advancing it is the same as the other
// way round.
func (r Rule) Invariant(s topology.Symmetry) bool {
	for i, to := range r {
		if int(r[turn(i, s)]) != turn(int(to), s) {
			return false
		}
	}
	return true
}

// turn moves the cells of a block around its middle.
func turn(b int, s topology.Symmetry) int {
	turned := 0
	for corner := range Cells {
		// The cells are at ±1 from the middle.
		x, y := s.Apply(2*(corner&1)-1, 2*(corner>>1)-1)
		turned |= b >> corner & 1 << ((x+1)/2 + y + 1)
	}
	return turned
}
