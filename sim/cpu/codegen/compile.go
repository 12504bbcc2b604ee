package codegen

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// arguments is what compiled code finds at RDI.
type arguments struct {
	queue   unsafe.Pointer // the rows to compute
	end     uintptr        // of the queue
	first   uintptr        // bytes from the start of a row to the first vector to compute
	vectors uintptr        // how many to compute
	scratch unsafe.Pointer // rows and slots of this kernel alone
}

// A queue is rows to compute, each described by 1 + entries pointers:
//
//	ahead │ loads … │ stores … │ outputs …
//
// ahead is a row that will soon be read, to be fetched into the cache, or nil; the others are rows of the program.

// Registers of compiled code. RAX counts bytes along the rows.
const (
	regArgs    = jit.RDI
	regAt      = jit.RAX
	regLeft    = jit.RCX // iterations left
	regRows    = jit.RSI // the row's place in the queue
	regScratch = jit.RDX
	regRow     = jit.RBX // of a row without a register of its own
	regAhead   = jit.R15
	regEnd     = jit.R14 // of the queue
)

var rowRegisters = []jit.Reg{jit.R8, jit.R9, jit.R10, jit.R11, jit.R12, jit.R13}

// compiler turns a program into machine code that computes one row.
type compiler struct {
	*pipeline
	asm        jit.Assembler
	layout     *layout.Layout
	ghosts     []layout.Move
	shifts     map[int]int // ops that are their input with every word shifted, by how many bits to the right
	avx512     bool
	registers  int   // vector registers for values
	loads      []int // by op: its row
	stores     []int // by op: the row of a stream that it is, -1 for none
	outputs    []int // by op: the row of the output it is, -1 for none
	entries    int   // rows in arguments
	own        map[int]jit.Reg
	spillSlots int
	constants  [][]uint64 // vectors behind the scratch rows and slots
}

// maxSlots bounds the spill slots of a program; one that needs more is not compiled.
const maxSlots = 4096

// LongestProgram is how many ops a program may have to be worth compiling.
const LongestProgram = 10000

// machineCode is a compiled program.
type machineCode struct {
	code      *jit.Code
	warm      uintptr // entry that computes the stores only
	entries   int     // rows a row is computed from and to
	pipeline  *pipeline
	constants [][]uint64
	rows      int // words of all scratch rows
}

func compileRow(p *rowprog.Program, l *layout.Layout, ghosts []layout.Move, shifts map[int]int) (*machineCode, error) {
	c := newCompiler(p, l, ghosts, shifts)
	text, warm, err := c.compile()
	if err != nil {
		return nil, err
	}
	code, err := jit.Map(text)
	if err != nil {
		return nil, err
	}
	return &machineCode{code, warm, c.entries, c.pipeline, c.constants, c.rows * c.scratchStride()}, nil
}

// List compiles a program for rows of a layout without ghosts to be mended, and lists its machine code.
func List(p *rowprog.Program, l *layout.Layout) (string, error) {
	c := newCompiler(p, l, nil, nil)
	listing := c.asm.List()
	text, _, err := c.compile()
	if err != nil {
		return "", err
	}
	return listing.String(text), nil
}

func newCompiler(p *rowprog.Program, l *layout.Layout, ghosts []layout.Move, shifts map[int]int) *compiler {
	c := &compiler{layout: l, ghosts: ghosts, shifts: shifts, avx512: l.Lanes == 8, registers: 32}
	delayed := 16
	if !c.avx512 {
		c.registers, delayed = 15, 6 // the last holds ones
	}
	c.pipeline = newPipeline(p, delayed)
	c.margin = max(c.margin, l.Ghost)
	c.number()
	return c
}

// compile assembles the code, and tells at which of its bytes the entry is that computes the stores only.
func (c *compiler) compile() (text []byte, warm uintptr, err error) {
	c.eachRow(func() {
		c.loops()
		c.mend()
	})
	if len(c.first) > 0 {
		c.asm.Align(64)
		warm = c.asm.Offset()
		c.warmUp()
	}
	if c.spillSlots > maxSlots {
		return nil, 0, fmt.Errorf("a program of %d ops needs %d spill slots", len(c.program.Ops), c.spillSlots)
	}
	text, err = c.asm.Code()
	return text, warm, err
}

