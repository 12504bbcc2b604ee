#include "textflag.h"

// As in AVX-512, with vectors of four sequences: eight sequences are two of them, side by side.

DATA factors<>+0(SB)/8, $0xD2511F53
DATA factors<>+8(SB)/8, $0xCD9E8D57
GLOBL factors<>(SB), RODATA|NOPTR, $16

// 2^32 less the multiplier of a level.
DATA lacks<>+0(SB)/8, $83941
DATA lacks<>+8(SB)/8, $83941
DATA lacks<>+16(SB)/8, $83941
DATA lacks<>+24(SB)/8, $83941
GLOBL lacks<>(SB), RODATA|NOPTR, $32

DATA lows<>+0(SB)/8, $0x00000000FFFFFFFF
DATA lows<>+8(SB)/8, $0x00000000FFFFFFFF
DATA lows<>+16(SB)/8, $0x00000000FFFFFFFF
DATA lows<>+24(SB)/8, $0x00000000FFFFFFFF
GLOBL lows<>(SB), RODATA|NOPTR, $32

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

// Rounds n and n+1 of two vectors with the same keys for all sequences. Their words are in Y0 to Y3 and in Y8 to Y11 again.
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

// Two rounds with keys of each sequence, which grow by Y8 and Y9.
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

// The third round of four sequences of Eights, so many bytes after R9, and of their rows, so many bytes after R10.
#define THIRD(at, row, a, b, c, d) \
	VMOVDQU  at(R9), a; \
	VMOVDQU  at+64(R9), d; \
	VPXOR    row(R10), a, c; \
	VPMULUDQ Y13, c, b; \
	VPXOR    b, a, a; \
	VPSRLQ   $32, a, a; \
	VPXOR    row+64(R10), d, c; \
	VPSRLQ   $32, c, c

// A round with the keys so many bytes after R10.
#define ROUNDAT(at, a, b, c, d, p, q) \
	ROUND(a, b, c, d, p, q, at(R10), at+64(R10))

// The last round, which makes the first states in low and high. Words a and c are lost.
#define LAST(at, a, b, c, d, low, high) \
	VPMULUDQ Y12, a, a; \
	VPMULUDQ Y13, c, c; \
	VPXOR    at(R10), b, b; \
	VPAND    lows<>(SB), b, b; \
	VPSHUFD  $0xB1, c, c; \
	VPXOR    at+64(R10), d, d; \
	VPAND    lows<>(SB), d, d; \
	VPSHUFD  $0xB1, a, a; \
	VPXOR    d, a, high; \
	VPXOR    b, c, low

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

// The next words of four sequences. The multiplier is 2^32 less a small number, so the next state is this one with its halves changed, less that number times the
// low half; and both halves of one xor the other are the output. Y14 and Y15 are lost.
#define WORDS(low, high, words) \
	VPSHUFD  $0xB1, low, Y14; \
	VPSHUFD  $0xB1, high, Y15; \
	VPXOR    Y14, low, words; \
	VPMULUDQ lacks<>(SB), low, low; \
	VPSUBQ   low, Y14, low; \
	VPXOR    Y15, high, Y14; \
	VPMULUDQ lacks<>(SB), high, high; \
	VPSUBQ   high, Y15, high; \
	VPBLENDD $0xAA, Y14, words, words

// The levels and digits that climb needs.
#define LEVELS(levels, first, second) \
	MOVQ    levels, R8; \
	MOVQ    first, R11; \
	MOVQ    second, AX; \
	LEAQ    (R11)(R11*1), R12; \
	XORQ    R11, R12; \
	LEAQ    (AX)(AX*1), DX; \
	XORQ    AX, DX; \
	MOVQ    $12, R13; \
	CMPQ    R8, R13; \
	CMOVQLT R8, R13

