// Package codegen turns a row program (internal/compile/rowprog) into code that computes one row of a universe, bit-sliced: machine code made at run
// time, or Go loops over words. It knows neither topology nor universe, only rows of vectors.
//
// The machine code's way is pipeline (how iterations over the vectors of a row overlap), compiler (rows, constants, loops) and
// allocator (vector registers); package internal/jit encodes the instructions and maps them.
package codegen

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// Code is what executes a program.
type Code string

const (
	Portable Code = "portable" // Go loops over words
	AVX2     Code = "avx2"     // machine code made at run time
	AVX512   Code = "avx512"
)

// Lanes is the words of a vector, 0 for a code that is none of those above.
func (c Code) Lanes() int {
	switch c {
	case AVX512:
		return 8
	case AVX2:
		return 4
	case Portable:
		return 1
	}
	return 0
}

// Available reports, as an error, why this machine cannot run such code.
func (c Code) Available() error {
	switch err := jit.Available(); {
	case c == Portable:
		return nil
	case err != nil:
		return err
	case c == AVX2 && !jit.HasAVX2() || c == AVX512 && !jit.HasAVX512():
		return fmt.Errorf("this processor has no %s", c)
	}
	return nil
}

// Fastest is the best code this machine can run.
func Fastest() Code {
	for _, c := range []Code{AVX512, AVX2} {
		if c.Available() == nil {
			return c
		}
	}
	return Portable
}

// Device says what an engine with so many threads runs on, and why it makes no machine code where it cannot.
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

// Lower makes the program that suits the code best.
func (c Code) Lower(circuit *circuit.Circuit) *rowprog.Program {
	if c == Portable {
		return compile.Rows(circuit)
	}
	return compile.Columns(circuit)
}

// Stages tells how a rule becomes code, down to the machine code itself where the code is one. The error is that of a program too long
// to be compiled.
func (c Code) Stages(r rule.Rule) ([]compile.Stage, error) {
	if c == Portable {
		return compile.RowStages(r), nil
	}
	stages := compile.ColumnStages(r)
	p := compile.Columns(circuit.Of(r))
	l := layout.New(64*c.Lanes()*listedVectors, 1, c.Lanes(), 1, p.Reach)
	text, err := List(p, &l)
	if err != nil {
		return nil, err
	}
	return append(stages, compile.Stage{
		Name: "code", Why: fmt.Sprintf("The machine code of a row of %d vectors, without the edges.", listedVectors), Text: text,
	}), nil
}

// listedVectors is how many vectors the rows have for which code is listed.
const listedVectors = 64

// A Kernel computes one row of a program. rows holds the program's loads in order of appearance, then its stores, then its
// outputs; vectors lo ≤ j < hi of the outputs are computed, and what they need of the stores; then the outputs' ghosts are mended.
// ahead is a row that will be read soon, to be fetched into the cache, or nil. Rows that are not wanted need no outputs.
type Kernel interface {
	Run(rows [][]uint64, ahead []uint64, lo, hi int, wanted bool)
	// InPlace reports whether the row a stream stores may be the one it loads.
	InPlace(stream int) bool
}

// ErrNotCompiled says that there can be no machine code for a program on this machine.
var ErrNotCompiled = errors.New("there is no machine code for the rule")

// NewKernel returns a kernel for rows of a layout, whose outputs' ghosts are made by moves. The error is ErrNotCompiled; of
// portable code there always is a kernel.
func NewKernel(c Code, p *rowprog.Program, l *layout.Layout, ghosts []layout.Move) (Kernel, error) {
	if c == Portable {
		return newInterpreter(p, l, ghosts), nil
	}
	return NewMachine(p, l, ghosts, nil)
}