// number gives every row its place in the arguments, and the rows used most a register.
func (c *compiler) number() {
	p := c.program
	c.loads = make([]int, len(p.Ops))
	c.stores = slices.Repeat([]int{-1}, len(p.Ops))
	c.outputs = slices.Repeat([]int{-1}, len(p.Ops))
	for i, op := range p.Ops {
		if op.Kind == rowprog.Load {
			c.loads[i] = c.entries
			c.entries++
		}
	}
	for _, s := range p.Stores {
		c.stores[s.Value.Value] = c.entries
		c.entries++
	}
	for _, o := range p.Out {
		c.outputs[o.Value] = c.entries
		c.entries++
	}
	c.shareRegisters()
}

// shareRegisters gives the rows that a column touches most a register of their own; the two rows of a stream that replaces its row
// in place are one.
func (c *compiler) shareRegisters() {
	same := make([]int, c.entries)
	for e := range same {
		same[e] = e
	}
	for _, st := range c.program.Stores {
		for i, op := range c.program.Ops {
			if op.Kind == rowprog.Load && op.Stream == st.Stream && c.inPlace[st.Stream] {
				same[c.stores[st.Value.Value]] = c.loads[i]
			}
		}
	}
	touched := make([]int, c.entries)
	for _, in := range c.list {
		for _, k := range append(in.reads, in.key) {
			if h, ok := c.home(k); (ok || c.program.Ops[k.value].Kind == rowprog.Load) && h.row < c.entries {
				touched[same[h.row]]++
			}
		}
	}
	for _, row := range c.outputs {
		if row >= 0 {
			touched[row]++
		}
	}
	order := make([]int, c.entries)
	copy(order, same)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(touched[b], touched[a]) })
	order = slices.Compact(order)
	c.own = map[int]jit.Reg{}
	for i, e := range order[:min(len(order), len(rowRegisters))] {
		c.own[e] = rowRegisters[i]
	}
	for e, first := range same {
		if r, ok := c.own[first]; ok {
			c.own[e] = r
		}
	}
}

func (c *compiler) v(n int) jit.Vec {
	if c.avx512 {
		return jit.Z(n)
	}
	return jit.Y(n)
}

func (c *compiler) bytes() int32 { return int32(c.layout.Lanes * 8) }

// home is the place of a vector that is kept in memory: a row, or a scratch row (numbered from the last entry on).
type home struct{ row, pos int }

func (c *compiler) home(k key) (home, bool) {
	op := &c.program.Ops[k.value]
	switch {
	case op.Kind == rowprog.Load:
		if op.Stream >= c.program.Planes && c.inPlace[op.Stream] {
			return home{c.loads[k.value], k.pos}, false // it may have been overwritten
		}
		return home{c.loads[k.value], k.pos}, true
	case c.stores[k.value] >= 0:
		return home{c.stores[k.value], k.pos}, true
	case c.scratch[k.value] >= 0:
		return home{c.entries + c.scratch[k.value], k.pos}, true
	}
	return home{}, false
}

// memory is the operand of a vector in memory.
func (c *compiler) memory(h home) jit.Mem {
	m := jit.Mem{Index: regAt, Scale: 1, Disp: int32(h.pos) * c.bytes()}
	if h.row >= c.entries {
		m.Base = regScratch
		m.Disp += int32(h.row-c.entries)*int32(c.scratchStride()*8) + int32(c.margin-c.layout.Ghost)*c.bytes()
		return m
	}
	m.Base = c.base(h.row)
	return m
}

// base is a register that holds the address of a row.
func (c *compiler) base(row int) jit.Reg {
	if r, ok := c.own[row]; ok {
		return r
	}
	c.asm.MOV(regRow, rowPointer(row))
	return regRow
}

// rowPointer is where the queue holds the address of a row.
func rowPointer(entry int) jit.Mem { return jit.Mem{Base: regRows, Disp: int32(8 + 8*entry)} }

// scratchStride is the words of a scratch row, which reaches as far beyond the vectors of a row as what it keeps.
func (c *compiler) scratchStride() int { return (c.layout.Vectors + 2*c.margin) * c.layout.Lanes }

// slot is the operand of a spill slot; the slots follow the scratch rows.
func (c *compiler) slot(n int) jit.Operand {
	return jit.Mem{Base: regScratch, Disp: int32(c.rows*c.scratchStride()*8) + int32(n)*c.bytes()}
}

// shift emits a shift of every word to the right. By one bit to the left it is a sum, which more ports can compute than a shift.
func (c *compiler) shift(dst, src, by int) {
	switch {
	case by == -1:
		c.asm.VPADDQ(c.v(dst), c.v(src), c.v(src))
	case by < 0:
		c.asm.VPSLLQ(c.v(dst), c.v(src), uint8(-by))
	default:
		c.asm.VPSRLQ(c.v(dst), c.v(src), uint8(by))
	}
}

