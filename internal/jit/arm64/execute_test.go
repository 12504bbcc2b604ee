//go:build linux && arm64

package arm64

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/internal/jit/assembly"
)

// run maps the assembled code and calls it.
func run(t *testing.T, a *Assembler, args unsafe.Pointer) {
	t.Helper()
	text, err := a.Code()
	if err != nil {
		t.Fatal(err)
	}
	c, err := jit.Map(text)
	if err != nil {
		t.Fatal(err)
	}
	c.Call(0, args)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// vector is the content of a register.
type vector [2]uint64

// each computes both words of a vector.
func each(f func(d, x, y, z uint64) uint64) func(d, x, y, z vector) vector {
	return func(d, x, y, z vector) vector { return vector{f(d[0], x[0], y[0], z[0]), f(d[1], x[1], y[1], z[1])} }
}

var vectorTests = []struct {
	name string
	sha3 bool
	emit func(a *Assembler, d, x, y, z Vec)
	want func(d, x, y, z vector) vector
}{
	{"AND", false, func(a *Assembler, d, x, y, _ Vec) {
		a.AND(d, x, y)
	}, each(func(_, x, y, _ uint64) uint64 { return x & y })},
	{"BIC", false, func(a *Assembler, d, x, y, _ Vec) {
		a.BIC(d, x, y)
	}, each(func(_, x, y, _ uint64) uint64 { return x &^ y })},
	{"ORR", false, func(a *Assembler, d, x, y, _ Vec) {
		a.ORR(d, x, y)
	}, each(func(_, x, y, _ uint64) uint64 { return x | y })},
	{"ORN", false, func(a *Assembler, d, x, y, _ Vec) {
		a.ORN(d, x, y)
	}, each(func(_, x, y, _ uint64) uint64 { return x | ^y })},
	{"EOR", false, func(a *Assembler, d, x, y, _ Vec) {
		a.EOR(d, x, y)
	}, each(func(_, x, y, _ uint64) uint64 { return x ^ y })},
	{"BSL", false, func(a *Assembler, d, x, y, _ Vec) {
		a.BSL(d, x, y)
	}, each(func(d, x, y, _ uint64) uint64 { return d&x | ^d&y })},
	{"BIT", false, func(a *Assembler, d, x, y, _ Vec) {
		a.BIT(d, x, y)
	}, each(func(d, x, y, _ uint64) uint64 { return y&x | ^y&d })},
	{"BIF", false, func(a *Assembler, d, x, y, _ Vec) {
		a.BIF(d, x, y)
	}, each(func(d, x, y, _ uint64) uint64 { return y&d | ^y&x })},
	{"EOR3", true, func(a *Assembler, d, x, y, z Vec) {
		a.EOR3(d, x, y, z)
	}, each(func(_, x, y, z uint64) uint64 { return x ^ y ^ z })},
	{"BCAX", true, func(a *Assembler, d, x, y, z Vec) {
		a.BCAX(d, x, y, z)
	}, each(func(_, x, y, z uint64) uint64 { return x ^ y&^z })},
	{"MVN", false, func(a *Assembler, d, x, _, _ Vec) { a.MVN(d, x) }, each(func(_, x, _, _ uint64) uint64 { return ^x })},
	{"COPY", false, func(a *Assembler, d, x, _, _ Vec) {
		a.COPY(d, x)
	}, each(func(_, x, _, _ uint64) uint64 { return x })},
	{"MOVI 0", false, func(a *Assembler, d, _, _, _ Vec) {
		a.MOVI(d, false)
	}, each(func(_, _, _, _ uint64) uint64 { return 0 })},
	{"MOVI 1", false, func(a *Assembler, d, _, _, _ Vec) {
		a.MOVI(d, true)
	}, each(func(_, _, _, _ uint64) uint64 { return ^uint64(0) })},
	{"ADDWords", false, func(a *Assembler, d, x, y, _ Vec) {
		a.ADDWords(d, x, y)
	}, each(func(_, x, y, _ uint64) uint64 { return x + y })},
	{"SHL", false, func(a *Assembler, d, x, _, _ Vec) {
		a.SHL(d, x, 13)
	}, each(func(_, x, _, _ uint64) uint64 { return x << 13 })},
	{"USHR", false, func(a *Assembler, d, x, _, _ Vec) {
		a.USHR(d, x, 63)
	}, each(func(_, x, _, _ uint64) uint64 { return x >> 63 })},
	{"EXT", false, func(a *Assembler, d, x, y, _ Vec) {
		a.EXT(d, x, y, 8)
	}, func(_, x, y, _ vector) vector { return vector{x[1], y[0]} }},
}

// TestVectorInstructions runs every instruction on random registers and words and compares with what Go computes.
func TestVectorInstructions(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, test := range vectorTests {
		t.Run(test.name, func(t *testing.T) {
			if test.sha3 && !jit.HasSHA3() {
				t.Skip("this processor does not have it")
			}
			for range 30 {
				pick := random.Perm(32)
				var r [4]Vec
				var in [4]vector
				for i := range r {
					r[i] = Vec(pick[i])
					in[i] = vector{random.Uint64(), random.Uint64()}
				}
				got := in
				var a Assembler
				a.LDP(r[0], r[1], Mem{X0, 0})
				a.LDP(r[2], r[3], Mem{X0, 32})
				test.emit(&a, r[0], r[1], r[2], r[3])
				a.STP(r[0], r[1], Mem{X0, 0})
				a.STP(r[2], r[3], Mem{X0, 32})
				a.RET()
				run(t, &a, unsafe.Pointer(&got))
				want := in
				want[0] = test.want(in[0], in[1], in[2], in[3])
				if got != want {
					t.Fatalf("%x become %x, want %x", in, got, want)
				}
			}
		})
	}
}

// TestGeneralInstructions runs arithmetic and every conditional jump on random and equal numbers.
func TestGeneralInstructions(t *testing.T) {
	tests := []struct {
		name string
		emit func(a *Assembler) // x in X1, y in X27; result in X1
		want func(x, y uint64) uint64
	}{
		{"MOV", func(a *Assembler) { a.MOV(X1, X27) }, func(_, y uint64) uint64 { return y }},
		{"ADD", func(a *Assembler) { a.ADD(X1, X1, X27) }, func(x, y uint64) uint64 { return x + y }},
		{"ADDI", func(a *Assembler) { a.ADDI(X1, X27, 5<<12) }, func(_, y uint64) uint64 { return y + 5<<12 }},
		{"SUBI", func(a *Assembler) { a.SUBI(X1, X1, 4095) }, func(x, _ uint64) uint64 { return x - 4095 }},
		{"SUBSI", func(a *Assembler) { a.SUBSI(X1, X1, 8) }, func(x, _ uint64) uint64 { return x - 8 }},
		{"MOVI16", func(a *Assembler) { a.MOVI16(X1, 0xabcd) }, func(_, _ uint64) uint64 { return 0xabcd }},
		{"MOVK16", func(a *Assembler) {
			a.MOVK16(X1, 0xabcd)
		}, func(x, _ uint64) uint64 { return x&^(0xffff<<16) | 0xabcd<<16 }},
		{"PRFM", func(a *Assembler) { a.PRFM(Mem{X0, 1 << 14}) }, func(x, _ uint64) uint64 { return x }},
		{"BNE", taken((*Assembler).BNE), func(x, y uint64) uint64 { return truth(x != y) }},
		{"BLO", taken((*Assembler).BLO), func(x, y uint64) uint64 { return truth(x < y) }},
		{"BHS", taken((*Assembler).BHS), func(x, y uint64) uint64 { return truth(x >= y) }},
		{"CBZ", taken(func(a *Assembler, l assembly.Label) {
			a.CBZ(X1, l)
		}), func(x, _ uint64) uint64 { return truth(x == 0) }},
		{"CMPI", func(a *Assembler) {
			a.CMPI(X1, 9)
			choose(a, (*Assembler).BLO)
		}, func(x, _ uint64) uint64 { return truth(x < 9) }},
	}
	random := rand.New(rand.NewPCG(1, 1))
	for _, test := range tests {
		for i := range 40 {
			x, y := random.Uint64()>>random.IntN(65), random.Uint64()>>random.IntN(64)
			if i%5 == 0 {
				y = x
			}
			// The assembler stores no general registers, for kernels need it not.
			n := [4]uint64{x, y}
			var a Assembler
			a.LDR(X1, Mem{X0, 0})
			a.LDR(X27, Mem{X0, 8})
			test.emit(&a)
			a.word(0xf9000801) // str x1, [x0, #16]
			a.RET()
			run(t, &a, unsafe.Pointer(&n))
			if n[2] != test.want(x, y) {
				t.Fatalf("%s of %#x and %#x is %#x, want %#x", test.name, x, y, n[2], test.want(x, y))
			}
		}
	}
}

// taken puts 1 into X1 if the jump is taken after CMP(x, y), else 0.
func taken(jump func(*Assembler, assembly.Label)) func(*Assembler) {
	return func(a *Assembler) {
		a.CMP(X1, X27)
		choose(a, jump)
	}
}

func choose(a *Assembler, jump func(*Assembler, assembly.Label)) {
	hit, end := a.NewLabel(), a.NewLabel()
	jump(a, hit)
	a.MOVI16(X1, 0)
	a.B(end)
	a.Bind(hit)
	a.MOVI16(X1, 1)
	a.Bind(end)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
