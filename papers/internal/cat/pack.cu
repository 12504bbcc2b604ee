// PACK: packet coding, eight cells of a byte each in a word of 64 bits. A thread reads its word and those around it once a row, two to
// either side beyond radius 8, adds up the neighbours of its eight cells one by one and looks what follows up in a table. The scheme is
// that of Cagigas, Diaz-del-Rio, Sevillano-Ramos and Guisado-Lizar ("Efficient simulation execution of cellular automata on GPU", 2022)
// for radius 1, taken on to 16 as the paper says it did. The work for a cell grows with the neighbourhood.
#include "cells.h"

constexpr int side = 16;    // of a block of threads

// The table has what follows a dead cell and then a live one, by the sum of the neighbourhood, the cell itself included.
template <int R> INLINE void pack(const u64 *__restrict__ cells, u64 *__restrict__ next, i32 pitch, i32 w, i32 h, const u8 *__restrict__ table) {
    constexpr int reach = (R + 7) / 8, words = 2 * reach + 1, sums = (2 * R + 1) * (2 * R + 1) + 1;
    const i32 x = block_x() * side + thread() % side, y = block_y() * side + thread() / side;    // in words
    if (8 * x >= w || y >= h) return;
    u32 sum[8] = {};
    const u64 *row = cells + (i64)(y - R) * (pitch / 8) + x - reach;
    ROLL for (i32 dy = -R; dy <= R; dy++, row += pitch / 8) {
        u32 cell[8 * words];
        UNROLL for (int i = 0; i < 8 * words; i++) cell[i] = row[i / 8] >> 8 * (i % 8) & 0xff;
        UNROLL for (int k = 0; k < 8; k++) {
            UNROLL for (int dx = -R; dx <= R; dx++) sum[k] += cell[8 * reach + k + dx];
        }
    }
    const i64 at = (i64)y * (pitch / 8) + x;
    const u64 now = cells[at];
    u64 then = 0;
    UNROLL for (int k = 0; k < 8; k++) then |= (u64)table[(now >> 8 * k & 1) * sums + sum[k]] << 8 * k;
    next[at] = then;
}

#define RADIUS(R)                                                                                                              \
    KERNEL __launch_bounds__(side *side) pack_##R(const u64 *cells, u64 *next, i32 pitch, i32 w, i32 h, const u8 *table) {     \
        pack<R>(cells, next, pitch, w, h, table);                                                                              \
    }

RADIUS(1) RADIUS(2) RADIUS(3) RADIUS(4) RADIUS(5) RADIUS(6) RADIUS(7) RADIUS(8)
RADIUS(9) RADIUS(10) RADIUS(11) RADIUS(12) RADIUS(13) RADIUS(14) RADIUS(15) RADIUS(16)
