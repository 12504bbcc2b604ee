// The steps of CAT's kernel (wmma.cu) written anew with four switches, to see what costs time. BANDS: a warp loads the three bands once for all
// its fragments. PADDED: rows of fragments in shared memory are 24 values apart, so that they fall into different banks. FIXED: the tile is
// 1×14, known to the compiler, which unrolls the loops over it. PAIRS: a thread has two cells of the rule.
#include "cells.h"

constexpr int side = 16, area = side * side;    // of a fragment
constexpr u16 alive = 0x3c00;                   // 1 in FP16

DYNAMIC_SHARED(u16, memory);

// Calls body with first, first + step, … below n. With UNROLLED n is N and step is STEP, known to the compiler.
template <bool UNROLLED, i32 N, i32 STEP, class Body> INLINE void each(i32 first, i32 n, i32 step, Body body) {
    if constexpr (UNROLLED) {
        UNROLL for (i32 k = 0; k < N; k += STEP) {
            if (first + k < N) body(first + k);
        }
    } else {
        for (i32 i = first; i < n; i += step) body(i);
    }
}

// Cells and next point at the first fragment of the margin, one fragment wide, of a universe of across fragments a row, nx×ny without it.
template <bool BANDS, bool PADDED, bool FIXED, bool PAIRS>
INLINE void cat(const u16 *cells, u16 *next, i32 across, i32 nx, i32 ny, i32 tile_a, i32 tile_b, i32 radius, u32 cross, const Rule rule) {
    constexpr i32 line = PADDED ? 24 : side, step = side * line;    // from row to row, and from fragment to fragment, in shared memory
    const i32 a = FIXED ? 1 : tile_a, b = FIXED ? 14 : tile_b;
    u16 *band = memory, *h = band + 3 * step;
    const i32 tall = b + 2, x0 = block_x() * a, y0 = block_y() * b;    // the tile's first fragment, without the margin
    const i32 warp = thread() / 32, warps = FIXED ? 8 : threads() / 32;

    for (i32 i = thread(); i < 3 * area; i += threads()) {
        i32 row = i / side % side, column = i % side, distance = side * (i / area - 1) + row - column;
        band[i / area * step + row * line + column] = distance <= radius && -distance <= radius ? alive : 0;
    }
    block_barrier();

    const u16 *middle = band + step;
    WmmaFactor bands[3];
    if (BANDS) {
        UNROLL for (i32 d = -1; d <= 1; d++) load_right(bands[1 + d], middle + d * step, line);
    }
    // Rows of the margin included: fragment fy of the tile is fy − 1 of its inside.
    each<FIXED, 16, 8>(warp, a * tall, warps, [&](i32 f) {
        i32 fx = f % a, fy = f / a;
        if (x0 + fx >= nx || y0 + fy >= ny + 2) return;
        WmmaSum sum = {};
        UNROLL for (i32 d = -1; d <= 1; d++) {
            WmmaFactor left, right;
            load_left(left, cells + ((i64)(y0 + fy) * across + x0 + fx + 1 + d) * area, side);
            if (!BANDS) load_right(right, middle + d * step, line);
            add_product(sum, left, BANDS ? bands[1 + d] : right);
        }
        store_sum(h + f * step, sum, line);
    });
    block_barrier();

    if (BANDS) {
        UNROLL for (i32 d = -1; d <= 1; d++) load_left(bands[1 + d], middle - d * step, line);
    }
    each<FIXED, 14, 8>(warp, a * b, warps, [&](i32 f) {
        i32 fx = f % a, fy = f / a;
        if (x0 + fx >= nx || y0 + fy >= ny) return;
        WmmaSum sum = {};
        if (cross) load_sum(sum, h + (f + a) * step, line);
        UNROLL for (i32 d = -1; d <= 1; d++) {
            WmmaFactor left, right;
            if (!BANDS) load_left(left, middle - d * step, line);
            if (cross)
                load_right(right, cells + ((i64)(y0 + fy + 1 + d) * across + x0 + fx + 1) * area, side);
            else
                load_right(right, h + (f + a * (1 + d)) * step, line);
            add_product(sum, BANDS ? bands[1 + d] : left, right);
        }
        store_sum(next + ((i64)(y0 + fy + 1) * across + x0 + fx + 1) * area, sum, side);
    });
    block_barrier();

    const auto next_cell = [&](u16 cell, u16 sum) { return next_state(cell != 0, integer_of(sum), rule) ? alive : (u16)0; };
    if (PAIRS) {
        each<FIXED, 14 * area / 2, area>(thread(), a * b * (area / 2), threads(), [&](i32 i) {
            i32 f = i / (area / 2), fx = f % a, fy = f / a;
            if (x0 + fx >= nx || y0 + fy >= ny) return;
            i64 at = ((i64)(y0 + fy + 1) * across + x0 + fx + 1) * area + i % (area / 2) * 2;
            u32 now = *(const u32 *)(cells + at), sum = *(const u32 *)(next + at);
            *(u32 *)(next + at) = next_cell(now, sum) | (u32)next_cell(now >> 16, sum >> 16) << 16;
        });
        return;
    }
    each<FIXED, 14, 1>(0, b, 1, [&](i32 fy) {    // a thread a cell of each fragment
        for (i32 fx = 0; fx < a && x0 + fx < nx && y0 + fy < ny; fx++) {
            i64 at = ((i64)(y0 + fy + 1) * across + x0 + fx + 1) * area + thread();
            next[at] = next_cell(cells[at], next[at]);
        }
    });
}

#define CAT(NAME, BANDS, PADDED, FIXED, PAIRS)                                                                                       \
    KERNEL __launch_bounds__(side *side)                                                                                           \
        NAME(const u16 *cells, u16 *next, i32 across, i32 nx, i32 ny, i32 a, i32 b, i32 radius, u32 cross, RULE) {                 \
        cat<BANDS, PADDED, FIXED, PAIRS>(cells, next, across, nx, ny, a, b, radius, cross, THE_RULE);                              \
    }

CAT(changed_none, false, false, false, false)
CAT(changed_bands, true, false, false, false)
CAT(changed_padded, false, true, false, false)
CAT(changed_fixed, false, false, true, false)
CAT(changed_pairs, false, false, false, true)
CAT(changed_all, true, true, true, true)
