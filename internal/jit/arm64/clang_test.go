package arm64

import (
	"bytes"
	"debug/elf"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// generator draws operands.
type generator struct{ *rand.Rand }

func (g generator) reg() Reg { return Reg(g.IntN(31)) }

func (g generator) vec() Vec { return Vec(g.IntN(32)) }

// immediate is one of ADD's.
func (g generator) immediate() int { return g.IntN(4096) << (12 * g.IntN(2)) }

// word is memory of LDR and PRFM, pair that of LDP and STP.
func (g generator) word() Mem { return Mem{g.reg(), 8 * g.IntN(4096)} }

func (g generator) pair() Mem { return Mem{g.reg(), 16 * (g.IntN(128) - 64)} }

// families append a random instruction each.
var families = []func(a *Assembler, g generator){
	func(a *Assembler, g generator) { a.LDR(g.reg(), g.word()) },
	func(a *Assembler, g generator) { a.PRFM(g.word()) },
	func(a *Assembler, g generator) { a.ADD(g.reg(), g.reg(), g.reg()) },
	func(a *Assembler, g generator) { a.MOV(g.reg(), g.reg()) },
	func(a *Assembler, g generator) { a.ADDI(g.reg(), g.reg(), g.immediate()) },
	func(a *Assembler, g generator) { a.SUBI(g.reg(), g.reg(), g.immediate()) },
	func(a *Assembler, g generator) { a.SUBSI(g.reg(), g.reg(), g.immediate()) },
	func(a *Assembler, g generator) { a.CMPI(g.reg(), g.immediate()) },
	func(a *Assembler, g generator) { a.CMP(g.reg(), g.reg()) },
	func(a *Assembler, g generator) { a.MOVI16(g.reg(), g.IntN(1<<16)) },
	func(a *Assembler, g generator) { a.MOVK16(g.reg(), g.IntN(1<<16)) },
	func(a *Assembler, _ generator) { a.RET() },
	func(a *Assembler, _ generator) { a.Align(Bytes << 4) },
	func(a *Assembler, g generator) {
		first := g.vec()
		a.LDP(first, (first+1)%32, g.pair())
	},
	func(a *Assembler, g generator) { a.STP(g.vec(), g.vec(), g.pair()) },
	func(a *Assembler, g generator) { a.AND(g.vec(), g.vec(), g.vec()) },
	func(a *Assembler, g generator) { a.BIC(g.vec(), g.vec(), g.vec()) },
	func(a *Assembler, g generator) {
		x := g.vec()
		a.ORR(g.vec(), x, (x+1)%32) // of a register with itself it is written MOV
	},
	func(a *Assembler, g generator) { a.ORN(g.vec(), g.vec(), g.vec()) },
	func(a *Assembler, g generator) { a.EOR(g.vec(), g.vec(), g.vec()) },
	func(a *Assembler, g generator) { a.BSL(g.vec(), g.vec(), g.vec()) },
	func(a *Assembler, g generator) { a.BIT(g.vec(), g.vec(), g.vec()) },
	func(a *Assembler, g generator) { a.BIF(g.vec(), g.vec(), g.vec()) },
	func(a *Assembler, g generator) { a.EOR3(g.vec(), g.vec(), g.vec(), g.vec()) },
	func(a *Assembler, g generator) { a.BCAX(g.vec(), g.vec(), g.vec(), g.vec()) },
	func(a *Assembler, g generator) { a.MVN(g.vec(), g.vec()) },
	func(a *Assembler, g generator) { a.COPY(g.vec(), g.vec()) },
	func(a *Assembler, g generator) { a.MOVI(g.vec(), g.IntN(2) == 0) },
	func(a *Assembler, g generator) { a.ADDWords(g.vec(), g.vec(), g.vec()) },
	func(a *Assembler, g generator) { a.SHL(g.vec(), g.vec(), g.IntN(64)) },
	func(a *Assembler, g generator) { a.USHR(g.vec(), g.vec(), 1+g.IntN(64)) },
	func(a *Assembler, g generator) { a.EXT(g.vec(), g.vec(), g.vec(), g.IntN(16)) },
}

// TestAgainstClang lists thousands of random instructions and has LLVM's assembler make the bytes again from the
// text, so it holds both the encoding and the listing.
func TestAgainstClang(t *testing.T) {
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("no clang-19: TestEncoding has some of its bytes")
	}
	var a Assembler
	listing := a.List()
	g := generator{rand.New(rand.NewPCG(2026, 11))}
	for range 150 {
		for _, family := range families {
			family(&a, g)
		}
	}
	got, err := a.Code()
	if err != nil {
		t.Fatal(err)
	}
	lines := listing.Instructions()
	want := assembleWithClang(t, clang, strings.Join(lines, "\n"))
	if len(lines)*Bytes != len(got) || len(want) != len(got) {
		t.Fatalf("%d instructions in %d bytes, clang has %d", len(lines), len(got), len(want))
	}
	for i, line := range lines {
		if here, there := got[i*Bytes:][:Bytes], want[i*Bytes:][:Bytes]; !bytes.Equal(here, there) {
			t.Errorf("%s: % x, clang has % x", line, here, there)
		}
	}
}

// assembleWithClang returns the bytes of instructions, one a line.
func assembleWithClang(t *testing.T, clang, text string) []byte {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "specimens.s"), filepath.Join(dir, "specimens.o")
	if err := os.WriteFile(in, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if message, err := exec.Command(clang, "--target=aarch64-linux-gnu", "-march=armv8.2-a+sha3", "-c", in, "-o", out).
		CombinedOutput(); err != nil {
		t.Fatalf("clang: %v\n%.2000s", err, message)
	}
	object, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	code, err := object.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	return code
}
