#include "go_asm.h"
#include "textflag.h"

// Rows of eight tiles, 8 at a time, into the lanes of vectors and back. Z0 … Z7 hold 8 rows of a tile each before a transposition, and
// Z16 … Z23 a row of all eight tiles each after it, or the other way round: it undoes itself.
#define TRANSPOSE \
	VPUNPCKLQDQ Z1, Z0, Z8;         \
	VPUNPCKHQDQ Z1, Z0, Z9;         \
	VPUNPCKLQDQ Z3, Z2, Z10;        \
	VPUNPCKHQDQ Z3, Z2, Z11;        \
	VPUNPCKLQDQ Z5, Z4, Z12;        \
	VPUNPCKHQDQ Z5, Z4, Z13;        \
	VPUNPCKLQDQ Z7, Z6, Z14;        \
	VPUNPCKHQDQ Z7, Z6, Z15;        \
	VSHUFI64X2  $0x88, Z10, Z8, Z0; \
	VSHUFI64X2  $0xDD, Z10, Z8, Z1; \
	VSHUFI64X2  $0x88, Z14, Z12, Z2; \
	VSHUFI64X2  $0xDD, Z14, Z12, Z3; \
	VSHUFI64X2  $0x88, Z11, Z9, Z4; \
	VSHUFI64X2  $0xDD, Z11, Z9, Z5; \
	VSHUFI64X2  $0x88, Z15, Z13, Z6; \
	VSHUFI64X2  $0xDD, Z15, Z13, Z7; \
	VSHUFI64X2  $0x88, Z2, Z0, Z16; \
	VSHUFI64X2  $0x88, Z6, Z4, Z17; \
	VSHUFI64X2  $0x88, Z3, Z1, Z18; \
	VSHUFI64X2  $0x88, Z7, Z5, Z19; \
	VSHUFI64X2  $0xDD, Z2, Z0, Z20; \
	VSHUFI64X2  $0xDD, Z6, Z4, Z21; \
	VSHUFI64X2  $0xDD, Z3, Z1, Z22; \
	VSHUFI64X2  $0xDD, Z7, Z5, Z23

// LANE loads 8 rows of a tile, with six columns of those left and right of it. SI points to the tiles, R8 to where their rows begin; middle,
// left and right are directions.
#define LANE(lane, middle, left, right, rows, Z) \
	MOVQ       (lane*8)(SI), DX;                 \
	MOVQ       (lane*8)(R8), R9;                 \
	MOVQ       (tile_near+middle*8)(DX), AX;     \
	MOVQ       (tile_near+left*8)(DX), BX;       \
	MOVQ       (tile_near+right*8)(DX), CX;      \
	VMOVDQU64  (rows*8)(AX)(R9*1), Z;            \
	VPSRLQ     $52, (rows*8)(BX)(R9*1), Z8;      \
	VPSLLQ     $52, (rows*8)(CX)(R9*1), Z9;      \
	VPTERNLOGQ $0xFE, Z8, Z9, Z

#define LANES(middle, left, right, rows) \
	LANE(0, middle, left, right, rows, Z0); \
	LANE(1, middle, left, right, rows, Z1); \
	LANE(2, middle, left, right, rows, Z2); \
	LANE(3, middle, left, right, rows, Z3); \
	LANE(4, middle, left, right, rows, Z4); \
	LANE(5, middle, left, right, rows, Z5); \
	LANE(6, middle, left, right, rows, Z6); \
	LANE(7, middle, left, right, rows, Z7); \
	TRANSPOSE

#define STORE(row) \
	VMOVDQU64 Z16, (row*64)(DI);      \
	VMOVDQU64 Z17, ((row+1)*64)(DI);  \
	VMOVDQU64 Z18, ((row+2)*64)(DI);  \
	VMOVDQU64 Z19, ((row+3)*64)(DI);  \
	VMOVDQU64 Z20, ((row+4)*64)(DI);  \
	VMOVDQU64 Z21, ((row+5)*64)(DI);  \
	VMOVDQU64 Z22, ((row+6)*64)(DI);  \
	VMOVDQU64 Z23, ((row+7)*64)(DI)

