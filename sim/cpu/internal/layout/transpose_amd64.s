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
