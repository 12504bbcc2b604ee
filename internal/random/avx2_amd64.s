#include "textflag.h"

// As in AVX-512, with vectors of four blocks.

DATA factors<>+0(SB)/8, $0xD2511F53
DATA factors<>+8(SB)/8, $0xCD9E8D57
DATA factors<>+16(SB)/8, $4294883355
GLOBL factors<>(SB), RODATA|NOPTR, $24

// Y12, Y13: the multipliers.
#define MULTIPLIERS \
	VPBROADCASTQ factors<>+0(SB), Y12; \
	VPBROADCASTQ factors<>+8(SB), Y13

// A round of Philox with keys k and l. Only the low halves of the words a to d count. The next words are in a, q, c and p.
#define ROUND(a, b, c, d, p, q, k, l) \
	VPMULUDQ Y12, a, p; \
	VPMULUDQ Y13, c, q; \
	VPXOR    k, b, b; \
	VPSRLQ   $32, q, a; \
	VPXOR    b, a, a; \
	VPXOR    l, d, d; \
	VPSRLQ   $32, p, c; \
	VPXOR    d, c, c

// Rounds n and n+1 of two vectors with the same keys for all blocks. Their words are in Y0 to Y3 and in Y8 to Y11 again.
#define ROUNDS(n) \
	ROUNDOF(n); \
	ROUND(Y0, Y1, Y2, Y3, Y4, Y5, Y14, Y15); \
	ROUND(Y8, Y9, Y10, Y11, Y6, Y7, Y14, Y15); \
	ROUNDOF(n+1); \
	ROUND(Y0, Y5, Y2, Y4, Y3, Y1, Y14, Y15); \
	ROUND(Y8, Y7, Y10, Y6, Y11, Y9, Y14, Y15)

#define ROUNDOF(n) \
	VPBROADCASTQ (16*(n))(R10), Y14; \
	VPBROADCASTQ (16*(n)+8)(R10), Y15

// Two rounds with keys of each block, which grow by Y8 and Y9.
#define KEYED \
	ROUND(Y0, Y1, Y2, Y3, Y4, Y5, Y10, Y11); \
	VPADDQ Y8, Y10, Y10; \
	VPADDQ Y9, Y11, Y11; \
	ROUND(Y0, Y5, Y2, Y4, Y3, Y1, Y10, Y11); \
	VPADDQ Y8, Y10, Y10; \
	VPADDQ Y9, Y11, Y11

// The first states, in low and high, of words a to d.
#define BEGIN(a, b, c, d, low, high) \
	VPSLLQ   $32, b, b; \
	VPSLLQ   $32, d, d; \
	VPBLENDD $0xAA, b, a, low; \
	VPBLENDD $0xAA, d, c, high

// The next words of four blocks, whose halves are in the order that ORDER ends. Y7 is lost.
#define WORDS(low, high, words) \
	VSHUFPS  $0x88, high, low, words; \
	VSHUFPS  $0xDD, high, low, Y7; \
	VPXOR    Y7, words, words; \
	VPSRLQ   $32, low, Y7; \
	VPMULUDQ Y14, low, low; \
	VPADDQ   Y7, low, low; \
	VPSRLQ   $32, high, Y7; \
	VPMULUDQ Y14, high, high; \
	VPADDQ   Y7, high, high

// Words come as the low halves of two blocks, then their high halves: two shuffles a level, and not a shift more, since a ladder may be put in order at its end.
#define ORDER(words) \
	VPSHUFD $0xD8, words, words

// The first states, in Y0 and Y1, of four streams, the first of which has its numbers at R9 and so many bytes more.
#define STREAMS(more) \
	MOVQ         $0x9E3779B9, AX; \
	VMOVQ        AX, X8; \
	VPBROADCASTQ X8, Y8; \
	MOVQ         $0xBB67AE85, AX; \
	VMOVQ        AX, X9; \
	VPBROADCASTQ X9, Y9; \
	VPMOVZXDQ    more(R9), Y0; \
	VPMOVZXDQ    32+more(R9), Y1; \
	VPMOVZXDQ    64+more(R9), Y10; \
	VPMOVZXDQ    96+more(R9), Y11; \
	VPBROADCASTD 128(R9), Y2; \
	VPBROADCASTD 132(R9), Y3; \
	KEYED; \
	KEYED; \
	KEYED; \
	ROUND(Y0, Y1, Y2, Y3, Y4, Y5, Y10, Y11); \
	BEGIN(Y0, Y5, Y2, Y4, Y0, Y1)

// A level where the probability has a 0: cells may be certain not to be below it.
#define LEVEL(words, below, perhaps) \
	VPANDN perhaps, words, perhaps; \
	VPOR   perhaps, below, perhaps

// A level where it has a 1: cells may be certain to be.
#define LEVELUP(words, below, perhaps) \
	VPANDN perhaps, words, Y7; \
	VPOR   Y7, below, below

// Two ladders of four blocks side by side, since the levels of one wait for each other. Of the first, Y0 and Y1 are the states, Y8 the cells certainly below
// the first probability, Y9 those perhaps, Y10 and Y11 those of the second one if SI is not 0; of the other ladder Y2 and Y3, Y12 and Y13, Y4 and Y5. R8 has
// the levels, R11 and R12 the digits of the probabilities. All other vectors are lost, BX and R13. Whether all cells are decided is asked after twelve
// levels, since a branch that is not foreseen costs more than levels that nothing needs.
TEXT climb<>(SB), NOSPLIT|NOFRAME, $0-0
	VPBROADCASTQ factors<>+16(SB), Y14
	VPXOR        Y8, Y8, Y8
	VPCMPEQD     Y9, Y9, Y9
	VPXOR        Y12, Y12, Y12
	VPCMPEQD     Y13, Y13, Y13
	XORQ         BX, BX // level
	MOVQ         $12, R13
	CMPQ         R8, R13
	CMOVQLT      R8, R13
	TESTQ        SI, SI
	JZ           one
	VPXOR        Y10, Y10, Y10
	VPCMPEQD     Y11, Y11, Y11
	VPXOR        Y4, Y4, Y4
	VPCMPEQD     Y5, Y5, Y5

