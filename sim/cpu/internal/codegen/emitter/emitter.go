// Package emitter writes the code that computes rows of a program: which instructions, with which addresses, in
// which loops. It knows several kinds of instructions, each of which is a processor to it.
package emitter

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// Instructions is a kind of instructions.
type Instructions string

// The kinds of instructions.
const (
	AVX2    Instructions = "avx2"
	AVX512  Instructions = "avx512"
	NEON    Instructions = "neon"    // of arm64
	SIMD128 Instructions = "simd128" // of WebAssembly
)

// Arguments is the memory whose address machine code is given.
type Arguments struct {
	Queue   unsafe.Pointer // the rows to compute
	End     uintptr        // of the queue
	First   uintptr        // bytes from the start of a row to the first vector to compute
	Vectors uintptr        // how many to compute
	Scratch unsafe.Pointer // memory of this kernel alone: scratch rows, then spill slots, then constants
}

// A queue is a list of rows to compute. Each is described by 1 + Code.Entries pointers:
//
//	ahead │ loads … │ stores … │ outputs …
//
// ahead is a row that will soon be read. It is fetched into the cache, unless it is nil. The others are the
// rows of the program.

// Code is the machine code of a program.
type Code struct {
	Text      []byte
	Warm      uintptr        // entry that computes the stores only
	Entries   int            // rows in a description
	Loop      *pipeline.Loop // over the vectors of a row
	Constants [][]uint64     // vectors
	Rows      int            // words of all scratch rows
}

// emitter writes the machine code that computes one row of a program. It implements linearscan.Emitter. The
// instructions are its processor's.
type emitter struct {
	processor
	loop       *pipeline.Loop
	program    *rowprog.Program
	layout     *layout.Layout
	halo       []layout.Move
	shifts     map[int]int  // ops that shift every word of their input to the right, by how many bits
	registers  int          // vector registers for values
	margin     int          // columns beyond both ends of a row that scratch rows have
	loads      []int        // by op: its row
	stores     []int        // by op: the row of the stream that keeps it, -1 for none
	outputs    []int        // by op: the row of the output that it is, -1 for none
	entries    int          // rows in a description
	alike      map[int]bool // rows of equal vectors: choices
	own        map[int]int  // by row: the register that holds its address, if there is one
	spillSlots int
	constants  [][]uint64
}

// MaxSlots bounds the spill slots. A program that needs more is not compiled.
const MaxSlots = 4096

// Emit makes the code of a program for rows of a layout. The moves fill the halo of the rows that come out.
// shifts names ops that shift every word of their input to the right, and by how many bits.
func Emit(c Instructions, p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) (*Code, error) {
	e := newEmitter(c, p, l, halo, shifts)
	text, warm, err := e.emit()
	if err != nil {
		return nil, err
	}
	return &Code{text, warm, e.entries, e.loop, e.constants, e.loop.Rows * e.scratchStride()}, nil
}

// List compiles a program for rows of a layout whose halo is not filled, and lists its machine code. It is the
// same on every machine.
func List(c Instructions, p *rowprog.Program, l *layout.Layout) (string, error) {
	e := newEmitter(c, p, l, nil, nil)
	e.asListed()
	listing := e.text().List()
	text, _, err := e.emit()
	if err != nil {
		return "", err
	}
	return listing.String(text), nil
}

func newEmitter(c Instructions, p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) *emitter {
	e := &emitter{program: p, layout: l, halo: halo, shifts: shifts}
	e.processor = newProcessor(c, e)
	var carried int
	e.registers, carried = e.vectors()
	e.loop = pipeline.New(p, carried)
	e.margin = max(e.loop.Margin, l.Halo)
	e.number()
	e.shareRegisters()
	return e
}

// emit assembles the code, and tells at which of its bytes the entry is that computes the stores only.
func (e *emitter) emit() (text []byte, warm uintptr, err error) {
	e.eachRow(func() {
		e.row()
		if len(e.halo) > 0 {
			for _, o := range e.program.Out {
				e.fillHalo(e.outputs[o.Value])
			}
		}
	})
	if e.loop.StoresAlone() {
		e.align(64)
		warm = e.text().Offset()
		e.storesOnly()
	}
	if e.spillSlots > MaxSlots {
		return nil, 0, fmt.Errorf("a program of %d ops needs %d spill slots", len(e.program.Ops), e.spillSlots)
	}
	text, err = e.text().Code()
	return text, warm, err
}

// number gives every row its place in a description.
func (e *emitter) number() {
	p := e.program
	e.loads = make([]int, len(p.Ops))
	e.alike = map[int]bool{}
	e.stores = slices.Repeat([]int{-1}, len(p.Ops))
	e.outputs = slices.Repeat([]int{-1}, len(p.Ops))
	place := func(of []int, op int) {
		of[op] = e.entries
		e.entries++
	}
	for i, op := range p.Ops {
		if op.Kind == rowprog.Load {
			place(e.loads, i)
			if g := op.Stream - p.Planes; g >= 0 && g < len(p.Given) && p.Given[g].Choice > 0 {
				e.alike[e.loads[i]] = true
			}
		}
	}
	for _, s := range p.Stores {
		place(e.stores, s.Value.Value)
	}
	for _, o := range p.Out {
		place(e.outputs, o.Value)
	}
}

// shareRegisters gives the rows that an iteration touches most a register of their own. Where a stream's new
// row overwrites the old one, the two are one row.
func (e *emitter) shareRegisters() {
	// same joins a row that is stored in place with the row that is loaded, because both have one
	// address.
	registers, scratch := e.rows()
	rows := e.entries
	if scratch {
		rows += e.loop.Rows
	}
	same := make([]int, rows)
	for row := range same {
		same[row] = row
	}
	for _, st := range e.program.Stores {
		for i, op := range e.program.Ops {
			if op.Kind == rowprog.Load && op.Stream == st.Stream && e.loop.InPlace[st.Stream] {
				same[e.stores[st.Value.Value]] = e.loads[i]
			}
		}
	}
	touched := make([]int, rows)
	for _, in := range e.loop.Body {
		for _, v := range append(in.Reads, in.Vector) {
			if h, ok := e.home(v); (ok || e.program.Ops[v.Value].Kind == rowprog.Load) && h.row < rows {
				touched[same[h.row]]++
			}
		}
	}
	for _, row := range e.outputs {
		if row >= 0 {
			touched[row]++
		}
	}
	order := slices.Clone(same)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(touched[b], touched[a]) })
	order = slices.Compact(order)
	// The rows that are left without a register are loaded from the queue each time they are touched.
	e.own = map[int]int{}
	for i, row := range order[:min(len(order), registers)] {
		e.own[row] = i
	}
	for row, first := range same {
		if r, ok := e.own[first]; ok {
			e.own[row] = r
		}
	}
}
