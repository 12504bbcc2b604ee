// CAT as published: sums of neighbourhoods by products of 16×16 fragments with band matrices, in FP16 on the tensor cores, by WMMA.
//
//     H = Σ_d X(x+d, y) · B_d        sums along rows        B_d[l][j] = 1 where |16d + l − j| ≤ radius
//     S = Σ_d B_−d · H(x, y+d)       sums of those along columns
//
// d runs from −1 to 1. In a cross (the simplified von Neumann neighbourhood) S = H + Σ_d B_−d · X(x, y+d). The universe lies in memory
// fragment by fragment. A block of 16×16 threads does a tile of a×b fragments, its eight warps taking turns: all H first, into shared
// memory, then all S, into the universe that is to come, then the rule, a thread a cell, with a barrier after each.
#include "cells.h"

constexpr int side = 16, area = side * side;    // of a fragment
constexpr u16 alive = 0x3c00;                   // 1 in FP16

DYNAMIC_SHARED(u16, memory, 16);

// Cells and next point at the first fragment of the margin, one fragment wide, of a universe of across fragments a row, nx×ny without it.
KERNEL __launch_bounds__(side *side) wmma(const u16 *cells, u16 *next, i32 across, i32 nx, i32 ny, i32 a, i32 b, i32 radius, u32 cross, RULE) {
    u16 *band = memory, *h = band + 3 * area;
    const i32 tall = b + 2, x0 = block_x() * a, y0 = block_y() * b;    // the tile's first fragment, without the margin
    const i32 warp = thread() / 32, warps = threads() / 32;
    const Rule rule = THE_RULE;

    for (i32 i = thread(); i < 3 * area; i += threads()) {
        i32 distance = side * (i / area - 1) + i / side % side - i % side;
        band[i] = distance <= radius && -distance <= radius ? alive : 0;
    }
    block_barrier();

    const u16 *middle = band + area;
    for (i32 f = warp; f < a * tall; f += warps) {    // rows of the margin included: fragment fy of the tile is fy − 1 of its inside
        i32 fx = f % a, fy = f / a;
        if (x0 + fx >= nx || y0 + fy >= ny + 2) continue;
        WmmaSum sum = {};
        UNROLL for (i32 d = -1; d <= 1; d++) {
            WmmaFactor left, right;
            load_left(left, cells + ((i64)(y0 + fy) * across + x0 + fx + 1 + d) * area, side);
            load_right(right, middle + d * area, side);
            add_product(sum, left, right);
        }
        store_sum(h + f * area, sum, side);
    }
    block_barrier();

    for (i32 f = warp; f < a * b; f += warps) {
        i32 fx = f % a, fy = f / a;
        if (x0 + fx >= nx || y0 + fy >= ny) continue;
        WmmaSum sum = {};
        if (cross) load_sum(sum, h + (f + a) * area, side);
        UNROLL for (i32 d = -1; d <= 1; d++) {
            WmmaFactor left, right;
            load_left(left, middle - d * area, side);
            load_right(right, cross ? cells + ((i64)(y0 + fy + 1 + d) * across + x0 + fx + 1) * area : h + (f + a * (1 + d)) * area, side);
            add_product(sum, left, right);
        }
        store_sum(next + ((i64)(y0 + fy + 1) * across + x0 + fx + 1) * area, sum, side);
    }
    block_barrier();

    for (i32 fy = 0; fy < b && y0 + fy < ny; fy++) {    // a thread a cell of each fragment
        for (i32 fx = 0; fx < a && x0 + fx < nx; fx++) {
            i64 at = ((i64)(y0 + fy + 1) * across + x0 + fx + 1) * area + thread();
            next[at] = next_state(cells[at] != 0, integer_of(next[at]), rule) ? alive : 0;
        }
    }
}
