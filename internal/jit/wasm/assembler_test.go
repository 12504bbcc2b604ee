package wasm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	numbers = 3 // locals of each kind
	vectors = 200
)

// families append a few instructions each that leave nothing on the stack.
var families = []func(a *Assembler, g generator){
	func(a *Assembler, g generator) {
		a.LocalGet(g.number())
		a.I32Load(g.offset())
		a.I32Const(g.constant())
		a.I32Add()
		a.LocalTee(g.number())
		a.I32Eqz()
		a.LocalSet(g.number())
	},
	func(a *Assembler, g generator) {
		a.LocalGet(g.number())
		a.LocalGet(g.number())
		a.V128Load(g.offset())
		a.V128Not()
		a.LocalTee(g.vector())
		a.V128Const([2]uint64{g.Uint64(), g.Uint64()})
		[]func(){a.V128And, a.V128Andnot, a.V128Or, a.V128Xor}[g.IntN(4)]()
		a.V128Store(g.offset())
	},
	func(a *Assembler, g generator) {
		a.LocalGet(g.vector())
		a.I32Const(g.constant())
		[]func(){a.I64x2Shl, a.I64x2ShrU}[g.IntN(2)]()
		a.LocalGet(g.vector())
		a.LocalGet(g.vector())
		a.V128Bitselect()
		a.LocalSet(g.vector())
	},
	func(a *Assembler, g generator) {
		a.LocalGet(g.vector())
		a.LocalGet(g.vector())
		var bytes [16]byte
		for i := range bytes {
			bytes[i] = byte(g.IntN(32))
		}
		a.I8x16Shuffle(bytes)
		a.LocalSet(g.vector())
	},
	func(a *Assembler, g generator) {
		outer, inner := a.NewLabel(), a.NewLabel()
		again := a.Here()
		a.LocalGet(g.number())
		a.LocalGet(g.number())
		[]func(){a.I32LtU, a.I32GeU}[g.IntN(2)]()
		a.BrIf(again)
		a.LocalGet(g.number())
		a.BrIf(outer)
		a.Br(inner)
		a.End()
		a.Bind(inner)
		a.Bind(outer)
	},
}

// generator draws operands.
type generator struct{ *rand.Rand }

func (g generator) number() int { return g.IntN(1 + numbers) }

func (g generator) vector() int { return 1 + numbers + g.IntN(vectors) }

func (g generator) offset() int { return 1<<g.IntN(32) - 1 }

func (g generator) constant() int32 { return int32(g.Uint32()) >> g.IntN(32) }

// specimen is a module of two functions, the first of which has random instructions.
func specimen(t *testing.T, a *Assembler, rounds int) (module []byte) {
	a.Begin(2)
	if n := a.Offset(); n != 0 {
		t.Errorf("the first function is number %d", n)
	}
	a.Function(numbers, vectors)
	g := generator{rand.New(rand.NewPCG(2026, 11))}
	for range rounds {
		for _, family := range families {
			family(a, g)
		}
	}
	a.End()
	if n := a.Offset(); n != 1 {
		t.Errorf("the second function is number %d", n)
	}
	a.Function(0, 0)
	a.End()
	module, err := a.Code()
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// TestModule holds the smallest module to its bytes.
func TestModule(t *testing.T) {
	var a Assembler
	got := specimen(t, &a, 0)
	want := []byte("\x00asm\x01\x00\x00\x00" +
		"\x01\x05\x01\x60\x01\x7f\x00" + // type 0: of a number nothing
		"\x02\x10\x01\x04host\x06memory\x02\x00\x00" + // import the memory
		"\x03\x03\x02\x00\x00" + // two functions of type 0
		"\x07\x09\x02\x010\x00\x00\x011\x00\x01" + // export them
		"\x0a\x98\x80\x80\x80\x00\x02" + // code, sizes in five bytes
		"\x87\x80\x80\x80\x00\x02\x03\x7f\xc8\x01\x7b\x0b" +
		"\x86\x80\x80\x80\x00\x02\x00\x7f\x00\x7b\x0b")
	if !bytes.Equal(got, want) {
		t.Errorf("% x\nwant\n% x", got, want)
	}
}

// TestAgainstClang lists thousands of random instructions and has LLVM's assembler make the bytes again from the
// text, so it holds both the encoding and the listing.
func TestAgainstClang(t *testing.T) {
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("no clang-19: the tests under Node.js have these instructions too")
	}
	var a Assembler
	listing := a.List()
	module := specimen(t, &a, 200)
	text := ".functype f (i32) -> ()\nf: .functype f (i32) -> ()\n.local " +
		strings.Join(append(slices.Repeat([]string{"i32"}, numbers), slices.Repeat([]string{"v128"}, vectors)...), ",") + "\n"
	var open []string
	for _, line := range listing.Instructions()[2:] { // after "module" and "func"
		switch {
		case line == "end" && len(open) == 0:
			line = "end_function"
		case line == "end":
			line, open = "end_"+open[len(open)-1], open[:len(open)-1]
		case line == "block", line == "loop":
			open = append(open, line)
		}
		if text += line + "\n"; line == "end_function" {
			break
		}
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "specimen.s"), filepath.Join(dir, "specimen.o")
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if message, err := exec.Command(clang, "--target=wasm32", "-msimd128", "-c", in, "-o", out).
		CombinedOutput(); err != nil {
		t.Fatalf("clang: %v\n%.2000s", err, message)
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	locals := []byte{2, numbers, i32, vectors&0x7f | 0x80, vectors >> 7, v128}
	from, to := bytes.Index(module, locals), bytes.LastIndex(module, []byte("\x0b\x86\x80\x80\x80\x00"))
	if from < 0 || to-from < 10_000 {
		t.Fatalf("the first function is not found: %d to %d", from, to)
	}
	if !bytes.Contains(object, module[from:to+1]) {
		at := bytes.Index(object, locals)
		for i, b := range module[from : to+1] {
			if at < 0 || object[at+i] != b {
				t.Fatalf("byte %d differs from clang's: % x, want % x", i, module[from+i:][:16], object[max(at, 0)+i:][:16])
			}
		}
	}
}

// TestErrors: what is no module is an error, and no panic.
func TestErrors(t *testing.T) {
	for name, wrong := range map[string]func(a *Assembler){
		"block 1 ends in block 2":             func(a *Assembler) { outer := a.NewLabel(); a.NewLabel(); a.Bind(outer) },
		"label 1 is of no block that is open": func(a *Assembler) { l := a.NewLabel(); a.Bind(l); a.Br(l) },
		"offset -1":                           func(a *Assembler) { a.V128Load(-1) },
		"is jumped to but never bound":        func(*Assembler) {},
	} {
		var a Assembler
		a.Begin(1)
		a.Function(0, 0)
		wrong(&a)
		if _, err := a.Code(); err == nil || !strings.Contains(fmt.Sprint(err), name) {
			t.Errorf("%v, want an error with %q", err, name)
		}
	}
}
