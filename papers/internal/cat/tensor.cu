// CAT-MMA: the algorithm of CAT (see wmma.cu) by the instructions below WMMA, whose fragments have a known place in the lanes of a warp.
//
//     H = Σ_d X(x+d, y) · B_d        sums along rows        B_d[l][j] = 1 where |16d + l − j| ≤ radius
//     S = Σ_d B_−d · H(x, y+d)       sums of those along columns
//
// d runs from −reach to reach: 1 up to radius 16, that is three products each way; more for larger radii. In a cross (the simplified
// von Neumann neighbourhood) S = H + Σ_d B_−d · X(x, y+d). The universe lies in memory fragment by fragment. A block does a tile of a×b
// fragments, its warps taking turns: all H first, into shared memory, then all S, then the rule, with a barrier after each.
#include "halves.h"

typedef u16 half;
constexpr int side = 16, area = side * side;    // of a fragment
constexpr int line = 24;                        // halves from row to row of a fragment in shared memory, so that banks do not conflict
constexpr int padded = side * line;

struct __attribute__((aligned(16))) Eight {
    u32 v[4];
};

// A fragment as a left factor: rows of the universe in global memory.
INLINE void load_global(u32 r[4], const half *fragment) {
    const u32 *p = (const u32 *)fragment + lane() / 4 * 8 + lane() % 4;
    r[0] = p[0], r[1] = p[64], r[2] = p[4], r[3] = p[68];
}
// The row that a lane names to load_matrix4, of a fragment in shared memory.
INLINE const half *my_row(const half *fragment) { return fragment + lane() % 16 * line + lane() / 16 * 8; }
INLINE void load_left(u32 r[4], const half *fragment) { load_matrix4(r, my_row(fragment)); }
INLINE void load_right(u32 r[4], const half *fragment) { load_matrix4_transposed(r, my_row(fragment)); }
// A left factor made a right one: each of its four 8×8 matrices transposed.
INLINE void turn(u32 r[4]) {
    UNROLL for (int i = 0; i < 4; i++) transpose(r[i]);
}

// A fragment of sums in FP16, exact up to 2048.
struct Narrow {
    u32 v[4];
    __device__ void zero() { v[0] = v[1] = v[2] = v[3] = 0; }
    __device__ void add_product(const u32 left[4], const u32 right[4]) {
        mma_f16(v, left, right, v);
        mma_f16(v + 2, left, right + 2, v + 2);
    }
    // Where a lane's values go in a fragment of so many halves a row.
    __device__ void store(half *fragment, int width) const {
        u32 *p = (u32 *)fragment + (lane() / 4 * width + lane() % 4 * 2) / 2;
        p[0] = v[0], p[width * 4] = v[1], p[4] = v[2], p[width * 4 + 4] = v[3];
    }
    __device__ void load(const half *fragment) {
        const u32 *p = (const u32 *)fragment + (lane() / 4 * line + lane() % 4 * 2) / 2;
        v[0] = p[0], v[1] = p[line * 4], v[2] = p[4], v[3] = p[line * 4 + 4];
    }
};

// A fragment of sums in FP32, stored as 16-bit integers.
struct Wide {
    float v[8];
    __device__ void zero() {
        UNROLL for (int i = 0; i < 8; i++) v[i] = 0;
    }
    __device__ void add_product(const u32 left[4], const u32 right[4]) {
        mma_f32(v, left, right);
        mma_f32(v + 4, left, right + 2);
    }
    __device__ void store(half *fragment, int width) const {
        u32 *p = (u32 *)fragment + (lane() / 4 * width + lane() % 4 * 2) / 2;
        UNROLL for (int i = 0; i < 4; i++) p[i % 2 * width * 4 + i / 2 * 4] = (u32)v[2 * i] | (u32)v[2 * i + 1] << 16;
    }
    __device__ void load(const half *fragment) {
        Narrow n;
        n.load(fragment);
        UNROLL for (int i = 0; i < 8; i++) v[i] = float_of(n.v[i / 2] >> i % 2 * 16);
    }
};

INLINE HalfRule rule_for(Rule r, Narrow) { return half_rule(r); }
INLINE PairRule rule_for(Rule r, Wide) { return pair_rule(r); }

DYNAMIC_SHARED(half, memory, 16);

