// CAT without shared memory, beyond the paper: what the tensor cores give back is, in the lanes where it lies, already what they take.
//
// PTX ISA gives the place of each element of a product d = a·b of m16n8k16 (FP16) or m16n8k32 (INT8) in the lanes of a warp. If the first
// product is taken transposed, Hᵀ = Σ_d B_−d · X(x+d, y)ᵀ, then a lane holds two neighbouring rows of a column of H, which is how the
// right factor of the second one, S = Σ_d B_−d · H(x, y+d), wants them, up to the order of rows. But the order of the rows of a product,
// and of the index that is summed over, is free as long as the bands B have the same order. So there is one order for columns and rows,
// place(), in which nothing has to move between lanes, a lane loads and stores eight bytes of a row at a time, the sums S come out where
// the cells of X lie, and both directions share the same band fragments.
//
// A warp walks down a strip of fragments and keeps H of the last 2·reach + 1 fragments; no barrier, no shared memory.
#include "halves.h"

typedef u16 half;

// Cells and next point at the first fragment of the margin; strips are `rows` fragments tall; across and nx, ny as in CAT.
#define PARAMETERS i32 across, i32 nx, i32 ny, i32 rows, i32 radius

INLINE bool in_band(i32 distance, i32 radius) { return distance <= radius && -distance <= radius; }

// The row or column of a fragment that is number `slot` of a product's results, with E elements to a register of a factor: lane t of four
// has the 2E from 2E·t on.
template <int E> INLINE i32 place(i32 slot) { return slot / 2 % 4 * 2 * E + slot / 8 * 2 + slot % 2; }
// The one that is number `slot` of the index summed over.
template <int E> INLINE i32 summed(i32 slot) { return slot / E % 4 * 2 * E + slot / (4 * E) * E + slot % E; }

// ---- FP16: fragments of 16×16

// Sums in FP16, exact to 2048, and in FP32 beyond.
struct Narrow {
    u32 v[2];
    __device__ void zero() { v[0] = v[1] = 0; }
    __device__ void add_product(const u32 a[4], const u32 b[2]) { mma_f16(v, a, b, v); }
};
struct Wide {
    float v[4];
    __device__ void zero() { v[0] = v[1] = v[2] = v[3] = 0; }
    __device__ void add_product(const u32 a[4], const u32 b[2]) { mma_f32(v, a, b); }
};
INLINE HalfRule rule_for(Rule r, Narrow) { return half_rule(r); }
INLINE PairRule rule_for(Rule r, Wide) { return pair_rule(r); }
INLINE u32 next_pair(u32 cells, const Narrow &sum, int row, HalfRule r) { return next_halves(cells, sum.v[row], r); }
INLINE u32 next_pair(u32 cells, const Wide &sum, int row, PairRule r) {
    return next_halves(cells, (u32)sum.v[2 * row] | (u32)sum.v[2 * row + 1] << 16, r);
}

