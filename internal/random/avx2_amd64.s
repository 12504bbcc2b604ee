#include "textflag.h"

// As in AVX-512, with vectors of four blocks. Y12, Y13: the multipliers; Y14: that of the levels.

// A round of Philox. Only the low halves of the words Y0 to Y3 count; Y10, Y11: the round's keys.
#define ROUND \
	VPMULUDQ Y12, Y0, Y4; \
	VPMULUDQ Y13, Y2, Y5; \
	VPSRLQ   $32, Y5, Y0; \
	VPXOR    Y10, Y1, Y1; \
	VPXOR    Y1, Y0, Y0; \
	VPSRLQ   $32, Y4, Y2; \
	VPXOR    Y11, Y3, Y3; \
	VPXOR    Y3, Y2, Y2; \
	VMOVDQA  Y5, Y1; \
	VMOVDQA  Y4, Y3

// The same with keys of all blocks in memory.
#define ROUNDAT(k) \
	VPBROADCASTQ (16*k)(R10), Y10; \
	VPBROADCASTQ (16*k+8)(R10), Y11; \
	ROUND

// The same with keys of each block, which grow by Y8 and Y9.
#define KEYED \
	ROUND; \
	VPADDQ Y8, Y10, Y10; \
	VPADDQ Y9, Y11, Y11

// The first states, in Y0 and Y1, of words from Y0 to Y3.
#define BEGIN \
	VPSLLQ   $32, Y1, Y1; \
	VPSLLQ   $32, Y3, Y3; \
	VPBLENDD $0xAA, Y1, Y0, Y0; \
	VPBLENDD $0xAA, Y3, Y2, Y1

// The next words of four blocks, in Y6.
#define WORDS \
	VPSRLQ   $32, Y0, Y4; \
	VPSRLQ   $32, Y1, Y5; \
	VPSLLQ   $32, Y1, Y7; \
	VPXOR    Y4, Y0, Y6; \
	VPXOR    Y7, Y1, Y7; \
	VPBLENDD $0xAA, Y7, Y6, Y6; \
	VPMULUDQ Y14, Y0, Y0; \
	VPMULUDQ Y14, Y1, Y1; \
	VPADDQ   Y4, Y0, Y0; \
	VPADDQ   Y5, Y1, Y1

#define MULTIPLIERS \
	MOVQ         $0xD2511F53, AX; \
	VMOVQ        AX, X12; \
	VPBROADCASTQ X12, Y12; \
	MOVQ         $0xCD9E8D57, AX; \
	VMOVQ        AX, X13; \
	VPBROADCASTQ X13, Y13; \
	MOVQ         $4294883355, AX; \
	VMOVQ        AX, X14; \
	VPBROADCASTQ X14, Y14

// The first states, in Y0 and Y1, of four streams at R9.
#define STREAMS \
	MOVQ         $0x9E3779B9, AX; \
	VMOVQ        AX, X8; \
	VPBROADCASTQ X8, Y8; \
	MOVQ         $0xBB67AE85, AX; \
	VMOVQ        AX, X9; \
	VPBROADCASTQ X9, Y9; \
	VPMOVZXDQ    (R9), Y0; \
	VPMOVZXDQ    32(R9), Y1; \
	VPMOVZXDQ    64(R9), Y10; \
	VPMOVZXDQ    96(R9), Y11; \
	VPBROADCASTD 128(R9), Y2; \
	VPBROADCASTD 132(R9), Y3; \
	KEYED; \
	KEYED; \
	KEYED; \
	KEYED; \
	KEYED; \
	KEYED; \
	KEYED; \
	BEGIN

// Y8: cells certainly below the first probability, Y9: and perhaps. Y10, Y11: the second one.
#define LEVEL(below, perhaps, bits, up, after) \
	BTQ     BX, bits; \
	JC      up; \
	VPANDN  perhaps, Y6, perhaps; \
	VPOR    perhaps, below, perhaps; \
	JMP     after

#define LEVELUP(below, perhaps) \
	VPANDN perhaps, Y6, Y7; \
	VPOR   Y7, below, below

