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
	queue   []unsafe.Pointer // see arguments
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
	m.post(rows, ahead)
	entry := uintptr(0)
	if !wanted {
		entry = m.warm
	}
	m.call(entry, lo, hi)
}

// post queues a row.
func (m *machine) post(rows [][]uint64, ahead []uint64) {
	m.queue = append(m.queue, unsafe.Pointer(unsafe.SliceData(ahead)))
	for i := range rows {
		m.queue = append(m.queue, unsafe.Pointer(unsafe.SliceData(rows[i])))
	}
}

// flush computes the rows that are queued, whole, wanted and with ghosts.
func (m *machine) flush() {
	if len(m.queue) > 0 {
		m.call(0, 0, m.vectors)
	}
}

func (m *machine) call(entry uintptr, lo, hi int) {
	m.args.queue = unsafe.Pointer(&m.queue[0])
	m.args.end = uintptr(m.args.queue) + uintptr(len(m.queue)*8)
	m.args.first = uintptr((m.ghost + lo) * m.bytes)
	m.args.vectors = uintptr(hi - lo)
	m.code.Call(entry, unsafe.Pointer(&m.args))
	runtime.KeepAlive(m.queue)
	runtime.KeepAlive(m.machineCode)
	m.queue = m.queue[:0]
}

func (m *machine) inPlace(stream int) bool { return m.schedule.inPlace[stream] }
