#include "textflag.h"

// The products of a group's sum of one mean and its weights in Y8 and Y9, added to a and b.
#define MEAN(sum, a, b) \
	VBROADCASTSD (sum)(DX*8), Y10; \
	VMULPD       Y8, Y10, Y11; \
	VMULPD       Y9, Y10, Y12; \
	VADDPD       Y11, a, a; \
	VADDPD       Y12, b, b

// func vectorProducts(weights *uint16, n int, sums *[4][]float64, found *[4][8]float64)
TEXT ·vectorProducts(SB), NOSPLIT, $0-32
	MOVQ weights+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ sums+16(FP), AX
	MOVQ found+24(FP), DI
	MOVQ 0(AX), R8
	MOVQ 24(AX), R9
	MOVQ 48(AX), R10
	MOVQ 72(AX), R11
	XORQ DX, DX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7

group:
	VPMOVZXWD (SI), X8
	VPMOVZXWD 8(SI), X9
	VCVTDQ2PD X8, Y8
	VCVTDQ2PD X9, Y9
	MEAN(R8, Y0, Y1)
	MEAN(R9, Y2, Y3)
	MEAN(R10, Y4, Y5)
	MEAN(R11, Y6, Y7)
	ADDQ $16, SI
	INCQ DX
	CMPQ DX, CX
	JNE  group

	VMOVUPD Y0, 0(DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	VMOVUPD Y6, 192(DI)
	VMOVUPD Y7, 224(DI)
	VZEROUPPER
	RET
