package cpu

import (
	"runtime"
	"unsafe"

	"github.com/gosper-life/gosper/logic"
)

// machine is the kernel that runs compiled code.
type machine struct {
	*machineCode
	args    arguments
	queue   []queued
	scratch []uint64
	bytes   int
	ghost   int
	vectors int // of a row
}

func newMachine(p *logic.Program, l *layout, ghosts []move, shifts map[int]int) (*machine, error) {
	code, err := compiled(p, l, ghosts, shifts)
	if err != nil {
		return nil, err
	}
	m := &machine{machineCode: code, bytes: 8 * l.lanes, ghost: l.ghost, vectors: l.nv}
	m.queue = make([]queued, 0, mostQueued+1)
	rows := code.schedule.rows * l.stride
	m.scratch = alignedWords(rows + (maxSlots+len(code.constants))*l.lanes)
	for i, words := range code.constants {
		copy(m.scratch[rows+(maxSlots+i)*l.lanes:], words)
	}
	m.args.scratch = unsafe.Pointer(&m.scratch[0])
	return m, nil
}

// run computes vectors lo ≤ j < hi of one row.
func (m *machine) run(rows [][]uint64, ahead []uint64, lo, hi int, wanted bool) {
	m.flush()
	m.queue = append(m.queue, queued{unsafe.Pointer(&rows[0]), unsafe.Pointer(unsafe.SliceData(ahead))})
	entry := uintptr(0)
	if !wanted {
		entry = m.warm
	}
	m.call(entry, lo, hi)
}

// post queues a whole row, wanted and with ghosts; rows must stay as they are until flush.
func (m *machine) post(rows [][]uint64, ahead []uint64) {
	if len(m.queue) == mostQueued {
		m.flush()
	}
	m.queue = append(m.queue, queued{unsafe.Pointer(&rows[0]), unsafe.Pointer(unsafe.SliceData(ahead))})
}

// mostQueued is how many rows are computed before Go's scheduler has a chance again: some 10 µs.
const mostQueued = 64

// flush computes what is queued.
func (m *machine) flush() {
	if len(m.queue) > 0 {
		m.call(0, 0, m.vectors)
	}
}

func (m *machine) call(entry uintptr, lo, hi int) {
	m.queue = append(m.queue, queued{})
	m.args.queue = unsafe.Pointer(&m.queue[0])
	m.args.first = uintptr((m.ghost + lo) * m.bytes)
	m.args.vectors = uintptr(hi - lo)
	m.code.Call(entry, unsafe.Pointer(&m.args))
	runtime.KeepAlive(m.queue)
	runtime.KeepAlive(m.machineCode)
	clear(m.queue)
	m.queue = m.queue[:0]
}

func (m *machine) inPlace(stream int) bool { return m.schedule.inPlace[stream] }
