// Package card is the interface between a census and a GPU. The GPU gets soups and returns records of them. It has no
// GPU itself, so that programs which only name objects need no driver. Package census/cuda links NVIDIA's.
package card

import (
	"slices"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// SoupSide is the side of the largest soup, MostSide that of the largest window, and MostCells its cells.
const (
	SoupSide  = 32
	MostSide  = 256
	MostCells = MostSide * MostSide
)

// Prepare makes what settles soups of a rule; gliders says whether these are struck. The error says why the
// rule cannot run on a GPU. It is nil in programs that link no GPU.
var Prepare func(r rule.Rule, gliders bool) (Opener, error)

// Opener opens the GPU with a number for lots of soups. After this number of generations the GPU hands over a soup
// that has not settled. If there is no GPU to run on, the error is an *Unavailable.
type Opener func(ordinal, lot, limit int) (Card, error)

// Unavailable is the error if no GPU can be used.
type Unavailable struct{ Err error }

func (u *Unavailable) Error() string { return u.Err.Error() }

func (u *Unavailable) Unwrap() error { return u.Err }

// Card settles lots of soups on a GPU. Several cards may share one, so that one computes while others copy.
type Card interface {
	// Name is the GPU's.
	Name() string
	// Settle runs soups, each of SoupSide words, and delivers records of all of them in pieces. The first soup has
	// the given number.
	Settle(first uint64, soups []uint32, deliver func(Piece)) error
	// Close frees everything, the GPU too. All pieces must have been given back.
	Close() error
}

// Piece is some records in memory that must be given back.
type Piece interface {
	// Records calls do with every record. The record's memory is used again.
	Records(do func(*Record))
	// Done gives the memory back.
	Done()
}

// Fate says what became of a soup on the card.
type Fate int

// Fates. The zero value is that of no soup that is delivered.
const (
	Settled    Fate = 1 + iota // Cells and Ever are known
	Returning                  // Cells have been there before, in a period that is not one of a pass
	Unfinished                 // it is too large or too old: Cells are those at Generation
	// it must be run from the start: something has come near a glider that was struck, or there are too many
	Again
	SettledLeft // it has settled, but two Gliders may meet, and the soup must then be run from the start
)

// Record is the result of a soup on a GPU.
type Record struct {
	Soup       uint64 // its number
	Fate       Fate
	Generation int
	Side       int             // of the window
	Top        int             // row of the window where the next two begin
	Cells      []uint32        // row by row, the lowest bit on the left
	Ever       []uint32        // the cells that live in some generation of a period
	Struck     int             // gliders
	Gliders    []sparse.Glider // the same, unless the soup has Settled, with places counted from the middle of the window
	// of these the ones that have left it with cells in the quarter ahead, by their place in Gliders
	Left    []int
	Squares []int // what Gliders looked like: 3×3 cells, row by row from the lowest bit on
}

// Clone copies a record and its memory.
func (r *Record) Clone() *Record {
	c := *r
	c.Cells, c.Ever = slices.Clone(r.Cells), slices.Clone(r.Ever)
	c.Gliders, c.Left, c.Squares = slices.Clone(r.Gliders), slices.Clone(r.Left), slices.Clone(r.Squares)
	return &c
}
