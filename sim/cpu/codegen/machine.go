package codegen

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// Machine is the kernel that runs machine code. It keeps a queue of rows to compute one after the other in one call of the code, each
// described by RowPointers pointers as AppendRow lists them.
type Machine struct {
	*machineCode
	args    arguments
	queue   []unsafe.Pointer
	scratch []uint64
	bytes   int // of a vector
	ghost   int
	vectors int // of a row
}

// NewMachine compiles a program for rows of a layout, whose outputs' ghosts are made by moves. shifts are ops that are their input with
// every word shifted by so many bits to the right. The error is ErrNotCompiled.
func NewMachine(p *rowprog.Program, l *layout.Layout, ghosts []layout.Move, shifts map[int]int) (*Machine, error) {
	code, err := compiled(p, l, ghosts, shifts)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotCompiled, err)
	}
	m := &Machine{machineCode: code, bytes: 8 * l.Lanes, ghost: l.Ghost, vectors: l.Vectors}
	m.scratch = layout.AlignedWords(code.rows + (maxSlots+len(code.constants))*l.Lanes)
	for i, words := range code.constants {
		copy(m.scratch[code.rows+(maxSlots+i)*l.Lanes:], words)
	}
	m.args.scratch = unsafe.Pointer(&m.scratch[0])
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

// RowPointers is how many pointers describe a row.
func (m *Machine) RowPointers() int { return 1 + m.entries }

// RowWork is how many operations on vectors a row takes.
func (m *Machine) RowWork() int { return len(m.pipeline.list) * m.vectors }

// Queued is how many pointers are in the queue.
func (m *Machine) Queued() int { return len(m.queue) }

// Queue puts rows into the queue, and returns the queue's copy of their descriptions, which may still be changed.
func (m *Machine) Queue(rows []unsafe.Pointer) []unsafe.Pointer {
	begin := len(m.queue)
	m.queue = append(m.queue, rows...)
	return m.queue[begin:]
}

// Flush computes the rows that are queued, whole.
func (m *Machine) Flush() {
	if len(m.queue) > 0 {
		m.call(0, 0, m.vectors)
	}
}

// FlushPart computes vectors lo ≤ j < hi of the rows that are queued, at least one.
func (m *Machine) FlushPart(lo, hi int) { m.call(0, lo, hi) }

// Run implements Kernel.
func (m *Machine) Run(rows [][]uint64, ahead []uint64, lo, hi int, wanted bool) {
	m.Flush()
	m.queue = AppendRow(m.queue, rows, ahead)
	entry := uintptr(0)
	if !wanted {
		entry = m.warm
	}
	m.call(entry, lo, hi)
}

// InPlace implements Kernel.
func (m *Machine) InPlace(stream int) bool { return m.pipeline.inPlace[stream] }

func (m *Machine) call(entry uintptr, lo, hi int) {
	m.args.queue = unsafe.Pointer(&m.queue[0])
	m.args.end = uintptr(m.args.queue) + uintptr(len(m.queue)*8)
	m.args.first = uintptr((m.ghost + lo) * m.bytes)
	m.args.vectors = uintptr(hi - lo)
	m.code.Call(entry, unsafe.Pointer(&m.args))
	runtime.KeepAlive(m.queue)
	runtime.KeepAlive(m.machineCode)
	m.queue = m.queue[:0]
}
