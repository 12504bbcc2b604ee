#include "textflag.h"

// func entriesAhead(entries *uint32, hashes *uint64, places *uint8, n int, shift uint64)
TEXT ·entriesAhead(SB), NOSPLIT, $0-40
	MOVQ entries+0(FP), AX
	MOVQ hashes+8(FP), BX
	MOVQ places+16(FP), SI
	MOVQ n+24(FP), DI
	MOVQ shift+32(FP), CX

entry:
	MOVBLZX    (SI), DX
	MOVQ       (BX)(DX*8), DX
	SHRQ       CX, DX
	PREFETCHT0 (AX)(DX*4)
	INCQ       SI
	DECQ       DI
	JNZ        entry
	RET

// func nodesAhead(nodes *node, refs *Ref, places *uint8, n int)
TEXT ·nodesAhead(SB), NOSPLIT, $0-32
	MOVQ nodes+0(FP), AX
	MOVQ refs+8(FP), BX
	MOVQ places+16(FP), SI
	MOVQ n+24(FP), DI

square:
	MOVBLZX    (SI), DX
	MOVL       (BX)(DX*4), DX
	SHLQ       $5, DX         // nodeBytes
	PREFETCHT0 (AX)(DX*1)
	INCQ       SI
	DECQ       DI
	JNZ        square
	RET

// func quartersAhead(squares unsafe.Pointer, bytes uintptr, nodes *node, refs *Ref, places *int, n int)
TEXT ·quartersAhead(SB), NOSPLIT, $0-48
	MOVQ squares+0(FP), AX
	MOVQ bytes+8(FP), R12
	MOVQ nodes+16(FP), R13
	MOVQ refs+24(FP), BX
	MOVQ places+32(FP), SI
	MOVQ n+40(FP), DI

square:
	MOVQ       (SI), DX
	MOVL       (BX)(DX*4), DX
	SHLQ       $5, DX         // nodeBytes
	MOVL       0(R13)(DX*1), R8
	MOVL       4(R13)(DX*1), R9
	MOVL       8(R13)(DX*1), R10
	MOVL       12(R13)(DX*1), R11
	IMULQ      R12, R8
	IMULQ      R12, R9
	IMULQ      R12, R10
	IMULQ      R12, R11
	PREFETCHT0 (AX)(R8*1)
	PREFETCHT0 (AX)(R9*1)
	PREFETCHT0 (AX)(R10*1)
	PREFETCHT0 (AX)(R11*1)
	ADDQ       $8, SI
	DECQ       DI
	JNZ        square
	RET