// Two ladders of four sequences side by side, since the levels of one wait for each other. Of the first, Y0 and Y1 are the states, Y4 the cells that no level
// has decided and Y5 those below the first probability, Y8 and Y9 those of the second one if SI is not 0; of the other ladder Y2 and Y3, Y6 and Y7, Y10 and
// Y11. R8 has the levels, R11 and AX the digits of the probabilities, R12 and DX where they change. All other vectors are lost, and BX. A cell is decided
// where its bit is not the probability's digit, and is below if that is 1. So those below are what a run of ones has decided: the cells before it without
// those after it. Whether all are decided is asked after R13 levels, since a branch that is not foreseen costs more than levels that nothing needs.
TEXT climb<>(SB), NOSPLIT|NOFRAME, $0-0
	VPCMPEQD Y4, Y4, Y4
	VPXOR    Y5, Y5, Y5
	VPCMPEQD Y6, Y6, Y6
	VPXOR    Y7, Y7, Y7
	XORQ     BX, BX // level
	TESTQ    SI, SI
	JZ       one
	VPCMPEQD Y8, Y8, Y8
	VPXOR    Y9, Y9, Y9
	VPCMPEQD Y10, Y10, Y10
	VPXOR    Y11, Y11, Y11

two:
	WORDS(Y0, Y1, Y12)
	WORDS(Y2, Y3, Y13)
	BTQ   BX, R12
	JNC   run
	VPXOR Y4, Y5, Y5
	VPXOR Y6, Y7, Y7

run:
	BTQ    BX, R11
	JC     up
	VPANDN Y4, Y12, Y4
	VPANDN Y6, Y13, Y6
	JMP    other

up:
	VPAND Y4, Y12, Y4
	VPAND Y6, Y13, Y6

other:
	BTQ   BX, DX
	JNC   run2
	VPXOR Y8, Y9, Y9
	VPXOR Y10, Y11, Y11

run2:
	BTQ    BX, AX
	JC     up2
	VPANDN Y8, Y12, Y8
	VPANDN Y10, Y13, Y10
	JMP    decided

up2:
	VPAND Y8, Y12, Y8
	VPAND Y10, Y13, Y10

decided:
	INCQ   BX
	CMPQ   BX, R13
	JL     two
	CMPQ   BX, R8
	JGE    end
	VPOR   Y4, Y6, Y14
	VPOR   Y8, Y10, Y15
	VPOR   Y14, Y15, Y14
	VPTEST Y14, Y14
	JNZ    two

end:
	DECQ    BX
	BTQ     BX, AX
	JNC     closed2
	VPXOR   Y8, Y9, Y9
	VPXOR   Y10, Y11, Y11

closed2:
	JMP close

one:
	WORDS(Y0, Y1, Y12)
	WORDS(Y2, Y3, Y13)
	BTQ   BX, R12
	JNC   run1
	VPXOR Y4, Y5, Y5
	VPXOR Y6, Y7, Y7

run1:
	BTQ    BX, R11
	JC     up1
	VPANDN Y4, Y12, Y4
	VPANDN Y6, Y13, Y6
	JMP    decided1

up1:
	VPAND Y4, Y12, Y4
	VPAND Y6, Y13, Y6

decided1:
	INCQ   BX
	CMPQ   BX, R13
	JL     one
	CMPQ   BX, R8
	JGE    end1
	VPOR   Y4, Y6, Y14
	VPTEST Y14, Y14
	JNZ    one

end1:
	DECQ BX

close:
	BTQ     BX, R11
	JNC     closed
	VPXOR   Y4, Y5, Y5
	VPXOR   Y6, Y7, Y7

closed:
	RET

// func ladders4(dst, second *uint64, eights, levels int, from *beginning, ones, ones2 uint64)
TEXT ·ladders4(SB), NOSPLIT, $0-56
	MOVQ    dst+0(FP), DI
	MOVQ    second+8(FP), SI
	MOVQ    eights+16(FP), CX
	MOVQ    from+32(FP), R9
	LEVELS(levels+24(FP), ones+40(FP), ones2+48(FP))
	LEAQ    88(R9), R10
	XORQ    R15, R15 // how many words are made

