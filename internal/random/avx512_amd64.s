#include "textflag.h"

// A round of Philox for eight blocks. Only the low halves of the words Z0 to Z3 count. Z28, Z29: the multipliers; R10: the round's keys.
#define ROUND(k) \
	VPMULUDQ         Z28, Z0, Z4; \
	VPMULUDQ         Z29, Z2, Z5; \
	VPSRLQ           $32, Z5, Z0; \
	VPTERNLOGQ.BCST  $0x96, (16*k)(R10), Z1, Z0; \
	VPSRLQ           $32, Z4, Z2; \
	VPTERNLOGQ.BCST  $0x96, (16*k+8)(R10), Z3, Z2; \
	VMOVDQA64        Z5, Z1; \
	VMOVDQA64        Z4, Z3

// The next words of eight blocks, in Z6. Z0, Z1: the states of low and high halves; Z30: the multiplier; K1: high halves.
#define WORDS \
	VPSRLQ    $32, Z0, Z4; \
	VPSRLQ    $32, Z1, Z5; \
	VPSLLQ    $32, Z1, Z7; \
	VPXORQ    Z4, Z0, Z6; \
	VPXORD    Z7, Z1, K1, Z6; \
	VPMULUDQ  Z30, Z0, Z0; \
	VPMULUDQ  Z30, Z1, Z1; \
	VPADDQ    Z4, Z0, Z0; \
	VPADDQ    Z5, Z1, Z1

