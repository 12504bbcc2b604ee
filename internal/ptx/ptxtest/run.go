package ptxtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Memory is the global memory of a device: separate allocations.
type Memory struct {
	next      uint64
	held      []allocation
	published uint64 // stores for other warps so far
}

// allocation is memory at an address, as kernels see it.
type allocation struct {
	at    uint64
	bytes []byte
}

// Alloc returns the address of n bytes.
func (m *Memory) Alloc(n uint64) uint64 {
	if m.next == 0 {
		m.next = 1 << 20
	}
	at := m.next
	m.next += (n+0xFFFF)&^0xFFFF + 1<<20 // a gap, so that overruns fault
	m.held = append(m.held, allocation{at, make([]byte, n)})
	return at
}

// Adopt makes an allocation of existing memory, at the given address.
func (m *Memory) Adopt(at uint64, bytes []byte) { m.held = append(m.held, allocation{at, bytes}) }

// Free gives an allocation back.
func (m *Memory) Free(at uint64) {
	for i, b := range m.held {
		if b.at == at {
			m.held = append(m.held[:i], m.held[i+1:]...)
			return
		}
	}
}

// Bytes are the n bytes at an address, or nil where they are not all allocated.
func (m *Memory) Bytes(at, n uint64) []byte {
	for i := range m.held {
		b := &m.held[i]
		if at >= b.at && at+n <= b.at+uint64(len(b.bytes)) {
			return b.bytes[at-b.at:][:n]
		}
	}
	return nil
}

// warp is 32 threads that run together. Registers of a kind are numbered as the kernel declares them,
// and each holds the values of all threads:
//
//	r[n][lane]   a register of 32 bits
//	d[n][lane]   a register of 64 bits
//	pr[n][lane]  a predicate
//
// Threads that take different branches have different program counters. A step runs the threads with
// the least one, so that the others catch up where the branches meet.
type warp struct {
	p      *Program
	mem    *Memory
	r      [][lanes]uint32
	d      [][lanes]uint64
	pr     [][lanes]bool
	shared []byte
	params []uint64
	first  uint32 // thread of the block
	ctaid  [2]uint32
	nctaid [2]uint32
	ntid   uint32
	pc     [lanes]int
	steps  int
	waits  bool // it has read a place that another warp may write, and lets others go on; or it is at a barrier
	meets  bool // it has others in its block, for which it waits at a barrier
	fault  error
}

const done = 1 << 30

// Run executes a kernel for gridX×gridY blocks with the given threads, parameters and bytes of shared memory.
// One warp runs after the other. But a warp that reads what others may write (ld.relaxed) waits until all others
// had their turn, as if all ran at once. The warps of a block with barriers run from one barrier to the next, in
// an order that changes; they may not read what other blocks write.
func (p *Program) Run(mem *Memory, gridX, gridY, threads, shared int, params []uint64) error {
	if len(params) != p.Params {
		return fmt.Errorf("kernel %s has %d parameters, %d given", p.Name, p.Params, len(params))
	}
	together := slices.ContainsFunc(p.ops, func(o op) bool { return o.code == "bar.sync" })
	if threads%lanes != 0 {
		return fmt.Errorf("kernel %s: %d threads a block: the host runs whole warps", p.Name, threads)
	}
	var waiting, block []*warp
	var w *warp
	for y := range gridY {
		for x := range gridX {
			bytes := make([]byte, shared)
			for i := range bytes {
				bytes[i] = 0xA5
			}
			block = block[:0]
			for first := 0; first < threads; first += lanes {
				if w == nil || w.waits || together {
					w = p.newWarp(mem, params)
					w.nctaid, w.ntid = [2]uint32{uint32(gridX), uint32(gridY)}, uint32(threads)
				}
				w.ctaid, w.first, w.shared = [2]uint32{uint32(x), uint32(y)}, uint32(first), bytes
				w.start()
				if w.meets = together && threads > lanes; w.meets {
					block = append(block, w)
					continue
				}
				if err := w.execute(); err != nil {
					return err
				}
				if w.waits {
					waiting = append(waiting, w)
				}
			}
			if err := fromBarrierToBarrier(block); err != nil {
				return err
			}
		}
	}
	return takeTurns(mem, waiting)
}

// fromBarrierToBarrier runs the warps of a block.
func fromBarrierToBarrier(block []*warp) error {
	random := rand.New(rand.NewPCG(1, 2))
	for running := block; len(running) > 0; {
		random.Shuffle(len(running), func(i, j int) { running[i], running[j] = running[j], running[i] })
		left := make([]*warp, 0, len(running))
		for _, w := range running {
			if err := w.execute(); err != nil {
				return err
			}
			if w.waits {
				left = append(left, w)
			}
		}
		running = left
	}
	return nil
}

// takeTurns runs warps that wait for one another to the end.
func takeTurns(mem *Memory, waiting []*warp) error {
	for idle := 0; len(waiting) > 0; idle++ {
		before := mem.published
		left := waiting[:0]
		for _, w := range waiting {
			if err := w.execute(); err != nil {
				return err
			}
			if w.waits {
				left = append(left, w)
			}
		}
		if mem.published > before || len(left) < len(waiting) {
			idle = 0
		}
		waiting = left
		if idle > mostIdle {
			return fmt.Errorf("kernel %s: %d warps wait for each other forever", waiting[0].p.Name, len(waiting))
		}
	}
	return nil
}

