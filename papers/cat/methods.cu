// BASE, SHARED, COARSE and MCELL: one byte a cell, sums of neighbours taken one by one. Blocks of threads are given as
// columns × rows in each kernel's comment; cells and next point at the cell (0, 0) of universes with margins.
#include "cells.h"

// BASE, 32×8: a thread a cell, which reads its neighbourhood from global memory.
template <int R> INLINE void base(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, Rule rule) {
    i32 x = block_x() * 32 + thread() % 32, y = block_y() * 8 + thread() / 32;
    if (x >= w || y >= h) return;
    const u8 *row = cells + (i64)(y - R) * pitch + x;
    u32 sum = 0;
    ROLL for (i32 dy = -R; dy <= R; dy++, row += pitch) {
        UNROLL for (i32 dx = -R; dx <= R; dx++) sum += row[dx];
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

// SHARED, 32×16: the block's cells and the halo around them in shared memory, a thread a cell.
template <int R> INLINE void shared_tile(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, Rule rule) {
    constexpr int P = 32 + 2 * R;
    __shared__ u8 tile[P * (16 + 2 * R)];
    i32 x0 = block_x() * 32, y0 = block_y() * 16;
    fetch<32, 16, R, P>(tile, cells, pitch, x0, y0);
    block_barrier();
    u32 tx = thread() % 32, ty = thread() / 32;
    u32 sum = sum_of<R, P>(tile + ty * P + tx);
    i32 x = x0 + tx, y = y0 + ty;
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

// The sum of the bytes of a that weights, of 0 or 1, choose, added to sum.
INLINE u32 add_bytes(u32 a, u32 weights, u32 sum) {
    asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(weights));
    return sum;
}

// MCELL, 32×32: a tile of 64×32 cells in shared memory; a thread does two cells side by side and reads what both need once, two
// cells at a time. With the columns numbered from the left one of the two, pair i has the columns 2i − E and 2i − E + 1.
template <int R> INLINE void mcell(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, Rule rule) {
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
        UNROLL for (i32 i = 1; i < E; i++) both = add_bytes(row[i], 0x0101, both);
        left = add_bytes(first, R % 2 ? 0x0100 : 0x0101, left);
        right = add_bytes(last, R % 2 ? 0x0001 : 0x0101, right);
        if (R % 2 == 0) {
            left = add_bytes(last, 0x0001, left);
            right = add_bytes(first, 0x0100, right);
        }
    }
    i32 x = x0 + 2 * tx, y = y0 + ty;
    if (x >= w || y >= h) return;
    u32 now = ((const u16 *)tile)[(ty + R) * (P / 2) + tx + E / 2];
    u32 then = next_state(now & 1, both + left, rule) | next_state(now >> 8, both + right, rule) << 8;
    *(u16 *)(next + (i64)y * pitch + x) = then;    // of an odd width the last has one in the margin too
}

#define METHOD(name, kernel, columns, rows, R)                                                                                  \
    KERNEL __launch_bounds__(columns *rows) name##_##R(const u8 *cells, u8 *next, i32 pitch, i32 w, i32 h, RULE) {               \
        kernel<R>(cells, next, pitch, w, h, THE_RULE);                                                                           \
    }
#define RADIUS(R)                     \
    METHOD(base, base, 32, 8, R)      \
    METHOD(shared, shared_tile, 32, 16, R) \
    METHOD(coarse, coarse, 64, 8, R)  \
    METHOD(mcell, mcell, 32, 32, R)

RADIUS(1) RADIUS(2) RADIUS(3) RADIUS(4) RADIUS(5) RADIUS(6) RADIUS(7) RADIUS(8)
RADIUS(9) RADIUS(10) RADIUS(11) RADIUS(12) RADIUS(13) RADIUS(14) RADIUS(15) RADIUS(16)
