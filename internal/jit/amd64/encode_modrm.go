package amd64

// Every instruction with a register and a register-or-memory operand ends its opcode with ModRM, and, for memory, SIB
// and disp:
//
//	        7 6   5 4 3   2 1 0            7 6    5 4 3   2 1 0
//	ModRM  [mod] [ reg ] [ r/m ]     SIB  [scale][index] [ base]     disp8 or disp32
//
//	mod 00 [r/m]   01 [r/m + disp8]   10 [r/m + disp32]   11 register r/m
//
// The fields hold the low three bits of the register numbers; the others are in REX, VEX or EVEX. Three encodings are
// taken:
//
//	r/m   = 100        SIB follows, so RSP and R12 as base always need one
//	index = 100        no index (extension bit 0), so RSP cannot be one; R12 can
//	mod   = 00, base = 101   no base but disp32 (or RIP), so RBP and R13 take mod 01 with disp8 = 0

const (
	modDisp0    = 0 << 6
	modDisp8    = 1 << 6
	modDisp32   = 2 << 6
	modRegister = 3 << 6

	sibFollows = 4
	noIndex    = 4
	noBase     = 5
)

// modRM appends ModRM, SIB and displacement. An 8-bit displacement counts units of n bytes: 1, or for EVEX the
// memory that the instruction touches, a vector (disp8*N).
func (a *Assembler) modRM(reg byte, rm Operand, n int32) {
	reg &= 7
	switch rm := rm.(type) {
	case Reg:
		a.Emit(modRegister | reg<<3 | byte(rm&7))
	case Vec:
		a.Emit(modRegister | reg<<3 | byte(rm.Number&7))
	case Mem:
		mod := byte(modDisp32)
		short := rm.Disp / n
		switch {
		case rm.Disp == 0 && rm.Base&7 != noBase:
			mod = modDisp0
		case rm.Disp%n == 0 && short == int32(int8(short)):
			mod = modDisp8
		}
		switch {
		case rm.Scale != 0:
			a.Emit(mod|reg<<3|sibFollows, scaleBits(rm.Scale)<<6|byte(rm.Index&7)<<3|byte(rm.Base&7))
		case rm.Base&7 == sibFollows:
			a.Emit(mod|reg<<3|sibFollows, noIndex<<3|byte(rm.Base&7))
		default:
			a.Emit(mod | reg<<3 | byte(rm.Base&7))
		}
		switch mod {
		case modDisp8:
			a.Emit(byte(short))
		case modDisp32:
			a.emit32(rm.Disp)
		}
	}
}

func scaleBits(scale uint8) byte {
	switch scale {
	case 8:
		return 3
	case 4:
		return 2
	case 2:
		return 1
	}
	return 0
}

// extension returns the bits of the r/m operand's register numbers beyond the low three: b is bit 3 of the base or
// register, x bit 3 of the index, or bit 4 of a vector register, which only EVEX can hold.
func extension(rm Operand) (x, b byte) {
	switch rm := rm.(type) {
	case Reg:
		return 0, byte(rm >> 3 & 1)
	case Vec:
		return byte(rm.Number >> 4 & 1), byte(rm.Number >> 3 & 1)
	case Mem:
		if rm.Scale != 0 {
			x = byte(rm.Index >> 3 & 1)
		}
		return x, byte(rm.Base >> 3 & 1)
	}
	return 0, 0
}

// checkReg and checkMem check that an operand can be encoded. If it cannot, they record an error and return false.

func (a *Assembler) checkReg(name string, r Reg) bool {
	if r > R15 {
		a.Fail("%s: general register %d does not exist: allowed are 0 to 15", name, r)
		return false
	}
	return true
}

// checkMem notes an error for an address that has no encoding.
func (a *Assembler) checkMem(name string, m Mem) bool {
	if !a.checkReg(name, m.Base) {
		return false
	}
	switch m.Scale {
	case 0:
		return true
	case 1, 2, 4, 8:
	default:
		a.Fail("%s: index scale %d: allowed are 0 (no index), 1, 2, 4 and 8", name, m.Scale)
		return false
	}
	if m.Index == RSP {
		a.Fail("%s: rsp cannot be an index", name)
		return false
	}
	return a.checkReg(name, m.Index)
}
