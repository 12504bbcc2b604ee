#include "go_asm.h"
#include "textflag.h"

// Four rows of four tiles into the lanes of vectors, or back.
#define TRANSPOSE(A, B, C, D) \
	VPUNPCKLQDQ B, A, Y12;         \
	VPUNPCKHQDQ B, A, Y13;         \
	VPUNPCKLQDQ D, C, Y14;         \
	VPUNPCKHQDQ D, C, Y15;         \
	VPERM2I128  $0x20, Y14, Y12, A; \
	VPERM2I128  $0x20, Y15, Y13, B; \
	VPERM2I128  $0x31, Y14, Y12, C; \
	VPERM2I128  $0x31, Y15, Y13, D

// ROWS loads 4 rows of the tile AX, with six columns of the tiles BX and CX left and right of it.
#define ROWS(at, Y) \
	VMOVDQU at(BX)(R9*1), Y8; \
	VMOVDQU at(CX)(R9*1), Y9; \
	VPSRLQ  $52, Y8, Y8;      \
	VPSLLQ  $52, Y9, Y9;      \
	VPOR    at(AX)(R9*1), Y8, Y8; \
	VPOR    Y8, Y9, Y

// BLOCK loads a block of a lane. DX points to the tile and, with near, to a row of the tiles around it. R9 is where the block is.
#define BLOCK(near, U, V) \
	MOVQ (tile_near+near)(DX), BX;    \
	MOVQ (tile_near+near+8)(DX), AX;  \
	MOVQ (tile_near+near+16)(DX), CX; \
	ROWS(0, U);                       \
	ROWS(32, V)

// INNER loads a block of the tile itself: R10 is added to where the first one is.
#define INNER(lane, U, V) \
	MOVQ (group_tiles+lane*8)(SI), DX; \
	MOVQ (group_from+lane*8)(SI), R9;  \
	MOVQ place_rows(R9), R9;           \
	ADDQ R10, R9;                      \
	BLOCK(const_nearBytes, U, V)

// OUTER loads a block that may be in a tile above or below.
#define OUTER(lane, place, row, at, U, V) \
	MOVQ (group_tiles+lane*8)(SI), DX; \
	MOVQ (place+lane*8)(SI), R9;       \
	ADDQ row(R9), DX;                  \
	MOVQ at(R9), R9;                   \
	BLOCK(0, U, V)

#define OUTERS(place, row, at) \
	OUTER(0, place, row, at, Y0, Y4);  \
	OUTER(1, place, row, at, Y1, Y5);  \
	OUTER(2, place, row, at, Y2, Y6);  \
	OUTER(3, place, row, at, Y3, Y7);  \
	TRANSPOSE(Y0, Y1, Y2, Y3);         \
	TRANSPOSE(Y4, Y5, Y6, Y7)

// STORE stores four rows of lanes, R8 bytes apart; R11 is three times that.
#define STORE(A, B, C, D) \
	VMOVDQU A, (DI);        \
	VMOVDQU B, (DI)(R8*1);  \
	VMOVDQU C, (DI)(R8*2);  \
	VMOVDQU D, (DI)(R11*1); \
	LEAQ    (DI)(R8*4), DI

