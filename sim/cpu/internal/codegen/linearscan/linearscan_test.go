package linearscan

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// machine carries out what the allocator has emitted: it keeps the name of what each register and slot holds.
type machine struct {
	registers []pipeline.Vector
	slots     map[int]pipeline.Vector
	memory    map[pipeline.Vector]bool // what memory holds now
	kept      map[pipeline.Vector]bool // what goes into memory once it is computed
	temporary int                      // registers that every instruction needs besides
	overwrite bool                     // instructions overwrite an input that is read for the last time
	log       strings.Builder
	failure   string
}

func newMachine(registers int) *machine {
	m := &machine{
		registers: make([]pipeline.Vector, registers), slots: map[int]pipeline.Vector{},
		memory: map[pipeline.Vector]bool{}, kept: map[pipeline.Vector]bool{},
	}
	for r := range m.registers {
		m.registers[r] = nothing
	}
	return m
}

func (m *machine) fail(format string, args ...any) {
	if m.failure == "" {
		m.failure = fmt.Sprintf(format, args...)
	}
}

func (m *machine) Compute(a *Allocator, in *pipeline.Instr, src []int, want int) (dst int) {
	for k, v := range in.Reads {
		if m.registers[src[k]] != v {
			m.fail("instruction %v finds %v in register %d, not %v", in.Vector, m.registers[src[k]], src[k], v)
		}
	}
	dst = -1
	for k, v := range in.Reads {
		if m.overwrite && a.ReadLast(v) {
			dst = src[k]
		}
	}
	if dst >= 0 {
		a.Reuse(dst)
	} else {
		dst = a.Register(want)
		a.Lock(dst)
	}
	var temporaries []int
	for range m.temporary {
		r := a.Register(-1)
		a.Lock(r)
		m.registers[r] = nothing
		temporaries = append(temporaries, r)
	}
	a.Return(temporaries)
	m.registers[dst] = in.Vector
	if m.kept[in.Vector] {
		m.memory[in.Vector] = true
	}
	fmt.Fprintf(&m.log, "r%d=v%d ", dst, in.Value)
	return dst
}

func (m *machine) Copy(dst, src int) {
	m.registers[dst] = m.registers[src]
	fmt.Fprintf(&m.log, "r%d=r%d ", dst, src)
}

func (m *machine) Load(dst int, v pipeline.Vector) {
	if !m.memory[v] {
		m.fail("%v is loaded, but not in memory", v)
	}
	m.registers[dst] = v
	fmt.Fprintf(&m.log, "r%d=[v%d] ", dst, v.Value)
}

func (m *machine) InMemory(v pipeline.Vector) bool { return m.memory[v] }

func (m *machine) Spill(slot, src int) {
	m.slots[slot] = m.registers[src]
	fmt.Fprintf(&m.log, "s%d=r%d ", slot, src)
}

func (m *machine) Reload(dst, slot int) {
	m.registers[dst] = m.slots[slot]
	fmt.Fprintf(&m.log, "r%d=s%d ", dst, slot)
}

func v(value int) pipeline.Vector { return pipeline.Vector{Value: value} }

func instr(value int, reads ...int) pipeline.Instr {
	in := pipeline.Instr{Vector: v(value)}
	for _, r := range reads {
		in.Reads = append(in.Reads, v(r))
	}
	return in
}

