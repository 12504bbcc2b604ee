#include "go_asm.h"
#include "textflag.h"

// ROWS loads four rows of a source, R13 bytes from where its columns L and R begin.
#define ROWS(lane, L, R, Y) \
	VMOVDQU (L)(R13*1), Y8;                               \
	VMOVDQU (R)(R13*1), Y9;                               \
	VPSRLQ  (lane*source__size+source_down)(SI), Y8, Y8; \
	VPSLLQ  (lane*source__size+source_up)(SI), Y9, Y9;   \
	VPOR    Y8, Y9, Y

// func spread(dst *uint64, from *[4]source, stride, rows uintptr)
TEXT ·spread(SB), NOSPLIT, $0-32
	MOVQ from+8(FP), SI
	MOVQ stride+16(FP), R12
	SHLQ $3, R12
	MOVQ (0*source__size+source_left)(SI), AX
	MOVQ (1*source__size+source_left)(SI), BX
	MOVQ (2*source__size+source_left)(SI), CX
	MOVQ (3*source__size+source_left)(SI), DX
	MOVQ (0*source__size+source_right)(SI), R8
	MOVQ (1*source__size+source_right)(SI), R9
	MOVQ (2*source__size+source_right)(SI), R10
	MOVQ (3*source__size+source_right)(SI), R11
	XORL R13, R13
four:
	ROWS(0, AX, R8, Y0)
	ROWS(1, BX, R9, Y1)
	ROWS(2, CX, R10, Y2)
	ROWS(3, DX, R11, Y3)
	VPUNPCKLQDQ Y1, Y0, Y4
	VPUNPCKHQDQ Y1, Y0, Y5
	VPUNPCKLQDQ Y3, Y2, Y6
	VPUNPCKHQDQ Y3, Y2, Y7
	VPERM2I128  $0x20, Y6, Y4, Y0
	VPERM2I128  $0x20, Y7, Y5, Y1
	VPERM2I128  $0x31, Y6, Y4, Y2
	VPERM2I128  $0x31, Y7, Y5, Y3
	MOVQ R13, DI
	SHRQ $3, DI
	IMULQ R12, DI
	ADDQ dst+0(FP), DI
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, (DI)(R12*1)
	LEAQ    (DI)(R12*2), DI
	VMOVDQU Y2, (DI)
	VMOVDQU Y3, (DI)(R12*1)

	// The last four rows may overlap with those before.
	MOVQ rows+24(FP), DI
	LEAQ -32(DI*8), DI
	CMPQ R13, DI
	JGE  done
	ADDQ $32, R13
	CMPQ R13, DI
	JLE  four
	MOVQ DI, R13
	JMP  four
done:
	VZEROUPPER
	RET
