#include "textflag.h"

// Bits that a word keeps, at distances 32, 16 and 8; words at distances 4, 2 and 1 lie in one vector, and those behind keep the other bits.
DATA keep<>+0(SB)/8, $0x00000000FFFFFFFF
DATA keep<>+8(SB)/8, $0x0000FFFF0000FFFF
DATA keep<>+16(SB)/8, $0x00FF00FF00FF00FF
DATA keep<>+24(SB)/8, $0x0F0F0F0F0F0F0F0F
DATA keep<>+32(SB)/8, $0x3333333333333333
DATA keep<>+40(SB)/8, $0x5555555555555555
GLOBL keep<>(SB), RODATA|NOPTR, $48

// Of two vectors a distance apart, the upper bits of the first change places with the lower bits of the second.
#define SWAP(n, a, b) \
	VPSLLQ     n, b, Z8; \
	VPSRLQ     n, a, Z9; \
	VPTERNLOGQ $0xE4, Z10, Z8, a; \
	VPTERNLOGQ $0xD8, Z10, Z9, b

// The same within a vector: Z8 is the vector with its words changed places. K1 has the words behind.
#define WITHIN(n, a) \
	VPSLLQ     n, Z8, Z9; \
	VPSRLQ     n, Z8, K1, Z9; \
	VPTERNLOGQ $0xE4, Z10, Z9, a

#define FAR(a) \
	VSHUFI64X2 $0x4E, a, a, Z8; \
	WITHIN($4, a)

#define NEAR(a) \
	VPERMQ $0x4E, a, Z8; \
	WITHIN($2, a)

#define NEXT(a) \
	VPSHUFD $0x4E, a, Z8; \
	WITHIN($1, a)

#define ALL(change) \
	change(Z0); \
	change(Z1); \
	change(Z2); \
	change(Z3); \
	change(Z4); \
	change(Z5); \
	change(Z6); \
	change(Z7)

// The words in K1 keep what the others do not: MASK makes the vector of what each keeps.
#define MASK(at, behind) \
	MOVL         behind, AX; \
	KMOVW        AX, K1; \
	VPBROADCASTQ at, Z10; \
	VPTERNLOGQ   $0x55, Z10, Z10, K1, Z10