// Cells and next point at the first fragment of the margin, reach fragments wide, of a universe of across fragments a row, nx×ny without
// it. The sums S go where the next cells will be, as the published kernel has it. CACHED, which is not published, brings all
// cells of the tile into shared memory first and keeps S there.
template <class Sums, bool CACHED>
INLINE void multiply(const half *__restrict__ cells, half *next, i32 across, i32 nx, i32 ny, i32 a, i32 b, i32 reach, i32 radius, u32 cross,
                Rule rule) {
    const i32 bands = 2 * reach + 1, tall = b + 2 * reach, wide = a + 2 * reach;
    half *band = memory, *h = band + bands * padded, *s = h + a * tall * padded, *x = s + (CACHED ? a * b * padded : 0);
    const i32 x0 = block_x() * a, y0 = block_y() * b;    // the tile's first fragment, without the margin
    const i32 warp = thread() / 32, warps = threads() / 32;

    for (i32 i = thread(); i < bands * area; i += threads()) {
        i32 d = i / area - reach, l = i / side % side, j = i % side, distance = side * d + l - j;
        band[i / area * padded + l * line + j] = distance <= radius && -distance <= radius ? 0x3c00 : 0;
    }
    if (CACHED) {
        for (i32 i = thread(); i < wide * tall * 32; i += threads()) {
            i32 f = i / 32, part = i % 32, fx = x0 + f % wide, fy = y0 + f / wide;
            if (fx < nx + 2 * reach && fy < ny + 2 * reach)
                copy_async16(x + f * padded + part / 2 * line + part % 2 * 8, cells + ((i64)fy * across + fx) * area + part * 8);
        }
        copy_async_commit();
        copy_async_wait<0>();
    }
    block_barrier();

    const half *zero = band + reach * padded;
    for (i32 f = warp; f < a * tall; f += warps) {    // rows of the margin included: fragment fy of the tile is fy − reach of its inside
        i32 fx = f % a, fy = f / a;
        if (x0 + fx >= nx || y0 + fy >= ny + 2 * reach) continue;
        Narrow sum;
        sum.zero();
        for (i32 d = -reach; d <= reach; d++) {
            u32 left[4], right[4];
            if (CACHED)
                load_left(left, x + (fy * wide + fx + reach + d) * padded);
            else
                load_global(left, cells + ((i64)(y0 + fy) * across + x0 + fx + reach + d) * area);
            load_right(right, zero + d * padded);
            sum.add_product(left, right);
        }
        sum.store(h + f * padded, line);
    }
    block_barrier();

    for (i32 f = warp; f < a * b; f += warps) {
        i32 fx = f % a, fy = f / a;
        if (x0 + fx >= nx || y0 + fy >= ny) continue;
        Sums sum;
        if (cross)
            sum.load(h + (f + a * reach) * padded);
        else
            sum.zero();
        for (i32 d = -reach; d <= reach; d++) {
            u32 left[4], right[4];
            load_left(left, zero - d * padded);
            if (!cross) {
                load_right(right, h + (f + a * (reach + d)) * padded);
            } else if (CACHED) {
                load_right(right, x + ((fy + reach + d) * wide + fx + reach) * padded);
            } else {
                load_global(right, cells + ((i64)(y0 + fy + reach + d) * across + x0 + fx + reach) * area);
                turn(right);
            }
            sum.add_product(left, right);
        }
        if (CACHED)
            sum.store(s + f * padded, line);
        else
            sum.store(next + ((i64)(y0 + fy + reach) * across + x0 + fx + reach) * area, side);
    }
    block_barrier();

    const auto the_rule = rule_for(rule, Sums());
    for (i32 i = thread(); i < a * b * 32; i += threads()) {    // eight cells at a time, half a row of a fragment
        i32 f = i / 32, part = i % 32, fx = f % a, fy = f / a;
        if (x0 + fx >= nx || y0 + fy >= ny) continue;
        i64 at = ((i64)(y0 + fy + reach) * across + x0 + fx + reach) * area + part * 8;
        i32 row = part / 2 * line + part % 2 * 8;
        Eight now = *(const Eight *)(CACHED ? x + ((fy + reach) * wide + fx + reach) * padded + row : cells + at);
        Eight sum = *(const Eight *)(CACHED ? s + f * padded + row : next + at), then;
        UNROLL for (int q = 0; q < 4; q++) then.v[q] = next_halves(now.v[q], sum.v[q], the_rule);
        *(Eight *)(next + at) = then;
    }
}

#define PARAMETERS                                                                                                              \
    const half *cells, half *next, i32 across, i32 nx, i32 ny, i32 a, i32 b, i32 reach, i32 radius, u32 cross, RULE
#define ARGUMENTS cells, next, across, nx, ny, a, b, reach, radius, cross, THE_RULE

KERNEL cat(PARAMETERS) { multiply<Narrow, false>(ARGUMENTS); }
KERNEL cat_wide(PARAMETERS) { multiply<Wide, false>(ARGUMENTS); }
KERNEL cat_cached(PARAMETERS) { multiply<Narrow, true>(ARGUMENTS); }