// func ladders4(dst, second *uint64, vectors, levels int, from *beginning, ones, ones2 uint64)
TEXT ·ladders4(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ second+8(FP), SI
	MOVQ vectors+16(FP), CX
	MOVQ levels+24(FP), R8
	MOVQ from+32(FP), R9
	MOVQ ones+40(FP), R11
	MOVQ ones2+48(FP), R12
	LEAQ 88(R9), R10
	MULTIPLIERS
	VMOVDQU (R9), Y15 // numbers

four:
	VMOVDQA      Y15, Y0
	VPBROADCASTQ 64(R9), Y1
	VPBROADCASTQ 72(R9), Y2
	VPBROADCASTQ 80(R9), Y3
	ROUNDAT(0)
	ROUNDAT(1)
	ROUNDAT(2)
	ROUNDAT(3)
	ROUNDAT(4)
	ROUNDAT(5)
	ROUNDAT(6)
	BEGIN
	MOVQ         $4, AX
	VMOVQ        AX, X2
	VPBROADCASTQ X2, Y2
	VPADDQ       Y2, Y15, Y15

	VPXOR    Y8, Y8, Y8
	VPCMPEQD Y9, Y9, Y9
	VPXOR    Y10, Y10, Y10
	VPCMPEQD Y11, Y11, Y11
	XORQ     BX, BX        // level
	TESTQ    SI, SI
	JZ       one

two:
	WORDS
	LEVEL(Y8, Y9, R11, up, other)

up:
	LEVELUP(Y8, Y9)

other:
	LEVEL(Y10, Y11, R12, up2, decided)

up2:
	LEVELUP(Y10, Y11)

decided:
	INCQ    BX
	CMPQ    BX, R8
	JGE     end
	CMPQ    BX, $8     // before, some cell is undecided nearly always
	JL      two
	VPXOR   Y8, Y9, Y2
	VPXOR   Y10, Y11, Y3
	VPOR    Y2, Y3, Y2
	VPTEST  Y2, Y2
	JNZ     two

end:
	VMOVDQU Y10, (SI)
	ADDQ    $32, SI
	JMP     next

one:
	WORDS
	LEVEL(Y8, Y9, R11, up1, decided1)

up1:
	LEVELUP(Y8, Y9)

decided1:
	INCQ   BX
	CMPQ   BX, R8
	JGE    next
	CMPQ   BX, $8
	JL     one
	VPXOR  Y8, Y9, Y2
	VPTEST Y2, Y2
	JNZ    one

next:
	VMOVDQU Y8, (DI)
	ADDQ    $32, DI
	DECQ    CX
	JNZ     four
	VZEROUPPER
	RET

// func keyed4(dst, second *uint64, levels int, from *streams, ones, ones2 uint64)
TEXT ·keyed4(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ second+8(FP), SI
	MOVQ levels+16(FP), R8
	MOVQ from+24(FP), R9
	MOVQ ones+32(FP), R11
	MOVQ ones2+40(FP), R12
	MULTIPLIERS
	STREAMS

	VPXOR    Y8, Y8, Y8
	VPCMPEQD Y9, Y9, Y9
	VPXOR    Y10, Y10, Y10
	VPCMPEQD Y11, Y11, Y11
	XORQ     BX, BX        // level
	TESTQ    SI, SI
	JZ       keyedone

keyedtwo:
	WORDS
	LEVEL(Y8, Y9, R11, keyedup, keyedother)

keyedup:
	LEVELUP(Y8, Y9)

keyedother:
	LEVEL(Y10, Y11, R12, keyedup2, keyeddecided)

keyedup2:
	LEVELUP(Y10, Y11)

keyeddecided:
	INCQ    BX
	CMPQ    BX, R8
	JGE     keyedend
	CMPQ    BX, $8
	JL      keyedtwo
	VPXOR   Y8, Y9, Y2
	VPXOR   Y10, Y11, Y3
	VPOR    Y2, Y3, Y2
	VPTEST  Y2, Y2
	JNZ     keyedtwo

keyedend:
	VMOVDQU Y10, (SI)
	JMP     keyednext

keyedone:
	WORDS
	LEVEL(Y8, Y9, R11, keyedup1, keyeddecided1)

keyedup1:
	LEVELUP(Y8, Y9)

keyeddecided1:
	INCQ   BX
	CMPQ   BX, R8
	JGE    keyednext
	CMPQ   BX, $8
	JL     keyedone
	VPXOR  Y8, Y9, Y2
	VPTEST Y2, Y2
	JNZ    keyedone

keyednext:
	VMOVDQU Y8, (DI)
	VZEROUPPER
	RET

// func points4(words *Point, counts *[8]uint64, from *streams, more *uint64)
TEXT ·points4(SB), NOSPLIT, $0-32
	MOVQ words+0(FP), DI
	MOVQ counts+8(FP), SI
	MOVQ from+16(FP), R9
	MOVQ more+24(FP), R10
	MULTIPLIERS
	STREAMS

	WORDS
	VPXOR    Y11, Y11, Y11 // how many
	XORQ     CX, CX        // the most
	VPCMPEQD Y8, Y8, Y8    // -1
	VPSLLQ   $63, Y8, Y9   // comparisons know signed numbers only
	VPXOR    Y9, Y6, Y6

count:
	VPBROADCASTQ (R10)(CX*8), Y2
	VPXOR        Y9, Y2, Y2
	VPCMPGTQ     Y6, Y2, Y2 // -1 where less
	VPTEST       Y2, Y2
	JZ           counted
	VPSUBQ       Y2, Y11, Y11
	INCQ         CX
	JMP          count

counted:
	VMOVDQU Y11, (SI)
	TESTQ   CX, CX
	JZ      done

point:
	WORDS
	VMOVDQU Y6, (DI)
	ADDQ    $32, DI
	DECQ    CX
	JNZ     point

done:
	VZEROUPPER
	RET