// constantVector is the operand of a vector constant; these follow the spill slots.
func (c *compiler) constantVector(words []uint64) jit.Mem {
	c.constants = append(c.constants, words)
	return jit.Mem{
		Base: regScratch,
		Disp: int32(c.rows*c.scratchStride()*8) + int32(maxSlots+len(c.constants)-1)*c.bytes(),
	}
}

func (c *compiler) move(dst, src jit.Operand) {
	if c.avx512 {
		c.asm.VMOVDQU64(dst, src)
	} else {
		c.asm.VMOVDQU(dst, src)
	}
}

// keep stores a computed vector in the rows it belongs to.
func (c *compiler) keep(k key, register int) {
	if h, ok := c.home(k); ok {
		c.move(c.memory(h), c.v(register))
	}
	if row := c.outputs[k.value]; row >= 0 {
		c.move(c.memory(home{row, k.pos}), c.v(register))
	}
}

func (c *compiler) constant(register int, ones bool) {
	v := c.v(register)
	switch {
	case c.avx512 && ones:
		c.asm.VPTERNLOGQ(v, v, v, 0xFF)
	case c.avx512:
		c.asm.VPXORQ(v, v, v)
	case ones:
		c.move(v, c.v(c.registers))
	default:
		c.asm.VPXOR(v, v, v)
	}
}

// twoInputs emits a table of one or two inputs for AVX-512.
func (c *compiler) twoInputs(dst int, op *rowprog.Op, src []int) {
	if op.N == 1 {
		if op.Imm == 0xF0 {
			c.move(c.v(dst), c.v(src[0]))
			return
		}
		c.asm.VPTERNLOGQ(c.v(dst), c.v(src[0]), c.v(src[0]), 0x55)
		return
	}
	a, b := c.v(src[0]), c.v(src[1])
	switch op.Imm {
	case 0xC0:
		c.asm.VPANDQ(c.v(dst), a, b)
	case 0xFC:
		c.asm.VPORQ(c.v(dst), a, b)
	case 0x3C:
		c.asm.VPXORQ(c.v(dst), a, b)
	case 0x0C:
		c.asm.VPANDNQ(c.v(dst), a, b)
	case 0x30:
		c.asm.VPANDNQ(c.v(dst), b, a)
	default: // the old content of dst is the input that does not matter
		c.asm.VPTERNLOGQ(c.v(dst), a, b, reorder(op.Imm, [3]int{2, 0, 1}))
	}
}

// eachRow emits a loop over the queue around the code for a row.
func (c *compiler) eachRow(row func()) {
	arg := func(offset uintptr) jit.Mem { return jit.Mem{Base: regArgs, Disp: int32(offset)} }
	c.asm.MOV(regRows, arg(unsafe.Offsetof(arguments{}.queue)))
	c.asm.MOV(regEnd, arg(unsafe.Offsetof(arguments{}.end)))
	c.asm.MOV(regScratch, arg(unsafe.Offsetof(arguments{}.scratch)))
	if !c.avx512 {
		ones := c.v(c.registers)
		c.move(ones, c.constantVector([]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}))
	}
	top := c.asm.Here()
	c.asm.MOV(regAhead, jit.Mem{Base: regRows})
	c.asm.MOV(regAt, arg(unsafe.Offsetof(arguments{}.first)))
	loaded := map[jit.Reg]bool{}
	for e := range c.entries {
		if r, ok := c.own[e]; ok && !loaded[r] {
			c.asm.MOV(r, rowPointer(e))
			loaded[r] = true
		}
	}
	row()
	c.asm.ADD(regRows, jit.Imm(8+8*c.entries))
	c.asm.CMP(regRows, regEnd)
	c.asm.JB(top)
	c.asm.VZEROUPPER()
	c.asm.RET()
}

// loops emits the iterations before column 0, those from it on several at a time, and the last ones one by one.
func (c *compiler) loops() {
	var lagging []binding
	for i, k := range c.lagging {
		lagging = append(lagging, binding{k, i})
	}
	c.before(lagging)
	c.asm.MOV(regLeft, jit.Mem{Base: regArgs, Disp: int32(unsafe.Offsetof(arguments{}.vectors))})
	if n := c.unroll(); n > 1 {
		near, done := c.asm.NewLabel(), c.asm.NewLabel()
		c.asm.TEST(regAhead, regAhead)
		c.asm.JE(near)
		c.loop(n, lagging, true)
		c.asm.JMP(done)
		c.asm.Bind(near)
		c.loop(n, lagging, false)
		c.asm.Bind(done)
	}
	done := c.asm.NewLabel()
	c.asm.TEST(regLeft, regLeft)
	c.asm.JE(done)
	c.loop(1, lagging, false)
	c.asm.Bind(done)
}