eight:
	MULTIPLIERS
	VMOVQ        R15, X8
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
	CALL         climb<>(SB)
	VMOVDQU      Y5, (DI)
	VMOVDQU      Y7, 32(DI)
	ADDQ         $64, DI
	TESTQ        SI, SI
	JZ           next
	VMOVDQU      Y9, (SI)
	VMOVDQU      Y11, 32(SI)
	ADDQ         $64, SI

next:
	ADDQ $8, R15
	DECQ CX
	JNZ  eight
	VZEROUPPER
	RET

// func keyed4(dst, second *[32]uint64, levels int, from *[4]streams, ones, ones2 uint64)
TEXT ·keyed4(SB), NOSPLIT, $0-48
	MOVQ    dst+0(FP), DI
	MOVQ    second+8(FP), SI
	MOVQ    from+24(FP), R9
	MULTIPLIERS
	STREAMS(16)
	VMOVDQA Y0, Y6
	VMOVDQA Y1, Y7
	STREAMS(0)
	VMOVDQA Y6, Y2
	VMOVDQA Y7, Y3
	LEVELS(levels+16(FP), ones+32(FP), ones2+40(FP))
	CALL    climb<>(SB)
	VMOVDQU Y5, (DI)
	VMOVDQU Y7, 32(DI)
	TESTQ   SI, SI
	JZ      done
	VMOVDQU Y9, (SI)
	VMOVDQU Y11, 32(SI)

done:
	VZEROUPPER
	RET

// func eights4(dst, second *uint64, eights, levels int, from *begun, keys *eightKeys, ones, ones2 uint64)
TEXT ·eights4(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ second+8(FP), SI
	MOVQ eights+16(FP), CX
	MOVQ from+32(FP), R9
	MOVQ keys+40(FP), R10
	LEVELS(levels+24(FP), ones+48(FP), ones2+56(FP))

eight:
	MULTIPLIERS
	THIRD(0, 0, Y0, Y1, Y2, Y3)
	THIRD(32, 32, Y8, Y9, Y10, Y11)
	ADDQ    $128, R9
	ROUNDAT(128, Y0, Y1, Y2, Y3, Y4, Y5)
	ROUNDAT(128, Y8, Y9, Y10, Y11, Y6, Y7)
	ROUNDAT(256, Y0, Y5, Y2, Y4, Y3, Y1)
	ROUNDAT(256, Y8, Y7, Y10, Y6, Y11, Y9)
	ROUNDAT(384, Y0, Y1, Y2, Y3, Y4, Y5)
	ROUNDAT(384, Y8, Y9, Y10, Y11, Y6, Y7)
	LAST(512, Y0, Y5, Y2, Y4, Y0, Y1)
	LAST(512, Y8, Y7, Y10, Y6, Y2, Y3)
	CALL    climb<>(SB)
	VMOVDQU Y5, (DI)
	VMOVDQU Y7, 32(DI)
	ADDQ    $64, DI
	TESTQ   SI, SI
	JZ      next
	VMOVDQU Y9, (SI)
	VMOVDQU Y11, 32(SI)
	ADDQ    $64, SI

next:
	DECQ CX
	JNZ  eight
	VZEROUPPER
	RET

// func points4(words *Drop, counts *[4]uint64, from *streams, more *uint64)
TEXT ·points4(SB), NOSPLIT, $0-32
	MOVQ words+0(FP), DI
	MOVQ counts+8(FP), SI
	MOVQ from+16(FP), R9
	MOVQ more+24(FP), R10
	MULTIPLIERS
	STREAMS(0)

	WORDS(Y0, Y1, Y6)
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
	VMOVDQU Y6, (DI)
	ADDQ    $32, DI
	DECQ    CX
	JNZ     point

done:
	VZEROUPPER
	RET
