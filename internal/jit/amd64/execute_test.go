//go:build amd64 && (unix || windows)

package amd64

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/internal/jit/assembly"
)

// run maps the assembled code and calls it.
func run(t testing.TB, a *Assembler, args unsafe.Pointer) {
	t.Helper()
	load(t, a).Call(0, args)
}

// load maps the assembled code, and unmaps it when the test ends.
func load(t testing.TB, a *Assembler) *jit.Code {
	t.Helper()
	text, err := a.Code()
	if err != nil {
		t.Fatal(err)
	}
	c, err := jit.Map(text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// vectorTest says what an instruction does: emit it on dst, x and y; word gives word i of the result.
type vectorTest struct {
	name   string
	has    func() bool
	widths []Width
	evex   bool // all 32 registers
	emit   func(a *Assembler, dst, x Vec, y Operand)
	word   func(dst, x, y []uint64, i int) uint64
}

var (
	narrow = []Width{W128, W256}
	all    = []Width{W128, W256, W512}
	wide   = []Width{W256, W512}
)

var vectorTests = []vectorTest{
	{"VPAND", jit.HasAVX2, narrow, false, (*Assembler).VPAND, and},
	{"VPANDN", jit.HasAVX2, narrow, false, (*Assembler).VPANDN, andNot},
	{"VPOR", jit.HasAVX2, narrow, false, (*Assembler).VPOR, or},
	{"VPXOR", jit.HasAVX2, narrow, false, (*Assembler).VPXOR, xor},
	{"VPANDQ", jit.HasAVX512, all, true, (*Assembler).VPANDQ, and},
	{"VPANDNQ", jit.HasAVX512, all, true, (*Assembler).VPANDNQ, andNot},
	{"VPORQ", jit.HasAVX512, all, true, (*Assembler).VPORQ, or},
	{"VPXORQ", jit.HasAVX512, all, true, (*Assembler).VPXORQ, xor},
	{"VPADDQ", jit.HasAVX2, narrow, false, (*Assembler).VPADDQ, add},
	{"VPADDQ", jit.HasAVX512, all, true, (*Assembler).VPADDQ, add},
	{
		"VPTERNLOGQ", jit.HasAVX512, all, true,
		func(a *Assembler, dst, x Vec, y Operand) { a.VPTERNLOGQ(dst, x, y, 0xca) }, // dst ? x : y
		func(dst, x, y []uint64, i int) uint64 { return dst[i]&x[i] | ^dst[i]&y[i] },
	},
	{
		"VPSLLQ", jit.HasAVX2, narrow, false,
		func(a *Assembler, dst, x Vec, _ Operand) { a.VPSLLQ(dst, x, 13) },
		func(_, x, _ []uint64, i int) uint64 { return x[i] << 13 },
	},
	{
		"VPSRLQ", jit.HasAVX512, all, true,
		func(a *Assembler, dst, x Vec, _ Operand) { a.VPSRLQ(dst, x, 63) },
		func(_, x, _ []uint64, i int) uint64 { return x[i] >> 63 },
	},
	{
		"VPSHRDQ", jit.HasVBMI2, all, true,
		func(a *Assembler, dst, x Vec, y Operand) { a.VPSHRDQ(dst, x, y, 7) },
		func(_, x, y []uint64, i int) uint64 { return x[i]>>7 | y[i]<<57 },
	},
	{
		"VALIGNQ", jit.HasAVX512, all, true,
		func(a *Assembler, dst, x Vec, y Operand) { a.VALIGNQ(dst, x, y, 1) },
		func(_, x, y []uint64, i int) uint64 { return slices.Concat(y, x)[i+1] },
	},
	{
		"VPERMQ", jit.HasAVX512, wide, true,
		func(a *Assembler, dst, _ Vec, y Operand) { a.VPERMQ(dst, y, 3<<0|0<<2|1<<4|2<<6) },
		func(_, _, y []uint64, i int) uint64 { return y[i&4|[]int{3, 0, 1, 2}[i&3]] },
	},
	{
		"VPERMQ", jit.HasAVX2,
		[]Width{W256},
		false,
		func(a *Assembler, dst, _ Vec, y Operand) { a.VPERMQ(dst, y, 1<<0|2<<2|3<<4|0<<6) },
		func(_, _, y []uint64, i int) uint64 { return y[(i+1)&3] },
	},
}

func and(_, x, y []uint64, i int) uint64    { return x[i] & y[i] }
func andNot(_, x, y []uint64, i int) uint64 { return ^x[i] & y[i] }
func or(_, x, y []uint64, i int) uint64     { return x[i] | y[i] }
func xor(_, x, y []uint64, i int) uint64    { return x[i] ^ y[i] }
func add(_, x, y []uint64, i int) uint64    { return x[i] + y[i] }

// TestVectorInstructions runs every instruction on random registers and words and compares with what Go computes.
func TestVectorInstructions(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, test := range vectorTests {
		t.Run(test.name, func(t *testing.T) {
			if !test.has() {
				t.Skip("this processor does not have it")
			}
			for range 30 {
				test.run(t, random)
			}
		})
	}
}

func (test *vectorTest) run(t *testing.T, random *rand.Rand) {
	registers := 16
	if test.evex {
		registers = 32
	}
	w := test.widths[random.IntN(len(test.widths))]
	words := w.Bytes() / 8
	pick := random.Perm(registers)
	dst, x, yRegister := Vec{pick[0], w}, Vec{pick[1], w}, Vec{pick[2], w}

	var rows [3][8]uint64 // dst, x, y; the result goes to the first
	for i := range rows {
		for j := range rows[i] {
			rows[i][j] = random.Uint64()
		}
	}
	before := rows
	y := Operand(yRegister)
	if random.IntN(2) == 0 {
		y = Mem{Base: RDI, Disp: 128}
	}
	var a Assembler
	move := a.VMOVDQU
	if test.evex {
		move = a.VMOVDQU64
	}
	move(dst, Mem{Base: RDI})
	move(x, Mem{Base: RDI, Disp: 64})
	move(yRegister, Mem{Base: RDI, Disp: 128})
	test.emit(&a, dst, x, y)
	move(Mem{Base: RDI}, dst)
	a.VZEROUPPER()
	a.RET()
	run(t, &a, unsafe.Pointer(&rows))

	want := before
	for i := range words {
		want[0][i] = test.word(before[0][:words], before[1][:words], before[2][:words], i)
	}
	if rows != want {
		t.Fatalf("%d bits, y = %v:\n%x, want\n%x", 8*w.Bytes(), y, rows, want)
	}
}

// TestGeneralInstructions runs arithmetic and every conditional jump on random and equal numbers.
func TestGeneralInstructions(t *testing.T) {
	type numbers struct{ x, y, result uint64 }
	tests := []struct {
		name string
		emit func(a *Assembler) // x in RAX, y in R12 and at RDI+8; result in RAX
		want func(x, y uint64) uint64
	}{
		{"MOV", func(a *Assembler) { a.MOV(RAX, R12) }, func(_, y uint64) uint64 { return y }},
		{"ADD", func(a *Assembler) { a.ADD(RAX, R12) }, func(x, y uint64) uint64 { return x + y }},
		{"ADD memory", func(a *Assembler) { a.ADD(RAX, Mem{Base: RDI, Disp: 8}) }, func(x, y uint64) uint64 { return x + y }},
		{"SUB", func(a *Assembler) { a.SUB(RAX, R12) }, func(x, y uint64) uint64 { return x - y }},
		{"XOR", func(a *Assembler) { a.XOR(RAX, R12) }, func(x, y uint64) uint64 { return x ^ y }},
		{"DEC", func(a *Assembler) { a.DEC(RAX) }, func(x, _ uint64) uint64 { return x - 1 }},
		{"MOV 64 bits", func(a *Assembler) { a.MOV(RAX, Imm(-0x123456789abcdef0)) }, func(_, _ uint64) uint64 {
			return ^uint64(0x123456789abcdef0) + 1
		}},
		{"MOV 32 bits", func(a *Assembler) { a.MOV(RAX, Imm(0xfedcba98)) }, func(_, _ uint64) uint64 { return 0xfedcba98 }},
		{"JE", taken((*Assembler).JE), func(x, y uint64) uint64 { return truth(x == y) }},
		{"JNE", taken((*Assembler).JNE), func(x, y uint64) uint64 { return truth(x != y) }},
		{"JB", taken((*Assembler).JB), func(x, y uint64) uint64 { return truth(x < y) }},
		{"JAE", taken((*Assembler).JAE), func(x, y uint64) uint64 { return truth(x >= y) }},
	}
	random := rand.New(rand.NewPCG(1, 1))
	for _, test := range tests {
		var a Assembler
		a.MOV(RAX, Mem{Base: RDI})
		a.MOV(R12, Mem{Base: RDI, Disp: 8})
		test.emit(&a)
		a.MOV(Mem{Base: RDI, Disp: 16}, RAX)
		a.RET()
		c := load(t, &a)
		for i := range 100 {
			n := numbers{x: random.Uint64() >> random.IntN(64), y: random.Uint64() >> random.IntN(64)}
			if i%5 == 0 {
				n.y = n.x
			}
			if c.Call(0, unsafe.Pointer(&n)); n.result != test.want(n.x, n.y) {
				t.Fatalf("%s of %#x and %#x is %#x, want %#x", test.name, n.x, n.y, n.result, test.want(n.x, n.y))
			}
		}
	}
}

// taken puts 1 into RAX when the jump is taken after CMP(x, y), else 0.
func taken(method func(*Assembler, assembly.Label)) func(*Assembler) {
	return func(a *Assembler) {
		hit, end := a.NewLabel(), a.NewLabel()
		a.CMP(RAX, R12)
		method(a, hit)
		a.MOV(RAX, Imm(0))
		a.JMP(end)
		a.Bind(hit)
		a.MOV(RAX, Imm(1))
		a.Bind(end)
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

const (
	kernelRegisters = 32
	arenaSlots      = 40
	inputRows       = 3
)

// kernelArgs is laid out as generated kernels would have it: row pointers, an arena for spills, a count.
type kernelArgs struct {
	rows  [inputRows]unsafe.Pointer
	out   unsafe.Pointer
	arena unsafe.Pointer
	count uint64 // vectors
}

// TestTernaryPrograms runs random straight-line programs of VPTERNLOGQ with loads, spills and reloads in a
// loop over the vectors of three rows, beside the same program in Go.
func TestTernaryPrograms(t *testing.T) {
	if !jit.HasAVX512() {
		t.Skip("this processor does not have AVX-512")
	}
	random := rand.New(rand.NewPCG(3, 23))
	for range 60 {
		runTernaryProgram(t, random, 1+random.IntN(300))
	}
}

func runTernaryProgram(t *testing.T, random *rand.Rand, length int) {
	count := 1 + random.IntN(9)
	var rows [inputRows][]uint64
	for i := range rows {
		rows[i] = make([]uint64, 8*count)
		for j := range rows[i] {
			rows[i][j] = random.Uint64()
		}
	}
	out, want := make([]uint64, 8*count), make([]uint64, 8*count)
	arena := make([]uint64, 8*arenaSlots)

	var a Assembler
	pointers := [...]Reg{RSI, R8, R13}
	for i, p := range pointers {
		a.MOV(p, Mem{Base: RDI, Disp: int32(8 * i)})
	}
	a.MOV(RDX, Mem{Base: RDI, Disp: 8 * inputRows})
	a.MOV(R12, Mem{Base: RDI, Disp: 8*inputRows + 8})
	a.MOV(RCX, Mem{Base: RDI, Disp: 8*inputRows + 16})
	a.XOR(RAX, RAX) // the offset of the vector
	a.Align(64)
	top := a.Here()

	var model []func(vector int)
	var registers [kernelRegisters][8]uint64
	var spilled [arenaSlots][8]uint64
	for n := range kernelRegisters {
		row := n % inputRows
		a.VMOVDQU64(Z(n), Mem{Base: pointers[row], Index: RAX, Scale: 1})
		model = append(model, func(v int) { copy(registers[n][:], rows[row][8*v:]) })
	}
	for n := range arenaSlots {
		a.VMOVDQU64(Mem{Base: R12, Disp: int32(64 * n)}, Z(n%kernelRegisters))
		model = append(model, func(int) { spilled[n] = registers[n%kernelRegisters] })
	}
	for range length {
		d, x, y := random.IntN(kernelRegisters), random.IntN(kernelRegisters), random.IntN(kernelRegisters)
		slot, table := random.IntN(arenaSlots), uint8(random.Uint32())
		memory := Mem{Base: R12, Disp: int32(64 * slot)}
		switch random.IntN(6) {
		case 0:
			a.VMOVDQA64(Z(d), Z(x))
			model = append(model, func(int) { registers[d] = registers[x] })
		case 1:
			a.VMOVDQU64(memory, Z(x))
			model = append(model, func(int) { spilled[slot] = registers[x] })
		case 2:
			a.VMOVDQU64(Z(d), memory)
			model = append(model, func(int) { registers[d] = spilled[slot] })
		case 3:
			a.VPTERNLOGQ(Z(d), Z(x), memory, table)
			model = append(model, func(int) { registers[d] = ternary(table, registers[d], registers[x], spilled[slot]) })
		default:
			a.VPTERNLOGQ(Z(d), Z(x), Z(y), table)
			model = append(model, func(int) { registers[d] = ternary(table, registers[d], registers[x], registers[y]) })
		}
	}
	last := random.IntN(kernelRegisters)
	a.VMOVDQU64(Mem{Base: RDX, Index: RAX, Scale: 1}, Z(last))
	a.PREFETCHW(Mem{Base: RDX, Index: RAX, Scale: 1, Disp: 1 << 20})
	a.ADD(RAX, Imm(64))
	a.DEC(RCX)
	a.JNE(top)
	a.VZEROUPPER()
	a.RET()

	args := kernelArgs{out: unsafe.Pointer(&out[0]), arena: unsafe.Pointer(&arena[0]), count: uint64(count)}
	for i := range rows {
		args.rows[i] = unsafe.Pointer(&rows[i][0])
	}
	run(t, &a, unsafe.Pointer(&args))

	for v := range count {
		for _, step := range model {
			step(v)
		}
		copy(want[8*v:], registers[last][:])
	}
	if !slices.Equal(out, want) {
		t.Fatalf("%d steps over %d vectors: the last row differs", length, count)
	}
	for n := range arenaSlots {
		if !slices.Equal(arena[8*n:8*n+8], spilled[n][:]) {
			t.Fatalf("%d steps over %d vectors: spill %d differs", length, count, n)
		}
	}
}

// ternary is VPTERNLOGQ, bit by bit.
func ternary(table uint8, x, y, z [8]uint64) (out [8]uint64) {
	for i := range out {
		for b := range 64 {
			index := x[i]>>b&1<<2 | y[i]>>b&1<<1 | z[i]>>b&1
			out[i] |= uint64(table>>index&1) << b
		}
	}
	return out
}

// BenchmarkAssemble is the price of one instruction of a kernel.
func BenchmarkAssemble(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var a Assembler
		for i := range 1000 {
			a.VPTERNLOGQ(Z(i&31), Z(i>>1&31), Mem{Base: RDI, Disp: int32(i) * 64}, uint8(i))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/instruction")
}
