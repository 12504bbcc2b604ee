#include "textflag.h"

DATA products<>+0(SB)/8, $0xD2511F53
DATA products<>+8(SB)/8, $0xCD9E8D57
GLOBL products<>(SB), RODATA|NOPTR, $16

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

// The third round of Philox, of the vector so many bytes after R9. Y14 and Y15: what the second made of the rows.
#define THIRD(at, a, b, c, d) \
	VMOVDQU  at(R9), a; \
	VMOVDQU  at+32(R9), d; \
	VPXOR    Y14, a, c; \
	VPMULUDQ Y13, c, b; \
	VPXOR    b, a, a; \
	VPSRLQ   $32, a, a; \
	VPXOR    Y15, d, c; \
	VPSRLQ   $32, c, c

// A round with the keys so many bytes after R10. Only the low halves of the words a to d count. The next words are in a, q, c and p.
#define ROUND(at, a, b, c, d, p, q) \
	VPMULUDQ Y12, a, p; \
	VPMULUDQ Y13, c, q; \
	VPXOR    at(R10), b, b; \
	VPSRLQ   $32, q, a; \
	VPXOR    b, a, a; \
	VPXOR    at+32(R10), d, d; \
	VPSRLQ   $32, p, c; \
	VPXOR    d, c, c

// The last round, which makes the first states in low and high.
#define LAST(at, a, b, c, d, low, high) \
	VPMULUDQ Y12, a, a; \
	VPMULUDQ Y13, c, c; \
	VPXOR    at(R10), b, b; \
	VPAND    lows<>(SB), b, b; \
	VPSHUFD  $0xB1, c, c; \
	VPXOR    at+32(R10), d, d; \
	VPAND    lows<>(SB), d, d; \
	VPSHUFD  $0xB1, a, a; \
	VPXOR    b, c, low; \
	VPXOR    d, a, high

// The next words. The multiplier is 2^32 less a small number, so the next state is this one with its halves changed, less that number times the
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

// func quads4(dst, second *uint64, pairs, levels int, from *begun, keys *quadKeys, ones, changes, ones2, changes2 uint64)
//
// Two ladders of four blocks go side by side, since the levels of one wait for each other. Of the first, Y0 and Y1 are the states, Y4 the cells that no level has
// decided and Y5 those below the first probability, Y8 and Y9 those of the second one; of the other ladder Y2 and Y3, Y6 and Y7, Y10 and Y11. A cell is
// decided where its bit is not the probability's digit, and is below if that is 1. So those below are what a run of ones has decided: the cells
// before it without those after it. Whether all are decided is asked after twelve levels, since a branch that is not foreseen costs more than levels
// that nothing needs.
TEXT ·quads4(SB), NOSPLIT, $0-80
	MOVQ dst+0(FP), DI
	MOVQ second+8(FP), SI
	MOVQ pairs+16(FP), CX
	MOVQ levels+24(FP), R8
	MOVQ from+32(FP), R9
	MOVQ keys+40(FP), R10
	MOVQ ones+48(FP), R11
	MOVQ changes+56(FP), R12
	MOVQ ones2+64(FP), AX
	MOVQ changes2+72(FP), DX
	MOVQ $12, R13
	CMPQ R8, R13
	CMOVQLT R8, R13

pair:
	VPBROADCASTQ products<>+0(SB), Y12
	VPBROADCASTQ products<>+8(SB), Y13
	VMOVDQU      (R10), Y14
	VMOVDQU      32(R10), Y15
	THIRD(0, Y0, Y1, Y2, Y3)
	THIRD(64, Y8, Y9, Y10, Y11)
	ADDQ         $128, R9
	ROUND(64, Y0, Y1, Y2, Y3, Y4, Y5)
	ROUND(64, Y8, Y9, Y10, Y11, Y6, Y7)
	ROUND(128, Y0, Y5, Y2, Y4, Y3, Y1)
	ROUND(128, Y8, Y7, Y10, Y6, Y11, Y9)
	ROUND(192, Y0, Y1, Y2, Y3, Y4, Y5)
	ROUND(192, Y8, Y9, Y10, Y11, Y6, Y7)
	LAST(256, Y0, Y5, Y2, Y4, Y14, Y15)
	LAST(256, Y8, Y7, Y10, Y6, Y2, Y3)
	VMOVDQA      Y14, Y0
	VMOVDQA      Y15, Y1
	VPCMPEQD     Y4, Y4, Y4
	VPXOR        Y5, Y5, Y5
	VPCMPEQD     Y6, Y6, Y6
	VPXOR        Y7, Y7, Y7
	XORQ         BX, BX // level
	TESTQ        SI, SI
	JZ           one
	VPCMPEQD     Y8, Y8, Y8
	VPXOR        Y9, Y9, Y9
	VPCMPEQD     Y10, Y10, Y10
	VPXOR        Y11, Y11, Y11

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
	VMOVDQU Y9, (SI)
	VMOVDQU Y11, 32(SI)
	ADDQ    $64, SI
	JMP     close

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
	VMOVDQU Y5, (DI)
	VMOVDQU Y7, 32(DI)
	ADDQ    $64, DI
	DECQ    CX
	JNZ     pair
	VZEROUPPER
	RET
