// Package fujita has the methods of Fujita, Nishikori, Nakano and Ito, "Efficient GPU implementations for the
// Conway's Game of Life" (CANDAR 2015, in full IJNC 2016): the bits of words are added in parallel, for one
// word (SINGLE-WORD) or for two (DOUBLE-WORD). The methods run on one core and on a GPU. On the GPU a launch
// runs one generation in global memory, or t generations on chip, in shared memory or in registers. The package
// also has the paper's model of the cost of t, and its two tables.
package fujita

import (
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/papers/experiment"
)

// Name is the paper's name in measurements.
const Name = "fujita"

// Place says where a method works.
type Place string

const (
	CPU      Place = "cpu"          // one core
	Global   Place = "gpu global"   // one generation a launch
	Shared   Place = "gpu shared"   // t generations a launch, cells in shared memory
	Register Place = "gpu register" // t generations a launch, cells in registers, rows passed on by warp shuffles
)

// Arrangement says how words hold cells, and how many words are computed together.
type Arrangement string

const (
	WordPerCell Arrangement = "cell"   // a byte a cell
	SingleWord  Arrangement = "single" // a bit a cell, 34 operations a word
	DoubleWord  Arrangement = "double" // a bit a cell, 59 operations for two words
)

// Method is one of the paper's implementations.
type Method struct {
	Place      Place
	Words      Arrangement
	Columns    bool // column-major order, which the paper chooses; else row-major
	Block      int  // Shared and Register: cells of a side of a block, 32 or 64
	T          int  // Shared and Register: generations a launch
	NotShifted bool // Shared 64×64 DOUBLE-WORD: without the arrangement that avoids bank conflicts
	WideBlocks bool // Global: blocks of 8 warps, which the paper does not have; all others have one warp
	// Shared and Register, T = 2: blocks write all columns that they make right, bit by bit, not whole bytes only
	Bits bool
}

// Parameters returns the parameters of the method, without its place.
func (m Method) Parameters() experiment.Parameters {
	p := experiment.Parameters{"words": string(m.Words), "order": "rows"}
	if m.Columns {
		p["order"] = "columns"
	}
	if m.Block > 0 {
		p["block"], p["t"] = m.Block, m.T
	}
	if m.conflicts() {
		p["shifted"] = !m.NotShifted
	}
	if m.Place == Global {
		p["warps"] = m.warps()
	}
	if m.Bits {
		p["writes"] = "bits"
	}
	return p
}

// conflicts reports whether there would be bank conflicts in shared memory without the shifted arrangement.
func (m Method) conflicts() bool { return m.Place == Shared && m.Block == 64 && m.Words == DoubleWord }

// warps of a block.
func (m Method) warps() int {
	if m.WideBlocks {
		return 8
	}
	return 1
}

// Clean returns the size of the part of a block that a launch writes: d − 2t each way, but without Bits only
// whole bytes of the columns.
func (m Method) Clean() (columns, rows int) {
	rows = m.Block - 2*m.T
	if m.Bits {
		return rows, rows
	}
	return rows &^ 7, rows
}

func (m Method) String() string { return fmt.Sprintf("%s %s", m.Place, m.Parameters()) }

// Methods returns all methods that the paper measures, in both orders, and for comparison the unshifted
// arrangement that it warns of, and wider blocks. Bits are written in the paper's order only.
func Methods() []Method {
	var list []Method
	for _, columns := range []bool{false, true} {
		for _, place := range []Place{CPU, Global} {
			for _, words := range []Arrangement{WordPerCell, SingleWord, DoubleWord} {
				m := Method{Place: place, Words: words, Columns: columns}
				list = append(list, m)
				if place == Global {
					m.WideBlocks = true
					list = append(list, m)
				}
			}
		}
		for _, place := range []Place{Shared, Register} {
			for _, t := range []int{2, 4, 8} {
				list = append(list, Method{Place: place, Words: SingleWord, Columns: columns, Block: 32, T: t})
			}
			for _, words := range []Arrangement{SingleWord, DoubleWord} {
				for _, t := range []int{2, 4, 8, 16} {
					m := Method{Place: place, Words: words, Columns: columns, Block: 64, T: t}
					list = append(list, m)
					if m.conflicts() {
						m.NotShifted = true
						list = append(list, m)
					}
				}
			}
			if columns {
				list = append(list,
					Method{Place: place, Words: SingleWord, Columns: true, Block: 32, T: 2, Bits: true},
					Method{Place: place, Words: SingleWord, Columns: true, Block: 64, T: 2, Bits: true},
					Method{Place: place, Words: DoubleWord, Columns: true, Block: 64, T: 2, Bits: true})
			}
		}
	}
	return list
}

// Open makes the method for a torus of w×h cells. d is the GPU to work on; nil for methods of the CPU. Methods
// of one generation a launch take every size, others sizes from a block's side up.
func (m Method) Open(d *gpu.Device, w, h int) (experiment.Stepper, error) {
	if least := max(m.Block, 1); min(w, h) < least || max(w, h) > longest {
		return nil, &experiment.SizeError{
			Method: m.String(), Width: w, Height: h,
			Allowed: fmt.Sprintf("width and height of %d to %d cells are allowed", least, longest),
		}
	}
	if m.Place == CPU {
		if m.Words == WordPerCell {
			return newCells(m, w, h), nil
		}
		return newBits(m, w, h), nil
	}
	if d == nil {
		return nil, errors.New(m.String() + " needs a GPU")
	}
	return m.openGPU(d, w, h)
}

// longest is the largest side of a universe: launches number blocks and words in 32 bits.
const longest = 1 << 20
