// CAT as its authors compile it: for one tile, that the compiler knows. The steps are those of wmma.cu, which takes any tile. Three switches
// change one thing each, to see what it costs. BANDS: a warp loads the three bands once for all its fragments. PADDED: rows of fragments in
// shared memory are 24 values apart, so that they fall into different banks. PAIRS: a thread has two cells of the rule.
#include "cells.h"

constexpr int side = 16, area = side * side;    // of a fragment
constexpr u16 alive = 0x3c00;                   // 1 in FP16
constexpr i32 warps = 8;

DYNAMIC_SHARED(u16, memory, 16);

// Calls body with first, first + STEP, … below N. Short loops are unrolled, long ones in part.
template <i32 N, i32 STEP, class Body> INLINE void each(i32 first, Body body) {
    if constexpr (N <= 16 * STEP) {
        UNROLL for (i32 k = 0; k < N; k += STEP) {
            if (first + k < N) body(first + k);
        }
    } else {
        _Pragma("unroll 4") for (i32 i = first; i < N; i += STEP) body(i);
    }
}

// Cells and next point at the first fragment of the margin, one fragment wide, of a universe of across fragments a row, nx×ny without it.
template <i32 a, i32 b, bool BANDS, bool PADDED, bool PAIRS>
INLINE void cat(const u16 *cells, u16 *next, i32 across, i32 nx, i32 ny, i32 radius, u32 cross, const Rule rule) {
    constexpr i32 line = PADDED ? 24 : side, step = side * line;    // from row to row, and from fragment to fragment, in shared memory
    u16 *band = memory, *h = band + 3 * step;
    const i32 x0 = block_x() * a, y0 = block_y() * b;    // the tile's first fragment, without the margin
    const i32 warp = thread() / 32;

    for (i32 i = thread(); i < 3 * area; i += 32 * warps) {
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
    each<a *(b + 2), warps>(warp, [&](i32 f) {
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
    each<a * b, warps>(warp, [&](i32 f) {
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
        each<a * b *(area / 2), 32 * warps>(thread(), [&](i32 i) {
            i32 f = i / (area / 2), fx = f % a, fy = f / a;
            if (x0 + fx >= nx || y0 + fy >= ny) return;
            i64 at = ((i64)(y0 + fy + 1) * across + x0 + fx + 1) * area + i % (area / 2) * 2;
            u32 now = *(const u32 *)(cells + at), sum = *(const u32 *)(next + at);
            *(u32 *)(next + at) = next_cell(now, sum) | (u32)next_cell(now >> 16, sum >> 16) << 16;
        });
        return;
    }
    each<a * b, 1>(0, [&](i32 f) {    // a thread a cell of each fragment
        i32 fx = f % a, fy = f / a;
        if (x0 + fx >= nx || y0 + fy >= ny) return;
        i64 at = ((i64)(y0 + fy + 1) * across + x0 + fx + 1) * area + thread();
        next[at] = next_cell(cells[at], next[at]);
    });
}

#define CAT(NAME, A, B, BANDS, PADDED, PAIRS)                                                                                       \
    KERNEL __launch_bounds__(32 * warps) NAME(const u16 *cells, u16 *next, i32 across, i32 nx, i32 ny, i32 radius, u32 cross, RULE) { \
        cat<A, B, BANDS, PADDED, PAIRS>(cells, next, across, nx, ny, radius, cross, THE_RULE);                                       \
    }
#define TILE(A, B) CAT(known_##A##x##B, A, B, false, false, false)

TILE(1, 5)
TILE(1, 13)
TILE(1, 14)
TILE(1, 30)
TILE(2, 5)
TILE(4, 4)
TILE(4, 8)
TILE(8, 8)

CAT(known_1x14_bands, 1, 14, true, false, false)
CAT(known_1x14_padded, 1, 14, false, true, false)
CAT(known_1x14_pairs, 1, 14, false, false, true)
CAT(known_1x14_all, 1, 14, true, true, true)
