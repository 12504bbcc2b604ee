#include "textflag.h"

// A round of Philox for eight blocks with the words a, b, c and d, of which only the low halves count: they are a, q, c and p then. Z28, Z29: the
// multipliers; xor: the instruction that reads key0 and key1.
#define ROUND(xor, key0, key1, a, b, c, d, p, q) \
	VPMULUDQ Z28, a, p; \
	VPMULUDQ Z29, c, q; \
	VPSRLQ   $32, q, a; \
	xor      $0x96, key0, b, a; \
	VPSRLQ   $32, p, c; \
	xor      $0x96, key1, d, c

// Round k with keys of all blocks in memory.
#define ROUNDAT(k, a, b, c, d, p, q) \
	ROUND(VPTERNLOGQ.BCST, (16*k)(R10), (16*k+8)(R10), a, b, c, d, p, q)

// The same with keys of each block in Z20 and Z21. Z22, Z23: what they grow by.
#define KEYED \
	ROUND(VPTERNLOGQ, Z20, Z21, Z0, Z1, Z2, Z3, Z4, Z5); \
	VMOVDQA64 Z5, Z1; \
	VMOVDQA64 Z4, Z3; \
	VPADDQ    Z22, Z20, Z20; \
	VPADDQ    Z23, Z21, Z21

// The first states of low halves, in a, and of high halves, in c, from words a, b, c and d.
#define BEGIN(a, b, c, d) \
	VPSLLQ    $32, b, b; \
	VPSLLQ    $32, d, d; \
	VMOVDQA32 b, K1, a; \
	VMOVDQA32 d, K1, c

// The first states of the blocks whose numbers are in a.
#define PHILOX(a, b, c, d, p, q) \
	VPBROADCASTQ 64(R9), b; \
	VPBROADCASTQ 72(R9), c; \
	VPBROADCASTQ 80(R9), d; \
	ROUNDAT(0, a, b, c, d, p, q); \
	ROUNDAT(1, a, q, c, p, d, b); \
	ROUNDAT(2, a, b, c, d, p, q); \
	ROUNDAT(3, a, q, c, p, d, b); \
	ROUNDAT(4, a, b, c, d, p, q); \
	ROUNDAT(5, a, q, c, p, d, b); \
	ROUNDAT(6, a, b, c, d, p, q); \
	BEGIN(a, q, c, p)

// The next words of eight blocks, in w. low, high: the states of low and high halves; Z30: the multiplier; K1: high halves.
#define WORDS(low, high, s, t, w) \
	VPSLLQ    $32, high, t; \
	VPSRLQ    $32, low, s; \
	VPXORQ    s, low, w; \
	VPXORD    t, high, K1, w; \
	VPSRLQ    $32, high, t; \
	VPMULUDQ  Z30, low, low; \
	VPMULUDQ  Z30, high, high; \
	VPADDQ    s, low, low; \
	VPADDQ    t, high, high

// The multipliers in Z28 to Z30, and the high halves of words in K1.
#define MULTIPLIERS \
	MOVQ         $0xD2511F53, AX; \
	VPBROADCASTQ AX, Z28; \
	MOVQ         $0xCD9E8D57, AX; \
	VPBROADCASTQ AX, Z29; \
	MOVQ         $4294883355, AX; \
	VPBROADCASTQ AX, Z30; \
	MOVQ         $0xAAAA, AX; \
	KMOVW        AX, K1

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

	MULTIPLIERS
	MOVQ         $8, AX
	VPBROADCASTQ AX, Z27
	VMOVDQU64    (R9), Z26
	VPTERNLOGQ   $0xFF, Z8, Z8, Z8 // all ones

eight:
	CMPQ      CX, $2
	JGE       pair
	VMOVDQA64 Z26, Z0
	PHILOX(Z0, Z1, Z2, Z3, Z4, Z5)

	VPXORQ    Z11, Z11, Z11 // cells certainly below the first probability
	VMOVDQA64 Z8, Z12       // and perhaps
	VPXORQ    Z13, Z13, Z13 // the second one
	VMOVDQA64 Z8, Z14
	XORQ      BX, BX        // level
	TESTQ     SI, SI
	JZ        one

two:
	WORDS(Z0, Z2, Z4, Z5, Z6)
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
	CMPQ       BX, $10         // before, some cell is undecided nearly always
	JL         two
	VPXORQ     Z11, Z12, Z7
	VPTERNLOGQ $0xF6, Z14, Z13, Z7 // a | b ^ c
	VPTESTMQ   Z7, Z7, K2
	KORTESTW   K2, K2
	JNZ        two

end:
	VMOVDQU64 Z13, (SI)
	JMP       next

one:
	WORDS(Z0, Z2, Z4, Z5, Z6)
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
	CMPQ     BX, $10
	JL       one
	VPCMPUQ  $4, Z11, Z12, K2 // not equal
	KORTESTW K2, K2
	JNZ      one

