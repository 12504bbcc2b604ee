package emitter

import (
	"runtime"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/compile/rowprog/rowprogtest"
	"github.com/gosper-life/gosper/internal/jit/wasm"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// body lists the instructions of a program's loop over the vectors of a row, without those that count.
func body(t *testing.T, c Instructions, p *rowprog.Program, shifts map[int]int) []string {
	t.Helper()
	lanes := map[Instructions]int{AVX512: 8, AVX2: 4, NEON: 4, SIMD128: 2}[c]
	l := layout.New(64*lanes, 1, lanes, 1, 1)
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
	old := XORPairs
	XORPairs = func() bool { return pairs }
	t.Cleanup(func() { XORPairs = old })
}

// TestInstructions holds small programs to the instructions that they become.
func TestInstructions(t *testing.T) {
	moved := rowprogtest.Table(lut.Xor, 0, 0)
	moved.In[0].DX, moved.In[1].DX = -1, 1
	far := rowprogtest.Table(lut.Xor, 0, 0)
	far.In[0].DX, far.In[1].DX = 100, -175
	for _, c := range []struct {
		name    string
		code    Instructions
		program *rowprog.Program
		shifts  map[int]int
		pairs   bool
		want    string
	}{
		{
			name: "three inputs are one instruction, which overwrites one of them", code: AVX512,
			program: rowprogtest.Loads(3, rowprogtest.Table(lut.Xor3, 0, 1, 2)),
			want: `vmovdqu64 z0, [r8+rax]
				vmovdqu64 z1, [r9+rax]
				vmovdqu64 z2, [r10+rax]
				vpternlogq z0, z1, z2, 0x96
				vmovdqu64 [r11+rax], z0`,
		},
		{
			name: "inputs that are needed again are copied", code: AVX512,
			program: rowprogtest.Loads(3, rowprogtest.Table(lut.Xor3, 0, 1, 2), rowprogtest.Table(lut.Maj, 0, 1, 2),
				rowprogtest.Table(lut.And, 3, 4)),
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
			name: "or added in two steps", code: AVX512, program: rowprogtest.Loads(3, rowprogtest.Table(lut.Xor3, 0, 1, 2),
				rowprogtest.Table(lut.Maj, 0, 1, 2), rowprogtest.Table(lut.And, 3, 4)), pairs: true,
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
			name: "three inputs are two-input operations", code: AVX2,
			program: rowprogtest.Loads(3, rowprogtest.Table(lut.Xor3, 0, 1, 2)),
			want: `vmovdqu y0, [r8+rax]
				vmovdqu y1, [r9+rax]
				vmovdqu y2, [r10+rax]
				vpxor y4, y1, y2
				vpxor y3, y0, y4
				vmovdqu [r11+rax], y3`,
		},
		{
			name: "a and not b is one instruction", code: AVX512,
			program: rowprogtest.Loads(2, rowprogtest.Table(lut.AndNot, 0, 1)),
			want: `vmovdqu64 z0, [r8+rax]
				vmovdqu64 z1, [r9+rax]
				vpandnq z2, z1, z0
				vmovdqu64 [r10+rax], z2`,
		},
		{
			name: "neighbours are the vectors beside", code: AVX512, program: rowprogtest.Loads(1, moved),
			want: `vmovdqu64 z0, [r8+rax-64]
				vmovdqu64 z1, [r8+rax+64]
				vpxorq z2, z0, z1
				vmovdqu64 [r9+rax], z2`,
		},
		{
			name: "a shift to the left by one bit is a sum", code: AVX2,
			program: rowprogtest.Loads(1, rowprogtest.Table(lut.A, 0)), shifts: map[int]int{1: -1},
			want: `vmovdqu y0, [r8+rax]
				vpaddq y1, y0, y0
				vmovdqu [r9+rax], y1`,
		},
		{
			name: "a vector is two registers, and a choice overwrites a result that is not needed again", code: NEON,
			program: rowprogtest.Loads(3, rowprogtest.Table(lut.Maj, 0, 1, 2)),
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
			name: "a choice overwrites a copy of what is needed again", code: NEON,
			program: rowprogtest.Loads(3, rowprogtest.Table(lut.Xor3, 0, 1, 2), rowprogtest.Table(0xCA, 0, 1, 2),
				rowprogtest.Table(0x96, 0, 1, 2), rowprogtest.Table(lut.Xor3, 3, 4, 5)),
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
			name: "a shift is two", code: NEON, program: rowprogtest.Loads(1, rowprogtest.Table(lut.A, 0)),
			shifts: map[int]int{1: 7},
			want: `ldp q0, q1, [x8]
				ushr v2.2d, v0.2d, #7
				ushr v3.2d, v1.2d, #7
				stp q2, q3, [x9]`,
		},
		{
			name: "neighbours out of a displacement's reach take an address of their own", code: NEON,
			program: rowprogtest.Loads(1, far),
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
			name: "ones are in a register of their own", code: AVX2,
			program: rowprogtest.Loads(0, rowprog.Op{Kind: rowprog.Const, Imm: 0xFF}),
			want: `vmovdqu y0, y15
				vmovdqu [r8+rax], y0`,
		},
		{
			name: "results inside a table stay on the stack", code: SIMD128,
			program: rowprogtest.Loads(3, rowprogtest.Table(lut.Maj, 0, 1, 2)),
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
			name: "a complement needs no ones", code: SIMD128, program: rowprogtest.Loads(2, rowprogtest.Table(0x03, 0, 1)),
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

// The main loop is unrolled to about 64 instructions, or to fewer if no iteration is then left over.
func TestUnroll(t *testing.T) {
	for _, c := range []struct{ ops, vectors, want int }{
		{1, 64, 8},
		{1, 60, 6},
		{1, 62, 8},
		{8, 64, 8},
		{16, 64, 4},
		{16, 63, 3},
		{40, 64, 1},
		{100, 64, 1},
	} {
		p := rowprogtest.Loads(3)
		for i := range c.ops {
			p.Ops = append(p.Ops, rowprogtest.Table(lut.Xor3, i, i+1, i+2))
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
		t.Skip("the number of locals is not limited")
	}
	p := rowprogtest.Loads(8)
	for k := range 8 {
		p.Ops = append(p.Ops, rowprogtest.Table(lut.Xor, max(7, 6+k), k)) // 7 is read first of all and once more
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
			if old, ok := e.own[e.loads[i]]; ok && op.Kind == rowprog.Load && op.Stream == st.Stream &&
				e.loop.InPlace[st.Stream] {
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
