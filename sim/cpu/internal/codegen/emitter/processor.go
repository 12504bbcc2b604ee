package emitter

import (
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit/assembly"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// processor writes the instructions of a kind of processor, as an emitter asks for them. It numbers its
// registers from 0: those for vectors, and those for the addresses of rows.
type processor interface {
	text() text
	// asListed prepares the processor for a listing of its code. The code does not depend on the extensions of this
	// machine.
	asListed()
	// vectors is the number of vector registers for values, and how many of them may hold values from one
	// iteration to the next.
	vectors() (all, carried int)
	// rows is the number of registers for the addresses of rows, and whether scratch rows need them as well.
	rows() (registers int, scratch bool)

	// table emits a lookup table, as linearscan.Emitter.Compute does. It looks at some input.
	table(a *linearscan.Allocator, op *rowprog.Op, in *pipeline.Instr, src []int, want int) (dst int)
	constant(dst int, ones bool)
	// shift shifts every word to the right, or moves whole words: see emitter.wholeWords.
	shift(dst, src, by int)
	copy(dst, src int)
	load(dst int, from home)
	store(to home, src int)
	// fillHalo fills the halo of a row by the emitter's moves.
	fillHalo(row int)

	// begin is the entry: it finds the queue and the scratch memory.
	begin()
	// beginRow goes to the first column of the row whose description is next in the queue.
	beginRow()
	// endRow goes on at again if the queue has another description, and returns if not.
	endRow(again assembly.Label)
	// back goes back by the given number of columns.
	back(columns int)
	// count makes n the number of iterations to come, and countAll the number of columns that are asked for.
	count(n int)
	countAll()
	// next goes on by n columns, after n iterations, and jumps if n more iterations remain.
	next(n int, again assembly.Label)
	jump(to assembly.Label)
	// jumpIfFewer jumps if there are fewer than n iterations to come.
	jumpIfFewer(n int, to assembly.Label)
	// reorders reports whether it pays to put the instructions of running sums into another order: see ordered.
	reorders() bool
	// fetches reports whether rows can be fetched into the cache. Without that, there are no jumps by whether
	// there is a row ahead.
	fetches() bool
	// jumpIfNoneAhead jumps if there is no row to fetch.
	jumpIfNoneAhead(to assembly.Label)
	// fetch asks for the next n vectors of the row ahead.
	fetch(n int)
	align(bytes int)
}

// text is the code in the making. Labels are bound in the opposite order of that in which they are made.
type text interface {
	NewLabel() assembly.Label
	Bind(assembly.Label)
	Here() assembly.Label
	Offset() uintptr
	Code() ([]byte, error)
	List() *assembly.Listing
}