// func gather8(dst *uint64, tiles *[mostLanes]*tile, now *[mostLanes]uintptr)
TEXT ·gather8(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ tiles+8(FP), SI
	MOVQ now+16(FP), R8
	LANES(1, 0, 2, 24)
	VMOVDQU64 Z18, (0*64)(DI)
	VMOVDQU64 Z19, (1*64)(DI)
	VMOVDQU64 Z20, (2*64)(DI)
	VMOVDQU64 Z21, (3*64)(DI)
	VMOVDQU64 Z22, (4*64)(DI)
	VMOVDQU64 Z23, (5*64)(DI)
	LANES(4, 3, 5, 0)
	STORE(6)
	LANES(4, 3, 5, 8)
	STORE(14)
	LANES(4, 3, 5, 16)
	STORE(22)
	LANES(4, 3, 5, 24)
	STORE(30)
	LANES(7, 6, 8, 0)
	VMOVDQU64 Z16, (38*64)(DI)
	VMOVDQU64 Z17, (39*64)(DI)
	VMOVDQU64 Z18, (40*64)(DI)
	VMOVDQU64 Z19, (41*64)(DI)
	VMOVDQU64 Z20, (42*64)(DI)
	VMOVDQU64 Z21, (43*64)(DI)
	VZEROUPPER
	RET

// ROW takes a row of all tiles, and notes where it differs from what it was.
#define ROW(row, Z, changed) \
	VPANDQ     (row*64)(SI), Z31, Z;  \
	VMOVDQU64  (row*64)(DX), Z8;      \
	VPTERNLOGQ $0x28, Z31, Z, Z8;     \
	VPORQ      Z8, changed, changed

// TAKE stores 8 rows of a tile. DI points to the tiles, R8 to where their rows that are now begin: these go to the other side.
#define TAKE(lane, rows, Z) \
	MOVQ      (lane*8)(DI), CX;                        \
	MOVQ      $(const_firstSide+const_secondSide), R9; \
	SUBQ      (lane*8)(R8), R9;                        \
	VMOVDQU64 Z, (rows*8)(CX)(R9*1)

#define SCATTER(rows) \
	TRANSPOSE;          \
	TAKE(0, rows, Z16); \
	TAKE(1, rows, Z17); \
	TAKE(2, rows, Z18); \
	TAKE(3, rows, Z19); \
	TAKE(4, rows, Z20); \
	TAKE(5, rows, Z21); \
	TAKE(6, rows, Z22); \
	TAKE(7, rows, Z23)

#define MIDDLE(row) \
	ROW(row, Z0, Z25);     \
	ROW((row+1), Z1, Z25); \
	ROW((row+2), Z2, Z25); \
	ROW((row+3), Z3, Z25); \
	ROW((row+4), Z4, Z25); \
	ROW((row+5), Z5, Z25); \
	ROW((row+6), Z6, Z25); \
	ROW((row+7), Z7, Z25); \
	SCATTER(row)

// TEST puts the lanes in which bits of a mask are set before what AX holds.
#define TEST(Z, mask) \
	VPTESTMQ mask, Z, K1; \
	KMOVW    K1, BX;      \
	SHLQ     $8, AX;      \
	ORQ      BX, AX

// TESTS stores what is found in the rows near the top, in between and near the bottom.
#define TESTS(top, middle, bottom, first, last) \
	VPTESTMQ Z31, bottom, K1;     \
	KMOVW    K1, BX;              \
	MOVQ     BX, last(DI);        \
	VPORQ    top, middle, middle; \
	VPORQ    bottom, middle, middle; \
	XORL     AX, AX;              \
	TEST(bottom, bottom);         \
	TEST(bottom, Z30);            \
	TEST(middle, Z31);            \
	TEST(middle, middle);         \
	TEST(middle, Z30);            \
	TEST(top, Z31);               \
	TEST(top, top);               \
	TEST(top, Z30);               \
	MOVQ     AX, first(DI)

// func scatter8(tiles *[mostLanes]*tile, now *[mostLanes]uintptr, after, before *uint64, f *found)
TEXT ·scatter8(SB), NOSPLIT, $0-40
	MOVQ tiles+0(FP), DI
	MOVQ now+8(FP), R8
	MOVQ after+16(FP), SI
	MOVQ before+24(FP), DX
	MOVQ $const_tileBits, AX
	VPBROADCASTQ AX, Z31
	VPXORQ Z24, Z24, Z24
	VPXORQ Z25, Z25, Z25
	VPXORQ Z26, Z26, Z26
	ROW(0, Z0, Z24)
	ROW(1, Z1, Z24)
	ROW(2, Z2, Z24)
	ROW(3, Z3, Z24)
	ROW(4, Z4, Z24)
	ROW(5, Z5, Z24)
	ROW(6, Z6, Z25)
	ROW(7, Z7, Z25)
	SCATTER(0)
	MIDDLE(8)
	MIDDLE(16)
	ROW(24, Z0, Z25)
	ROW(25, Z1, Z25)
	ROW(26, Z2, Z26)
	ROW(27, Z3, Z26)
	ROW(28, Z4, Z26)
	ROW(29, Z5, Z26)
	ROW(30, Z6, Z26)
	ROW(31, Z7, Z26)
	SCATTER(24)
	MOVQ $const_leftBits, AX
	VPBROADCASTQ AX, Z30
	MOVQ $const_rightBits, AX
	VPBROADCASTQ AX, Z31
	MOVQ f+32(FP), DI
	TESTS(Z24, Z25, Z26, found_changed, found_changedLast)
	VZEROUPPER
	RET
