package codegen

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit/wasm"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// loads is a program that loads a row of each of n planes, and goes on with some ops. The last one is the output.
func loads(n int, ops ...rowprog.Op) *rowprog.Program {
	p := &rowprog.Program{Planes: n, Streams: make([]rowprog.Stream, n)}
	for k := range n {
		p.Ops = append(p.Ops, rowprog.Op{Kind: rowprog.Load, Stream: k})
	}
	p.Ops = append(p.Ops, ops...)
	p.Out = []rowprog.Operand{{Value: len(p.Ops) - 1}}
	return p
}

func table(imm uint8, in ...int) rowprog.Op {
	op := rowprog.Op{Kind: rowprog.Table, Imm: imm, N: len(in)}
	for k, value := range in {
		op.In[k].Value = value
	}
	return op
}

// body lists the instructions of a program's loop over the vectors of a row, without those that count.
func body(t *testing.T, c Code, p *rowprog.Program, shifts map[int]int) []string {
	t.Helper()
	l := layout.New(64*c.Lanes(), 1, c.Lanes(), 1, 1)
	e := newEmitter(c, p, &l, nil, shifts)
	if c == NEON {
		e.asListed()
	}
	if c == SIMD128 {
		e.begin()
	}
	listing := e.text().List()
	e.iterations(1, nil, false)
	if c == SIMD128 {
		e.text().(*wasm.Assembler).End()
	}
	if _, err := e.text().Code(); err != nil {
		t.Fatal(err)
	}
	before, counting := 0, 3 // add, sub, jne
	switch c {
	case NEON: // registers of rows go along
		e.eachOwn(func(int, int) { counting++ })
	case SIMD128:
		before, counting = 2, 8 // block and loop; get, const, add, tee, br_if, and three ends
		e.eachOwn(func(int, int) { counting += 4 })
	}
	list := listing.Instructions()
	return list[before : len(list)-counting]
}

// setXORPairs sets for the rest of a test how processors with AVX-512 add three bits.
func setXORPairs(t *testing.T, pairs bool) {
	old := xorPairs
	xorPairs = func() bool { return pairs }
	t.Cleanup(func() { xorPairs = old })
}