// func gather(dst *uint64, parts *group, lane, stride, blocks uintptr)
TEXT ·gather(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ parts+8(FP), SI
	MOVQ lane+16(FP), AX
	MOVQ stride+24(FP), R8
	MOVQ blocks+32(FP), R12
	LEAQ (SI)(AX*8), SI
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R11
	OUTERS(group_from, place_rowAbove, place_above)
	STORE(Y2, Y3, Y4, Y5)
	VMOVDQU Y6, (DI)
	VMOVDQU Y7, (DI)(R8*1)
	LEAQ (DI)(R8*2), DI
	XORL R10, R10
block:
	INNER(0, Y0, Y4)
	INNER(1, Y1, Y5)
	INNER(2, Y2, Y6)
	INNER(3, Y3, Y7)
	TRANSPOSE(Y0, Y1, Y2, Y3)
	TRANSPOSE(Y4, Y5, Y6, Y7)
	STORE(Y0, Y1, Y2, Y3)
	STORE(Y4, Y5, Y6, Y7)
	ADDQ $const_blockBytes, R10
	DECQ R12
	JNZ  block
	OUTERS(group_to, place_rowBelow, place_below)
	STORE(Y0, Y1, Y2, Y3)
	VMOVDQU Y4, (DI)
	VMOVDQU Y5, (DI)(R8*1)
	VZEROUPPER
	RET

// FOUR takes four rows and stores them in the tiles, whose next rows R10 to R13 point to. Y12 and Y13 get where the first two and the last two differ from what
// they were, for the code in note.
#define FOUR(at, note) \
	VPAND   (SI), Y11, Y0;        \
	VPAND   (SI)(R8*1), Y11, Y1;  \
	VPAND   (SI)(R8*2), Y11, Y2;  \
	VPAND   (SI)(R9*1), Y11, Y3;  \
	VPAND   (DX), Y11, Y12;       \
	VPAND   (DX)(R8*1), Y11, Y13; \
	VPAND   (DX)(R8*2), Y11, Y14; \
	VPAND   (DX)(R9*1), Y11, Y15; \
	VPXOR   Y0, Y12, Y12;         \
	VPXOR   Y1, Y13, Y13;         \
	VPXOR   Y2, Y14, Y14;         \
	VPXOR   Y3, Y15, Y15;         \
	VPOR    Y12, Y13, Y12;        \
	VPOR    Y14, Y15, Y13;        \
	note;                         \
	LEAQ    (SI)(R8*4), SI;       \
	LEAQ    (DX)(R8*4), DX;       \
	TRANSPOSE(Y0, Y1, Y2, Y3);    \
	VMOVDQU Y0, at(R10);          \
	VMOVDQU Y1, at(R11);          \
	VMOVDQU Y2, at(R12);          \
	VMOVDQU Y3, at(R13)

// UPPER and LOWER note changes in the upper and lower four rows of a block. In the end Y4 has those within reach of the block above, in all but the last two rows,
// and Y10 those within reach of the block below, in all but the first two.
#define UPPER \
	VPOR    Y12, Y13, Y4; \
	VMOVDQA Y13, Y10

#define LOWER \
	VPOR Y12, Y4, Y4;   \
	VPOR Y12, Y10, Y10; \
	VPOR Y13, Y10, Y10

// NEXT makes a pointer to where the next rows of a lane go.
#define NEXT(lane, R) \
	MOVQ (group_from+lane*8)(DI), AX; \
	MOVQ (group_tiles+lane*8)(DI), R; \
	ADDQ place_next(AX), R

// REACH adds the blocks that are reached from changes within reach of the block above, up, and of that below, down: these blocks and the block itself, whose bit is
// Y9. Y2 is zero, Y3 and Y1 are the bits of the blocks above and below.
#define REACH(up, down, found) \
	VPCMPEQQ Y2, up, Y12;    \
	VPCMPEQQ Y2, down, Y13;  \
	VPAND    Y12, Y13, Y14;  \
	VPANDN   Y3, Y12, Y12;   \
	VPANDN   Y1, Y13, Y13;   \
	VPANDN   Y9, Y14, Y14;   \
	VPOR     Y12, Y13, Y13;  \
	VPOR     Y14, found, found; \
	VPOR     Y13, found, found

// func scatter(parts *group, lane uintptr, after, before *uint64, stride, blocks uintptr)
TEXT ·scatter(SB), NOSPLIT, $0-48
	MOVQ parts+0(FP), DI
	MOVQ lane+8(FP), AX
	MOVQ after+16(FP), SI
	MOVQ before+24(FP), DX
	MOVQ stride+32(FP), R8
	MOVQ blocks+40(FP), CX
	LEAQ (DI)(AX*8), DI
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	NEXT(0, R10)
	NEXT(1, R11)
	NEXT(2, R12)
	NEXT(3, R13)
	MOVQ $const_tileBits, AX
	VMOVQ AX, X11
	VPBROADCASTQ X11, Y11
	MOVQ $const_leftBits, AX
	VMOVQ AX, X8
	VPBROADCASTQ X8, Y8
	MOVQ (group_from+0*8)(DI), AX
	MOVQ (group_from+1*8)(DI), BX
	VMOVQ place_bit(AX), X9
	VPINSRQ $1, place_bit(BX), X9, X9
	MOVQ (group_from+2*8)(DI), AX
	MOVQ (group_from+3*8)(DI), BX
	VMOVQ place_bit(AX), X10
	VPINSRQ $1, place_bit(BX), X10, X10
	VINSERTI128 $1, X10, Y9, Y9
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
block:
	FOUR(0, UPPER)
	FOUR(32, LOWER)
	ADDQ $const_blockBytes, R10
	ADDQ $const_blockBytes, R11
	ADDQ $const_blockBytes, R12
	ADDQ $const_blockBytes, R13
	VPXOR  Y2, Y2, Y2
	VPSRLQ $1, Y9, Y3
	VPADDQ Y9, Y9, Y1
	REACH(Y4, Y10, Y5)
	VPAND  Y8, Y4, Y0
	VPAND  Y8, Y10, Y15
	REACH(Y0, Y15, Y6)
	VPSRLQ $(const_tileWidth-const_reach), Y4, Y0
	VPSRLQ $(const_tileWidth-const_reach), Y10, Y15
	VPAND  Y8, Y0, Y0
	VPAND  Y8, Y15, Y15
	REACH(Y0, Y15, Y7)
	VMOVDQA Y1, Y9
	DECQ CX
	JNZ  block
	VMOVDQU Y5, group_middle(DI)
	VMOVDQU Y6, group_left(DI)
	VMOVDQU Y7, group_right(DI)
	VZEROUPPER
	RET