// func ladders8(dst, second *uint64, vectors, levels int, from *beginning, ones, ones2 uint64)
TEXT ·ladders8(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ second+8(FP), SI
	MOVQ vectors+16(FP), CX
	MOVQ levels+24(FP), R8
	MOVQ from+32(FP), R9
	MOVQ ones+40(FP), R11
	MOVQ ones2+48(FP), R12
	LEAQ 88(R9), R10

	MOVQ         $0xD2511F53, AX
	VPBROADCASTQ AX, Z28
	MOVQ         $0xCD9E8D57, AX
	VPBROADCASTQ AX, Z29
	MOVQ         $4294883355, AX
	VPBROADCASTQ AX, Z30
	MOVQ         $0xAAAA, AX
	KMOVW        AX, K1
	MOVQ         $8, AX
	VPBROADCASTQ AX, Z27
	VMOVDQU64    (R9), Z26
	VPTERNLOGQ   $0xFF, Z8, Z8, Z8 // all ones

eight:
	VMOVDQA64    Z26, Z0
	VPADDQ       Z27, Z26, Z26
	VPBROADCASTQ 64(R9), Z1
	VPBROADCASTQ 72(R9), Z2
	VPBROADCASTQ 80(R9), Z3
	ROUND(0)
	ROUND(1)
	ROUND(2)
	ROUND(3)
	ROUND(4)
	ROUND(5)
	ROUND(6)
	VPSLLQ       $32, Z1, Z1
	VPSLLQ       $32, Z3, Z3
	VMOVDQA32    Z1, K1, Z0       // low halves begin with the first two words
	VMOVDQA32    Z3, K1, Z2
	VMOVDQA64    Z2, Z1

	VPXORQ    Z11, Z11, Z11 // cells certainly below the first probability
	VMOVDQA64 Z8, Z12       // and perhaps
	VPXORQ    Z13, Z13, Z13 // the second one
	VMOVDQA64 Z8, Z14
	XORQ      BX, BX        // level
	TESTQ     SI, SI
	JZ        one

two:
	WORDS
	BTQ        BX, R11
	JC         up
	VPTERNLOGQ $0xDC, Z6, Z11, Z12
	JMP        other

up:
	VPTERNLOGQ $0xF4, Z6, Z12, Z11

other:
	BTQ        BX, R12
	JC         up2
	VPTERNLOGQ $0xDC, Z6, Z13, Z14
	JMP        decided

up2:
	VPTERNLOGQ $0xF4, Z6, Z14, Z13

decided:
	INCQ       BX
	CMPQ       BX, R8
	JGE        end
	CMPQ       BX, $8          // before, some cell is undecided nearly always
	JL         two
	VPXORQ     Z11, Z12, Z7
	VPTERNLOGQ $0xF6, Z14, Z13, Z7 // a | b ^ c
	VPTESTMQ   Z7, Z7, K2
	KORTESTW   K2, K2
	JNZ        two

end:
	VMOVDQU64 Z13, (SI)
	ADDQ      $64, SI
	JMP       next

one:
	WORDS
	BTQ        BX, R11
	JC         up1
	VPTERNLOGQ $0xDC, Z6, Z11, Z12
	JMP        decided1

up1:
	VPTERNLOGQ $0xF4, Z6, Z12, Z11

decided1:
	INCQ     BX
	CMPQ     BX, R8
	JGE      next
	CMPQ     BX, $8
	JL       one
	VPCMPUQ  $4, Z11, Z12, K2 // not equal
	KORTESTW K2, K2
	JNZ      one

next:
	VMOVDQU64 Z11, (DI)
	ADDQ      $64, DI
	DECQ      CX
	JNZ       eight
	VZEROUPPER
	RET

// A round of Philox with keys of each block in Z20 and Z21. Z22, Z23: what they grow by.
#define KEYED \
	VPMULUDQ   Z28, Z0, Z4; \
	VPMULUDQ   Z29, Z2, Z5; \
	VPSRLQ     $32, Z5, Z0; \
	VPTERNLOGQ $0x96, Z20, Z1, Z0; \
	VPSRLQ     $32, Z4, Z2; \
	VPTERNLOGQ $0x96, Z21, Z3, Z2; \
	VMOVDQA64  Z5, Z1; \
	VMOVDQA64  Z4, Z3; \
	VPADDQ     Z22, Z20, Z20; \
	VPADDQ     Z23, Z21, Z21

// func points8(words *Point, counts *[8]uint64, from *streams, more *uint64)
TEXT ·points8(SB), NOSPLIT, $0-32
	MOVQ words+0(FP), DI
	MOVQ counts+8(FP), SI
	MOVQ from+16(FP), R9
	MOVQ more+24(FP), R10

	MOVQ         $0xD2511F53, AX
	VPBROADCASTQ AX, Z28
	MOVQ         $0xCD9E8D57, AX
	VPBROADCASTQ AX, Z29
	MOVQ         $4294883355, AX
	VPBROADCASTQ AX, Z30
	MOVQ         $0x9E3779B9, AX
	VPBROADCASTQ AX, Z22
	MOVQ         $0xBB67AE85, AX
	VPBROADCASTQ AX, Z23
	MOVQ         $1, AX
	VPBROADCASTQ AX, Z27
	MOVQ         $0xAAAA, AX
	KMOVW        AX, K1

	VPMOVZXDQ    (R9), Z0
	VPMOVZXDQ    32(R9), Z1
	VPMOVZXDQ    64(R9), Z20
	VPMOVZXDQ    96(R9), Z21
	VPBROADCASTD 128(R9), Z2
	VPBROADCASTD 132(R9), Z3
	KEYED
	KEYED
	KEYED
	KEYED
	KEYED
	KEYED
	KEYED
	VPSLLQ    $32, Z1, Z1
	VPSLLQ    $32, Z3, Z3
	VMOVDQA32 Z1, K1, Z0
	VMOVDQA32 Z3, K1, Z2
	VMOVDQA64 Z2, Z1

	WORDS
	VPXORQ Z11, Z11, Z11 // how many
	XORQ   CX, CX        // the most

count:
	VPCMPUQ.BCST $1, (R10)(CX*8), Z6, K2 // less
	KORTESTW     K2, K2
	JZ           counted
	VPADDQ       Z27, Z11, K2, Z11
	INCQ         CX
	JMP          count

counted:
	VMOVDQU64 Z11, (SI)
	TESTQ     CX, CX
	JZ        done

point:
	WORDS
	VMOVDQU64 Z6, (DI)
	ADDQ      $64, DI
	DECQ      CX
	JNZ       point

done:
	VZEROUPPER
	RET
