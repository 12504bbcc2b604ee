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
	scratch []uint64
	bytes   int
	ghost   int
}

func newMachine(p *logic.Program, l *layout, ghosts []move, shifts map[int]int) (*machine, error) {
	code, err := compileRow(p, l, ghosts, shifts)
	if err != nil {
		return nil, err
	}
	m := &machine{machineCode: code, bytes: 8 * l.lanes, ghost: l.ghost}
	rows := code.schedule.rows * l.stride
	m.scratch = alignedWords(rows + (maxSlots+len(code.constants))*l.lanes)
	for i, words := range code.constants {
		copy(m.scratch[rows+(maxSlots+i)*l.lanes:], words)
	}
	m.args.scratch = unsafe.Pointer(&m.scratch[0])
	return m, nil
}

func (m *machine) run(rows [][]uint64, ahead []uint64, lo, hi int, wanted bool) {
	m.args.ahead = unsafe.Pointer(&ahead[0])
	m.args.rows = unsafe.Pointer(&rows[0])
	m.args.first = uintptr((m.ghost + lo) * m.bytes)
	m.args.vectors = uintptr(hi - lo)
	entry := uintptr(0)
	if !wanted {
		entry = m.warm
	}
	m.code.Call(entry, unsafe.Pointer(&m.args))
	runtime.KeepAlive(rows)
	runtime.KeepAlive(ahead)
}

func (m *machine) inPlace(stream int) bool { return m.schedule.inPlace[stream] }
