package codegen

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/emitter"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// machineCode is a compiled program.
type machineCode struct {
	*emitter.Code
	code *jit.Code
}

// assemble makes the machine code of a program and maps it into executable memory.
func assemble(c Code, p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) (*machineCode,
	error,
) {
	made, err := emitter.Emit(emitter.Instructions(c), p, l, halo, shifts)
	if err != nil {
		return nil, err
	}
	mapped, err := jit.Map(made.Text)
	if err != nil {
		return nil, err
	}
	made.Text = nil
	return &machineCode{made, mapped}, nil
}

// Machine is the kernel that runs machine code. It collects rows in a queue, and one call of the code
// computes all of them: a call from Go costs as much as some short rows. Each row is described by
// RowPointers pointers, as AppendRow lists them:
//
//	queue   ahead loads … stores … outputs … │ ahead loads … stores … outputs … │ …
//	        row 0                              row 1
type Machine struct {
	*machineCode
	args    emitter.Arguments
	queue   []unsafe.Pointer
	scratch []uint64
	bytes   int // of a vector
	halo    int // vectors before the first of a row
	vectors int // of a row
}

// NewMachine compiles a program for rows of a layout. The moves fill the halo of the rows that come out. shifts
// names ops that shift every word of their input to the right, and by how many bits: less than 64, or a multiple of
// 64 to move it to a word before, the first ones to the last, in rows of one slab. The error is ErrNotCompiled.
func NewMachine(c Code, p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) (*Machine,
	error,
) {
	if !jit.Known {
		return nil, ErrNotCompiled
	}
	code, err := compiled(c, p, l, halo, shifts)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotCompiled, err)
	}
	m := &Machine{machineCode: code, bytes: 8 * l.Lanes, halo: l.Halo, vectors: l.Vectors}
	m.scratch = layout.AlignedWords(code.Rows + (emitter.MaxSlots+len(code.Constants))*l.Lanes)
	for i, words := range code.Constants {
		copy(m.scratch[code.Rows+(emitter.MaxSlots+i)*l.Lanes:], words)
	}
	m.args.Scratch = unsafe.Pointer(&m.scratch[0])
	return m, nil
}

// AppendRow appends the description of a row to a queue: ahead and rows are what Kernel.Run takes.
func AppendRow(queue []unsafe.Pointer, rows [][]uint64, ahead []uint64) []unsafe.Pointer {
	queue = append(queue, unsafe.Pointer(unsafe.SliceData(ahead)))
	for i := range rows {
		queue = append(queue, unsafe.Pointer(unsafe.SliceData(rows[i])))
	}
	return queue
}

// RowPointers is the number of pointers that describe a row.
func (m *Machine) RowPointers() int { return 1 + m.Entries }

// RowWork is the number of operations on vectors a row takes.
func (m *Machine) RowWork() int { return len(m.Loop.Body) * m.vectors }

// Queued is the number of pointers that are in the queue.
func (m *Machine) Queued() int { return len(m.queue) }

// Queue puts the descriptions of rows into the queue. It returns the queue's copy of them, which may still be changed.
func (m *Machine) Queue(rows []unsafe.Pointer) []unsafe.Pointer {
	begin := len(m.queue)
	m.queue = append(m.queue, rows...)
	return m.queue[begin:]
}

// Flush computes all vectors of the rows in the queue.
func (m *Machine) Flush() {
	if len(m.queue) > 0 {
		m.call(0, m.queue, 0, m.vectors)
		m.queue = m.queue[:0]
	}
}

// RunPart computes vectors lo ≤ j < hi of at least one row. The rows are described as in a queue, but RunPart does
// not copy them into the queue, which must be empty.
func (m *Machine) RunPart(rows []unsafe.Pointer, lo, hi int) { m.call(0, rows, lo, hi) }

// RunStores is RunPart for rows whose outputs are not wanted.
func (m *Machine) RunStores(rows []unsafe.Pointer, lo, hi int) { m.call(m.Warm, rows, lo, hi) }

// Run implements Kernel.
func (m *Machine) Run(rows [][]uint64, ahead []uint64, lo, hi int, wanted bool) {
	m.Flush()
	m.queue = AppendRow(m.queue, rows, ahead)
	entry := uintptr(0)
	if !wanted {
		entry = m.Warm
	}
	m.call(entry, m.queue, lo, hi)
	m.queue = m.queue[:0]
}

// InPlace implements Kernel.
func (m *Machine) InPlace(stream int) bool { return m.Loop.InPlace[stream] }

func (m *Machine) call(entry uintptr, queue []unsafe.Pointer, lo, hi int) {
	m.args.Queue = unsafe.Pointer(&queue[0])
	m.args.End = uintptr(m.args.Queue) + uintptr(len(queue)*8)
	m.args.First = uintptr((m.halo + lo) * m.bytes)
	m.args.Vectors = uintptr(hi - lo)
	m.code.Call(entry, unsafe.Pointer(&m.args))
	// The code knows rows only by numbers. These two lines keep the collector from taking the queue,
	// or the code itself, while it runs. The caller keeps the rows.
	runtime.KeepAlive(queue)
	runtime.KeepAlive(m.machineCode)
}