// func transpose8(a *[64]uint64)
TEXT ·transpose8(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI

	VMOVDQU64 (DI), Z0
	VMOVDQU64 64(DI), Z1
	VMOVDQU64 128(DI), Z2
	VMOVDQU64 192(DI), Z3
	VMOVDQU64 256(DI), Z4
	VMOVDQU64 320(DI), Z5
	VMOVDQU64 384(DI), Z6
	VMOVDQU64 448(DI), Z7

	VPBROADCASTQ keep<>+0(SB), Z10
	SWAP($32, Z0, Z4)
	SWAP($32, Z1, Z5)
	SWAP($32, Z2, Z6)
	SWAP($32, Z3, Z7)
	VPBROADCASTQ keep<>+8(SB), Z10
	SWAP($16, Z0, Z2)
	SWAP($16, Z1, Z3)
	SWAP($16, Z4, Z6)
	SWAP($16, Z5, Z7)
	VPBROADCASTQ keep<>+16(SB), Z10
	SWAP($8, Z0, Z1)
	SWAP($8, Z2, Z3)
	SWAP($8, Z4, Z5)
	SWAP($8, Z6, Z7)

	MASK(keep<>+24(SB), $0xF0)
	ALL(FAR)
	MASK(keep<>+32(SB), $0xCC)
	ALL(NEAR)
	MASK(keep<>+40(SB), $0xAA)
	ALL(NEXT)

	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, 64(DI)
	VMOVDQU64 Z2, 128(DI)
	VMOVDQU64 Z3, 192(DI)
	VMOVDQU64 Z4, 256(DI)
	VMOVDQU64 Z5, 320(DI)
	VMOVDQU64 Z6, 384(DI)
	VMOVDQU64 Z7, 448(DI)
	VZEROUPPER
	RET

// As SWAP, in AVX2; keep has the bits that the first vector keeps.
#define SWAP4(n, keep, a, b) \
	VPSRLQ $n, a, Y9; \
	VPXOR  b, Y9, Y9; \
	VPAND  keep, Y9, Y9; \
	VPXOR  Y9, b, b; \
	VPSLLQ $n, Y9, Y9; \
	VPXOR  Y9, a, a

// The same where the bits are halves of 64 or 32.
#define SWAP32(a, b) \
	VPSLLQ   $32, b, Y9; \
	VPSRLQ   $32, a, Y10; \
	VPBLENDD $0xAA, Y9, a, a; \
	VPBLENDD $0x55, Y10, b, b

#define SWAP16(a, b) \
	VPSLLD   $16, b, Y9; \
	VPSRLD   $16, a, Y10; \
	VPBLENDW $0xAA, Y9, a, a; \
	VPBLENDW $0x55, Y10, b, b

// Word i of vector j changes places with word j of vector i.
#define TURN(a, b, c, d) \
	VPUNPCKLQDQ b, a, Y4; \
	VPUNPCKHQDQ b, a, Y5; \
	VPUNPCKLQDQ d, c, Y6; \
	VPUNPCKHQDQ d, c, Y7; \
	VPERM2I128  $0x20, Y6, Y4, a; \
	VPERM2I128  $0x20, Y7, Y5, b; \
	VPERM2I128  $0x31, Y6, Y4, c; \
	VPERM2I128  $0x31, Y7, Y5, d

// Words 16 apart.
#define HALVES(i) \
	VMOVDQU (32*i)(DI), Y0; \
	VMOVDQU (32*i+128)(DI), Y1; \
	VMOVDQU (32*i+256)(DI), Y2; \
	VMOVDQU (32*i+384)(DI), Y3; \
	SWAP32(Y0, Y2); \
	SWAP32(Y1, Y3); \
	SWAP16(Y0, Y1); \
	SWAP16(Y2, Y3); \
	VMOVDQU Y0, (32*i)(DI); \
	VMOVDQU Y1, (32*i+128)(DI); \
	VMOVDQU Y2, (32*i+256)(DI); \
	VMOVDQU Y3, (32*i+384)(DI)

// Sixteen words side by side.
#define QUARTER(i) \
	VMOVDQU (128*i)(DI), Y0; \
	VMOVDQU (128*i+32)(DI), Y1; \
	VMOVDQU (128*i+64)(DI), Y2; \
	VMOVDQU (128*i+96)(DI), Y3; \
	SWAP4(8, Y11, Y0, Y2); \
	SWAP4(8, Y11, Y1, Y3); \
	SWAP4(4, Y12, Y0, Y1); \
	SWAP4(4, Y12, Y2, Y3); \
	TURN(Y0, Y1, Y2, Y3); \
	SWAP4(2, Y13, Y0, Y2); \
	SWAP4(2, Y13, Y1, Y3); \
	SWAP4(1, Y14, Y0, Y1); \
	SWAP4(1, Y14, Y2, Y3); \
	TURN(Y0, Y1, Y2, Y3); \
	VMOVDQU Y0, (128*i)(DI); \
	VMOVDQU Y1, (128*i+32)(DI); \
	VMOVDQU Y2, (128*i+64)(DI); \
	VMOVDQU Y3, (128*i+96)(DI)

// func transpose4(a *[64]uint64)
TEXT ·transpose4(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI

	HALVES(0)
	HALVES(1)
	HALVES(2)
	HALVES(3)
	VPBROADCASTQ keep<>+16(SB), Y11
	VPBROADCASTQ keep<>+24(SB), Y12
	VPBROADCASTQ keep<>+32(SB), Y13
	VPBROADCASTQ keep<>+40(SB), Y14
	QUARTER(0)
	QUARTER(1)
	QUARTER(2)
	QUARTER(3)
	VZEROUPPER
	RET

// func swap4(a *uint64, words, step, by int, mask uint64)
TEXT ·swap4(SB), NOSPLIT, $0-40
	MOVQ         a+0(FP), DI
	MOVQ         words+8(FP), CX
	MOVQ         step+16(FP), SI
	VMOVQ        by+24(FP), X14
	VPBROADCASTQ mask+32(FP), Y15
	LEAQ         (DI)(CX*8), CX // the end
	SHLQ         $3, SI

group:
	LEAQ (DI)(SI*1), DX

vector:
	VMOVDQU (DI), Y0
	VMOVDQU (DI)(SI*1), Y1
	VPSRLQ  X14, Y0, Y2
	VPXOR   Y1, Y2, Y2
	VPAND   Y15, Y2, Y2
	VPXOR   Y2, Y1, Y1
	VPSLLQ  X14, Y2, Y2
	VPXOR   Y2, Y0, Y0
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, (DI)(SI*1)
	ADDQ    $32, DI
	CMPQ    DI, DX
	JL      vector
	ADDQ    SI, DI
	CMPQ    DI, CX
	JL      group
	VZEROUPPER
	RET

// As SWAP, with what a register has: by how many places, and the bits that the first vector keeps.
#define SWAPBY(places, keep, a, b) \
	VPSLLVQ    places, b, Z8; \
	VPSRLVQ    places, a, Z9; \
	VPTERNLOGQ $0xE4, keep, Z8, a; \
	VPTERNLOGQ $0xD8, keep, Z9, b

// func swapThree8(a *uint64, words, step, by int, masks *[3]uint64)
TEXT ·swapThree8(SB), NOSPLIT, $0-40
	MOVQ         a+0(FP), DI
	MOVQ         words+8(FP), CX
	MOVQ         step+16(FP), SI
	MOVQ         masks+32(FP), AX
	VPBROADCASTQ by+24(FP), Z10
	VPADDQ       Z10, Z10, Z11
	VPADDQ       Z11, Z11, Z12
	VPBROADCASTQ (AX), Z13
	VPBROADCASTQ 8(AX), Z14
	VPBROADCASTQ 16(AX), Z15
	LEAQ         (DI)(CX*8), CX // the end
	SHLQ         $3, SI
	LEAQ         (SI)(SI*2), R8
	LEAQ         (R8)(SI*4), R10 // seven

group:
	LEAQ (DI)(SI*1), DX

vector:
	LEAQ      (DI)(SI*4), R9
	VMOVDQU64 (DI), Z0
	VMOVDQU64 (DI)(SI*1), Z1
	VMOVDQU64 (DI)(SI*2), Z2
	VMOVDQU64 (DI)(R8*1), Z3
	VMOVDQU64 (R9), Z4
	VMOVDQU64 (R9)(SI*1), Z5
	VMOVDQU64 (R9)(SI*2), Z6
	VMOVDQU64 (R9)(R8*1), Z7
	SWAPBY(Z10, Z13, Z0, Z1)
	SWAPBY(Z10, Z13, Z2, Z3)
	SWAPBY(Z10, Z13, Z4, Z5)
	SWAPBY(Z10, Z13, Z6, Z7)
	SWAPBY(Z11, Z14, Z0, Z2)
	SWAPBY(Z11, Z14, Z1, Z3)
	SWAPBY(Z11, Z14, Z4, Z6)
	SWAPBY(Z11, Z14, Z5, Z7)
	SWAPBY(Z12, Z15, Z0, Z4)
	SWAPBY(Z12, Z15, Z1, Z5)
	SWAPBY(Z12, Z15, Z2, Z6)
	SWAPBY(Z12, Z15, Z3, Z7)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, (DI)(SI*1)
	VMOVDQU64 Z2, (DI)(SI*2)
	VMOVDQU64 Z3, (DI)(R8*1)
	VMOVDQU64 Z4, (R9)
	VMOVDQU64 Z5, (R9)(SI*1)
	VMOVDQU64 Z6, (R9)(SI*2)
	VMOVDQU64 Z7, (R9)(R8*1)
	ADDQ      $64, DI
	CMPQ      DI, DX
	JL        vector
	ADDQ      R10, DI
	CMPQ      DI, CX
	JL        group
	VZEROUPPER
	RET