next:
	VMOVDQU64 Z11, (DI)

done:
	VZEROUPPER
	RET

	// Two vectors at a time do not wait for each other's products. The second has its states in Z16 and Z18, and what is below in Z20 to Z23.
pair:
	VMOVDQA64  Z26, Z0
	VPADDQ     Z27, Z26, Z16
	VPADDQ     Z27, Z16, Z26
	PHILOX(Z0, Z1, Z2, Z3, Z4, Z5)
	PHILOX(Z16, Z17, Z18, Z19, Z9, Z10)
	VPXORQ     Z11, Z11, Z11
	VMOVDQA64  Z8, Z12
	VPXORQ     Z20, Z20, Z20
	VMOVDQA64  Z8, Z21
	XORQ       BX, BX
	TESTQ      SI, SI
	JZ         pairone
	VPXORQ     Z13, Z13, Z13
	VMOVDQA64  Z8, Z14
	VPXORQ     Z22, Z22, Z22
	VMOVDQA64  Z8, Z23

pairtwo:
	WORDS(Z0, Z2, Z4, Z5, Z6)
	WORDS(Z16, Z18, Z9, Z10, Z15)
	BTQ        BX, R11
	JC         pairup
	VPTERNLOGQ $0xDC, Z6, Z11, Z12
	VPTERNLOGQ $0xDC, Z15, Z20, Z21
	JMP        pairother

pairup:
	VPTERNLOGQ $0xF4, Z6, Z12, Z11
	VPTERNLOGQ $0xF4, Z15, Z21, Z20

pairother:
	BTQ        BX, R12
	JC         pairup2
	VPTERNLOGQ $0xDC, Z6, Z13, Z14
	VPTERNLOGQ $0xDC, Z15, Z22, Z23
	JMP        pairdecided

pairup2:
	VPTERNLOGQ $0xF4, Z6, Z14, Z13
	VPTERNLOGQ $0xF4, Z15, Z23, Z22

pairdecided:
	INCQ       BX
	CMPQ       BX, R8
	JGE        pairend
	CMPQ       BX, $12
	JL         pairtwo
	VPXORQ     Z11, Z12, Z7
	VPTERNLOGQ $0xF6, Z14, Z13, Z7
	VPTERNLOGQ $0xF6, Z21, Z20, Z7
	VPTERNLOGQ $0xF6, Z23, Z22, Z7
	VPTESTMQ   Z7, Z7, K2
	KORTESTW   K2, K2
	JNZ        pairtwo

pairend:
	VMOVDQU64 Z13, (SI)
	VMOVDQU64 Z22, 64(SI)
	ADDQ      $128, SI
	JMP       pairnext

pairone:
	WORDS(Z0, Z2, Z4, Z5, Z6)
	WORDS(Z16, Z18, Z9, Z10, Z15)
	BTQ        BX, R11
	JC         pairup1
	VPTERNLOGQ $0xDC, Z6, Z11, Z12
	VPTERNLOGQ $0xDC, Z15, Z20, Z21
	JMP        pairdecided1

pairup1:
	VPTERNLOGQ $0xF4, Z6, Z12, Z11
	VPTERNLOGQ $0xF4, Z15, Z21, Z20

pairdecided1:
	INCQ       BX
	CMPQ       BX, R8
	JGE        pairnext
	CMPQ       BX, $12
	JL         pairone
	VPXORQ     Z11, Z12, Z7
	VPTERNLOGQ $0xF6, Z21, Z20, Z7
	VPTESTMQ   Z7, Z7, K2
	KORTESTW   K2, K2
	JNZ        pairone

pairnext:
	VMOVDQU64 Z11, (DI)
	VMOVDQU64 Z20, 64(DI)
	ADDQ      $128, DI
	SUBQ      $2, CX
	JNZ       eight
	JMP       done

// func points8(words *Point, counts *[8]uint64, from *streams, more *uint64)
TEXT ·points8(SB), NOSPLIT, $0-32
	MOVQ words+0(FP), DI
	MOVQ counts+8(FP), SI
	MOVQ from+16(FP), R9
	MOVQ more+24(FP), R10

	MULTIPLIERS
	MOVQ         $0x9E3779B9, AX
	VPBROADCASTQ AX, Z22
	MOVQ         $0xBB67AE85, AX
	VPBROADCASTQ AX, Z23
	MOVQ         $1, AX
	VPBROADCASTQ AX, Z27

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
	BEGIN(Z0, Z1, Z2, Z3)

	WORDS(Z0, Z2, Z4, Z5, Z6)
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
	WORDS(Z0, Z2, Z4, Z5, Z6)
	VMOVDQU64 Z6, (DI)
	ADDQ      $64, DI
	DECQ      CX
	JNZ       point

done:
	VZEROUPPER
	RET
