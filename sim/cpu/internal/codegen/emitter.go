package codegen

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/internal/jit/amd64"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// arguments is the memory that RDI points to when machine code runs.
type arguments struct {
	queue   unsafe.Pointer // the rows to compute
	end     uintptr        // of the queue
	first   uintptr        // bytes from the start of a row to the first vector to compute
	vectors uintptr        // how many to compute
	scratch unsafe.Pointer // memory of this kernel alone: scratch rows, then spill slots, then constants
}

// A queue is a list of rows to compute. Each is described by 1 + entries pointers:
//
//	ahead │ loads … │ stores … │ outputs …
//
// ahead is a row that will soon be read. It is fetched into the cache, unless it is nil. The others are the rows of the program.

// What the general registers hold.
const (
	regArgs    = amd64.RDI
	regAt      = amd64.RAX // bytes from the start of a row to the current vector
	regLeft    = amd64.RCX // iterations left
	regRows    = amd64.RSI // the current row's description in the queue
	regScratch = amd64.RDX
	regRow     = amd64.RBX // a row that has no register of its own
	regAhead   = amd64.R15
	regEnd     = amd64.R14 // end of the queue
)

// rowRegisters hold the addresses of rows.
var rowRegisters = []amd64.Reg{amd64.R8, amd64.R9, amd64.R10, amd64.R11, amd64.R12, amd64.R13}

// emitter writes the machine code that computes one row of a program. It implements linearscan.Emitter.
type emitter struct {
	loop       *pipeline.Loop
	program    *rowprog.Program
	asm        amd64.Assembler
	layout     *layout.Layout
	halo       []layout.Move
	shifts     map[int]int // ops that shift every word of their input to the right, by how many bits
	avx512     bool
	pairs      bool         // the sum of three bits by two instructions, see xorPairs
	registers  int          // vector registers for values
	margin     int          // columns beyond both ends of a row that scratch rows have
	loads      []int        // by op: its row
	stores     []int        // by op: the row of the stream that keeps it, -1 for none
	outputs    []int        // by op: the row of the output that it is, -1 for none
	entries    int          // rows in a description
	alike      map[int]bool // rows whose vectors are all the same: choices
	own        map[int]amd64.Reg
	spillSlots int
	constants  [][]uint64
}

// maxSlots bounds the spill slots. A program that needs more is not compiled.
const maxSlots = 4096

// LongestProgram is how many ops a program may have to be compiled. Tempesti's loop has 11,400, which take a third of a second: a few generations by Go
// loops take as long. Rules with longer circuits are looked up cell by cell.
const LongestProgram = 12 << 10

// machineCode is a compiled program.
type machineCode struct {
	code      *jit.Code
	warm      uintptr // entry that computes the stores only
	entries   int     // rows in a description
	loop      *pipeline.Loop
	constants [][]uint64
	rows      int // words of all scratch rows
}

// assemble makes the machine code of a program and maps it into executable memory.
func assemble(p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) (*machineCode, error) {
	e := newEmitter(p, l, halo, shifts)
	text, warm, err := e.emit()
	if err != nil {
		return nil, err
	}
	code, err := jit.Map(text)
	if err != nil {
		return nil, err
	}
	return &machineCode{code, warm, e.entries, e.loop, e.constants, e.loop.Rows * e.scratchStride()}, nil
}

// List compiles a program for rows of a layout whose halo is not filled, and lists its machine code. It is the same on every machine: sums of three bits
// are tables, see xorPairs.
func List(p *rowprog.Program, l *layout.Layout) (string, error) {
	e := newEmitter(p, l, nil, nil)
	e.pairs = false
	listing := e.asm.List()
	text, _, err := e.emit()
	if err != nil {
		return "", err
	}
	return listing.String(text), nil
}

func newEmitter(p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) *emitter {
	e := &emitter{program: p, layout: l, halo: halo, shifts: shifts, avx512: l.Lanes == 8, registers: 32}
	carried := 16 // registers that may hold values from one iteration to the next
	if e.avx512 {
		e.pairs = xorPairs()
	} else {
		e.registers, carried = 15, 6 // the 16th register holds ones
	}
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
		e.fillHalo()
	})
	if len(e.loop.Initial) > 0 {
		e.asm.Align(64)
		warm = e.asm.Offset()
		e.storesOnly()
	}
	if e.spillSlots > maxSlots {
		return nil, 0, fmt.Errorf("a program of %d ops needs %d spill slots", len(e.program.Ops), e.spillSlots)
	}
	text, err = e.asm.Code()
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

// shareRegisters gives the rows that an iteration touches most a register of their own. Where a stream's new row overwrites the old one,
// the two are one row.
func (e *emitter) shareRegisters() {
	same := make([]int, e.entries)
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
	touched := make([]int, e.entries)
	for _, in := range e.loop.Body {
		for _, v := range append(in.Reads, in.Vector) {
			if h, ok := e.home(v); (ok || e.program.Ops[v.Value].Kind == rowprog.Load) && h.row < e.entries {
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
	e.own = map[int]amd64.Reg{}
	for i, row := range order[:min(len(order), len(rowRegisters))] {
		e.own[row] = rowRegisters[i]
	}
	for row, first := range same {
		if r, ok := e.own[first]; ok {
			e.own[row] = r
		}
	}
}
