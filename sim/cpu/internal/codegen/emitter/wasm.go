package emitter

import (
	"fmt"
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit/assembly"
	"github.com/gosper-life/gosper/internal/jit/wasm"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// simd128 writes instructions of WebAssembly, with vectors of 128 bits. Vector register n is a local of the function.
// The browser that compiles the code assigns the processor's registers to locals. That works best if no more vectors
// are in use at a time than processors have registers.
//
// Every row has a local with the address of the current vector, less the halo: addresses are sums without signs.
type simd128 struct {
	e   *emitter
	asm wasm.Assembler
}

// The uses of the locals. After them come the addresses of rows, then vectors: those with registers, and results
// inside tables.
const (
	wasmArgs    = iota
	wasmFirst   // bytes from the start of a row, less the halo, to the first vector to compute
	wasmLeft    // iterations left
	wasmRows    // the current row's description in the queue
	wasmEnd     // end of the queue
	wasmScratch // memory of the kernel alone
	wasmOther   // the address of a row beside the loop over its vectors
	wasmRow
)

// wasmRegisters is the number of vectors that may be in use: processors of amd64 have 16 registers, one of
// which engines keep to themselves, and tables take some for results inside.
const wasmRegisters = 13

// wasmPartial is the number of results inside tables that may be in use.
const wasmPartial = 4

func (w *simd128) text() text { return &w.asm }

func (w *simd128) asListed() {}

func (w *simd128) vectors() (all, carried int) { return wasmRegisters, 6 }

func (w *simd128) rows() (registers int, scratch bool) { return 1 << 16, true }

// register is the local of a vector register.
func (w *simd128) register(n int) int { return wasmRow + len(w.e.own) + n }

// row is the local of the address of a row.
func (w *simd128) row(row int) int { return wasmRow + w.e.own[row] }

func (w *simd128) get(n int) { w.asm.LocalGet(w.register(n)) }

func (w *simd128) set(n int) { w.asm.LocalSet(w.register(n)) }

func (w *simd128) copy(dst, src int) {
	w.get(src)
	w.set(dst)
}

func (w *simd128) constant(dst int, ones bool) {
	var words [2]uint64
	if ones {
		words = [2]uint64{^uint64(0), ^uint64(0)}
	}
	w.asm.V128Const(words)
	w.set(dst)
}

func (w *simd128) load(dst int, from home) {
	w.asm.V128Load(w.address(from))
	w.set(dst)
}

func (w *simd128) store(to home, src int) {
	offset := w.address(to)
	w.get(src)
	w.asm.V128Store(offset)
}

// address pushes the base address of a vector in memory. It returns the offset, which the next instruction adds.
func (w *simd128) address(h home) (offset int) {
	e := w.e
	if h.row == fixed {
		w.asm.LocalGet(wasmScratch)
		return e.fixedAt(h.column)
	}
	w.asm.LocalGet(w.row(h.row))
	switch {
	case e.alike[h.row]: // the first of its vectors stays in the cache
		return 0
	case h.row >= e.entries:
		return (e.margin + h.column) * e.bytes()
	}
	return (e.layout.Halo + h.column) * e.bytes()
}

// argument gets a field of the arguments.
func (w *simd128) argument(offset uintptr) {
	w.asm.LocalGet(wasmArgs)
	w.asm.I32Load(int(offset))
}

// add adds a number to a local.
func (w *simd128) add(local, number int) {
	w.asm.LocalGet(local)
	w.asm.I32Const(int32(number))
	w.asm.I32Add()
	w.asm.LocalSet(local)
}

// begin begins a function. The module has one or two: the whole program, and the stores only.
func (w *simd128) begin() {
	e := w.e
	if w.asm.Offset() == 0 {
		functions := 1
		if e.loop.StoresAlone() {
			functions++ // stores only
		}
		w.asm.Begin(functions)
	}
	w.asm.Function(wasmRow+len(e.own)-1, wasmRegisters+wasmPartial)
	for _, f := range []struct {
		local  int
		offset uintptr
	}{
		{wasmRows, unsafe.Offsetof(Arguments{}.Queue)},
		{wasmEnd, unsafe.Offsetof(Arguments{}.End)},
		{wasmScratch, unsafe.Offsetof(Arguments{}.Scratch)},
		{wasmFirst, unsafe.Offsetof(Arguments{}.First)},
	} {
		w.argument(f.offset)
		w.asm.LocalSet(f.local)
	}
	w.add(wasmFirst, -e.layout.Halo*e.bytes())
}

// beginRow sets the locals with the addresses of rows: pointers of the queue, or places in the scratch memory. The rows
// that are not alike then move to the first column.
func (w *simd128) beginRow() {
	e := w.e
	e.eachOwn(func(_, row int) {
		if row >= e.entries {
			w.asm.LocalGet(wasmScratch)
			w.asm.I32Const(int32((row - e.entries) * e.scratchStride() * 8))
			w.asm.I32Add()
		} else {
			w.asm.LocalGet(wasmRows)
			w.asm.I32Load(rowPointerAt(row))
		}
		if !e.alike[row] {
			w.asm.LocalGet(wasmFirst)
			w.asm.I32Add()
		}
		w.asm.LocalSet(w.row(row))
	})
}

// endRow goes on to the next row of the queue until its end.
func (w *simd128) endRow(again assembly.Label) {
	w.asm.LocalGet(wasmRows)
	w.asm.I32Const(int32(rowPointerAt(w.e.entries)))
	w.asm.I32Add()
	w.asm.LocalTee(wasmRows)
	w.asm.LocalGet(wasmEnd)
	w.asm.I32LtU()
	w.asm.BrIf(again)
	w.asm.End() // of the loop
	w.asm.End() // of the function
}

// along advances the addresses of all rows by the given number of columns.
func (w *simd128) along(columns int) {
	w.e.eachOwn(func(_, row int) {
		if !w.e.alike[row] {
			w.add(w.row(row), columns*w.e.bytes())
		}
	})
}

func (w *simd128) back(columns int) { w.along(-columns) }

func (w *simd128) count(n int) {
	w.asm.I32Const(int32(n))
	w.asm.LocalSet(wasmLeft)
}

func (w *simd128) countAll() {
	w.argument(unsafe.Offsetof(Arguments{}.Vectors))
	w.asm.LocalSet(wasmLeft)
}

// next goes on by n columns and branches back while iterations are left, or for n above 1 at least n
// of them. Then it ends the block of the loop.
func (w *simd128) next(n int, again assembly.Label) {
	w.along(n)
	w.asm.LocalGet(wasmLeft)
	w.asm.I32Const(int32(-n))
	w.asm.I32Add()
	w.asm.LocalTee(wasmLeft)
	if n > 1 {
		w.asm.I32Const(int32(n))
		w.asm.I32GeU()
	}
	w.asm.BrIf(again)
	w.asm.End()
}

func (w *simd128) jump(to assembly.Label) { w.asm.Br(to) }

func (w *simd128) jumpIfFewer(n int, to assembly.Label) {
	w.asm.LocalGet(wasmLeft)
	w.asm.I32Const(int32(n))
	w.asm.I32LtU()
	w.asm.BrIf(to)
}

func (w *simd128) reorders() bool { return false } // not measured

// fetches is false: WebAssembly has no instruction for it.
func (w *simd128) fetches() bool { return false }

func (w *simd128) jumpIfNoneAhead(assembly.Label) {}

func (w *simd128) fetch(int) {}

func (w *simd128) align(int) {}

// table emits the operations of two inputs that make a table. Only results that are used again need locals.
//
// WebAssembly is a stack machine. The table of "a and (b or c)" becomes:
//
//	local.get a
//	local.get b
//	local.get c
//	v128.or          takes b and c from the stack, and leaves their or
//	v128.and
//	local.set dst
func (w *simd128) table(a *linearscan.Allocator, op *rowprog.Op, in *pipeline.Instr, src []int, want int) (dst int) {
	t := &twoInputs{w: w, locals: map[uint8]int{}, uses: map[uint8]int{}}
	for k, table := range []uint8{lut.A, 0xCC, 0xAA}[:op.N] {
		t.locals[table] = w.register(src[k])
	}
	t.count(op.Imm)
	t.emit(op.Imm)
	over := -1
	for k, v := range in.Reads {
		if a.ReadLast(v) && (over < 0 || src[k] == want) {
			over = k
		}
	}
	if over >= 0 {
		dst = src[over]
		a.Reuse(dst)
	} else {
		dst = a.Register(want)
	}
	w.set(dst)
	return dst
}

// twoInputs is a table that is being made of operations of two inputs.
type twoInputs struct {
	w       *simd128
	locals  map[uint8]int // of tables that are there
	uses    map[uint8]int // of those that are not
	partial int
}

// count counts how often the tables are used that make a table.
func (t *twoInputs) count(table uint8) {
	if _, ok := t.locals[table]; ok || table == ones {
		return
	}
	if t.uses[table]++; t.uses[table] == 1 {
		b := binary[table]
		if b == (operation{}) {
			panic(fmt.Sprintf("emitter: a table of fewer inputs looks at others, in %#02x", table))
		}
		t.count(b.f)
		t.count(b.g)
	}
}

const ones = 0xFF

// emit leaves a table on the stack.
func (t *twoInputs) emit(table uint8) {
	if local, ok := t.locals[table]; ok {
		t.w.asm.LocalGet(local)
		return
	}
	asm := &t.w.asm
	switch b := binary[table]; {
	// Instructions for complements save the constant.
	case b.op == xor && b.g == ones:
		t.emit(b.f)
		asm.V128Not()
	case (b.op == xor || b.op == andNot) && b.f == ones:
		t.emit(b.g)
		asm.V128Not()
	default:
		t.emit(b.f)
		t.emit(b.g)
		switch b.op {
		case and:
			asm.V128And()
		case or:
			asm.V128Or()
		case xor:
			asm.V128Xor()
		case andNot:
			asm.V128Andnot()
		}
	}
	if t.uses[table] > 1 {
		t.locals[table] = t.w.register(wasmRegisters + t.partial)
		t.partial++
		asm.LocalTee(t.locals[table])
	}
}

func (w *simd128) shift(dst, src, by int) {
	w.get(src)
	if words, whole := w.e.wholeWords(by); whole {
		w.turnWords(words)
	} else {
		w.shiftWords(by)
	}
	w.set(dst)
}

// shiftWords shifts the words of the vector on the stack to the right.
func (w *simd128) shiftWords(by int) {
	w.asm.I32Const(int32(max(by, -by)))
	if by < 0 {
		w.asm.I64x2Shl()
	} else {
		w.asm.I64x2ShrU()
	}
}

func (w *simd128) fillHalo(row int) {
	w.asm.LocalGet(wasmRows)
	w.asm.I32Load(rowPointerAt(row))
	w.asm.LocalSet(wasmOther)
	for i := range w.e.halo {
		w.haloMove(&w.e.halo[i])
	}
}

// haloMove emits one move within the row at wasmOther.
func (w *simd128) haloMove(m *layout.Move) {
	at := func(j int) int { return (w.e.layout.Halo + j) * w.e.bytes() }
	w.asm.LocalGet(wasmOther)
	if m.Src == layout.None {
		w.asm.V128Const([2]uint64{})
	} else {
		w.asm.LocalGet(wasmOther)
		w.asm.V128Load(at(m.Src))
		w.turn(m.Turn)
	}
	if m.Mask != nil {
		w.asm.LocalGet(wasmOther)
		w.asm.V128Load(at(m.Dst))
		w.asm.V128Const([2]uint64(m.Mask))
		// The moved vector where the mask is 1, the old one elsewhere.
		w.asm.V128Bitselect()
	}
	w.asm.V128Store(at(m.Dst))
}

// turn moves strip b+by of the vector on the stack to strip b.
func (w *simd128) turn(by int) {
	words, shift := by>>6, by&63
	if shift == 0 {
		w.turnWords(words)
		return
	}
	turned := w.register(0)
	w.asm.LocalTee(turned)
	w.turnWords(words)
	w.shiftWords(shift)
	w.asm.LocalGet(turned)
	w.turnWords(words + 1)
	w.shiftWords(shift - 64)
	w.asm.V128Or()
}

// turnWords moves word k+words of each slab of the vector on the stack to word k.
func (w *simd128) turnWords(words int) {
	if words%w.e.layout.Wide() == 0 {
		return
	}
	turned := w.register(wasmRegisters)
	w.asm.LocalTee(turned)
	w.asm.LocalGet(turned)
	// Bytes 0 to 15 are those of the first operand, 16 to 31 those of the second. Both are the same vector, so its two
	// words change places.
	w.asm.I8x16Shuffle([16]byte{8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23})
}
