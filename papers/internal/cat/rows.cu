// CAT-ROWS, beyond the paper: any neighbourhood whose rows are intervals around the cell's column, among them the true von Neumann one.
//
// Such a neighbourhood is no product of a sum along rows and one along columns: as a matrix the diamond of radius r has rank r+1, so one
// pair of bands cannot do. But the rows i above and i below the cell have the same width, so
//
//     S = X · B(width 0) + Σ_i (X(i rows up) + X(i rows down)) · B(width i),    i = 1 … radius,
//
// one direction only, summed in the accumulators, in INT8. A row of 32 cells needs 96, three products deep, up to radius 32, and 64, two
// products, up to radius 16: those 32 and the 16 to either side.
#include "cells.h"

constexpr int side = 32;
constexpr int across = 4, down = 2, warps = across * down;    // fragments that a block does, one a warp
constexpr int line = (across + 2) * side + 32;                // bytes a row of the tile: eight lanes of four rows fall into different banks

// The column that is number `slot` of the results: register.cu, of INT8.
INLINE i32 place(i32 slot) { return slot / 2 % 4 * 8 + slot / 8 * 2 + slot % 2; }
// The first of the eight columns, counted from the fragment's own, that lane t of four has of product number p of so many.
template <int PRODUCTS> INLINE i32 first_column(int p, i32 t) {
    if (PRODUCTS == 3) return side * (p - 1) + 8 * t;
    return p == 0 ? 8 * t : t < 2 ? 8 * t - 16 : 8 * t + 16;
}

struct __attribute__((aligned(16))) Quad {
    u32 v[4];
};

DYNAMIC_SHARED(u8, memory, 16);

// Cells and next point at the cell (0, 0) of universes in rows. Byte i of widths is how far the neighbourhood reaches to either side, i
// rows off. A block does `turns` tiles, one below another, with the bands made once.
template <int PRODUCTS>
INLINE void rows(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, i32 radius, const u64 widths[5], i32 turns,
                 Rule rule) {
    constexpr i32 row_bands = PRODUCTS * 2 * 32;
    Quad *bands = (Quad *)memory;    // of a row: product, pair of column blocks, lane
    u8 *tile = memory + (radius + 1) * row_bands * sizeof(Quad);
    const i32 x0 = block_x() * across * side;
    const i32 group = lane() / 4, t = lane() % 4;
    for (i32 i = thread(); i < (radius + 1) * row_bands; i += threads()) {
        i32 row = i / row_bands, product = i / 64 % PRODUCTS, pair = i / 32 % 2;
        u64 eight = widths[0];
        UNROLL for (int n = 1; n < 5; n++) eight = row / 8 == n ? widths[n] : eight;
        i32 width = eight >> row % 8 * 8 & 0xff;
        UNROLL for (int q = 0; q < 4; q++) {
            i32 out = place(8 * (2 * pair + q / 2) + group), in = first_column<PRODUCTS>(product, t) + q % 2 * 4;
            u32 word = 0;
            UNROLL for (int e = 0; e < 4; e++) word |= (u32)(in + e - out <= width && out - in - e <= width) << 8 * e;
            bands[i].v[q] = word;
        }
    }

    const i32 warp = thread() / 32;
    // The lane's row, of the first eight, of the warp's fragment.
    const u8 *mine = tile + (warp / across * side + radius + group) * line + (warp % across + 1) * side;
    const PairRule pair_form = pair_rule(rule);
    const i32 x = x0 + warp % across * side + 8 * t;
    const i32 first = block_y() * turns * down * side;
    for (i32 y0 = first; y0 < h && y0 < first + turns * down * side; y0 += down * side) {
        constexpr int chunks = (across + 2) * side / 16;
        block_barrier();    // bands are made; the tile before has been used
        for (i32 i = thread(); i < (down * side + 2 * radius) * chunks; i += threads()) {
            i32 row = i / chunks, chunk = i % chunks;
            copy_async16(tile + row * line + chunk * 16, cells + (i64)(y0 - radius + row) * pitch + x0 - side + chunk * 16);
        }
        copy_async_commit();
        copy_async_wait<0>();
        block_barrier();

        i32 sum[2][4][4] = {};    // sixteen rows, eight columns
        ROLL for (i32 i = 0; i <= radius; i++) {
            UNROLL for (int product = 0; product < PRODUCTS; product++) {
                u32 left[2][4];
                UNROLL for (int m = 0; m < 2; m++) {
                    UNROLL for (int half = 0; half < 2; half++) {
                        const u8 *at = mine + (16 * m + 8 * half) * line + first_column<PRODUCTS>(product, t);
                        u64 word = *(const u64 *)(at + i * line);
                        if (i) word += *(const u64 *)(at - i * line);
                        left[m][half] = (u32)word, left[m][half + 2] = word >> 32;
                    }
                }
                UNROLL for (int pair = 0; pair < 2; pair++) {
                    Quad band = bands[i * row_bands + product * 64 + pair * 32 + lane()];
                    UNROLL for (int m = 0; m < 2; m++) {
                        mma_u8(sum[m][2 * pair], left[m], band.v, sum[m][2 * pair]);
                        mma_u8(sum[m][2 * pair + 1], left[m], band.v + 2, sum[m][2 * pair + 1]);
                    }
                }
            }
        }
        UNROLL for (int row = 0; row < 4; row++) {
            i32 y = y0 + warp / across * side + 8 * row + group;
            u64 now = *(const u64 *)(mine + 8 * row * line + 8 * t);
            u32 then[2];
            UNROLL for (int u = 0; u < 2; u++) {
                const i32(*s)[4] = sum[row / 2] + 2 * u;
                then[u] = next_states(now >> 32 * u, byte_permute(s[0][row % 2 * 2], s[0][row % 2 * 2 + 1], 0x5410),
                                      byte_permute(s[1][row % 2 * 2], s[1][row % 2 * 2 + 1], 0x5410), pair_form);
            }
            if (x < w && y < h) *(u64 *)(next + (i64)y * pitch + x) = (u64)then[1] << 32 | then[0];
        }
    }
}

#define ROWS(name, PRODUCTS)                                                                                                    \
    KERNEL __launch_bounds__(32 * warps) name(const u8 *cells, u8 *next, i32 pitch, i32 w, i32 h, i32 radius, u64 widths0,      \
                                              u64 widths1, u64 widths2, u64 widths3, u64 widths4, i32 turns, RULE) {            \
        const u64 widths[5] = {widths0, widths1, widths2, widths3, widths4};                                                    \
        rows<PRODUCTS>(cells, next, pitch, w, h, radius, widths, turns, THE_RULE);                                              \
    }
ROWS(rows_2, 2)
ROWS(rows_3, 3)
