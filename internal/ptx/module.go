// Package ptx builds PTX kernels as text from typed virtual registers.
//
// A Kernel hands out registers of distinct Go types, so that mixing a predicate with an address does not
// compile. Each method appends one instruction; the driver's own compiler (or ptxas) allocates registers and
// schedules. Nothing here needs CUDA.
//
// The text is PTX ISA 7.8 for sm_80, which drivers since CUDA 11.8 take and every GPU since Ampere runs.
package ptx

import (
	"fmt"
	"strings"
)

const header = ".version 7.8\n.target sm_80\n.address_size 64\n"

// Lanes is the number of threads of a warp.
const Lanes = 32

// Module is a set of kernels that are compiled together.
type Module struct{ kernels []*Kernel }

// Kernel adds a kernel (.entry) of at most maxThreads threads a block. A multiprocessor must have room for
// minBlocks blocks at least; 0 leaves that open.
func (m *Module) Kernel(name string, maxThreads, minBlocks int) *Kernel {
	k := &Kernel{name: name, maxThreads: maxThreads, minBlocks: minBlocks}
	m.kernels = append(m.kernels, k)
	return k
}

// String is the module's text.
func (m *Module) String() string {
	var b strings.Builder
	b.WriteString(header)
	for _, k := range m.kernels {
		k.print(&b)
	}
	return b.String()
}

// Registers of a kernel. The zero value of each is register 0, which no method hands out.
type (
	B32  int // 32 bits
	B64  int // 64 bits: addresses and counts
	Pred int // a predicate
)

// Label is a place in a kernel that branches lead to.
type Label int

func (r B32) String() string   { return fmt.Sprintf("%%r%d", int(r)) }
func (r B64) String() string   { return fmt.Sprintf("%%d%d", int(r)) }
func (r Pred) String() string  { return fmt.Sprintf("%%p%d", int(r)) }
func (l Label) String() string { return fmt.Sprintf("L%d", int(l)) }

// Kernel accumulates one .entry.
type Kernel struct {
	name                  string
	maxThreads, minBlocks int
	params                []string
	body                  strings.Builder
	words, longs, preds   int
	labels                int
	instructions          int
	shared                bool
}

// Instructions is the number of instructions so far.
func (k *Kernel) Instructions() int { return k.instructions }

func (k *Kernel) emit(format string, args ...any) {
	k.instructions++
	k.body.WriteByte('\t')
	fmt.Fprintf(&k.body, format, args...)
	k.body.WriteString(";\n")
}

// print writes the kernel as PTX: its parameters, its registers by kind, its instructions.
func (k *Kernel) print(b *strings.Builder) {
	if k.shared {
		// The size is given at each launch; every kernel of a module sees the same name.
		fmt.Fprintf(b, "\n.extern .shared .align 16 .b8 shared_%s[];\n", k.name)
	}
	fmt.Fprintf(b, "\n.visible .entry %s(%s)\n.maxntid %d, 1, 1\n", k.name, strings.Join(k.params, ", "), k.maxThreads)
	if k.minBlocks > 0 {
		fmt.Fprintf(b, ".minnctapersm %d\n", k.minBlocks)
	}
	b.WriteString("{\n")
	for _, r := range []struct {
		kind, name string
		n          int
	}{{"pred", "p", k.preds}, {"b32", "r", k.words}, {"b64", "d", k.longs}} {
		if r.n > 0 {
			fmt.Fprintf(b, "\t.reg .%s %%%s<%d>;\n", r.kind, r.name, r.n+1)
		}
	}
	b.WriteString(k.body.String())
	b.WriteString("\tret;\n}\n")
}

// NewB32 is a register to be assigned with Move.
func (k *Kernel) NewB32() B32 {
	k.words++
	return B32(k.words)
}

// NewB64 is a register to be assigned with Move64.
func (k *Kernel) NewB64() B64 {
	k.longs++
	return B64(k.longs)
}

func (k *Kernel) newPred() Pred {
	k.preds++
	return Pred(k.preds)
}

// Param32 declares the next parameter, a 32-bit number.
func (k *Kernel) Param32() B32 {
	r, n := k.NewB32(), len(k.params)
	k.params = append(k.params, fmt.Sprintf(".param .u32 a%d", n))
	k.emit("ld.param.u32 %v, [a%d]", r, n)
	return r
}

// Param64 declares the next parameter, a 64-bit number or an address in global memory.
func (k *Kernel) Param64() B64 {
	r, n := k.NewB64(), len(k.params)
	k.params = append(k.params, fmt.Sprintf(".param .u64 a%d", n))
	k.emit("ld.param.u64 %v, [a%d]", r, n)
	return r
}

// Special reads a special register: "tid.x", "ctaid.x", "ntid.x", "nctaid.x", …
func (k *Kernel) Special(name string) B32 {
	r := k.NewB32()
	k.emit("mov.u32 %v, %%%s", r, name)
	return r
}

// NewLabel is a label to be placed with Place.
func (k *Kernel) NewLabel() Label {
	k.labels++
	return Label(k.labels)
}

// Place puts a label before the next instruction.
func (k *Kernel) Place(l Label) { fmt.Fprintf(&k.body, "%s_%v:\n", k.name, l) }

// Branch goes to a label. All threads of a warp must agree (Branch and BranchIf are marked uniform).
func (k *Kernel) Branch(l Label) { k.emit("bra.uni %s_%v", k.name, l) }

// BranchIf goes to a label if p is true. p must be the same in all threads of a warp.
func (k *Kernel) BranchIf(p Pred, l Label) { k.emit("@%v bra.uni %s_%v", p, k.name, l) }

// BranchUnless goes to a label if p is false. p must be the same in all threads of a warp.
func (k *Kernel) BranchUnless(p Pred, l Label) { k.emit("@!%v bra.uni %s_%v", p, k.name, l) }

// DivergeIf goes to a label if p, which may differ between the threads of a warp.
func (k *Kernel) DivergeIf(p Pred, l Label) { k.emit("@%v bra %s_%v", p, k.name, l) }

// ReturnIf ends the threads in which p is true.
func (k *Kernel) ReturnIf(p Pred) { k.emit("@%v ret", p) }

// Trap ends the kernel with an error if p is true in any thread.
func (k *Kernel) Trap(p Pred) { k.emit("@%v trap", p) }

// Comment puts a line of comment into the text.
func (k *Kernel) Comment(text string) { fmt.Fprintf(&k.body, "\t// %s\n", text) }
