package jit

import (
	"fmt"
	"strings"
)

// A Listing is told what an [Assembler] assembles. Assembling takes no longer where there is none.
type Listing struct{ lines []line }

// line is an instruction, or a label, at a place in the code.
type line struct {
	at   int
	text string
}

// List begins a listing of what follows.
func (a *Assembler) List() *Listing {
	a.listing = &Listing{}
	return a.listing
}

// note lists the instruction that is about to be appended, destination first.
func (a *Assembler) note(name string, operands ...any) {
	text := make([]string, len(operands))
	for i, o := range operands {
		text[i] = fmt.Sprint(o)
	}
	a.listing.lines = append(a.listing.lines, line{len(a.text), strings.TrimSpace(name + " " + strings.Join(text, ", "))})
}

// noteImm adds a byte to the operands of the last instruction.
func (a *Assembler) noteImm(v uint8) {
	if a.listing != nil {
		last := &a.listing.lines[len(a.listing.lines)-1]
		last.text += fmt.Sprintf(", %#02x", v)
	}
}

// String lists code as an assembler's manual writes it, with the bytes that it became:
//
//	0040  62 f1 fd 48 6f 04 03       vmovdqu64 z0, [rbx+rax]
func (l *Listing) String(code []byte) string {
	var b strings.Builder
	for i, line := range l.lines {
		end := len(code)
		if i+1 < len(l.lines) {
			end = l.lines[i+1].at
		}
		if strings.HasSuffix(line.text, ":") {
			fmt.Fprintf(&b, "%s\n", line.text)
			continue
		}
		fmt.Fprintf(&b, "%04x  %-33s %s\n", line.at, fmt.Sprintf("% x", code[line.at:end]), line.text)
	}
	return b.String()
}

// String is the label's name in a listing.
func (l Label) String() string { return fmt.Sprintf("L%d", int(l)) }

var registers = [...]string{
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
}

// String is the register's name.
func (r Reg) String() string {
	if int(r) < len(registers) {
		return registers[r]
	}
	return fmt.Sprintf("register %d", uint8(r))
}

// String is the register's name.
func (v Vec) String() string { return fmt.Sprintf("%c%d", "xyz?"[min(v.Width, 3)], v.Number) }

// String writes the address, in brackets.
func (m Mem) String() string {
	text := m.Base.String()
	switch {
	case m.Scale == 1:
		text += "+" + m.Index.String()
	case m.Scale > 1:
		text += fmt.Sprintf("+%d*%s", m.Scale, m.Index)
	}
	if m.Disp != 0 {
		text += fmt.Sprintf("%+d", m.Disp)
	}
	return "[" + text + "]"
}

// String is the value in decimal.
func (v Imm) String() string { return fmt.Sprintf("%d", int64(v)) }
