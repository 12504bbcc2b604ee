package amd64

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// specimen is one instruction, for this assembler and in the syntax of Go's.
type specimen struct {
	emit func(*Assembler)
	text string
}

// TestAgainstGoAssembler encodes thousands of random instructions here and with Go's assembler, and compares the bytes.
func TestAgainstGoAssembler(t *testing.T) {
	random := generator{rand.New(rand.NewPCG(2026, 3))}
	var all []specimen
	for _, family := range families {
		for range 150 {
			all = append(all, family(random))
		}
	}
	want := assembleWithGo(t, all)
	failures := 0
	for i, s := range all {
		var a Assembler
		s.emit(&a)
		got, err := a.Code()
		if err != nil || !bytes.Equal(got, want[i]) {
			t.Errorf("%s: % x, error %v; Go's assembler has % x", s.text, got, err, want[i])
			if failures++; failures > 20 {
				t.FailNow()
			}
		}
	}
}

// assembleWithGo returns the bytes of each instruction. A mark before each and after the last finds them in the object
// file.
func assembleWithGo(t *testing.T, all []specimen) [][]byte {
	const mark = 0x9f3bd1c5a7e2468d
	var source strings.Builder
	source.WriteString("TEXT ·specimens(SB), 516, $0-0 // NOSPLIT|NOFRAME\n")
	for _, s := range all {
		fmt.Fprintf(&source, "\tQUAD $%#x\n\t%s\n", uint64(mark), s.text)
	}
	fmt.Fprintf(&source, "\tQUAD $%#x\n", uint64(mark))

	dir := t.TempDir()
	in, out := filepath.Join(dir, "specimens.s"), filepath.Join(dir, "specimens.o")
	if err := os.WriteFile(in, []byte(source.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	asm := exec.Command("go", "tool", "asm", "-p", "specimens", "-o", out, in)
	asm.Env = append(os.Environ(), "GOARCH=amd64", "GOOS=linux")
	if message, err := asm.CombinedOutput(); err != nil {
		t.Fatalf("go tool asm: %v\n%.2000s", err, message)
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	parts := bytes.Split(object, binary.LittleEndian.AppendUint64(nil, mark))
	if len(parts) != len(all)+2 {
		t.Fatalf("%d marks in the object file, want %d", len(parts)-1, len(all)+1)
	}
	return parts[1 : len(all)+1]
}

// families make a random instruction each.
var families = []func(generator) specimen{
	moves("VMOVDQU", (*Assembler).VMOVDQU, 16, W128, W256),
	moves("VMOVDQA", (*Assembler).VMOVDQA, 16, W128, W256),
	moves("VMOVDQU64", (*Assembler).VMOVDQU64, 32, W128, W256, W512),
	moves("VMOVDQA64", (*Assembler).VMOVDQA64, 32, W128, W256, W512),

	binaries("VPAND", (*Assembler).VPAND, 16, W128, W256),
	binaries("VPANDN", (*Assembler).VPANDN, 16, W128, W256),
	binaries("VPOR", (*Assembler).VPOR, 16, W128, W256),
	binaries("VPXOR", (*Assembler).VPXOR, 16, W128, W256),
	binaries("VPANDQ", (*Assembler).VPANDQ, 32, W128, W256, W512),
	binaries("VPANDNQ", (*Assembler).VPANDNQ, 32, W128, W256, W512),
	binaries("VPORQ", (*Assembler).VPORQ, 32, W128, W256, W512),
	binaries("VPXORQ", (*Assembler).VPXORQ, 32, W128, W256, W512),
	binaries("VPADDQ", (*Assembler).VPADDQ, 32, W128, W256, W512),
	binaries("VPADDQ", (*Assembler).VPADDQ, 16, W128, W256),

	binariesImm("VPTERNLOGQ", (*Assembler).VPTERNLOGQ, 32, W128, W256, W512),
	binariesImm("VPSHRDQ", (*Assembler).VPSHRDQ, 32, W128, W256, W512),
	binariesImm("VALIGNQ", (*Assembler).VALIGNQ, 32, W128, W256, W512),

	func(g generator) specimen {
		w, order := g.width(W256, W512), g.imm8()
		dst, dstText := g.vec(w, 32)
		src, srcText := g.source(w, 32)
		return specimen{
			func(a *Assembler) { a.VPERMQ(dst, src, order) },
			fmt.Sprintf("VPERMQ $%d, %s, %s", order, srcText, dstText),
		}
	},

	shifts("VPSLLQ", (*Assembler).VPSLLQ),
	shifts("VPSRLQ", (*Assembler).VPSRLQ),

	func(generator) specimen { return specimen{(*Assembler).VZEROUPPER, "VZEROUPPER"} },

	arithmetic("ADDQ", (*Assembler).ADD),
	arithmetic("SUBQ", (*Assembler).SUB),
	arithmetic("XORQ", (*Assembler).XOR),
	func(g generator) specimen { // CMP is written destination first
		dst, src, dstText, srcText := g.pair()
		return specimen{func(a *Assembler) { a.CMP(dst, src) }, fmt.Sprintf("CMPQ %s, %s", dstText, srcText)}
	},
	func(g generator) specimen {
		dst, src, dstText, srcText := g.pair()
		return mov(dst, src, dstText, srcText)
	},
	func(g generator) specimen {
		dst, dstText := g.reg()
		v := Imm(g.Uint64()) >> g.IntN(64)
		return mov(dst, v, dstText, fmt.Sprintf("$%d", v))
	},
	func(g generator) specimen {
		dst, dstText := g.regOrMem()
		src, srcText := g.reg()
		if g.IntN(2) == 0 && dst != RAX { // Go's assembler has a shorter form for RAX
			v := g.imm32(dst)
			src, srcText = v, fmt.Sprintf("$%d", v)
		}
		return specimen{func(a *Assembler) { a.TEST(dst, src) }, fmt.Sprintf("TESTQ %s, %s", srcText, dstText)}
	},
	func(g generator) specimen {
		dst, text := g.regOrMem()
		return specimen{func(a *Assembler) { a.DEC(dst) }, "DECQ " + text}
	},
	func(generator) specimen { return specimen{(*Assembler).RET, "RET"} },
}

func moves(name string, method func(a *Assembler, dst, src Operand), registers int,
	widths ...Width,
) func(generator) specimen {
	return func(g generator) specimen {
		w := g.width(widths...)
		v, vText := g.vec(w, registers)
		var dst, src Operand = v, v
		dstText, srcText := vText, vText
		switch g.IntN(3) {
		case 0:
			dst, dstText = g.mem(w.Bytes())
		case 1:
			src, srcText = g.mem(w.Bytes())
		default:
			dst, dstText = g.vec(w, registers)
		}
		return specimen{func(a *Assembler) { method(a, dst, src) }, fmt.Sprintf("%s %s, %s", name, srcText, dstText)}
	}
}

func binaries(
	name string, method func(a *Assembler, dst, x Vec, y Operand), registers int, widths ...Width,
) func(generator) specimen {
	return func(g generator) specimen {
		w := g.width(widths...)
		dst, dstText := g.vec(w, registers)
		x, xText := g.vec(w, registers)
		y, yText := g.source(w, registers)
		return specimen{
			func(a *Assembler) { method(a, dst, x, y) },
			fmt.Sprintf("%s %s, %s, %s", name, yText, xText, dstText),
		}
	}
}

func binariesImm(
	name string, method func(a *Assembler, dst, x Vec, y Operand, imm uint8), registers int, widths ...Width,
) func(generator) specimen {
	return func(g generator) specimen {
		imm := g.imm8()
		withoutImm := func(a *Assembler, dst, x Vec, y Operand) { method(a, dst, x, y, imm) }
		s := binaries(name, withoutImm, registers, widths...)(g)
		s.text = strings.Replace(s.text, " ", fmt.Sprintf(" $%d, ", imm), 1)
		return s
	}
}

func shifts(name string, method func(a *Assembler, dst, src Vec, count uint8)) func(generator) specimen {
	return func(g generator) specimen {
		w, count := g.width(W128, W256, W512), g.imm8()
		dst, dstText := g.vec(w, 32)
		src, srcText := g.vec(w, 32)
		return specimen{
			func(a *Assembler) { method(a, dst, src, count) },
			fmt.Sprintf("%s $%d, %s, %s", name, count, srcText, dstText),
		}
	}
}

func arithmetic(name string, method func(a *Assembler, dst, src Operand)) func(generator) specimen {
	return func(g generator) specimen {
		dst, src, dstText, srcText := g.pair()
		return specimen{func(a *Assembler) { method(a, dst, src) }, fmt.Sprintf("%s %s, %s", name, srcText, dstText)}
	}
}

func mov(dst, src Operand, dstText, srcText string) specimen {
	name := "MOVQ"
	if _, isReg := dst.(Reg); isReg {
		if v, isImm := src.(Imm); isImm && v == Imm(uint32(v)) {
			name = "MOVL" // Go's assembler takes the short form of a 32-bit destination only when told to
		}
	}
	return specimen{func(a *Assembler) { a.MOV(dst, src) }, fmt.Sprintf("%s %s, %s", name, srcText, dstText)}
}

// generator draws operands, each with its name in Go's assembler.
type generator struct{ *rand.Rand }

func (g generator) width(widths ...Width) Width { return widths[g.IntN(len(widths))] }

func (g generator) imm8() uint8 { return uint8(g.Uint32()) }

// imm32 is an immediate of 1 to 4 bytes; never a long one for RAX, for which Go's assembler has a shorter form.
func (g generator) imm32(dst Operand) Imm {
	if dst == RAX {
		return Imm(int8(g.Uint32()))
	}
	return Imm(int32(g.Uint32()) >> g.IntN(32))
}

func (g generator) vec(w Width, registers int) (Vec, string) {
	v := Vec{g.IntN(registers), w}
	return v, fmt.Sprintf("%c%d", "XYZ"[w], v.Number)
}

var regNames = [...]string{
	"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13",
	"R14", "R15",
}

func (g generator) reg() (Operand, string) {
	r := Reg(g.IntN(16))
	return r, regNames[r]
}

// mem draws an address whose displacement often is a multiple of unit, around the bounds of the 8-bit forms.
func (g generator) mem(unit int) (Mem, string) {
	m := Mem{Base: Reg(g.IntN(16))}
	units := []int{0, 1, -1, 127, 128, -128, -129, g.IntN(1000)}
	switch g.IntN(4) {
	case 0:
		m.Disp = int32(units[g.IntN(len(units))])
	case 1:
		m.Disp = int32(g.Uint32()) >> g.IntN(24)
	default:
		m.Disp = int32(units[g.IntN(len(units))] * unit)
	}
	text := fmt.Sprintf("%d(%s)", m.Disp, regNames[m.Base])
	if g.IntN(2) == 0 {
		m.Scale = 1 << g.IntN(4)
		for m.Index = RSP; m.Index == RSP; {
			m.Index = Reg(g.IntN(16))
		}
		text += fmt.Sprintf("(%s*%d)", regNames[m.Index], m.Scale)
	}
	return m, text
}

func (g generator) regOrMem() (Operand, string) {
	if g.IntN(2) == 0 {
		return g.reg()
	}
	return g.mem(8)
}

// source draws the last source of a vector instruction.
func (g generator) source(w Width, registers int) (Operand, string) {
	if g.IntN(2) == 0 {
		return g.mem(w.Bytes())
	}
	return g.vec(w, registers)
}

// pair draws destination and source of a general instruction.
func (g generator) pair() (dst, src Operand, dstText, srcText string) {
	switch g.IntN(3) {
	case 0:
		dst, dstText = g.regOrMem()
		src, srcText = g.reg()
	case 1:
		dst, dstText = g.reg()
		src, srcText = g.mem(8)
	default:
		dst, dstText = g.regOrMem()
		v := g.imm32(dst)
		src, srcText = v, fmt.Sprintf("$%d", v)
	}
	return dst, src, dstText, srcText
}
