#include "textflag.h"

// func entriesAhead(entries *uint32, hashes *uint64, places *uint8, n int, shift uint64)
TEXT ·entriesAhead(SB), NOSPLIT, $0-40
	MOVD entries+0(FP), R0
	MOVD hashes+8(FP), R1
	MOVD places+16(FP), R2
	MOVD n+24(FP), R3
	MOVD shift+32(FP), R4

entry:
	MOVBU.P 1(R2), R5
	MOVD    (R1)(R5<<3), R5
	LSR     R4, R5
	ADD     R5<<2, R0, R5
	PRFM    (R5), PLDL1KEEP
	SUBS    $1, R3
	BNE     entry
	RET

// func nodesAhead(nodes *node, refs *Ref, places *uint8, n int)
TEXT ·nodesAhead(SB), NOSPLIT, $0-32
	MOVD nodes+0(FP), R0
	MOVD refs+8(FP), R1
	MOVD places+16(FP), R2
	MOVD n+24(FP), R3

square:
	MOVBU.P 1(R2), R5
	MOVWU   (R1)(R5<<2), R5
	ADD     R5<<5, R0, R5   // nodeBytes
	PRFM    (R5), PLDL1KEEP
	SUBS    $1, R3
	BNE     square
	RET

// func quartersAhead(squares unsafe.Pointer, bytes uintptr, nodes *node, refs *Ref, places *int, n int)
TEXT ·quartersAhead(SB), NOSPLIT, $0-48
	MOVD squares+0(FP), R0
	MOVD bytes+8(FP), R1
	MOVD nodes+16(FP), R2
	MOVD refs+24(FP), R3
	MOVD places+32(FP), R4
	MOVD n+40(FP), R5

square:
	MOVD.P 8(R4), R6
	MOVWU  (R3)(R6<<2), R6
	ADD    R6<<5, R2, R6   // nodeBytes
	MOVWU  0(R6), R7
	MOVWU  4(R6), R8
	MOVWU  8(R6), R9
	MOVWU  12(R6), R10
	MADD   R1, R0, R7, R7
	MADD   R1, R0, R8, R8
	MADD   R1, R0, R9, R9
	MADD   R1, R0, R10, R10
	PRFM   (R7), PLDL1KEEP
	PRFM   (R8), PLDL1KEEP
	PRFM   (R9), PLDL1KEEP
	PRFM   (R10), PLDL1KEEP
	SUBS   $1, R5
	BNE    square
	RET