// unroll is how many iterations the main loop takes at a time: as many as make a body of some 64 instructions, fewer if none are
// then left over.
func (c *compiler) unroll() int {
	most := min(8, max(1, 64/max(1, len(c.list))))
	for n := most; n > 1 && n > most/2; n-- {
		if c.layout.Vectors%n == 0 {
			return n
		}
	}
	return most
}

// loop runs n iterations at a time while at least n are left, and fetches as many vectors of the row ahead.
func (c *compiler) loop(n int, lagging []binding, fetch bool) {
	var list []instr
	for u := range n {
		for _, in := range c.list {
			list = append(list, shifted(in, u))
		}
	}
	var out []binding
	for _, b := range lagging {
		out = append(out, binding{key{b.value, b.pos + n}, b.register})
	}
	end := c.asm.NewLabel()
	if n > 1 {
		c.asm.CMP(regLeft, jit.Imm(n))
		c.asm.JB(end)
	}
	c.asm.Align(32)
	top := c.asm.Here()
	for u := 0; fetch && u < n; u++ {
		c.asm.PREFETCHW(jit.Mem{Base: regAhead, Index: regAt, Scale: 1, Disp: int32(u) * c.bytes()})
	}
	c.line(list, lagging, out)
	c.asm.ADD(regAt, jit.Imm(int32(n)*c.bytes()))
	c.asm.SUB(regLeft, jit.Imm(n))
	if n > 1 {
		c.asm.CMP(regLeft, jit.Imm(n))
		c.asm.JAE(top)
	} else {
		c.asm.JNE(top)
	}
	c.asm.Bind(end)
}

func shifted(in instr, by int) instr {
	s := instr{key: key{in.value, in.pos + by}, reads: make([]key, len(in.reads))}
	for i, k := range in.reads {
		s.reads[i] = key{k.value, k.pos + by}
	}
	return s
}

// before emits the iterations before column 0, and fills the registers the first iteration expects.
func (c *compiler) before(lagging []binding) {
	if len(c.first) == 0 && len(c.lagging) > 0 {
		// a few: in straight line
		var list []instr
		for _, s := range c.segments {
			for before := s.from; before > s.to; before-- {
				for _, in := range c.iteration(c.active(before)) {
					list = append(list, shifted(in, -before))
				}
			}
		}
		c.line(list, nil, lagging)
		return
	}
	if len(c.segments) > 0 {
		c.asm.SUB(regAt, jit.Imm(int32(c.segments[0].from)*c.bytes()))
	}
	for _, s := range c.segments {
		c.asm.MOV(regLeft, jit.Imm(s.from-s.to))
		top := c.asm.Here()
		c.line(c.iteration(c.active(s.from)), nil, nil)
		c.asm.ADD(regAt, jit.Imm(c.bytes()))
		c.asm.DEC(regLeft)
		c.asm.JNE(top)
	}
	var out []binding
	for _, f := range c.first {
		out = append(out, binding{f.from, slices.Index(c.lagging, f.into)})
	}
	c.line(c.once, nil, out)
}

// warmUp emits the code for rows that are not wanted: only what the stores need.
func (c *compiler) warmUp() {
	needed := c.storeOps()
	all := c.list
	c.list = slices.DeleteFunc(slices.Clone(all), func(in instr) bool { return !needed[in.value] })
	first, outputs := c.first, c.outputs
	c.first, c.outputs = nil, slices.Repeat([]int{-1}, len(c.outputs))
	lagging := c.lagging
	c.lagging = nil
	c.eachRow(c.loops)
	c.list, c.first, c.outputs, c.lagging = all, first, outputs, lagging
}

// storeOps tells which ops the stores are computed from.
func (c *compiler) storeOps() []bool {
	needed := make([]bool, len(c.program.Ops))
	for _, s := range c.program.Stores {
		needed[s.Value.Value] = true
	}
	for i := len(needed) - 1; i >= 0; i-- {
		if op := &c.program.Ops[i]; needed[i] {
			for _, o := range op.In[:op.N] {
				needed[o.Value] = true
			}
		}
	}
	return needed
}
