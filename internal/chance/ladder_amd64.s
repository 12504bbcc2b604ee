#include "textflag.h"

// One level of the ladder for eight words, up to the random words in Z6. Z0: a + n·increment + m·other; Z1: the second key; Z2, Z3: the multipliers;
// Z4: other.
#define WORDS \
	VPSRLQ   $30, Z0, Z5; \
	VPXORQ   Z5, Z0, Z6; \
	VPMULLQ  Z2, Z6, Z6; \
	VPADDQ   Z4, Z0, Z0; \
	VPXORQ   Z1, Z6, Z6; \
	VPSRLQ   $27, Z6, Z5; \
	VPXORQ   Z5, Z6, Z6; \
	VPMULLQ  Z3, Z6, Z6; \
	VPSRLQ   $31, Z6, Z5; \
	VPXORQ   Z5, Z6, Z6

// Cells that are undecided and have a zero where the probability has a one are below it. Undecided are then those whose bit is the probability's.
#define DECIDE(up, less, undecided) \
	VMOVDQA64        undecided, Z7; \
	VPTERNLOGQ.BCST  $0x20, up, Z6, Z7; \
	VPORQ            Z7, less, less; \
	VPTERNLOGQ.BCST  $0x90, up, Z6, undecided

// func ladders(dst, second *uint64, blocks, levels int, keys *[12]uint64, up *[2][32]uint64)
TEXT ·ladders(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ second+8(FP), SI
	MOVQ blocks+16(FP), CX
	MOVQ levels+24(FP), R8
	MOVQ keys+32(FP), R9
	MOVQ up+40(FP), R10

	VMOVDQU64    (R9), Z9       // the first eight words' n, level 0
	VPBROADCASTQ 64(R9), Z1
	VPBROADCASTQ 72(R9), Z10    // 8·increment
	VPBROADCASTQ 80(R9), Z4
	MOVQ         $0xBF58476D1CE4E5B9, AX
	VPBROADCASTQ AX, Z2
	MOVQ         $0x94D049BB133111EB, AX
	VPBROADCASTQ AX, Z3
	VPTERNLOGQ   $0xFF, Z8, Z8, Z8 // all ones

block:
	VMOVDQA64 Z9, Z0
	VPADDQ    Z10, Z9, Z9
	VPXORQ    Z11, Z11, Z11 // below the first probability
	VMOVDQA64 Z8, Z12       // undecided
	VPXORQ    Z13, Z13, Z13 // of the second one
	VMOVDQA64 Z8, Z14
	XORQ      BX, BX        // level
	TESTQ     SI, SI
	JZ        one

two:
	WORDS
	DECIDE((R10)(BX*8), Z11, Z12)
	DECIDE(256(R10)(BX*8), Z13, Z14)
	INCQ      BX
	CMPQ      BX, R8
	JGE       decided
	VPORQ     Z12, Z14, Z7
	VPTESTMQ  Z7, Z7, K1
	KORTESTW  K1, K1
	JNZ       two

decided:
	VMOVDQU64 Z13, (SI)
	ADDQ      $64, SI
	JMP       next

one:
	WORDS
	DECIDE((R10)(BX*8), Z11, Z12)
	INCQ      BX
	CMPQ      BX, R8
	JGE       next
	VPTESTMQ  Z12, Z12, K1
	KORTESTW  K1, K1
	JNZ       one

next:
	VMOVDQU64 Z11, (DI)
	ADDQ      $64, DI
	DECQ      CX
	JNZ       block
	VZEROUPPER
	RET
