package codegen

import (
	"fmt"
	"math"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit"
)

// allocator assigns vector registers to a straight line of code while it is emitted. When they run out, the value used again
// last gives way: to the memory its row is in, or to a spill slot.
type allocator struct {
	c      *compiler
	uses   map[key][]int // the instructions that read it, in order
	at     map[key]int   // its register
	holds  []key         // by register
	free   []int
	spills map[key]int
	locked []int // registers the current instruction needs
	now    int
}

var nothing = key{-1, 0}

// binding is a vector and the register it is in at one point of the code.
type binding struct {
	key
	register int
}

// line emits instructions in order. in says which vectors are in registers at the start, out where they must be at the end.
func (c *compiler) line(list []instr, in, out []binding) {
	a := &allocator{
		c: c, uses: map[key][]int{}, at: map[key]int{}, spills: map[key]int{},
		holds: slices.Repeat([]key{nothing}, c.registers),
	}
	for i, ins := range list {
		for _, k := range ins.reads {
			a.uses[k] = append(a.uses[k], i)
		}
	}
	for _, b := range out {
		a.uses[b.key] = append(a.uses[b.key], len(list))
	}
	for r := c.registers - 1; r >= 0; r-- {
		a.free = append(a.free, r)
	}
	for _, b := range in {
		if len(a.uses[b.key]) > 0 {
			a.take(b.register, b.key)
		}
	}
	for i := range list {
		a.now = i
		a.instruction(&list[i], out)
	}
	a.settle(out)
}

func (a *allocator) take(r int, k key) {
	if i := slices.Index(a.free, r); i >= 0 {
		a.free = slices.Delete(a.free, i, i+1)
	}
	a.holds[r], a.at[k] = k, r
}

func (a *allocator) release(r int) {
	if a.holds[r] != nothing {
		delete(a.at, a.holds[r])
		a.holds[r] = nothing
		a.free = append(a.free, r)
	}
}

// next is when a vector is used again.
func (a *allocator) next(k key) int {
	for _, i := range a.uses[k] {
		if i > a.now {
			return i
		}
	}
	return math.MaxInt
}

// register returns a free register, the wanted one if it is.
func (a *allocator) register(want int) int {
	if len(a.free) == 0 {
		a.evict()
	}
	i := slices.Index(a.free, want)
	if i < 0 {
		i = len(a.free) - 1
	}
	r := a.free[i]
	a.free = slices.Delete(a.free, i, i+1)
	return r
}

func (a *allocator) evict() {
	worst, last := -1, -1
	for r, k := range a.holds {
		if k != nothing && !slices.Contains(a.locked, r) {
			if n := a.next(k); n > last {
				worst, last = r, n
			}
		}
	}
	k := a.holds[worst]
	if _, ok := a.c.home(k); !ok && last != math.MaxInt {
		if _, spilled := a.spills[k]; !spilled {
			a.spills[k] = len(a.spills)
			a.c.spillSlots = max(a.c.spillSlots, len(a.spills))
			a.c.move(a.c.slot(a.spills[k]), a.c.v(worst))
		}
	}
	a.release(worst)
}

// read brings a vector into a register.
func (a *allocator) read(k key) int {
	r, ok := a.at[k]
	if !ok {
		r = a.register(-1)
		a.c.move(a.c.v(r), a.backing(k))
		a.take(r, k)
	}
	a.locked = append(a.locked, r)
	return r
}

func (a *allocator) instruction(in *instr, out []binding) {
	op := &a.c.program.Ops[in.value]
	a.locked = a.locked[:0]
	for _, k := range in.reads {
		if r, ok := a.at[k]; ok {
			a.locked = append(a.locked, r) // before others are loaded
		}
	}
	var src []int
	for _, k := range in.reads {
		src = append(src, a.read(k))
	}
	want := -1
	if i := slices.IndexFunc(out, func(b binding) bool { return b.key == in.key }); i >= 0 {
		want = out[i].register
	}
	dst := -1
	switch {
	case op.Kind == rowprog.Const:
		dst = a.register(want)
		a.c.constant(dst, op.Imm != 0)
	case a.c.shifts[in.value] != 0:
		dst = a.register(want)
		a.c.shift(dst, src[0], a.c.shifts[in.value])
	case a.c.avx512:
		dst = a.ternary(op, in, src, want)
	default:
		dst = a.binary(op, in, src, want)
	}
	a.take(dst, in.key)
	a.c.keep(in.key, dst)
	for _, k := range in.reads {
		if r, ok := a.at[k]; ok && a.next(k) == math.MaxInt {
			a.release(r)
		}
	}
	if a.next(in.key) == math.MaxInt {
		a.release(dst)
	}
}

