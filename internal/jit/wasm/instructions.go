package wasm

import "encoding/binary"

// LocalGet gets a local.
func (a *Assembler) LocalGet(n int) { a.instruction("local.get", 0x20, uint32(n)) }

// LocalSet pops a value from the stack into a local.
func (a *Assembler) LocalSet(n int) { a.instruction("local.set", 0x21, uint32(n)) }

// LocalTee is LocalSet, and leaves it on the stack.
func (a *Assembler) LocalTee(n int) { a.instruction("local.tee", 0x22, uint32(n)) }

// I32Load loads a number at an address plus an offset, which is not negative.
func (a *Assembler) I32Load(offset int) { a.memory("i32.load", offset, 2, 0x28) }

// I32Const is a number.
func (a *Assembler) I32Const(n int32) {
	a.note("i32.const", n)
	a.Emit(0x41)
	for ; n < -0x40 || n >= 0x40; n >>= 7 {
		a.Emit(byte(n) | 0x80)
	}
	a.Emit(byte(n) & 0x7f)
}

// I32Eqz says whether a number is zero.
func (a *Assembler) I32Eqz() { a.instruction("i32.eqz", 0x45) }

// I32LtU compares two numbers without signs.
func (a *Assembler) I32LtU() { a.instruction("i32.lt_u", 0x49) }

// I32GeU compares two numbers without signs.
func (a *Assembler) I32GeU() { a.instruction("i32.ge_u", 0x4f) }

// I32Add adds two numbers.
func (a *Assembler) I32Add() { a.instruction("i32.add", 0x6a) }

// V128Load loads a vector at an address plus an offset, which is not negative.
func (a *Assembler) V128Load(offset int) { a.memory("v128.load", offset, 4, 0xfd, 0) }

// V128Store stores a vector at an address plus an offset, which is not negative.
func (a *Assembler) V128Store(offset int) { a.memory("v128.store", offset, 4, 0xfd, 11) }

// V128Const is a vector of two words.
func (a *Assembler) V128Const(words [2]uint64) {
	if a.Listed() {
		a.Note("v128.const", words[0], words[1])
	}
	a.Emit(0xfd, 12)
	for _, w := range words {
		a.Emit(binary.LittleEndian.AppendUint64(nil, w)...)
	}
}

// I8x16Shuffle takes bytes of two vectors, the first of which has bytes 0 to 15.
func (a *Assembler) I8x16Shuffle(bytes [16]byte) {
	if a.Listed() {
		var list []any
		for _, b := range bytes {
			list = append(list, b)
		}
		a.Note("i8x16.shuffle", list...)
	}
	a.Emit(0xfd, 13)
	a.Emit(bytes[:]...)
}

// V128Not is the complement of a vector.
func (a *Assembler) V128Not() { a.vector("v128.not", 77) }

// V128And is x & y.
func (a *Assembler) V128And() { a.vector("v128.and", 78) }

// V128Andnot is x &^ y.
func (a *Assembler) V128Andnot() { a.vector("v128.andnot", 79) }

// V128Or is x | y.
func (a *Assembler) V128Or() { a.vector("v128.or", 80) }

// V128Xor is x ^ y.
func (a *Assembler) V128Xor() { a.vector("v128.xor", 81) }

// V128Bitselect is x & z | y &^ z.
func (a *Assembler) V128Bitselect() { a.vector("v128.bitselect", 82) }

// I64x2Shl shifts words to the left by a number of bits.
func (a *Assembler) I64x2Shl() { a.vector("i64x2.shl", 203) }

// I64x2ShrU shifts words to the right by a number of bits.
func (a *Assembler) I64x2ShrU() { a.vector("i64x2.shr_u", 205) }

// vector appends an instruction that is a number after a prefix.
func (a *Assembler) vector(name string, number int) {
	a.note(name)
	a.Emit(0xfd)
	a.unsigned(number)
}

// memory appends a load or store: code, then by which power of two its address is usually divisible, then the offset.
func (a *Assembler) memory(name string, offset int, power byte, code ...byte) {
	if offset < 0 || uint64(offset) >= 1<<32 {
		a.Fail("offset %d", offset)
	}
	a.note(name, offset)
	a.Emit(append(code, power)...)
	a.unsigned(offset)
}
