// BASE, SHARED, COARSE and MCELL: one byte a cell, sums of neighbours taken one by one. Blocks of threads are given as
// columns × rows in each kernel's comment; cells and next point at the cell (0, 0) of universes with margins.
#include "cells.h"

// BASE, 32×TALL: a thread a cell, which reads its neighbourhood from global memory.
template <int R, int TALL> INLINE void base(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, Rule rule) {
    i32 x = block_x() * 32 + thread() % 32, y = block_y() * TALL + thread() / 32;
    if (x >= w || y >= h) return;
    const u8 *row = cells + (i64)(y - R) * pitch + x;
    u32 sum = 0;
    ROLL for (i32 dy = -R; dy <= R; dy++, row += pitch) {
        UNROLL for (i32 dx = -R; dx <= R; dx++) sum += row[dx];
    }
    i64 at = (i64)y * pitch + x;
    next[at] = next_state(cells[at], sum, rule);
}

// The sum of a row of 2R + 1 cells from column x of row y on, counted from the corner. INDEXED computes the place of each cell from its coordinates,
// which are 32-bit and unsigned as in the authors' public code. They may wrap around as far as the compiler knows, so it cannot make fixed distances
// from one address of them.
template <int R, bool INDEXED> INLINE u32 row_sum(const u8 *corner, i32 pitch, u32 x, u32 y) {
    u32 sum = 0;
    UNROLL for (u32 dx = 0; dx <= 2 * R; dx++)
        sum += INDEXED ? corner[(u64)y * (u64)pitch + (x + dx)] : corner[(i64)y * pitch + (i64)x + dx];
    return sum;
}

// BASE with changes: FULL unrolls the loop over rows as well.
template <int R, bool FULL, bool INDEXED>
INLINE void base_changed(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, Rule rule) {
    const u32 x = block_x() * 32 + thread() % 32, y = block_y() * 32 + thread() / 32;
    if ((i32)x >= w || (i32)y >= h) return;
    const u8 *corner = cells - (i64)R * pitch - R;
    u32 sum = 0;
    if constexpr (FULL) {
        UNROLL for (u32 dy = 0; dy <= 2 * R; dy++) sum += row_sum<R, INDEXED>(corner, pitch, x, y + dy);
    } else {
        ROLL for (u32 dy = 0; dy <= 2 * R; dy++) sum += row_sum<R, INDEXED>(corner, pitch, x, y + dy);
    }
    i64 at = (i64)y * pitch + x;
    next[at] = next_state(cells[at], sum, rule);
}

// Copies the cells of a block of W×H and R around it, from the cell (x, y) on, into shared memory of PITCH bytes a row.
template <int W, int H, int R, int PITCH> INLINE void fetch(u8 *tile, const u8 *__restrict__ cells, i32 pitch, i32 x, i32 y) {
    const u8 *from = cells + (i64)(y - R) * pitch + x - R;
    for (u32 row = thread() / 32; row < H + 2 * R; row += threads() / 32)
        for (u32 column = thread() % 32; column < W + 2 * R; column += 32)
            tile[row * PITCH + column] = from[(i64)row * pitch + column];
}

// The sum of the neighbourhood whose corner is at the top left, in shared memory.
template <int R, int PITCH> INLINE u32 sum_of(const u8 *corner) {
    u32 sum = 0;
    ROLL for (i32 dy = 0; dy <= 2 * R; dy++, corner += PITCH) {
        UNROLL for (i32 dx = 0; dx <= 2 * R; dx++) sum += corner[dx];
    }
    return sum;
}

// SHARED, 32×32: the block's cells and the halo around them in shared memory, a thread a cell. A thread brings its own cell; the halo is
// brought by the first four rows of threads alone: the rows above, the rows below, the columns to the left and those to the right, each
// with a corner.
template <int R> INLINE void shared_tile(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, Rule rule) {
    constexpr int SIDE = 32, P = SIDE + 2 * R;
    __shared__ u8 tile[P * P];
    const i32 tx = thread() % SIDE, ty = thread() / SIDE, x = block_x() * SIDE + tx, y = block_y() * SIDE + ty;
    const u8 *from = cells + (i64)((i32)block_y() * SIDE - R) * pitch + (i32)block_x() * SIDE - R;    // of the tile's first cell
    tile[(ty + R) * P + tx + R] = from[(i64)(ty + R) * pitch + tx + R];
    if (ty < 4) {
        const i32 far = ty % 2 ? SIDE + R : 0;    // the first row or column of this side
        ROLL for (i32 i = 0; i < R; i++) {
            i32 row = ty < 2 ? far + i : R + tx, column = ty < 2 ? R + tx : far + i;
            tile[row * P + column] = from[(i64)row * pitch + column];
        }
        ROLL for (i32 i = tx; i < R * R; i += SIDE) {
            i32 row = ty / 2 * (SIDE + R) + i / R, column = far + i % R;
            tile[row * P + column] = from[(i64)row * pitch + column];
        }
    }
    block_barrier();
    u32 sum = sum_of<R, P>(tile + ty * P + tx);
    if (x < w && y < h) next[(i64)y * pitch + x] = next_state(tile[(ty + R) * P + tx + R], sum, rule);
}

// COARSE, 64×8: a tile of 64×64 cells in shared memory; a thread does eight cells, a block's height apart.
template <int R> INLINE void coarse(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, Rule rule) {
    constexpr int P = 64 + 2 * R;
    __shared__ u8 tile[P * P];
    i32 x0 = block_x() * 64, y0 = block_y() * 64;
    fetch<64, 64, R, P>(tile, cells, pitch, x0, y0);
    block_barrier();
    u32 tx = thread() % 64;
    ROLL for (u32 ty = thread() / 64; ty < 64; ty += 8) {
        u32 sum = sum_of<R, P>(tile + ty * P + tx);
        i32 x = x0 + tx, y = y0 + ty;
        if (x < w && y < h) next[(i64)y * pitch + x] = next_state(tile[(ty + R) * P + tx + R], sum, rule);
    }
}

