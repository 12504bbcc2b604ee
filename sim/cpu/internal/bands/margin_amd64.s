#include "textflag.h"

// func putSpots8(row, edges *uint64, spots *spot, n int)
TEXT ·putSpots8(SB), NOSPLIT, $0-32
	MOVQ row+0(FP), DI
	MOVQ edges+8(FP), DX
	MOVQ spots+16(FP), SI
	MOVQ n+24(FP), R8

spot:
	VPBROADCASTQ (SI), Z1    // bit
	MOVLQSX      8(SI), AX   // word
	MOVWLZX      12(SI), BX  // from
	MOVBLZX      14(SI), CX  // turn
	SHLQ         $6, BX
	VPBROADCASTQ CX, Z2
	VMOVDQU64    (DX)(BX*1), Z3
	VPROLVQ      Z2, Z3, Z3
	VMOVDQU64    (DI)(AX*8), Z4
	VPTERNLOGQ   $0xB8, Z3, Z1, Z4 // where Z1 has a bit that of Z3, else that of Z4
	VMOVDQU64    Z4, (DI)(AX*8)
	ADDQ         $16, SI
	DECQ         R8
	JNZ          spot
	VZEROUPPER
	RET

// func collectBits8(dst, words *uint64, n, bit, to int)
// words is the last of the vectors.
TEXT ·collectBits8(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	MOVQ         words+8(FP), SI
	MOVQ         n+16(FP), CX
	VMOVQ        bit+24(FP), X3
	VMOVQ        to+32(FP), X4
	MOVQ         $1, AX
	VPBROADCASTQ AX, Z2
	VPXORQ       Z0, Z0, Z0

vector:
	VPADDQ     Z0, Z0, Z0
	VMOVDQU64  (SI), Z1
	VPSRLQ     X3, Z1, Z1
	VPTERNLOGQ $0xF8, Z2, Z1, Z0 // Z0 or Z1 and 1
	SUBQ       $64, SI
	DECQ       CX
	JNZ        vector
	VPSLLQ     X4, Z0, Z0
	VPORQ      (DI), Z0, Z0
	VMOVDQU64  Z0, (DI)
	VZEROUPPER
	RET
