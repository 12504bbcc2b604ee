package hashlife

import (
	"encoding/binary"

	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/sim/hashlife/internal/tree"
	"github.com/gosper-life/gosper/sim/internal/automaton"
)

// tableOf returns the function of the only step if it is better looked up.
func tableOf(steps []background.Step, masked bool) (f *local.Function, ok bool) {
	if s := &steps[0]; len(steps) > 1 || masked || s.Before != 0 || s.After != 0 || s.Rule.Period() > 1 ||
		!compile.LooksUp(s.Rule.Local) {
		return nil, false
	}
	return steps[0].Rule.Local, true
}

// tableLeaf is the level of leaves whose cells are looked up: 8×8 cells. Smaller squares repeat more often, and
// one costs what its cells cost, while a circuit computes sixteen squares of 16×16 cells as quickly as one.
const tableLeaf = 3

const (
	tableSide = 2 << tableLeaf // of a square of four leaves
	leafSide  = 1 << tableLeaf
)

// tableStepper advances squares of four leaves of 8×8 cells by lookups. A state is a byte. It looks up 2×2 cells at
// once, from the 4×4 cells around them. It first looks among the 4×4 cells that it has met before. Only new ones are
// looked up in the diagram, cell by cell.
type tableStepper struct {
	automaton *automaton.Automaton
	planes    int
	// masks of those of 4×4 cells, in pairs of rows, on which the next states depend
	seen   [2]uint64
	plates [2][tableSide * tableSide]uint8
	known  []future
}

// future is 2×2 cells, a generation after the 4×4 cells around them. Cells on which the next states do not depend are
// 0: the corners if the rule has the von Neumann neighbourhood. The zero value is true: dead cells stay dead.
type future struct {
	north, south uint64 // two rows of four cells each
	next         uint32 // two rows of two cells
}

// knownBits is the binary logarithm of how many futures are remembered. With 12 instead of 16, rules of 32 states spend
// most of their time in the diagram.
const knownBits = 16

// inner are the 2×2 cells in the middle of 4×4 cells, which are numbered row by row.
var inner = [...]int{5, 6, 9, 10}

func newTableStepper(f *local.Function, shape tree.Shape, memory uint64) (*tableStepper, error) {
	a, err := automaton.New(f.Diagram(), 4, memory)
	if err != nil {
		return nil, err
	}
	s := &tableStepper{automaton: a, planes: shape.Planes, known: make([]future, 1<<knownBits)}
	for _, cell := range f.Diagram().Cells {
		dx, dy := local.Offset(cell)
		for _, at := range inner {
			at += 4*dy + dx
			s.seen[at/8] |= 0xFF << (8 * (at % 8))
		}
	}
	return s, nil
}

// Advance implements tree.Stepper.
func (s *tableStepper) Advance(squares []tree.Base, n, _ int) {
	for i := range squares {
		q := &squares[i]
		now, next := &s.plates[0], &s.plates[1]
		s.spread(now[:], q.NW)
		s.spread(now[leafSide:], q.NE)
		s.spread(now[leafSide*tableSide:], q.SW)
		s.spread(now[leafSide*tableSide+leafSide:], q.SE)
		for g := range n {
			s.advance(next, now, g+1)
			now, next = next, now
		}
		s.gather(q.Middle, now[leafSide/2*tableSide+leafSide/2:])
	}
}

// Cost implements tree.Stepper.
func (s *tableStepper) Cost() float64 {
	const lookups, each = 25, 8 // of 2×2 cells in a generation, and nanoseconds
	return lookups * each
}

// advance computes the cells that are at least margin cells away from the sides. The 4×4 cells around the 2×2 cells m
// are two words, a byte for each cell, and their hash is the only place in known where their future may be:
//
//	north   · · · ·   bytes 0 to 3        south   · m m ·
//	        · m m ·   bytes 4 to 7                · · · ·
func (s *tableStepper) advance(next, now *[tableSide * tableSide]uint8, margin int) {
	known := (*[1 << knownBits]future)(s.known)
	for y := margin; y < tableSide-margin; y += 2 {
		for x := margin; x < tableSide-margin; x += 2 {
			at := (y-1)*tableSide + x - 1
			north := uint64(row4(now, at)) | uint64(row4(now, at+tableSide))<<32
			south := uint64(row4(now, at+2*tableSide)) | uint64(row4(now, at+3*tableSide))<<32
			north, south = north&s.seen[0], south&s.seen[1]
			f := &known[(north*0x9E3779B97F4A7C15+south*0xD1B54A32D192ED03)>>(64-knownBits)]
			if f.north != north || f.south != south {
				*f = future{north, south, s.look(north, south)}
			}
			binary.LittleEndian.PutUint16(next[y*tableSide+x:], uint16(f.next))
			binary.LittleEndian.PutUint16(next[(y+1)*tableSide+x:], uint16(f.next>>16))
		}
	}
}

// row4 returns four cells side by side.
func row4(plate *[tableSide * tableSide]uint8, at int) uint32 {
	return binary.LittleEndian.Uint32(plate[at:])
}

// look looks up the 2×2 cells in the middle of two pairs of rows of four cells.
func (s *tableStepper) look(north, south uint64) (next uint32) {
	var block [16]uint8
	binary.LittleEndian.PutUint64(block[:], north)
	binary.LittleEndian.PutUint64(block[8:], south)
	for i, at := range inner {
		next |= uint32(s.automaton.Next(block[:], at)) << (8 * i)
	}
	return next
}

// spread stores the states of a leaf in the rows of a plate.
func (s *tableStepper) spread(plate []uint8, leaf []uint64) {
	for y := range leafSide {
		var row uint64
		for k, plane := range leaf[:s.planes] {
			row |= spreadBits[uint8(plane>>(leafSide*y))] << k
		}
		binary.LittleEndian.PutUint64(plate[y*tableSide:], row)
	}
}

// spreadBits has the eight bits of a number as bytes.
var spreadBits = func() (of [256]uint64) {
	for i := range of {
		for k := range 8 {
			of[i] |= uint64(i>>k&1) << (8 * k)
		}
	}
	return of
}()

// gather stores the states in the rows of a plate in a leaf. A multiplication collects the lowest bits of eight bytes
// in the highest byte, because byte i has its bit shifted to bit 56+i by the factor 2^(56-7i):
//
//	row      byte 7   …   byte 1   byte 0
//	bit      56           8        0
//	product  63           57       56
func (s *tableStepper) gather(leaf []uint64, plate []uint8) {
	const ones, collect = 0x0101_0101_0101_0101, 0x0102_0408_1020_4080
	clear(leaf)
	for y := range leafSide {
		row := binary.LittleEndian.Uint64(plate[y*tableSide:])
		for k := range leaf[:s.planes] {
			leaf[k] |= row >> k & ones * collect >> 56 << (leafSide * y)
		}
	}
}