// A warp does STRIPS columns of fragments side by side; REACH fragments either way have cells of the neighbourhood.
template <int REACH, int STRIPS, class Sums>
INLINE void registers(const u64 *__restrict__ cells, u64 *__restrict__ next, PARAMETERS, Rule rule) {
    constexpr int bands = 2 * REACH + 1, area = 64;    // words of a fragment
    const i32 group = lane() / 4, t = lane() % 4;
    const i32 x = (block_x() * (threads() / 32) + thread() / 32) * STRIPS, y0 = block_y() * rows, y1 = y0 + rows < ny ? y0 + rows : ny;
    if (x >= nx) return;
    const auto the_rule = rule_for(rule, Sums());

    u32 band[bands][4];
    UNROLL for (int d = 0; d < bands; d++) {
        UNROLL for (int q = 0; q < 4; q++) {
            i32 out = place<2>(q % 2 * 8 + group), in = summed<2>(q / 2 * 8 + 2 * t);
            i32 distance = 16 * (d - REACH) + in - out;
            band[d][q] = (in_band(distance, radius) ? 0x3c00 : 0) | (in_band(distance + 1, radius) ? 0x3c000000 : 0);
        }
    }
    // The word of a fragment that has this lane's cells of row slots 0 to 7 and 8 to 15.
    const i32 at[2] = {place<2>(group) * 4 + t, place<2>(group + 8) * 4 + t};

    u32 h[bands][STRIPS][2][2];           // column block, row block
    u32 now[REACH + 1][STRIPS][2][2];     // row block, column block
    const u64 *from = cells + ((i64)y0 * across + x) * area;
    u64 *to = next + ((i64)(y0 + REACH) * across + x + REACH) * area;
    ROLL for (i32 y = y0 - 2 * REACH; y < y1; y++, from += across * area) {    // H of row y + REACH, S of row y
        u32 row[STRIPS + 2 * REACH][2][2];
        UNROLL for (int i = 0; i < STRIPS + 2 * REACH; i++) {
            UNROLL for (int j = 0; j < 2; j++) {
                u64 word = i < STRIPS || x + i < nx + 2 * REACH ? from[i * area + at[j]] : 0;
                row[i][j][0] = (u32)word, row[i][j][1] = word >> 32;
            }
        }
        UNROLL for (int s = 0; s < STRIPS; s++) {
            UNROLL for (int d = 0; d < 2 * REACH; d++) {
                UNROLL for (int q = 0; q < 4; q++) h[d][s][q / 2][q % 2] = h[d + 1][s][q / 2][q % 2];
            }
            UNROLL for (int d = 0; d < REACH; d++) {
                UNROLL for (int q = 0; q < 4; q++) now[d][s][q / 2][q % 2] = now[d + 1][s][q / 2][q % 2];
            }
            UNROLL for (int j = 0; j < 2; j++) {
                Narrow sum;
                sum.zero();
                UNROLL for (int d = 0; d < bands; d++) sum.add_product(band[d], row[s + d][j]);
                h[2 * REACH][s][0][j] = sum.v[0], h[2 * REACH][s][1][j] = sum.v[1];
                now[REACH][s][j][0] = row[s + REACH][j][0], now[REACH][s][j][1] = row[s + REACH][j][1];
            }
        }
        if (y < y0) continue;
        UNROLL for (int s = 0; s < STRIPS; s++) {
            Sums sum[2];
            UNROLL for (int c = 0; c < 2; c++) {
                sum[c].zero();
                UNROLL for (int d = 0; d < bands; d++) sum[c].add_product(band[d], h[d][s][c]);
            }
            UNROLL for (int j = 0; j < 2; j++) {
                u32 low = next_pair(now[0][s][j][0], sum[0], j, the_rule);
                u32 high = next_pair(now[0][s][j][1], sum[1], j, the_rule);
                if (s == 0 || x + s < nx) to[s * area + at[j]] = (u64)high << 32 | low;
            }
        }
        to += across * area;
    }
}

#define HALVES(name, REACH, STRIPS, Sums)                                                            \
    KERNEL __launch_bounds__(128) name(const u64 *cells, u64 *next, PARAMETERS, RULE) {               \
        registers<REACH, STRIPS, Sums>(cells, next, across, nx, ny, rows, radius, THE_RULE);          \
    }
HALVES(registers_1, 1, 2, Narrow)
HALVES(registers_2, 2, 2, Wide)
HALVES(registers_3, 3, 1, Wide)
HALVES(registers_4, 4, 1, Wide)

// ---- INT8: fragments of 32×32 bytes, what two products deep and two wide cover

