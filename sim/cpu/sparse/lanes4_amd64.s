#include "go_asm.h"
#include "textflag.h"

// What lanes8_amd64.s does for eight tiles, for four and AVX2. Rows of four tiles, 4 at a time, into the lanes of vectors and back. TRANSPOSE undoes itself.
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
#define ROWS(rows, Y) \
	VMOVDQU (rows*8)(BX), Y8; \
	VMOVDQU (rows*8)(CX), Y9; \
	VPSRLQ  $52, Y8, Y8;      \
	VPSLLQ  $52, Y9, Y9;      \
	VPOR    (rows*8)(AX), Y8, Y8; \
	VPOR    Y8, Y9, Y

// LANE loads 8 rows of a tile. SI points to the tiles, R8 to where their rows begin; middle, left and right are directions.
#define LANE(lane, middle, left, right, rows, U, V) \
	MOVQ (lane*8)(SI), DX;           \
	MOVQ (lane*8)(R8), R9;           \
	MOVQ (tile_near+middle*8)(DX), AX; \
	MOVQ (tile_near+left*8)(DX), BX;   \
	MOVQ (tile_near+right*8)(DX), CX;  \
	ADDQ R9, AX;                     \
	ADDQ R9, BX;                     \
	ADDQ R9, CX;                     \
	ROWS(rows, U);                   \
	ROWS((rows+4), V)

// LANES loads 8 rows of all tiles: they are in Y0 … Y7.
#define LANES(middle, left, right, rows) \
	LANE(0, middle, left, right, rows, Y0, Y4); \
	LANE(1, middle, left, right, rows, Y1, Y5); \
	LANE(2, middle, left, right, rows, Y2, Y6); \
	LANE(3, middle, left, right, rows, Y3, Y7); \
	TRANSPOSE(Y0, Y1, Y2, Y3);                  \
	TRANSPOSE(Y4, Y5, Y6, Y7)

#define STORE(row) \
	VMOVDQU Y0, (row*32)(DI);     \
	VMOVDQU Y1, ((row+1)*32)(DI); \
	VMOVDQU Y2, ((row+2)*32)(DI); \
	VMOVDQU Y3, ((row+3)*32)(DI); \
	VMOVDQU Y4, ((row+4)*32)(DI); \
	VMOVDQU Y5, ((row+5)*32)(DI); \
	VMOVDQU Y6, ((row+6)*32)(DI); \
	VMOVDQU Y7, ((row+7)*32)(DI)

