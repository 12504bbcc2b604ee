#include "textflag.h"

// Of four states in Y0, the bits of those whose cells are alive, in the register bits; then the next four states. Y15, Y14: 4·increment, 2^63; Y13, Y12:
// multiply1 and its upper half; Y11, Y10: multiply2 and its upper half; Y9: the limit. A product of 64 bits is made of three products of halves. Numbers
// are compared with their signs, so the highest bits of both are changed.
#define CELLS(bits) \
	VPSRLQ    $30, Y0, Y1; \
	VPXOR     Y0, Y1, Y1; \
	TIMES(Y13, Y12); \
	VPSRLQ    $27, Y1, Y2; \
	VPXOR     Y2, Y1, Y1; \
	TIMES(Y11, Y10); \
	VPSRLQ    $31, Y1, Y2; \
	VPXOR     Y14, Y1, Y1; \
	VPXOR     Y2, Y1, Y1; \
	VPCMPGTQ  Y1, Y9, Y1; \
	VMOVMSKPD Y1, bits; \
	VPADDQ    Y15, Y0, Y0

#define TIMES(low, high) \
	VPSRLQ   $32, Y1, Y2; \
	VPMULUDQ low, Y2, Y2; \
	VPMULUDQ high, Y1, Y3; \
	VPMULUDQ low, Y1, Y1; \
	VPADDQ   Y3, Y2, Y2; \
	VPSLLQ   $32, Y2, Y2; \
	VPADDQ   Y2, Y1, Y1

#define ALL(register, vector, of) \
	MOVQ         register, of; \
	VPBROADCASTQ of, vector

DATA first<>+0(SB)/8, $0x9E3779B97F4A7C15
DATA first<>+8(SB)/8, $0x3C6EF372FE94F82A
DATA first<>+16(SB)/8, $0xDAA66D2C7DDF743F
DATA first<>+24(SB)/8, $0x78DDE6E5FD29F054
DATA first<>+32(SB)/8, $0x1715609F7C746C69
DATA first<>+40(SB)/8, $0xB54CDA58FBBEE87E
DATA first<>+48(SB)/8, $0x538454127B096493
DATA first<>+56(SB)/8, $0xF1BBCDCBFA53E0A8
GLOBL first<>(SB), RODATA|NOPTR, $64

// func words4(dst *uint64, n int, z, limit uint64)
TEXT ·words4(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ z+16(FP), AX
	ALL(AX, Y0, X0)
	VPADDQ first<>(SB), Y0, Y0
	MOVQ limit+24(FP), AX
	ALL(AX, Y9, X9)
	MOVQ $0x8000000000000000, AX
	ALL(AX, Y14, X14)
	VPXOR Y14, Y9, Y9
	MOVQ $0x78DDE6E5FD29F054, AX
	ALL(AX, Y15, X15)
	MOVQ $0xBF58476D1CE4E5B9, AX
	ALL(AX, Y13, X13)
	VPSRLQ $32, Y13, Y12
	MOVQ $0x94D049BB133111EB, AX
	ALL(AX, Y11, X11)
	VPSRLQ $32, Y11, Y10

word:
	MOVQ $8, BX

cells:
	CELLS(DX)
	CELLS(R8)
	SHLQ $4, R8
	ORQ  R8, DX
	SHLQ $56, DX
	SHRQ $8, AX
	ORQ  DX, AX
	DECQ BX
	JNZ  cells
	MOVQ AX, (DI)
	ADDQ $8, DI
	DECQ CX
	JNZ  word
	VZEROUPPER
	RET

// Of eight states in Z0, what mix leaves before its last step. Z13, Z11: multiply1, multiply2.
#define MIXED \
	VPSRLQ  $30, Z0, Z1; \
	VPXORQ  Z0, Z1, Z1; \
	VPMULLQ Z13, Z1, Z1; \
	VPSRLQ  $27, Z1, Z2; \
	VPXORQ  Z2, Z1, Z1; \
	VPMULLQ Z11, Z1, Z1

// The byte of the cells of Z1, those below the limit Z9; then the next eight states. Z15: 8·increment.
#define BYTE(at) \
	VPCMPUQ $1, Z9, Z1, K1; \
	KMOVB   K1, at(DI); \
	VPADDQ  Z15, Z0, Z0

#define CELLS8(at) \
	MIXED; \
	VPSRLQ $31, Z1, Z2; \
	VPXORQ Z2, Z1, Z1; \
	BYTE(at)

// The last step of mix does not change the highest 31 bits.
#define HIGH8(at) \
	MIXED; \
	BYTE(at)

#define WORD(cells) \
	cells(0); \
	cells(1); \
	cells(2); \
	cells(3); \
	cells(4); \
	cells(5); \
	cells(6); \
	cells(7); \
	ADDQ $8, DI

// func words8(dst *uint64, n int, z, limit uint64)
TEXT ·words8(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         n+8(FP), CX
	VPBROADCASTQ z+16(FP), Z0
	VPADDQ       first<>(SB), Z0, Z0
	MOVQ         limit+24(FP), DX
	VPBROADCASTQ DX, Z9
	MOVQ         $0xF1BBCDCBFA53E0A8, AX
	VPBROADCASTQ AX, Z15
	MOVQ         $0xBF58476D1CE4E5B9, AX
	VPBROADCASTQ AX, Z13
	MOVQ         $0x94D049BB133111EB, AX
	VPBROADCASTQ AX, Z11
	SHLQ         $31, DX // the lowest 33 bits of the limit
	JZ           high

words:
	WORD(CELLS8)
	DECQ CX
	JNZ  words
	VZEROUPPER
	RET

high:
	WORD(HIGH8)
	DECQ CX
	JNZ  high
	VZEROUPPER
	RET