template <int REACH> INLINE void bytes(const u64 *__restrict__ cells, u64 *__restrict__ next, PARAMETERS, Rule rule) {
    constexpr int bands = 2 * REACH + 1, area = 128;
    const i32 group = lane() / 4, t = lane() % 4;
    const i32 x = block_x() * (threads() / 32) + thread() / 32, y0 = block_y() * rows, y1 = y0 + rows < ny ? y0 + rows : ny;
    if (x >= nx) return;
    const PairRule pair = pair_rule(rule);

    u32 band[bands][2][4];    // of 16 results each
    UNROLL for (int d = 0; d < bands; d++) {
        UNROLL for (int q = 0; q < 8; q++) {
            i32 out = place<4>(q / 4 * 16 + q % 2 * 8 + group), in = summed<4>(q / 2 % 2 * 16 + 4 * t);
            i32 distance = 32 * (d - REACH) + in - out;    // the four that are summed side by side are neighbours
            u32 word = 0;
            UNROLL for (int e = 0; e < 4; e++) word |= (u32)in_band(distance + e, radius) << 8 * e;
            band[d][q / 4][q % 4] = word;
        }
    }
    i32 at[4];
    UNROLL for (int j = 0; j < 4; j++) at[j] = place<4>(8 * j + group) * 4 + t;

    u32 h[bands][4][2];           // column block, rows of the first and the second sixteen
    u32 now[REACH + 1][4][2];     // row block, half of the lane's columns
    const u64 *from = cells + ((i64)y0 * across + x) * area;
    u64 *to = next + ((i64)(y0 + REACH) * across + x + REACH) * area;
    u64 ahead[bands][4];    // the next row of fragments, read while this one is worked on
    UNROLL for (int q = 0; q < 4 * bands; q++) ahead[q / 4][q % 4] = from[q / 4 * area + at[q % 4]];
    ROLL for (i32 y = y0 - 2 * REACH; y < y1; y++) {
        u32 row[bands][4][2];
        UNROLL for (int q = 0; q < 4 * bands; q++) {
            u64 word = ahead[q / 4][q % 4];
            row[q / 4][q % 4][0] = (u32)word, row[q / 4][q % 4][1] = word >> 32;
        }
        if (y + 1 < y1) {
            from += across * area;
            UNROLL for (int q = 0; q < 4 * bands; q++) ahead[q / 4][q % 4] = from[q / 4 * area + at[q % 4]];
        }
        UNROLL for (int d = 0; d < 2 * REACH; d++) {
            UNROLL for (int q = 0; q < 8; q++) h[d][q / 2][q % 2] = h[d + 1][q / 2][q % 2];
        }
        UNROLL for (int d = 0; d < REACH; d++) {
            UNROLL for (int q = 0; q < 8; q++) now[d][q / 2][q % 2] = now[d + 1][q / 2][q % 2];
        }
        UNROLL for (int q = 0; q < 8; q++) now[REACH][q / 2][q % 2] = row[REACH][q / 2][q % 2];
        UNROLL for (int u = 0; u < 2; u++) {          // sixteen columns
            UNROLL for (int v = 0; v < 2; v++) {      // sixteen rows, two blocks of eight
                i32 sum[2][4] = {};
                UNROLL for (int j = 0; j < 2; j++) {
                    UNROLL for (int d = 0; d < bands; d++) mma_u8(sum[j], band[d][u], row[d][2 * v + j], sum[j]);
                }
                UNROLL for (int c = 0; c < 2; c++)
                    h[2 * REACH][2 * u + c][v] = byte_permute(byte_permute(sum[0][2 * c], sum[0][2 * c + 1], 0x40),
                                                              byte_permute(sum[1][2 * c], sum[1][2 * c + 1], 0x40), 0x5410);
            }
        }
        if (y < y0) continue;
        UNROLL for (int v = 0; v < 2; v++) {    // sixteen rows, two blocks of eight
            u32 then[2][2];
            UNROLL for (int u = 0; u < 2; u++) {
                i32 sum[2][4] = {};
                UNROLL for (int c = 0; c < 2; c++) {
                    UNROLL for (int d = 0; d < bands; d++) mma_u8(sum[c], band[d][v], h[d][2 * u + c], sum[c]);
                }
                UNROLL for (int j = 0; j < 2; j++)
                    then[j][u] = next_states(now[0][2 * v + j][u], byte_permute(sum[0][2 * j], sum[0][2 * j + 1], 0x5410),
                                             byte_permute(sum[1][2 * j], sum[1][2 * j + 1], 0x5410), pair);
            }
            UNROLL for (int j = 0; j < 2; j++) to[at[2 * v + j]] = (u64)then[j][1] << 32 | then[j][0];
        }
        to += across * area;
    }
}

#define BYTES(name, REACH, blocks)                                                                    \
    KERNEL __launch_bounds__(128, blocks) name(const u64 *cells, u64 *next, PARAMETERS, RULE) {                \
        bytes<REACH>(cells, next, across, nx, ny, rows, radius, THE_RULE);                             \
    }
BYTES(bytes_1, 1, 4)
BYTES(bytes_2, 2, 2)
