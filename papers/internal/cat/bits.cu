// CAT-BITS, beyond the paper: one bit a cell, and binary products, whose sums are counts of bits that are set in both factors.
//
// A product of m16n8k256 sums over 256 bits. They need not be from one row: here they are eight words of 32 columns, from the three words
// around a cell in each row of its neighbourhood, so that products along one index sum the whole neighbourhood, of any shape whose rows
// are intervals around the cell's column: 3·(2·radius + 1) words, eight a product. Radius up to 32.
#include "cells.h"

constexpr int warps = 8, tall = 32;    // a block does a word a warp in each of so many rows
constexpr int line = warps + 5;        // words a row of the tile: the same word of eleven rows is in different banks

struct __attribute__((aligned(16))) Quad {
    u32 v[4];
};

// Bits lo to hi of a word, those of −32..63 that it has.
INLINE u32 bits_between(i32 lo, i32 hi) {
    lo = lo < 0 ? 0 : lo, hi = hi > 31 ? 31 : hi;
    return lo > hi ? 0 : (u32)(((u64)2 << hi) - ((u64)1 << lo));
}

DYNAMIC_SHARED(u32, memory, 16);

// Cells and next point at the word of the cell (0, 0); pitch is in words. Byte i of widths: how far the neighbourhood reaches to either
// side, i rows off. A block does `turns` tiles, one below another, with the bands made once.
KERNEL __launch_bounds__(32 * warps, 4) bits(const u32 *__restrict__ cells, u32 *__restrict__ next, i32 pitch, i32 w, i32 h, i32 radius,
                                             u64 widths0, u64 widths1, u64 widths2, u64 widths3, u64 widths4, i32 turns, RULE) {
    // Words are numbered down the rows, first those left of the cell's, then its own, then those to the right.
    const i32 height = 2 * radius + 1, words = 3 * height, products = (words + 7) / 8;
    Quad *bands = (Quad *)memory;                       // of a product: sixteen columns, lane
    u32 *place = memory + products * 2 * 32 * 4;        // of a word in the tile
    u32 *tile = place + products * 8;
    const i32 x0 = block_x() * warps;    // in words
    const i32 group = lane() / 4, t = lane() % 4;
    const u64 widths[5] = {widths0, widths1, widths2, widths3, widths4};
    for (i32 i = thread(); i < products * 64; i += threads()) {
        UNROLL for (int q = 0; q < 4; q++) {
            i32 word = i / 64 * 8 + q / 2 * 4 + t, row = word % height - radius;
            row = row < 0 ? -row : row;
            u64 eight = widths[0];
            UNROLL for (int n = 1; n < 5; n++) eight = row / 8 == n ? widths[n] : eight;
            i32 width = eight >> row % 8 * 8 & 0xff;
            // Results 0 to 7 and 8 to 15 of both sixteens are, group by group, four columns side by side.
            i32 column = 4 * group + 2 * (i / 32 % 2) + q % 2, from = column - 32 * (word / height - 1);
            bands[i].v[q] = word < words ? bits_between(from - width, from + width) : 0;
        }
    }

    for (i32 i = thread(); i < products * 8; i += threads()) {
        i32 word = i < words ? i : words - 1;    // times zero
        place[i] = word % height * line + word / height;
    }

    const i32 warp = thread() / 32;
    const Rule rule = THE_RULE;
    const u32 *mine = tile + group * line + warp;    // the word left of the warp's, in the top row that its first eight rows need
    const i32 first = block_y() * turns * tall;
    for (i32 y0 = first; y0 < h && y0 < first + turns * tall; y0 += tall) {
        block_barrier();    // bands are made; the tile before has been used
        for (i32 i = thread(); i < (tall + 2 * radius) * (warps + 2); i += threads()) {
            i32 row = i / (warps + 2), column = i % (warps + 2);
            tile[row * line + column] = cells[(i64)(y0 - radius + row) * pitch + x0 - 1 + column];
        }
        block_barrier();

        i32 sum[4][2][4] = {};                            // eight rows, sixteen columns
        ROLL for (i32 i = 0; i < products; i++) {
            const u32 at[2] = {place[8 * i + t], place[8 * i + 4 + t]};
            Quad low = bands[i * 64 + lane()], high = bands[i * 64 + 32 + lane()];
            UNROLL for (int j = 0; j < 4; j++) {
                u32 eight[2] = {mine[8 * j * line + at[0]], mine[8 * j * line + at[1]]};
                mma_bits(sum[j][0], low.v, eight);
                mma_bits(sum[j][1], high.v, eight);
            }
        }
        u32 out = 0;
        UNROLL for (int j = 0; j < 4; j++) {
            UNROLL for (int e = 0; e < 2; e++) {
                u32 now = tile[(8 * j + 2 * t + e + radius) * line + warp + 1] >> 4 * group, then = 0;
                UNROLL for (int c = 0; c < 4; c++) then |= (u32)next_state(now >> c & 1, sum[j][c / 2][c % 2 * 2 + e], rule) << c;
                then <<= 4 * group;
                UNROLL for (u32 by = 4; by < 32; by *= 2) then |= shuffle_xor(then, by);
                if (group == 2 * j + e) out = then;
            }
        }
        i32 y = y0 + group / 2 * 8 + 2 * t + group % 2;
        if ((x0 + warp) * 32 < w && y < h) next[(i64)y * pitch + x0 + warp] = out;
    }
}

// The universe in and out: the words of its rows, and the bits beyond its width left behind.
KERNEL load_bits(u32 *cells, i32 pitch, const u32 *bits, u32 words, u32 w, u32 h) {
    u32 x = block_x() * threads() + thread();
    for (u32 y = block_y(); y < h && x * 32 < w; y += blocks_y()) cells[(i64)y * pitch + x] = bits[(u64)y * words + x];
}
KERNEL store_bits(const u32 *cells, i32 pitch, u32 *bits, u32 words, u32 w, u32 h) {
    u32 x = block_x() * threads() + thread();
    for (u32 y = block_y(); y < h && x < words; y += blocks_y())
        bits[(u64)y * words + x] = x * 32 < w ? cells[(i64)y * pitch + x] & bits_between(0, w - 1 - x * 32) : 0;
}

INLINE i32 wrap(i32 v, i32 n) { return (v % n + n) % n; }

// Halo: a thread makes a word of the frame, first those of the rows above and below, then, of each row between, the word to the left, the
// one with the first column beyond the universe and the one after it.
KERNEL halo_bits(u32 *cells, i32 pitch, i32 w, i32 h, i32 radius) {
    i32 full = w / 32, across = full + 3, frame = 2 * radius * across;
    i32 i = block_x() * threads() + thread(), x, y;
    if (i < frame) {
        x = i % across - 1;
        y = i / across;
        y = y < radius ? y - radius : y - radius + h;
    } else {
        i -= frame;
        x = i % 3 ? full + i % 3 - 1 : -1;
        y = i / 3;
        if (y >= h) return;
    }
    const u32 *from = cells + (i64)wrap(y, h) * pitch;
    u32 word = 0;
    if (x >= 0 && x < full) {
        word = from[x];
    } else {
        for (i32 b = 0; b < 32; b++) {
            u32 column = wrap(32 * x + b, w);
            word |= (from[column / 32] >> column % 32 & 1) << b;
        }
    }
    cells[(i64)y * pitch + x] = word;
}