// ternary emits one vpternlogq. It overwrites one of three operands, which should be one that is not used again.
func (a *allocator) ternary(op *rowprog.Op, in *instr, src []int, want int) int {
	if op.N < 3 {
		dst := a.register(want)
		a.c.twoInputs(dst, op, src)
		return dst
	}
	over := -1
	for k, read := range in.reads {
		if a.next(read) == math.MaxInt && (over < 0 || src[k] == want) {
			over = k
		}
	}
	dst := -1
	if over >= 0 {
		dst = src[over]
		a.release(dst)
		a.free = slices.DeleteFunc(a.free, func(r int) bool { return r == dst })
	} else {
		over = 0
		dst = a.register(want)
		a.c.move(a.c.v(dst), a.c.v(src[0]))
	}
	rest := []int{0, 1, 2}
	rest = slices.Delete(rest, over, over+1)
	a.c.asm.VPTERNLOGQ(a.c.v(dst), a.c.v(src[rest[0]]), a.c.v(src[rest[1]]),
		reorder(op.Imm, [3]int{over, rest[0], rest[1]}))
	return dst
}

// binary emits the two-input operations that make a table.
func (a *allocator) binary(op *rowprog.Op, in *instr, src []int, want int) int {
	inputs := map[uint8]int{0xFF: a.c.registers} // the register after the last holds ones
	for k, imm := range []uint8{0xF0, 0xCC, 0xAA}[:op.N] {
		inputs[imm] = src[k]
	}
	var temporary []int
	var make func(imm uint8, dst int) int
	make = func(imm uint8, dst int) int {
		if r, ok := inputs[imm]; ok {
			return r
		}
		r := recipes[imm]
		f, g := make(r.f, -1), make(r.g, -1)
		if dst < 0 {
			dst = a.register(-1)
			a.locked = append(a.locked, dst)
			temporary = append(temporary, dst)
		}
		a.c.operation(r.op, dst, f, g)
		inputs[imm] = dst
		return dst
	}
	dst := a.register(want)
	a.locked = append(a.locked, dst)
	if made := make(op.Imm, dst); made != dst {
		a.c.move(a.c.v(dst), a.c.v(made))
	}
	a.free = append(a.free, temporary...)
	return dst
}

// settle moves vectors to the registers they must end up in.
func (a *allocator) settle(out []binding) {
	type transfer struct{ from, to int } // from ≥ registers: a slot
	var pending []transfer
	var reload []binding
	for _, b := range out {
		r, ok := a.at[b.key]
		switch {
		case !ok:
			reload = append(reload, b)
		case r != b.register:
			pending = append(pending, transfer{r, b.register})
		}
	}
	aside := len(a.spills)
	for len(pending) > 0 {
		ready := slices.IndexFunc(pending, func(t transfer) bool {
			return !slices.ContainsFunc(pending, func(u transfer) bool { return u.from == t.to })
		})
		if ready < 0 { // a ring of moves: set one aside in memory
			t := &pending[0]
			a.c.move(a.c.slot(aside), a.c.v(t.from))
			t.from = a.c.registers + 1 + aside
			aside++
			a.c.spillSlots = max(a.c.spillSlots, aside)
			continue
		}
		t := pending[ready]
		if t.from > a.c.registers {
			a.c.move(a.c.v(t.to), a.c.slot(t.from-a.c.registers-1))
		} else {
			a.c.move(a.c.v(t.to), a.c.v(t.from))
		}
		pending = slices.Delete(pending, ready, ready+1)
	}
	for _, b := range reload {
		a.c.move(a.c.v(b.register), a.backing(b.key))
	}
}

// backing is the memory that holds a vector which is in no register.
func (a *allocator) backing(k key) jit.Operand {
	if slot, spilled := a.spills[k]; spilled {
		return a.c.slot(slot)
	}
	home, ok := a.c.home(k)
	if !ok && a.c.program.Ops[k.value].Kind != rowprog.Load {
		panic(fmt.Sprintf("codegen: v%d at %+d is in no register and no memory", k.value, k.pos))
	}
	return a.c.memory(home)
}

// reorder returns the immediate of a table whose inputs are given in another order: input k is the old input order[k].
func reorder(imm uint8, order [3]int) uint8 {
	var result uint8
	for index := range 8 {
		from := 0
		for k, input := range order {
			from |= index >> (2 - k) & 1 << (2 - input)
		}
		result |= imm >> from & 1 << index
	}
	return result
}