// TestInstructions holds small programs to the instructions that they become.
func TestInstructions(t *testing.T) {
	moved := table(lut.Xor, 0, 0)
	moved.In[0].DX, moved.In[1].DX = -1, 1
	far := table(lut.Xor, 0, 0)
	far.In[0].DX, far.In[1].DX = 100, -175
	for _, c := range []struct {
		name    string
		code    Code
		program *rowprog.Program
		shifts  map[int]int
		pairs   bool
		want    string
	}{
		{
			name: "three inputs are one instruction, which overwrites one of them", code: AVX512, program: loads(3, table(lut.Xor3, 0, 1, 2)),
			want: `vmovdqu64 z0, [r8+rax]
				vmovdqu64 z1, [r9+rax]
				vmovdqu64 z2, [r10+rax]
				vpternlogq z0, z1, z2, 0x96
				vmovdqu64 [r11+rax], z0`,
		},
		{
			name: "inputs that are needed again are copied", code: AVX512, program: loads(3, table(lut.Xor3, 0, 1, 2), table(lut.Maj, 0, 1, 2), table(lut.And, 3, 4)),
			want: `vmovdqu64 z0, [r8+rax]
				vmovdqu64 z1, [r9+rax]
				vmovdqu64 z2, [r10+rax]
				vmovdqu64 z3, z0
				vpternlogq z3, z1, z2, 0x96
				vpternlogq z0, z1, z2, 0xe8
				vpandq z2, z3, z0
				vmovdqu64 [r11+rax], z2`,
		},
		{
			name: "or added in two steps", code: AVX512, program: loads(3, table(lut.Xor3, 0, 1, 2), table(lut.Maj, 0, 1, 2), table(lut.And, 3, 4)), pairs: true,
			want: `vmovdqu64 z0, [r8+rax]
				vmovdqu64 z1, [r9+rax]
				vmovdqu64 z2, [r10+rax]
				vpxorq z3, z0, z1
				vpxorq z3, z3, z2
				vpternlogq z0, z1, z2, 0xe8
				vpandq z2, z3, z0
				vmovdqu64 [r11+rax], z2`,
		},
		{
			name: "three inputs are two-input operations", code: AVX2, program: loads(3, table(lut.Xor3, 0, 1, 2)),
			want: `vmovdqu y0, [r8+rax]
				vmovdqu y1, [r9+rax]
				vmovdqu y2, [r10+rax]
				vpxor y4, y1, y2
				vpxor y3, y0, y4
				vmovdqu [r11+rax], y3`,
		},
		{
			name: "a and not b is one instruction", code: AVX512, program: loads(2, table(lut.AndNot, 0, 1)),
			want: `vmovdqu64 z0, [r8+rax]
				vmovdqu64 z1, [r9+rax]
				vpandnq z2, z1, z0
				vmovdqu64 [r10+rax], z2`,
		},
		{
			name: "neighbours are the vectors beside", code: AVX512, program: loads(1, moved),
			want: `vmovdqu64 z0, [r8+rax-64]
				vmovdqu64 z1, [r8+rax+64]
				vpxorq z2, z0, z1
				vmovdqu64 [r9+rax], z2`,
		},
		{
			name: "a shift to the left by one bit is a sum", code: AVX2, program: loads(1, table(lut.A, 0)), shifts: map[int]int{1: -1},
			want: `vmovdqu y0, [r8+rax]
				vpaddq y1, y0, y0
				vmovdqu [r9+rax], y1`,
		},
		{
			name: "a vector is two registers, and a choice overwrites a result that is not needed again", code: NEON, program: loads(3, table(lut.Maj, 0, 1, 2)),
			want: `ldp q0, q1, [x8]
				ldp q2, q3, [x9]
				ldp q4, q5, [x10]
				eor v2.16b, v0.16b, v2.16b
				eor v3.16b, v1.16b, v3.16b
				bsl v2.16b, v4.16b, v0.16b
				bsl v3.16b, v5.16b, v1.16b
				stp q2, q3, [x11]`,
		},
		{
			name: "a choice overwrites a copy of what is needed again", code: NEON, program: loads(3, table(lut.Xor3, 0, 1, 2), table(0xCA, 0, 1, 2), table(0x96, 0, 1, 2), table(lut.Xor3, 3, 4, 5)),
			want: `ldp q0, q1, [x8]
				ldp q2, q3, [x9]
				ldp q4, q5, [x10]
				eor3 v6.16b, v0.16b, v2.16b, v4.16b
				eor3 v7.16b, v1.16b, v3.16b, v5.16b
				mov v8.16b, v0.16b
				mov v9.16b, v1.16b
				bsl v8.16b, v2.16b, v4.16b
				bsl v9.16b, v3.16b, v5.16b
				eor3 v0.16b, v0.16b, v2.16b, v4.16b
				eor3 v1.16b, v1.16b, v3.16b, v5.16b
				eor3 v6.16b, v6.16b, v8.16b, v0.16b
				eor3 v7.16b, v7.16b, v9.16b, v1.16b
				stp q6, q7, [x11]`,
		},
		{
			name: "a shift is two", code: NEON, program: loads(1, table(lut.A, 0)), shifts: map[int]int{1: 7},
			want: `ldp q0, q1, [x8]
				ushr v2.2d, v0.2d, #7
				ushr v3.2d, v1.2d, #7
				stp q2, q3, [x9]`,
		},
		{
			name: "neighbours out of a displacement's reach take an address of their own", code: NEON, program: loads(1, far),
			want: `add x16, x8, #4096
				ldp q0, q1, [x16, #-896]
				sub x16, x8, #4096
				sub x16, x16, #1504
				ldp q2, q3, [x16]
				eor v0.16b, v0.16b, v2.16b
				eor v1.16b, v1.16b, v3.16b
				stp q0, q1, [x9]`,
		},
		{
			name: "ones are in a register of their own", code: AVX2, program: loads(0, rowprog.Op{Kind: rowprog.Const, Imm: 0xFF}),
			want: `vmovdqu y0, y15
				vmovdqu [r8+rax], y0`,
		},
		{
			name: "results inside a table stay on the stack", code: SIMD128, program: loads(3, table(lut.Maj, 0, 1, 2)),
			want: `local.get 7
				v128.load 16
				local.set 11
				local.get 8
				v128.load 16
				local.set 12
				local.get 9
				v128.load 16
				local.set 13
				local.get 11
				local.get 11
				local.get 12
				v128.xor
				local.get 11
				local.get 13
				v128.xor
				v128.and
				v128.xor
				local.set 11
				local.get 10
				local.get 11
				v128.store 16`,
		},
		{
			name: "a complement needs no ones", code: SIMD128, program: loads(2, table(0x03, 0, 1)),
			want: `local.get 7
				v128.load 16
				local.set 10
				local.get 8
				v128.load 16
				local.set 11
				local.get 10
				local.get 11
				v128.or
				v128.not
				local.set 10
				local.get 9
				local.get 10
				v128.store 16`,
		},
	} {
		if runtime.GOOS == "js" && c.code != SIMD128 {
			continue // there are no assemblers for it
		}
		setXORPairs(t, c.pairs)
		got := strings.Join(body(t, c.code, c.program, c.shifts), "\n")
		if want := strings.ReplaceAll(c.want, "\t", ""); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// native are the codes for which this processor runs machine code.
func native() []Code {
	return slices.DeleteFunc(slices.Clone(Codes), func(c Code) bool { return c == Portable || c.Available() != nil })
}

// one runs a program for one vector of random words, and returns the words that come out. in is those of each plane.
func one(t *testing.T, c Code, p *rowprog.Program, shifts map[int]int) (in [][]uint64, out []uint64) {
	t.Helper()
	l := layout.Layout{Lanes: c.Lanes(), Vectors: 1, Stride: c.Lanes()}
	m, err := NewMachine(c, p, &l, nil, shifts)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range p.Planes {
		row := layout.AlignedWords(l.Stride)
		for k := range row {
			row[k] = random.Uint64()
		}
		in = append(in, row)
	}
	out = layout.AlignedWords(l.Stride)
	m.Run(append(slices.Clone(in), out), nil, 0, 1, true)
	return in, out
}

// TestEveryTable runs every lookup table of one, two and three inputs.
func TestEveryTable(t *testing.T) {
	for _, c := range native() {
		for imm := range 256 {
			for n := 1; n <= 3; n++ {
				if inputs(uint8(imm)) > n {
					continue // it depends on inputs that it does not have
				}
				in, out := one(t, c, loads(n, table(uint8(imm), []int{0, 1, 2}[:n]...)), nil)
				for bit := range 64 {
					index := 0
					for k := range n {
						index |= int(in[k][0]>>bit&1) << (2 - k)
					}
					if want := uint64(imm >> index & 1); out[0]>>bit&1 != want {
						t.Fatalf("%s: table %02x of %d inputs gives %d for %03b", c, imm, n, 1-want, index)
					}
				}
			}
		}
	}
}

// TestEveryTableAmongOthers runs every lookup table with its inputs in every order, where other tables need the inputs too, so that none may be
// overwritten.
func TestEveryTableAmongOthers(t *testing.T) {
	for _, c := range native() {
		for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {0, 0, 1}, {1, 0, 1}, {2, 2, 2}} {
			p := loads(3)
			p.Out = nil
			for imm := range 256 {
				p.Out = append(p.Out, rowprog.Operand{Value: len(p.Ops)})
				p.Ops = append(p.Ops, table(uint8(imm), order[:]...))
			}
			l := layout.Layout{Lanes: c.Lanes(), Vectors: 1, Stride: c.Lanes()}
			m, err := NewMachine(c, p, &l, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(3, 4))
			rows := make([][]uint64, 3+256)
			for k := range rows {
				rows[k] = layout.AlignedWords(l.Stride)
				for i := range rows[k] {
					rows[k][i] = random.Uint64()
				}
			}
			m.Run(rows, nil, 0, 1, true)
			for imm, out := range rows[3:] {
				for i, word := range out {
					for bit := range 64 {
						index := 0
						for k, from := range order {
							index |= int(rows[from][i]>>bit&1) << (2 - k)
						}
						if want := uint64(imm >> index & 1); word>>bit&1 != want {
							t.Fatalf("%s: table %02x of inputs %v gives %d for %03b", c, imm, order, 1-want, index)
						}
					}
				}
			}
		}
	}
}

func TestShifts(t *testing.T) {
	for _, c := range native() {
		for _, by := range []int{1, 2, 31, -1, -2, -31} {
			in, out := one(t, c, loads(1, table(lut.A, 0)), map[int]int{1: by})
			for k, word := range in[0] {
				want := word >> max(by, 0) << max(-by, 0)
				if out[k] != want {
					t.Errorf("%s: %x shifted by %d to the right is %x, want %x", c, word, by, out[k], want)
				}
			}
		}
	}
}

// The main loop takes as many iterations at a time as make some 64 instructions, and fewer where then none is left over.
func TestUnroll(t *testing.T) {
	for _, c := range []struct{ ops, vectors, want int }{{1, 64, 8}, {1, 60, 6}, {1, 62, 8}, {8, 64, 8}, {16, 64, 4}, {16, 63, 3}, {40, 64, 1}, {100, 64, 1}} {
		p := loads(3)
		for i := range c.ops {
			p.Ops = append(p.Ops, table(lut.Xor3, i, i+1, i+2))
		}
		p.Out = []rowprog.Operand{{Value: len(p.Ops) - 1}}
		l := layout.Layout{Lanes: 8, Vectors: c.vectors, Stride: 8 * c.vectors}
		if got := newEmitter(AVX512, p, &l, nil, nil).unroll(); got != c.want {
			t.Errorf("%d ops, %d vectors: %d iterations at a time, want %d", c.ops, c.vectors, got, c.want)
		}
	}
}

// The rows that are touched most get registers, and a row that is overwritten in place the register of the old one.
func TestRowRegisters(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("locals are as many as there are rows")
	}
	p := loads(8)
	for k := range 8 {
		p.Ops = append(p.Ops, table(lut.Xor, max(7, 6+k), k)) // 7 is read first of all and once more
	}
	p.Out = []rowprog.Operand{{Value: len(p.Ops) - 1}}
	l := layout.Layout{Lanes: 8, Vectors: 1, Stride: 8}
	e := newEmitter(AVX512, p, &l, nil, nil)
	if len(e.own) != len(rowRegisters) {
		t.Errorf("%d rows of %d have registers, want %d", len(e.own), e.entries, len(rowRegisters))
	}
	if r, ok := e.own[e.loads[7]]; !ok || r != 0 {
		t.Errorf("the row that is touched most has register %d", r)
	}
	r, err := rule.Parse("R5,C0,M1,S34..58,B34..45,NM")
	if err != nil {
		t.Fatal(err)
	}
	p = compile.Columns(circuit.Of(r))
	l = layout.New(4096, 64, 8, 1, p.Radius())
	e = newEmitter(AVX512, p, &l, nil, nil)
	shared := 0
	for _, st := range p.Stores {
		for i, op := range p.Ops {
			if old, ok := e.own[e.loads[i]]; ok && op.Kind == rowprog.Load && op.Stream == st.Stream && e.loop.InPlace[st.Stream] {
				shared++
				if e.own[e.stores[st.Value.Value]] != old {
					t.Errorf("stream %d is in register %d, its new row in %d", st.Stream, old, e.own[e.stores[st.Value.Value]])
				}
			}
		}
	}
	if shared == 0 {
		t.Error("no stream is overwritten in place")
	}
}

// A program with too many values in use at a time is refused with ErrNotCompiled.
func TestTooManySpillSlots(t *testing.T) {
	const values = maxSlots + 100
	p := loads(1)
	for i := range values {
		p.Ops = append(p.Ops, table(lut.NotA, i))
	}
	for i := range values { // in the same order, so that all of them wait
		p.Ops = append(p.Ops, table(lut.Xor, values+i, 1+i))
	}
	p.Out = []rowprog.Operand{{Value: len(p.Ops) - 1}}
	l := layout.Layout{Lanes: Fastest().Lanes(), Vectors: 1, Stride: 8}
	if Fastest() == Portable {
		t.Skip("no machine code here")
	}
	if _, err := NewMachine(Fastest(), p, &l, nil, nil); !errors.Is(err, ErrNotCompiled) || !strings.Contains(fmt.Sprint(err), "spill slots") {
		t.Errorf("%v", err)
	}
}

// inputs is how many inputs a table needs at least, the first ones, to have all on which it depends.
func inputs(imm uint8) int {
	needed := 0
	for k := range 3 {
		for index := range 8 {
			if imm>>index&1 != imm>>(index^4>>k)&1 {
				needed = k + 1
			}
		}
	}
	return needed
}
