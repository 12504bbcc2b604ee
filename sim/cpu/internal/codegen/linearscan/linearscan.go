// Package linearscan gives vector registers to the values of straight-line code while that code is emitted, in
// one scan from the first instruction to the last.
//
// When no register is free, the value that is read again last gives way (Belady's rule). It goes to a spill
// slot, unless memory holds it anyway.
package linearscan

import (
	"math"
	"slices"

	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// Emitter writes the instructions that the allocator decides on. Registers and spill slots are numbered from 0.
type Emitter interface {
	// Compute emits an instruction whose inputs are in the registers src, and returns the register of the result.
	// That should be the register want if it is not -1. It takes registers by Allocator.Register and
	// Allocator.Reuse.
	Compute(a *Allocator, in *pipeline.Instr, src []int, want int) (dst int)
	// Copy copies a register into another one.
	Copy(dst, src int)
	// Load fills a register with a vector that memory holds.
	Load(dst int, v pipeline.Vector)
	// InMemory reports whether memory holds the vector until its last use, so that it need not be spilled.
	InMemory(v pipeline.Vector) bool
	// Spill stores a register in a slot, and Reload fills it from there.
	Spill(slot, src int)
	Reload(dst, slot int)
}

// Binding is a vector and the register it is in at one point of the code.
type Binding struct {
	pipeline.Vector
	Register int
}

// Emit emits code that uses at most the given number of registers. in says which vectors are in
// registers before it, and out where they must be after it. It returns how many spill slots the code
// uses.
//
// The code has no branches, so the reads of every vector are known in advance. Emit lists them
// backwards. Then it goes through the code once. At each instruction it
//
//   - brings the inputs into registers, from spill slots or memory if necessary,
//   - lets the emitter compute the result into a free register, or into one whose vector it reads
//     last,
//   - frees the registers of vectors that are not read again.
//
// At the end it moves vectors to the registers in which they must be.
func Emit(e Emitter, registers int, code []pipeline.Instr, in, out []Binding) (slots int) {
	a := &Allocator{
		emitter: e, holds: slices.Repeat([]pipeline.Vector{nothing}, registers), next: make([]int, registers),
	}
	a.number(code, in, out)
	for _, b := range slices.Backward(out) {
		a.willRead(b.Vector, len(code))
	}
	for i, instr := range slices.Backward(code) {
		for _, v := range instr.Reads {
			a.willRead(v, i)
		}
	}
	for r := registers - 1; r >= 0; r-- {
		a.free = append(a.free, r)
	}
	for _, b := range in {
		if !a.ReadLast(b.Vector) {
			a.take(b.Register, b.Vector)
		}
	}
	for i := range code {
		a.pass(i, &code[i])
		a.instruction(&code[i], out)
	}
	a.settle(out)
	return a.slots
}

// Allocator tracks the contents of the registers at one point of the code.
type Allocator struct {
	emitter Emitter
	least   int               // the first column of all vectors
	values  int               // more than the number of any vector's value
	state   []state           // of all vectors, column by column
	reads   []read            // all of them
	holds   []pipeline.Vector // by register
	next    []int             // by register: the next instruction that reads its value
	free    []int
	spilled int // how many vectors have been
	slots   int
	locked  []int // registers that the current instruction needs
	src     []int // those that it reads
}

// state says where a vector is at one point of the code. All numbers are stored plus one, so that 0 means none.
type state struct {
	register int
	slot     int
	read     int // the index in Allocator.reads of the first read after the current instruction
}

// read is an instruction that reads a vector, and the index of the next one that does, plus 1.
type read struct{ at, next int }

// number makes room for the states of all vectors.
func (a *Allocator) number(code []pipeline.Instr, in, out []Binding) {
	a.least = math.MaxInt
	last := math.MinInt
	see := func(v pipeline.Vector) {
		a.least, last, a.values = min(a.least, v.Column), max(last, v.Column), max(a.values, v.Value+1)
	}
	reads := len(out)
	for _, instr := range code {
		see(instr.Vector)
		for _, v := range instr.Reads {
			see(v)
		}
		reads += len(instr.Reads)
	}
	for _, list := range [2][]Binding{in, out} {
		for _, b := range list {
			see(b.Vector)
		}
	}
	if a.values > 0 {
		a.state = make([]state, (last-a.least+1)*a.values)
	}
	a.reads = make([]read, 0, reads)
}

// of returns the state of a vector.
func (a *Allocator) of(v pipeline.Vector) *state {
	return &a.state[(v.Column-a.least)*a.values+v.Value]
}

// willRead adds an instruction to the front of the list of those that read a vector. It is called for the
// instructions in reverse order.
//
//	state.read ─▶ {at 3, next} ─▶ {at 7, next} ─▶ {at 9, 0}      instructions 3, 7 and 9 read v
func (a *Allocator) willRead(v pipeline.Vector, at int) {
	s := a.of(v)
	a.reads = append(a.reads, read{at, s.read})
	s.read = len(a.reads)
}

// nothing is held by registers that are free.
var nothing = pipeline.Vector{Value: -1}

func (a *Allocator) take(r int, v pipeline.Vector) {
	if i := slices.Index(a.free, r); i >= 0 {
		a.free = slices.Delete(a.free, i, i+1)
	}
	a.holds[r], a.of(v).register, a.next[r] = v, r+1, a.nextRead(v)
}

func (a *Allocator) release(r int) {
	if a.holds[r] != nothing {
		a.of(a.holds[r]).register = 0
		a.holds[r] = nothing
		a.free = append(a.free, r)
	}
}

// nextRead is the instruction after the current one that reads a vector first.
func (a *Allocator) nextRead(v pipeline.Vector) int {
	if first := a.of(v).read; first > 0 {
		return a.reads[first-1].at
	}
	return math.MaxInt
}

// pass makes an instruction the current one. The next reads of its operands are then those after it.
func (a *Allocator) pass(i int, in *pipeline.Instr) {
	for _, v := range in.Reads {
		s := a.of(v)
		for s.read > 0 && a.reads[s.read-1].at <= i {
			s.read = a.reads[s.read-1].next
		}
		if s.register > 0 {
			a.next[s.register-1] = a.nextRead(v)
		}
	}
}

// ReadLast reports whether no instruction after the current one reads a vector.
func (a *Allocator) ReadLast(v pipeline.Vector) bool { return a.nextRead(v) == math.MaxInt }

// Register returns a register that holds nothing: the wanted one if that is free. If no register is free, it spills
// one.
func (a *Allocator) Register(want int) int {
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

// Lock keeps a register from being spilled before the current instruction is complete.
func (a *Allocator) Lock(r int) { a.locked = append(a.locked, r) }

// Reuse takes a register whose vector is read for the last time, to be overwritten with the result.
func (a *Allocator) Reuse(r int) {
	a.release(r)
	a.free = slices.DeleteFunc(a.free, func(free int) bool { return free == r })
}

// Return gives registers back that held nothing but intermediate results.
func (a *Allocator) Return(registers []int) { a.free = append(a.free, registers...) }

// evict frees the register whose vector is read again last.
func (a *Allocator) evict() {
	worst, last := -1, -1
	for r, v := range a.holds {
		if v != nothing && !slices.Contains(a.locked, r) {
			if a.next[r] > last {
				worst, last = r, a.next[r]
			}
		}
	}
	v := a.holds[worst]
	// A vector that is not read again needs no slot. One that has a slot was spilled before, and its value has not
	// changed.
	if s := a.of(v); s.slot == 0 && last != math.MaxInt && !a.emitter.InMemory(v) {
		a.spilled++
		s.slot = a.spilled
		a.slots = max(a.slots, a.spilled)
		a.emitter.Spill(s.slot-1, worst)
	}
	a.release(worst)
}

// fetch fills a register with a vector that is in none.
func (a *Allocator) fetch(dst int, v pipeline.Vector) {
	if slot := a.of(v).slot; slot > 0 {
		a.emitter.Reload(dst, slot-1)
		return
	}
	a.emitter.Load(dst, v)
}

// read brings a vector into a register.
func (a *Allocator) read(v pipeline.Vector) int {
	r := a.of(v).register - 1
	if r < 0 {
		r = a.Register(-1)
		a.fetch(r, v)
		a.take(r, v)
	}
	a.Lock(r)
	return r
}

// instruction emits one instruction, after the loads and spills that it needs. A result that must end
// up in a certain register is made there, if that is free.
func (a *Allocator) instruction(in *pipeline.Instr, out []Binding) {
	a.locked = a.locked[:0]
	for _, v := range in.Reads {
		if r := a.of(v).register - 1; r >= 0 {
			a.Lock(r) // before other inputs are loaded
		}
	}
	a.src = a.src[:0]
	for _, v := range in.Reads {
		a.src = append(a.src, a.read(v))
	}
	want := -1
	if i := slices.IndexFunc(out, func(b Binding) bool { return b.Vector == in.Vector }); i >= 0 {
		want = out[i].Register
	}
	dst := a.emitter.Compute(a, in, a.src, want)
	a.take(dst, in.Vector)
	for _, v := range in.Reads {
		if r := a.of(v).register - 1; r >= 0 && a.ReadLast(v) {
			a.release(r)
		}
	}
	if a.ReadLast(in.Vector) {
		a.release(dst)
	}
}

// settle moves vectors to the registers that they must end up in. A move may overwrite a register that
// another move still reads, so the other one goes first. In a cycle there is no first one:
//
//	r0 -> r1, r1 -> r2, r2 -> r0      r0 to a slot; r2 -> r0; r1 -> r2; the slot to r1
//
// Vectors that are in no register come last, because loading them needs no other register.
func (a *Allocator) settle(out []Binding) {
	type move struct{ from, slot, to int } // from a slot where from is -1
	var pending []move
	var absent []Binding
	for _, b := range out {
		r := a.of(b.Vector).register - 1
		switch {
		case r < 0:
			absent = append(absent, b)
		case r != b.Register:
			pending = append(pending, move{from: r, to: b.Register})
		}
	}
	aside := a.spilled
	for len(pending) > 0 {
		// A move is ready if no other move still reads its target.
		ready := slices.IndexFunc(pending, func(m move) bool {
			return !slices.ContainsFunc(pending, func(other move) bool { return other.from == m.to })
		})
		if ready < 0 { // a cycle: put one of its vectors aside
			m := &pending[0]
			a.emitter.Spill(aside, m.from)
			m.from, m.slot = -1, aside
			aside++
			a.slots = max(a.slots, aside)
			continue
		}
		m := pending[ready]
		if m.from < 0 {
			a.emitter.Reload(m.to, m.slot)
		} else {
			a.emitter.Copy(m.to, m.from)
		}
		pending = slices.Delete(pending, ready, ready+1)
	}
	for _, b := range absent {
		a.fetch(b.Register, b.Vector)
	}
}
