package assembly

import (
	"fmt"
	"strings"
)

// A Listing records the instructions that an assembler assembles. Without a listing, assembling takes no longer.
type Listing struct{ lines []line }

// line is an instruction, or a label, at a place in the code.
type line struct {
	at   int
	text string
}

// List begins a listing of the instructions that follow.
func (b *Buffer) List() *Listing {
	b.listing = &Listing{}
	return b.listing
}

// Listed reports whether there is a listing. Assemblers ask before they make text for it.
func (b *Buffer) Listed() bool { return b.listing != nil }

// Note lists the instruction that is about to be appended, destination first.
func (b *Buffer) Note(name string, operands ...any) {
	text := make([]string, len(operands))
	for i, o := range operands {
		text[i] = fmt.Sprint(o)
	}
	b.listing.lines = append(b.listing.lines, line{len(b.text), strings.TrimSpace(name + " " + strings.Join(text, ", "))})
}

// NoteMore adds an operand to the last instruction.
func (b *Buffer) NoteMore(operand string) {
	if b.Listed() {
		last := &b.listing.lines[len(b.listing.lines)-1]
		last.text += ", " + operand
	}
}

// Instructions returns the lines of the listing without labels, in the notation of an assembler's manual.
func (l *Listing) Instructions() []string {
	var list []string
	for _, line := range l.lines {
		if !strings.HasSuffix(line.text, ":") {
			list = append(list, line.text)
		}
	}
	return list
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
