//go:build linux

#include "textflag.h"

// func call(code, args unsafe.Pointer)
//
// The jump leaves the return address in R30, so the RET of the generated code returns to the caller of call. The code may have been written by
// another processor. ISB makes this one drop what it has fetched before.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-16
	MOVD code+0(FP), R1
	MOVD args+8(FP), R0
	ISB  $15
	JMP  (R1)

// func synchronise(low, high unsafe.Pointer)
//
// The sequence is that of the architecture (Arm ARM, B2.7.4.2): the lines of the data cache are cleaned to the point where instructions are fetched,
// then those of the instruction cache are dropped. CTR_EL0 has the lengths of both lines, as powers of two words: bits 16 to 19 and 0 to 3.
TEXT ·synchronise(SB), NOSPLIT|NOFRAME, $0-16
	MOVD low+0(FP), R0
	MOVD high+8(FP), R1
	MRS  CTR_EL0, R2
	MOVD $4, R3

	UBFX $16, R2, $4, R4
	LSL  R4, R3, R4      // bytes of a line of data
	SUB  $1, R4, R5
	BIC  R5, R0, R6

data:
	DC  CVAU, R6
	ADD R4, R6, R6
	CMP R1, R6
	BLO data
	DSB $11              // the inner shareable domain: all processors

	UBFX $0, R2, $4, R4
	LSL  R4, R3, R4      // bytes of a line of instructions
	SUB  $1, R4, R5
	BIC  R5, R0, R6

instructions:
	WORD $0xd50b7526     // IC IVAU, R6: Go's assembler does not know it
	ADD  R4, R6, R6
	CMP  R1, R6
	BLO  instructions
	DSB  $11
	ISB  $15
	RET
