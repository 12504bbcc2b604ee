package arm64

// The instructions on vectors of 128 bits.

// LDP loads two successive vectors from memory. The displacement is a multiple of 16 from -1024 to 1008: see
// PairReaches.
func (a *Assembler) LDP(first, second Vec, src Mem) {
	if first == second {
		a.Fail("ldp: vector register %d is loaded twice", first)
	}
	a.pair("ldp", 0xad400000, first, second, src)
}

// STP stores two vectors, one after the other. Displacements are those of LDP.
func (a *Assembler) STP(first, second Vec, dst Mem) { a.pair("stp", 0xad000000, first, second, dst) }

// PairReaches reports whether LDP and STP can have a displacement.
func PairReaches(disp int) bool { return disp >= -64*16 && disp < 64*16 && disp%16 == 0 }

// pair writes a load or store of two vector registers:
//
//	bit   31 … 22    21 … 15             14 … 10   9 … 5   4 … 0
//	      opcode     displacement / 16   second    base    first
func (a *Assembler) pair(name string, op uint32, first, second Vec, m Mem) {
	a.note(name, whole(first), whole(second), m)
	switch {
	case !PairReaches(m.Disp):
		a.Fail("%s: displacement %d: allowed are multiples of 16 from -1024 to 1008", name, m.Disp)
	case a.vectors(name, first, second) && a.registers(name, m.Base):
		a.word(op | uint32(m.Disp/16)&0x7f<<15 | uint32(second)<<10 | uint32(m.Base)<<5 | uint32(first))
	}
}

// AND: dst = x & y.
func (a *Assembler) AND(dst, x, y Vec) { a.three("and", 0x4e201c00, dst, x, y) }

// BIC: dst = x & ^y.
func (a *Assembler) BIC(dst, x, y Vec) { a.three("bic", 0x4e601c00, dst, x, y) }

// ORR: dst = x | y.
func (a *Assembler) ORR(dst, x, y Vec) { a.three("orr", 0x4ea01c00, dst, x, y) }

// ORN: dst = x | ^y.
func (a *Assembler) ORN(dst, x, y Vec) { a.three("orn", 0x4ee01c00, dst, x, y) }

// EOR: dst = x ^ y.
func (a *Assembler) EOR(dst, x, y Vec) { a.three("eor", 0x6e201c00, dst, x, y) }

// BSL chooses by dst: dst = dst & x | ^dst & y.
func (a *Assembler) BSL(dst, x, y Vec) { a.three("bsl", 0x6e601c00, dst, x, y) }

// BIT inserts x where the mask has ones: dst = mask & x | ^mask & dst.
func (a *Assembler) BIT(dst, x, mask Vec) { a.three("bit", 0x6ea01c00, dst, x, mask) }

// BIF inserts x where the mask has zeros: dst = mask & dst | ^mask & x.
func (a *Assembler) BIF(dst, x, mask Vec) { a.three("bif", 0x6ee01c00, dst, x, mask) }

// three appends an instruction of two sources and a destination, whose numbers are in these bits:
//
//	bit   31       21 20  16 15    10 9    5 4    0
//	      operation  |   y  |  more  |  x   | dst
func (a *Assembler) three(name string, op uint32, dst, x, y Vec) {
	a.note(name, dst, x, y)
	if a.vectors(name, dst, x, y) {
		a.word(op | uint32(y)<<16 | uint32(x)<<5 | uint32(dst))
	}
}

// EOR3 (see jit.HasSHA3): dst = x ^ y ^ z.
func (a *Assembler) EOR3(dst, x, y, z Vec) { a.four("eor3", 0xce000000, dst, x, y, z) }

// BCAX (see jit.HasSHA3): dst = x ^ (y & ^z).
func (a *Assembler) BCAX(dst, x, y, z Vec) { a.four("bcax", 0xce200000, dst, x, y, z) }

// four appends an instruction of three sources, such as EOR3. The third source has the bits that three
// leaves to the operation:
//
//	bit   31       21 20  16 15 14  10 9    5 4    0
//	      operation  |   y  | 0|  z   |  x   | dst
func (a *Assembler) four(name string, op uint32, dst, x, y, z Vec) {
	a.note(name, dst, x, y, z)
	if a.vectors(name, dst, x, y, z) {
		a.word(op | uint32(y)<<16 | uint32(z)<<10 | uint32(x)<<5 | uint32(dst))
	}
}

// MVN: dst = ^src.
func (a *Assembler) MVN(dst, src Vec) {
	a.note("mvn", dst, src)
	if a.vectors("mvn", dst, src) {
		a.word(0x6e205800 | uint32(src)<<5 | uint32(dst))
	}
}

// COPY copies a vector. ARM writes it MOV, and encodes it as ORR of the source with itself.
func (a *Assembler) COPY(dst, src Vec) {
	a.note("mov", dst, src)
	if a.vectors("mov", dst, src) {
		a.word(0x4ea01c00 | uint32(src)<<16 | uint32(src)<<5 | uint32(dst))
	}
}

// MOVI fills a vector with zeros or ones.
func (a *Assembler) MOVI(dst Vec, ones bool) {
	op, value := uint32(0x6f00e400), "#0000000000000000"
	if ones {
		op, value = 0x6f07e7e0, "#0xffffffffffffffff"
	}
	a.note("movi", words(dst), value)
	if a.vectors("movi", dst) {
		a.word(op | uint32(dst))
	}
}

// ADDWords: dst = x + y, by 64-bit words (ADD of a vector).
func (a *Assembler) ADDWords(dst, x, y Vec) {
	a.note("add", words(dst), words(x), words(y))
	if a.vectors("add", dst, x, y) {
		a.word(0x4ee08400 | uint32(y)<<16 | uint32(x)<<5 | uint32(dst))
	}
}

// SHL: dst = src << count, by 64-bit words, count from 0 to 63.
func (a *Assembler) SHL(dst, src Vec, count int) {
	a.shift("shl", 0x4f005400, dst, src, count, 0, 64+count)
}

// USHR: dst = src >> count, by 64-bit words, zeros entering, count from 1 to 64.
func (a *Assembler) USHR(dst, src Vec, count int) {
	a.shift("ushr", 0x6f000400, dst, src, count, 1, 128-count)
}

// shift writes a shift by a constant. The field has the number and the width of the words.
func (a *Assembler) shift(name string, op uint32, dst, src Vec, count, least, field int) {
	a.note(name, words(dst), words(src), number(count))
	switch {
	case count < least || count > least+63:
		a.Fail("%s: count %d: allowed are %d to %d", name, count, least, least+63)
	case a.vectors(name, dst, src):
		a.word(op | uint32(field)<<16 | uint32(src)<<5 | uint32(dst))
	}
}

// EXT: byte i of dst = byte i+count of the bytes of x, then those of y; count from 0 to 15.
func (a *Assembler) EXT(dst, x, y Vec, count int) {
	a.note("ext", dst, x, y, number(count))
	switch {
	case count < 0 || count > 15:
		a.Fail("ext: count %d: allowed are 0 to 15", count)
	case a.vectors("ext", dst, x, y):
		a.word(0x6e000000 | uint32(y)<<16 | uint32(count)<<11 | uint32(x)<<5 | uint32(dst))
	}
}