// mostIdle is the number of times that warps may poll memory for the stores of others before they count as stuck. It
// is greater than the number of loads between two stores.
const mostIdle = 10_000

func (p *Program) newWarp(mem *Memory, params []uint64) *warp {
	return &warp{
		p: p, mem: mem, params: params,
		r: make([][lanes]uint32, p.words), d: make([][lanes]uint64, p.longs), pr: make([][lanes]bool, p.preds),
	}
}

// start puts the warp at the beginning of the kernel.
func (w *warp) start() {
	// Registers start with junk: a kernel must not rely on zeros.
	for i := range w.r {
		for l := range lanes {
			w.r[i][l] = 0xDEADBEEF
		}
	}
	w.pc, w.steps = [lanes]int{}, 0
}

// execute runs the warp until it ends or waits.
func (w *warp) execute() error {
	w.waits = false
	if err := w.goOn(); err != nil {
		return fmt.Errorf("kernel %s, block (%d,%d): %w", w.p.Name, w.ctaid[0], w.ctaid[1], err)
	}
	return nil
}

// goOn runs the warp until it ends or waits for others. Lanes may have diverged: those at the smallest
// address go first, so that the others are there when the code comes together again.
func (w *warp) goOn() error {
	for ; !w.waits; w.steps++ {
		if w.steps > 200_000_000 {
			return fmt.Errorf("does not end")
		}
		// The lanes that are least far go on together: that is enough for structured code to converge again.
		least, mask := done, uint32(0)
		for l, pc := range w.pc {
			if pc < least {
				least, mask = pc, 0
			}
			if pc == least {
				mask |= 1 << l
			}
		}
		if least >= len(w.p.ops) {
			return w.fault
		}
		if mask == ^uint32(0) {
			w.converged(least)
			if w.fault != nil {
				return w.fault
			}
			continue
		}
		w.step(least, mask)
		if w.fault != nil {
			return w.fault
		}
	}
	return nil
}

// converged runs while all lanes agree.
func (w *warp) converged(pc int) {
	for pc < len(w.p.ops) {
		o := &w.p.ops[pc]
		if o.guard == 0 && o.code != "bra" && o.code != "bra.uni" && o.code != "ret" {
			o.run(w, o, ^uint32(0))
			if w.fault != nil {
				w.fault = fmt.Errorf("%s: %w", o.line, w.fault)
				return
			}
			pc++
			if w.waits {
				break
			}
			continue
		}
		w.step(pc, ^uint32(0))
		if w.fault != nil || w.waits {
			return
		}
		first := w.pc[0]
		for _, other := range w.pc {
			if other != first {
				return
			}
		}
		pc = first
	}
	for l := range w.pc {
		w.pc[l] = pc
	}
}

// step runs an instruction for the lanes in the mask, as far as its guard lets them. All of them go on
// behind it.
func (w *warp) step(pc int, mask uint32) {
	o := &w.p.ops[pc]
	active := mask
	if o.guard != 0 {
		active = 0
		for l := range lanes {
			if mask>>l&1 == 1 && w.pr[o.guard][l] != o.negate {
				active |= 1 << l
			}
		}
	}
	for l := range lanes {
		if mask>>l&1 == 1 {
			w.pc[l] = pc + 1
		}
	}
	switch o.code {
	case "bra", "bra.uni":
		if o.code == "bra.uni" && active != 0 && active != mask {
			w.fault = fmt.Errorf("%s: the lanes of a uniform branch disagree", o.line)
			return
		}
		for l := range lanes {
			if active>>l&1 == 1 {
				w.pc[l] = o.target
			}
		}
	case "ret":
		for l := range lanes {
			if active>>l&1 == 1 {
				w.pc[l] = done
			}
		}
	default:
		if active != 0 {
			o.run(w, o, active)
		}
		if w.fault != nil {
			w.fault = fmt.Errorf("%s: %w", o.line, w.fault)
		}
	}
}

// word, long and address are the values of an operand for a thread. Addresses in shared memory have 32
// bits.
func (w *warp) word(a *operand, l int) uint32 {
	if a.kind == 'r' {
		return w.r[a.n][l]
	}
	return uint32(a.imm)
}

// row is a register, or an immediate, of all lanes.
func (w *warp) row(a *operand) *[lanes]uint32 {
	if a.kind == 'r' {
		return &w.r[a.n]
	}
	return a.all
}

func (w *warp) long(a *operand, l int) uint64 {
	if a.kind == 'd' {
		return w.d[a.n][l]
	}
	return uint64(a.imm)
}

// access returns n bytes of memory. A misaligned address and one that nobody has allocated are faults,
// as on a device.
func (w *warp) access(o *op, address uint64, n int, shared bool) []byte {
	if address%uint64(n) != 0 {
		w.fault = fmt.Errorf("address %#x is not a multiple of %d", address, n)
		return nil
	}
	if shared {
		if address+uint64(n) > uint64(len(w.shared)) {
			w.fault = fmt.Errorf("shared address %d of %d bytes", address, len(w.shared))
			return nil
		}
		return w.shared[address:]
	}
	b := w.mem.Bytes(address, uint64(n))
	if b == nil {
		w.fault = fmt.Errorf("address %#x is not allocated", address)
	}
	return b
}

func (w *warp) address(a *operand, l int, shared bool) uint64 {
	if shared {
		return uint64(int64(int32(w.r[a.regs[0]][l])) + a.imm)
	}
	return w.d[a.regs[0]][l] + uint64(a.imm)
}