two:
	WORDS(Y0, Y1, Y6)
	WORDS(Y2, Y3, Y15)
	BTQ BX, R11
	JC  up
	LEVEL(Y6, Y8, Y9)
	LEVEL(Y15, Y12, Y13)
	JMP other

up:
	LEVELUP(Y6, Y8, Y9)
	LEVELUP(Y15, Y12, Y13)

other:
	BTQ BX, R12
	JC  up2
	LEVEL(Y6, Y10, Y11)
	LEVEL(Y15, Y4, Y5)
	JMP decided

up2:
	LEVELUP(Y6, Y10, Y11)
	LEVELUP(Y15, Y4, Y5)

decided:
	INCQ   BX
	CMPQ   BX, R13
	JL     two
	CMPQ   BX, R8
	JGE    end
	VPXOR  Y8, Y9, Y6
	VPXOR  Y10, Y11, Y7
	VPOR   Y7, Y6, Y6
	VPXOR  Y12, Y13, Y7
	VPOR   Y7, Y6, Y6
	VPXOR  Y4, Y5, Y7
	VPOR   Y7, Y6, Y6
	VPTEST Y6, Y6
	JNZ    two

end:
	ORDER(Y10)
	ORDER(Y4)
	JMP ordered

one:
	WORDS(Y0, Y1, Y6)
	WORDS(Y2, Y3, Y15)
	BTQ BX, R11
	JC  up1
	LEVEL(Y6, Y8, Y9)
	LEVEL(Y15, Y12, Y13)
	JMP decided1

up1:
	LEVELUP(Y6, Y8, Y9)
	LEVELUP(Y15, Y12, Y13)

decided1:
	INCQ   BX
	CMPQ   BX, R13
	JL     one
	CMPQ   BX, R8
	JGE    ordered
	VPXOR  Y8, Y9, Y6
	VPXOR  Y12, Y13, Y7
	VPOR   Y7, Y6, Y6
	VPTEST Y6, Y6
	JNZ    one

ordered:
	ORDER(Y8)
	ORDER(Y12)
	RET

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
	XORQ DX, DX            // how many words are made

eight:
	MULTIPLIERS
	VMOVQ        DX, X8
	VPBROADCASTQ X8, Y8
	VPADDQ       (R9), Y8, Y0
	VPADDQ       32(R9), Y8, Y8
	VPBROADCASTQ 64(R9), Y1
	VMOVDQA      Y1, Y9
	VPBROADCASTQ 72(R9), Y2
	VMOVDQA      Y2, Y10
	VPBROADCASTQ 80(R9), Y3
	VMOVDQA      Y3, Y11
	ROUNDS(0)
	ROUNDS(2)
	ROUNDS(4)
	ROUNDOF(6)
	ROUND(Y0, Y1, Y2, Y3, Y4, Y5, Y14, Y15)
	ROUND(Y8, Y9, Y10, Y11, Y6, Y7, Y14, Y15)
	BEGIN(Y0, Y5, Y2, Y4, Y0, Y1)
	BEGIN(Y8, Y7, Y10, Y6, Y2, Y3)
	ADDQ         $8, DX
	CALL         climb<>(SB)
	CMPQ         CX, $1
	JEQ          last
	VMOVDQU      Y8, (DI)
	VMOVDQU      Y12, 32(DI)
	ADDQ         $64, DI
	TESTQ        SI, SI
	JZ           next
	VMOVDQU      Y10, (SI)
	VMOVDQU      Y4, 32(SI)
	ADDQ         $64, SI

next:
	SUBQ $2, CX
	JNZ  eight
	JMP  done

last:
	VMOVDQU Y8, (DI)
	TESTQ   SI, SI
	JZ      done
	VMOVDQU Y10, (SI)

done:
	VZEROUPPER
	RET

// func keyed8(dst, second *[8]uint64, levels int, from *streams, ones, ones2 uint64)
TEXT ·keyed8(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ second+8(FP), SI
	MOVQ levels+16(FP), R8
	MOVQ from+24(FP), R9
	MOVQ ones+32(FP), R11
	MOVQ ones2+40(FP), R12
	MULTIPLIERS
	STREAMS(16)
	VMOVDQA Y0, Y6
	VMOVDQA Y1, Y7
	STREAMS(0)
	VMOVDQA Y6, Y2
	VMOVDQA Y7, Y3
	CALL    climb<>(SB)
	VMOVDQU Y8, (DI)
	VMOVDQU Y12, 32(DI)
	TESTQ   SI, SI
	JZ      done
	VMOVDQU Y10, (SI)
	VMOVDQU Y4, 32(SI)

done:
	VZEROUPPER
	RET

// func points4(words *Point, counts *[8]uint64, from *streams, more *uint64)
TEXT ·points4(SB), NOSPLIT, $0-32
	MOVQ words+0(FP), DI
	MOVQ counts+8(FP), SI
	MOVQ from+16(FP), R9
	MOVQ more+24(FP), R10
	MULTIPLIERS
	VPBROADCASTQ factors<>+16(SB), Y14
	STREAMS(0)

	WORDS(Y0, Y1, Y6)
	ORDER(Y6)
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
	WORDS(Y0, Y1, Y6)
	ORDER(Y6)
	VMOVDQU Y6, (DI)
	ADDQ    $32, DI
	DECQ    CX
	JNZ     point

done:
	VZEROUPPER
	RET
