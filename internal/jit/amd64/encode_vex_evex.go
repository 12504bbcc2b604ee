package amd64

// VEX and EVEX are the prefixes of vector instructions (SDM volume 2, sections 2.3 and 2.7). Both hold the same things:
// the opcode map, the legacy prefix the instruction would have had, the vector width, and the register bits that ModRM
// has no room for. A bar over a letter of the manual (here ~) means that the bit is stored inverted.
//
//	              7    6    5    4    3    2    1    0
//	VEX, 2 bytes  1    1    0    0    0    1    0    1      C5
//	             ~R   [    ~vvvv     ]  L   [  pp  ]
//
//	VEX, 3 bytes  1    1    0    0    0    1    0    0      C4
//	             ~R   ~X   ~B   [        map         ]
//	              W   [    ~vvvv     ]  L   [  pp  ]
//
//	EVEX          0    1    1    0    0    0    1    0      62
//	             ~R   ~X   ~B   ~R'   0   [   map    ]
//	              W   [    ~vvvv     ]  1   [  pp  ]
//	              z   L'   L    b   ~V'  [   mask   ]
//
//	R' R reg   bits 4 and 3 of the register in ModRM.reg
//	V' vvvv    the second source, or the destination of shifts by an immediate; 0 (stored as ones) if there is none
//	X  B r/m   bits 4 and 3 of a vector register, or bit 3 of index and base
//	L' L       the Width
//	W          a further opcode bit; in EVEX it also picks 64-bit elements
//	z, mask, b masking and broadcasting of one word of memory, unused here: 0
//
// The 2-byte form serves where X, B and W are 0 and the map is 0F.

// opcode describes one vector instruction.
type opcode struct {
	name  string
	forms form
	pp    byte // pNone, p66 or pF3
	space byte // the map: m0F or m0F3A
	code  byte
	vexW  byte
	evexW byte
}

// form is the set of encodings an instruction has: for each prefix the widths, in the order of Width.
type form uint8

const (
	vex128 form = 1 << iota
	vex256
	evex128
	evex256
	evex512

	vex  = vex128 | vex256
	evex = evex128 | evex256 | evex512
)

const (
	// The legacy prefix that an instruction would have: none, 66 or F3. Two bits of VEX and EVEX name
	// it.
	pNone = 0
	p66   = 1
	pF3   = 2
)

const (
	// The map of an opcode: those that begin with the byte 0F, or with 0F 3A.
	m0F   = 1
	m0F3A = 3
)

// vector appends the instruction with reg in ModRM.reg, v in vvvv and rm in ModRM.r/m, in VEX if it has that form
// and the operands allow it, else in EVEX.
func (a *Assembler) vector(op *opcode, w Width, reg, v int, rm Operand) {
	if !a.checkVector(op, w, reg, v, rm) {
		return
	}
	x, b := extension(rm)
	vecRM, isVec := rm.(Vec)
	high := reg > 15 || v > 15 || isVec && vecRM.Number > 15
	switch {
	case op.forms&(vex128<<w) != 0 && w < W512 && !high:
		a.vex(op, w, byte(reg), byte(v), x, b)
		a.modRM(byte(reg), rm, 1)
	case op.forms&(evex128<<w) != 0:
		a.evex(op, w, byte(reg), byte(v), x, b)
		a.modRM(byte(reg), rm, int32(w.Bytes()))
	case high:
		a.Fail("%s: vector registers 16 to 31 need EVEX, which it has not at %d bits", op.name, 8*w.Bytes())
	default:
		a.Fail("%s: no form with these operands at %d bits", op.name, 8*w.Bytes())
	}
}

// vex writes a VEX prefix, the short form if X, B and W are 0 and the map is 0F, and the opcode.
func (a *Assembler) vex(op *opcode, w Width, reg, v, x, b byte) {
	r := reg >> 3
	last := ^v&15<<3 | byte(w)<<2 | op.pp
	if x|b|op.vexW == 0 && op.space == m0F {
		a.Emit(0xc5, (r^1)<<7|last, op.code)
		return
	}
	a.Emit(0xc4, (r^1)<<7|(x^1)<<6|(b^1)<<5|op.space, op.vexW<<7|last, op.code)
}

// evex writes an EVEX prefix and the opcode. Registers 16 to 31 need it, because only it has room for bit 4.
func (a *Assembler) evex(op *opcode, w Width, reg, v, x, b byte) {
	r, r4, v4 := reg>>3&1, reg>>4, v>>4
	third := byte(w)<<5 | (v4^1)<<3
	a.Emit(0x62, (r^1)<<7|(x^1)<<6|(b^1)<<5|(r4^1)<<4|op.space, op.evexW<<7|^v&15<<3|1<<2|op.pp, third, op.code)
}

// checkVector notes an error for operands that a vector instruction cannot have.
func (a *Assembler) checkVector(op *opcode, w Width, reg, v int, rm Operand) bool {
	if w > W512 {
		a.Fail("%s: vector width %d does not exist: allowed are W128, W256 and W512", op.name, w)
		return false
	}
	vec, _ := rm.(Vec)
	for _, n := range [...]int{reg, v, vec.Number} {
		if n < 0 || n > 31 {
			a.Fail("%s: vector register %d does not exist: allowed are 0 to 31", op.name, n)
			return false
		}
	}
	switch rm := rm.(type) {
	case Vec:
		return true
	case Mem:
		return a.checkMem(op.name, rm)
	}
	a.Fail("%s: a general register or immediate where a vector register or memory is needed", op.name)
	return false
}