// MCELL, 32×32: a tile of 64×32 cells in shared memory; a thread does two cells side by side. It reads each cell of the two neighbourhoods once and
// adds it, as a 32-bit integer, to the sum of both cells or, in the outermost columns, of one.
template <int R> INLINE void mcell(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, Rule rule) {
    constexpr int P = 64 + 2 * R;
    __shared__ u8 tile[P * (32 + 2 * R)];
    i32 x0 = block_x() * 64, y0 = block_y() * 32;
    fetch<64, 32, R, P>(tile, cells, pitch, x0, y0);
    block_barrier();
    u32 tx = thread() % 32, ty = thread() / 32;
    const u8 *row = tile + ty * P + 2 * tx;
    u32 both = 0, left = 0, right = 0;
    ROLL for (i32 dy = 0; dy <= 2 * R; dy++, row += P) {
        left += row[0];
        UNROLL for (i32 dx = 1; dx <= 2 * R; dx++) both += row[dx];
        right += row[2 * R + 1];
    }
    i32 x = x0 + 2 * tx, y = y0 + ty;
    if (x >= w || y >= h) return;
    const u8 *now = tile + (ty + R) * P + 2 * tx + R;
    u32 then = next_state(now[0], both + left, rule) | next_state(now[1], both + right, rule) << 8;
    *(u16 *)(next + (i64)y * pitch + x) = then;    // of an odd width the last has one in the margin too
}

// MCELL-DP4A: MCELL with two cells a read, whose pairs are added by one instruction. With the columns numbered from the left one of the two cells,
// pair i has the columns 2i − E and 2i − E + 1.
template <int R> INLINE void mcell_pairs(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, Rule rule) {
    constexpr int E = R + R % 2, P = 64 + 2 * E;
    __shared__ __attribute__((aligned(4))) u8 tile[P * (32 + 2 * R)];
    i32 x0 = block_x() * 64, y0 = block_y() * 32;
    const u8 *from = cells + (i64)(y0 - R) * pitch + x0 - E;
    for (u32 row = thread() / 32; row < 32 + 2 * R; row += 32)
        for (u32 pair = thread() % 32; pair < P / 2; pair += 32)
            ((u16 *)tile)[row * (P / 2) + pair] = *(const u16 *)(from + (i64)row * pitch + 2 * pair);
    block_barrier();
    u32 tx = thread() % 32, ty = thread() / 32;
    const u16 *row = (const u16 *)tile + ty * (P / 2) + tx;
    u32 both = 0, left = 0, right = 0;
    ROLL for (i32 dy = 0; dy <= 2 * R; dy++, row += P / 2) {
        u32 first = row[0], last = row[E];
        UNROLL for (i32 i = 1; i < E; i++) both = dot4(row[i], 0x0101, both);
        left = dot4(first, R % 2 ? 0x0100 : 0x0101, left);
        right = dot4(last, R % 2 ? 0x0001 : 0x0101, right);
        if (R % 2 == 0) {
            left = dot4(last, 0x0001, left);
            right = dot4(first, 0x0100, right);
        }
    }
    i32 x = x0 + 2 * tx, y = y0 + ty;
    if (x >= w || y >= h) return;
    u32 now = ((const u16 *)tile)[(ty + R) * (P / 2) + tx + E / 2];
    u32 then = next_state(now & 1, both + left, rule) | next_state(now >> 8, both + right, rule) << 8;
    *(u16 *)(next + (i64)y * pitch + x) = then;    // of an odd width the last has one in the margin too
}

#define METHOD(name, columns, rows, R, ...)                                                                         \
    KERNEL __launch_bounds__(columns *rows) name##_##R(const u8 *cells, u8 *next, i32 pitch, i32 w, i32 h, RULE) { \
        __VA_ARGS__(cells, next, pitch, w, h, THE_RULE);                                                            \
    }
#define RADIUS(R)                              \
    METHOD(base, 32, 32, R, base<R, 32>)       \
    METHOD(base8, 32, 8, R, base<R, 8>)        \
    METHOD(shared, 32, 32, R, shared_tile<R>)  \
    METHOD(coarse, 64, 8, R, coarse<R>)        \
    METHOD(mcell, 32, 32, R, mcell<R>)         \
    METHOD(mcellpairs, 32, 32, R, mcell_pairs<R>)

RADIUS(1) RADIUS(2) RADIUS(3) RADIUS(4) RADIUS(5) RADIUS(6) RADIUS(7) RADIUS(8)
RADIUS(9) RADIUS(10) RADIUS(11) RADIUS(12) RADIUS(13) RADIUS(14) RADIUS(15) RADIUS(16)

// The promise that the next cells do not overlap the cells counts for the compiler if the kernel itself makes it: loads may then take the path for
// data that nothing writes.
#define RESTRICTED(name, columns, rows, R, ...)                                                                                             \
    KERNEL __launch_bounds__(columns *rows) name##_##R(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, RULE) { \
        __VA_ARGS__(cells, next, pitch, w, h, THE_RULE);                                                                                    \
    }
#define CHANGES(R)                                                 \
    METHOD(baseindexed, 32, 32, R, base_changed<R, false, true>)   \
    METHOD(baseunrolled, 32, 32, R, base_changed<R, true, false>)  \
    RESTRICTED(baserestrict, 32, 32, R, base_changed<R, false, false>) \
    METHOD(baseall, 32, 32, R, base_changed<R, true, true>)

CHANGES(1) CHANGES(16)