// func gather4(dst *uint64, tiles *[mostLanes]*tile, now *[mostLanes]uintptr)
TEXT ·gather4(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ tiles+8(FP), SI
	MOVQ now+16(FP), R8
	LANES(1, 0, 2, 24)
	VMOVDQU Y2, (0*32)(DI)
	VMOVDQU Y3, (1*32)(DI)
	VMOVDQU Y4, (2*32)(DI)
	VMOVDQU Y5, (3*32)(DI)
	VMOVDQU Y6, (4*32)(DI)
	VMOVDQU Y7, (5*32)(DI)
	LANES(4, 3, 5, 0)
	STORE(6)
	LANES(4, 3, 5, 8)
	STORE(14)
	LANES(4, 3, 5, 16)
	STORE(22)
	LANES(4, 3, 5, 24)
	STORE(30)
	LANES(7, 6, 8, 0)
	VMOVDQU Y0, (38*32)(DI)
	VMOVDQU Y1, (39*32)(DI)
	VMOVDQU Y2, (40*32)(DI)
	VMOVDQU Y3, (41*32)(DI)
	VMOVDQU Y4, (42*32)(DI)
	VMOVDQU Y5, (43*32)(DI)
	VZEROUPPER
	RET

// ROW takes a row of all tiles, and notes where it differs from what it was.
#define ROW(row, Y, changed) \
	VPAND (row*32)(SI), Y11, Y;   \
	VPAND (row*32)(DX), Y11, Y10; \
	VPXOR Y, Y10, Y10;            \
	VPOR  Y10, changed, changed

// OTHER makes a pointer to the other side of a tile. DI points to the tiles, R8 to where their rows that are now begin.
#define OTHER(lane, R) \
	MOVQ (lane*8)(DI), R;                             \
	ADDQ $(const_firstSide+const_secondSide), R;      \
	SUBQ (lane*8)(R8), R

// SCATTER stores 4 rows of each tile.
#define SCATTER(rows) \
	TRANSPOSE(Y0, Y1, Y2, Y3);  \
	VMOVDQU Y0, (rows*8)(R10);  \
	VMOVDQU Y1, (rows*8)(R11);  \
	VMOVDQU Y2, (rows*8)(R12);  \
	VMOVDQU Y3, (rows*8)(R13)

#define FOUR(row, changed) \
	ROW(row, Y0, changed);     \
	ROW((row+1), Y1, changed); \
	ROW((row+2), Y2, changed); \
	ROW((row+3), Y3, changed); \
	SCATTER(row)

// TEST puts the lanes in which no bit of a mask is set before what AX holds.
#define TEST(Y, mask) \
	VPAND     mask, Y, Y0;  \
	VPCMPEQQ  Y3, Y0, Y0;   \
	VMOVMSKPD Y0, BX;       \
	SHLQ      $8, AX;       \
	ORQ       BX, AX

// TESTS stores what is found in the rows near the top, in between and near the bottom. Y1 and Y2 are the columns near either side, Y3 is zero.
#define TESTS(top, middle, bottom, first, last) \
	XORL  AX, AX;                 \
	TEST(bottom, Y2);             \
	XORQ  $0x0F, AX;              \
	MOVQ  AX, last(DI);           \
	VPOR  top, middle, middle;    \
	VPOR  bottom, middle, middle; \
	XORL  AX, AX;                 \
	TEST(bottom, bottom);         \
	TEST(bottom, Y1);             \
	TEST(middle, Y2);             \
	TEST(middle, middle);         \
	TEST(middle, Y1);             \
	TEST(top, Y2);                \
	TEST(top, top);               \
	TEST(top, Y1);                \
	XORQ  R9, AX;                 \
	MOVQ  AX, first(DI)

// func scatter4(tiles *[mostLanes]*tile, now *[mostLanes]uintptr, after, before *uint64, f *found)
TEXT ·scatter4(SB), NOSPLIT, $0-40
	MOVQ tiles+0(FP), DI
	MOVQ now+8(FP), R8
	MOVQ after+16(FP), SI
	MOVQ before+24(FP), DX
	OTHER(0, R10)
	OTHER(1, R11)
	OTHER(2, R12)
	OTHER(3, R13)
	MOVQ $const_tileBits, AX
	VMOVQ AX, X11
	VPBROADCASTQ X11, Y11
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	FOUR(0, Y4)
	ROW(4, Y0, Y4)
	ROW(5, Y1, Y4)
	ROW(6, Y2, Y5)
	ROW(7, Y3, Y5)
	SCATTER(4)
	FOUR(8, Y5)
	FOUR(12, Y5)
	FOUR(16, Y5)
	FOUR(20, Y5)
	ROW(24, Y0, Y5)
	ROW(25, Y1, Y5)
	ROW(26, Y2, Y6)
	ROW(27, Y3, Y6)
	SCATTER(24)
	FOUR(28, Y6)
	MOVQ $const_leftBits, AX
	VMOVQ AX, X1
	VPBROADCASTQ X1, Y1
	MOVQ $const_rightBits, AX
	VMOVQ AX, X2
	VPBROADCASTQ X2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ $0x0F0F0F0F0F0F0F0F, R9
	MOVQ f+32(FP), DI
	TESTS(Y4, Y5, Y6, found_changed, found_changedLast)
	VZEROUPPER
	RET