func TestEmit(t *testing.T) {
	for _, c := range []struct {
		name      string
		registers int
		overwrite bool
		memory    []int // values that memory holds from the beginning
		in        []Binding
		code      []pipeline.Instr
		out       []Binding
		want      string
		slots     int
	}{
		{
			name: "registers are free again after the last read", registers: 2,
			code: []pipeline.Instr{instr(0), instr(1, 0), instr(2, 1), instr(3, 2)},
			want: "r0=v0 r1=v1 r0=v2 r1=v3",
		},
		{
			name: "the result may overwrite what is read for the last time", registers: 2, overwrite: true,
			code: []pipeline.Instr{instr(0), instr(1, 0), instr(2, 1)},
			want: "r0=v0 r0=v1 r0=v2",
		},
		{
			name: "what is read last is spilled", registers: 3,
			code: []pipeline.Instr{instr(0), instr(1), instr(2), instr(3), instr(4, 1), instr(5, 2), instr(6, 3), instr(7, 0)},
			// v3 needs a register while v0, v1 and v2 are in use; v0 is read last
			want: "r0=v0 r1=v1 r2=v2 s0=r0 r0=v3 s1=r0 r0=v4 r0=v5 r0=s1 r2=v6 r2=s0 r0=v7", slots: 2,
		},
		{
			name: "what memory holds is loaded again, not spilled", registers: 3, memory: []int{0},
			code: []pipeline.Instr{instr(1, 0), instr(2), instr(3, 1, 2), instr(4, 0)},
			want: "r0=[v0] r1=v1 r2=v2 r0=v3 r0=[v0] r2=v4",
		},
		{
			name: "vectors are made where they must end up", registers: 4,
			code: []pipeline.Instr{instr(0), instr(1)},
			out:  []Binding{{v(0), 2}, {v(1), 3}},
			want: "r2=v0 r3=v1",
		},
		{
			name: "two vectors that change places need a slot", registers: 2,
			in:   []Binding{{v(0), 0}, {v(1), 1}},
			out:  []Binding{{v(0), 1}, {v(1), 0}},
			want: "s0=r0 r0=r1 r1=s0", slots: 1,
		},
		{
			name: "a cycle of moves leaves spilled vectors alone", registers: 3,
			in:   []Binding{{v(0), 0}, {v(1), 1}, {v(2), 2}},
			code: []pipeline.Instr{instr(3)},
			out:  []Binding{{v(0), 0}, {v(1), 2}, {v(2), 1}},
			want: "s0=r0 r0=v3 s1=r1 r1=r2 r2=s1 r0=s0", slots: 2,
		},
		{
			name: "what is nowhere is loaded at the end", registers: 2, memory: []int{7},
			out:  []Binding{{v(7), 1}},
			want: "r1=[v7]",
		},
	} {
		m := newMachine(c.registers)
		m.overwrite = c.overwrite
		for _, value := range c.memory {
			m.memory[v(value)] = true
		}
		for _, b := range c.in {
			m.registers[b.Register] = b.Vector
		}
		slots := Emit(m, c.registers, c.code, c.in, c.out)
		if got := strings.TrimSpace(m.log.String()); got != c.want || slots != c.slots || m.failure != "" {
			t.Errorf("%s: %s, %d slots, want %s, %d slots. %s", c.name, got, slots, c.want, c.slots, m.failure)
		}
	}
}

// TestRandomCode checks random code: every instruction finds its inputs, and every vector ends in the right place.
func TestRandomCode(t *testing.T) {
	spilled := 0
	rapid.Check(t, func(t *rapid.T) {
		registers := rapid.IntRange(5, 9).Draw(t, "registers")
		m := newMachine(registers)
		m.overwrite = rapid.Bool().Draw(t, "overwrite")
		m.temporary = rapid.IntRange(0, 1).Draw(t, "temporaries")
		values := 0
		fresh := func() int { values++; return values - 1 }
		for range rapid.IntRange(0, 6).Draw(t, "loads") {
			m.memory[v(fresh())] = true
		}
		var in []Binding
		for r := range rapid.IntRange(0, registers-2).Draw(t, "in") {
			b := Binding{v(fresh()), r}
			in = append(in, b)
			m.registers[r] = b.Vector
		}
		var code []pipeline.Instr
		for range rapid.IntRange(1, 40).Draw(t, "instructions") {
			var reads []int
			if values > 0 {
				reads = rapid.SliceOfNDistinct(rapid.IntRange(0, values-1), 0, min(3, values), rapid.ID[int]).Draw(t, "reads")
			}
			code = append(code, instr(fresh(), reads...))
			m.kept[code[len(code)-1].Vector] = rapid.Bool().Draw(t, "kept")
		}
		ends := rapid.SliceOfNDistinct(rapid.IntRange(0, values-1), 0, min(registers, values), rapid.ID[int]).Draw(t, "out")
		places := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8}[:registers]).Draw(t, "places")
		var out []Binding
		for i, value := range ends {
			out = append(out, Binding{v(value), places[i]})
		}
		slots := Emit(m, registers, code, in, out)
		for _, b := range out {
			if m.registers[b.Register] != b.Vector {
				m.fail("register %d ends up with %v, not %v", b.Register, m.registers[b.Register], b.Vector)
			}
		}
		if m.failure != "" {
			t.Fatalf("%s\n%s", m.failure, m.log.String())
		}
		for slot := range m.slots {
			if slot >= slots {
				t.Fatalf("slot %d is used, of %d", slot, slots)
			}
		}
		spilled += len(m.slots)
	})
	if spilled == 0 {
		t.Error("nothing was ever spilled")
	}
}
