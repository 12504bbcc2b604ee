// Package codegen turns a row program (internal/compile/rowprog) into code that computes one row of a universe,
// bit-sliced. The code is machine code made at run time, or Go loops over words. It knows rows of vectors, but
// neither topology nor universe.
//
// A program becomes machine code in four steps:
//
//	pipeline     how the iterations over the vectors of a row overlap (software pipelining)
//	emitter      instructions, addresses, loops
//	linearscan   which register holds which vector
//	jit          how instructions are encoded, and mapped into executable memory (package internal/jit)
//
// Package interpreter runs programs where there can be no machine code.
package codegen

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/emitter"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/interpreter"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// Code names an instruction set, or the interpreter, that executes a program.
type Code string

const (
	Portable Code = "portable"         // Go loops over words
	AVX2     Code = Code(emitter.AVX2) // machine code made at run time
	AVX512   Code = Code(emitter.AVX512)
	NEON     Code = Code(emitter.NEON)
	SIMD128  Code = Code(emitter.SIMD128)
)

// Codes lists every code. The last one that a machine can run is the fastest.
var Codes = []Code{Portable, AVX2, AVX512, NEON, SIMD128}

// Lanes is the number of words in a vector. It is 0 for an unknown code.
func (c Code) Lanes() int {
	switch c {
	case AVX512:
		return 8
	case AVX2, NEON:
		return 4
	case SIMD128:
		return 2
	case Portable:
		return 1
	}
	return 0
}

// Available is nil if this machine can run the code. Otherwise it is an error that says why not.
func (c Code) Available() error {
	switch err := jit.Available(); {
	case c == Portable:
		return nil
	case err != nil:
		return err
	case c == AVX2 && jit.HasAVX2(), c == AVX512 && jit.HasAVX512(), c == NEON && jit.HasNEON(),
		c == SIMD128 && jit.HasSIMD128():
		return nil
	}
	return fmt.Errorf("this processor has no %s", c)
}

// Fastest is the best code this machine can run.
func Fastest() Code {
	for _, c := range slices.Backward(Codes) {
		if c.Available() == nil {
			return c
		}
	}
	return Portable
}

// Device describes what an engine with the given number of threads runs on. If there is no machine code, it says why.
func Device(threads int) string {
	text := runtime.GOARCH + ", 1 thread"
	if threads > 1 {
		text = fmt.Sprintf("%s, %d threads", runtime.GOARCH, threads)
	}
	if Fastest() == Portable {
		text += fmt.Sprintf(", portable code (%v)", AVX2.Available())
	}
	return text
}

// Program is the program of a rule that suits the code.
func (c Code) Program(r *compile.Compiled) *rowprog.Program {
	switch {
	case c == Portable || !jit.Known:
		return r.Rows()
	case c == NEON:
		return r.NEON()
	case c == AVX512:
		return r.Columns()
	}
	return r.Pairs()
}

// Transposed is the program for a universe with rows and columns exchanged, by columns.
func (c Code) Transposed(r *compile.Compiled) *rowprog.Program {
	switch {
	case c == Portable || c == AVX512 || !jit.Known:
		return r.Transposed()
	case c == NEON:
		return r.TransposedNEON()
	}
	return r.TransposedPairs()
}

// Words is Transposed for rows that are the bits of words. It is for machine code.
func (c Code) Words(r *compile.Compiled) *rowprog.Program {
	switch c {
	case AVX512:
		return r.Words()
	case NEON:
		return r.WordNEON()
	}
	return r.WordPairs()
}

// Stages lists every stage of a rule on its way to code, including the machine code if there is any. A program
// that is too long to be compiled is an error.
func (c Code) Stages(r rule.Rule) ([]compile.Stage, error) {
	var stages []compile.Stage
	switch c {
	case Portable:
		return compile.RowStages(r), nil
	case NEON:
		stages = compile.NEONStages(r)
	case AVX512:
		stages = compile.ColumnStages(r)
	default:
		stages = compile.PairStages(r)
	}
	p := c.Program(compile.New(r))
	l := layout.New(64*c.Lanes()*listedVectors, 1, c.Lanes(), 1, p.Reach)
	text, err := emitter.List(emitter.Instructions(c), p, &l)
	if err != nil {
		return nil, err
	}
	return append(stages, compile.Stage{
		Name: "code", Why: fmt.Sprintf("The machine code of a row of %d vectors, without its halo.", listedVectors),
		Text: text,
	}), nil
}

// listedVectors is the number of vectors the rows have for which code is listed.
const listedVectors = 64

// A Kernel computes one row of a program.
type Kernel interface {
	// Run computes vectors lo ≤ j < hi of the outputs, what they need of the stores, and then the halo of the
	// outputs. rows holds the program's loads in order of appearance, then its stores, then its outputs. ahead is
	// a row that will be read soon, which is fetched into the cache, or nil. A row that is not wanted needs no
	// outputs.
	Run(rows [][]uint64, ahead []uint64, lo, hi int, wanted bool)
	// InPlace reports whether the row a stream stores may be the one it loads.
	InPlace(stream int) bool
}

// ErrNotCompiled says that there can be no machine code for a program on this machine.
var ErrNotCompiled = errors.New("there is no machine code for the rule")

// NewKernel returns a kernel for rows of a layout. The moves fill the halo of the rows that come out. The error
// is ErrNotCompiled; portable code never has one.
func NewKernel(c Code, p *rowprog.Program, l *layout.Layout, halo []layout.Move) (Kernel, error) {
	return NewShiftingKernel(c, p, l, halo, nil)
}

// NewShiftingKernel is NewKernel for a program with shifts, as NewMachine has them.
func NewShiftingKernel(c Code, p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) (Kernel,
	error,
) {
	if c == Portable {
		return interpreter.New(p, l, halo, shifts), nil
	}
	return NewMachine(c, p, l, halo, shifts)
}
