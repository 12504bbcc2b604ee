// Package blocks advances blocks of cells of a few words' width, several at once, one in each lane of a vector.
// Everything that computes only where something changes is built on it: the tiles of the unbounded plane, and a
// census of thousands of soups.
package blocks

import (
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// Config says what blocks to make.
type Config struct {
	Rule    *compile.Compiled
	Code    codegen.Code
	Lanes   int // blocks side by side: for machine code, the words of a vector
	Columns int // of a block with the cells beside it, a multiple of 64
	Height  int // rows of a block
	Depth   int // most generations at once, plan.MaxDepth at most
}

// Blocks holds a block in each lane, with the cells around it, and advances it. From Height rows with Margin rows
// more above and below it computes Height rows. The columns are joined to a ring, so the results are wrong at both
// ends of a row, within the reach of the generations. Callers must leave that out. A Blocks is for one goroutine.
type Blocks struct {
	layout.Layout // of a row of a Plate: each slab is a block
	Height        int
	Margin        int // rows above and below a block that Input takes
	stepper       stepper
	ops           int // of the program for each vector of a row
	portable      bool
}

// stepper computes generations of the blocks in a plate.
type stepper interface {
	input() *Plate
	advance(generation uint64, depth, rows int) *Plate // computes the first rows of the blocks
	differences(changed, parts []uint64, after *Plate, reach int)
}

// Plate is rows of vectors: vector j of row y of plane k begins at Words[First + k·Plane + y·Row + j·Lanes].
type Plate struct {
	Words             []uint64
	First, Plane, Row int
}

// At returns the index of the first word of vector 0 of a row.
func (p *Plate) At(plane, y int) int { return p.First + plane*p.Plane + y*p.Row }

// New makes blocks of dead cells. The error is codegen.ErrNotCompiled if there can be no such code for the rule.
func New(cfg Config) (*Blocks, error) {
	if cfg.Code != codegen.Portable && cfg.Columns == 64 {
		if b, err := newOfWords(&cfg); b != nil || err != nil {
			return b, err
		}
	}
	p := cfg.Code.Program(cfg.Rule)
	b := newBlocks(&cfg, p)
	s, err := newRowStepper(cfg.Code, p, &b.Layout, b.Height, b.Margin, cfg.Depth)
	if err != nil {
		return nil, err
	}
	b.stepper, b.ops = s, len(p.Ops)
	return b, nil
}

// newOfWords makes blocks whose rows are words, or none if there is no program for that.
func newOfWords(cfg *Config) (*Blocks, error) {
	p := cfg.Code.Words(cfg.Rule)
	b := newBlocks(cfg, p)
	s, ok, err := newWordStepper(cfg.Code, p, &b.Layout, b.Height, b.Margin)
	if err != nil || !ok {
		return nil, err
	}
	b.stepper = s
	for i := range s.program.Ops {
		if !s.program.Ops[i].Once {
			b.ops++
		}
	}
	return b, nil
}

// newBlocks makes blocks for a program, without their stepper.
func newBlocks(cfg *Config, p *rowprog.Program) *Blocks {
	b := &Blocks{Height: cfg.Height, Margin: cfg.Depth * p.Radius(), portable: cfg.Code == codegen.Portable}
	b.Layout = layout.New(cfg.Columns, cfg.Lanes*(cfg.Height+2*b.Margin), cfg.Lanes, cfg.Lanes, p.Radius())
	return b
}

// Quick reports whether the code is fast enough to make up for the cells that it computes around the blocks.
func (b *Blocks) Quick() bool {
	_, ok := b.stepper.(*wordStepper)
	return ok
}

// Cost is about the nanoseconds that a generation of a block takes on a usual core. It follows from the number of
// operations of the rule's program and of rows alone.
func (b *Blocks) Cost() float64 {
	const (
		native   = 0.12 // an operation on a vector
		portable = 6    // one on a word without machine code
		halo     = 20   // a vector of the halo of a row
	)
	word, vectors := native/float64(b.Lanes), 0
	if b.portable {
		word = portable
	}
	if !b.Quick() {
		vectors = 2 * b.Halo
	}
	return float64(b.Height+b.Margin) * (word*float64(b.ops*b.Vectors) + halo*float64(vectors)/float64(b.Lanes))
}

// Input returns the plate for the cells: rows -Margin ≤ y < Height+Margin of the block in each lane.
func (b *Blocks) Input() *Plate { return b.stepper.input() }

// Advance computes generations of the input, which stays unchanged, and returns rows 0 ≤ y < Height of all
// blocks. They are valid until the next Advance. Parities are those from a generation on, in blocks whose first
// column and row are even.
func (b *Blocks) Advance(from uint64, generations int) *Plate {
	return b.stepper.advance(from, generations, b.Height)
}

// Differences compares a plate that Advance returned with the input. changed gets the bits that differ: plane
// after plane, Height rows of Lanes words. parts[i·Lanes + lane] gets, by OR, all differences in the top reach
// rows (i = 0), in the rows between (1) and in the bottom reach rows (2). It is for blocks of one word a row.
func (b *Blocks) Differences(changed, parts []uint64, after *Plate, reach int) {
	b.stepper.differences(changed, parts, after, reach)
}
