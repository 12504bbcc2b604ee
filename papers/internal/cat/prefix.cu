// PACK-PREFIX, beyond the paper: eight cells of a byte each in a word of 64 bits, and all work done on whole words.
//
// A warp walks down a strip of 32 words side by side. Each lane keeps, for the eight columns of its word, the sums of the 2R+1 cells
// above and below the row it is at (a byte each, at most 33): a row enters, a row leaves. So that the universe is read once, the rows
// between wait in shared memory, a bit a cell. The sums along the row are differences of prefix sums: S(x) is the sum of the column sums
// from the strip's left edge to column x, 16 bits each, put into shared memory for the lanes beside; the neighbourhood of x is
// S(x+R) − S(x−R−1). The work for a cell is the same at every radius.
#include "cells.h"

struct __attribute__((aligned(16))) Quad {
    u32 v[4];
};

// Eight consecutive 16-bit values of the sixteen in a and b, from number START on.
template <int START> INLINE Quad window(Quad a, Quad b) {
    u32 all[8] = {a.v[0], a.v[1], a.v[2], a.v[3], b.v[0], b.v[1], b.v[2], b.v[3]};
    Quad r;
    UNROLL for (int i = 0; i < 4; i++) {
        constexpr int at = START / 2;
        r.v[i] = START % 2 ? byte_permute(all[at + i], all[at + i + 1], 0x5432) : all[at + i];
    }
    return r;
}

// The sum of v over the lanes up to this one.
INLINE u32 sum_to_lane(u32 v) {
    UNROLL for (u32 by = 1; by < 32; by *= 2) v = add_shuffle_up(v, by);
    return v;
}

// Eight cells as bits, and back.
INLINE u8 to_bits(u64 cells) {
    return (u32)cells * 0x10204080 >> 28 | ((u32)(cells >> 32) * 0x10204080 >> 24 & 0xf0);
}
INLINE u64 to_cells(u32 bits) {
    return (u64)((bits >> 4) * 0x00204081 & 0x01010101) << 32 | ((bits & 15) * 0x00204081 & 0x01010101);
}

constexpr u32 warps = 4;    // of a block

// A block is four warps, side by side; block_y counts strips of `rows` rows.
template <int R> INLINE void prefix(const u8 *__restrict__ cells, u8 *__restrict__ next, i32 pitch, i32 w, i32 h, i32 rows, Rule rule) {
    // S(x+R) of a lane's columns lies in the words `right` and right+1 lanes on, S(x−R−1) in those `left` and left−1 lanes back.
    constexpr int right = R / 8, right_start = R % 8, left = (R + 8) / 8, left_start = 8 * left - R - 1;
    constexpr int reach = (R + 7) / 8, inner = 32 - left - reach;    // lanes whose neighbourhoods the warp holds
    __shared__ Quad lines[warps][2][left + 32 + reach];
    Quad(*mine)[left + 32 + reach] = lines[thread() / 32];
    const PairRule pair = pair_rule(rule);

    i32 strip = block_x() * warps + thread() / 32;
    i32 x = (strip * inner - left + (i32)lane()) * 8, y0 = block_y() * rows, y1 = y0 + rows < h ? y0 + rows : h;
    bool writes = lane() >= left && lane() < left + inner && x < w;
    i32 safe = x < w + 56 ? x : w / 8 * 8;    // within the margin; lanes beyond it are not used
    const u8 *at = cells + (i64)y0 * pitch + safe;
    u8 *to = next + (i64)y0 * pitch + x;
    __shared__ u8 rows_between[warps][2 * R + 1][32];
    u8(*ring)[32] = rows_between[thread() / 32];
    u64 columns = 0;
    _Pragma("unroll 8") for (i32 i = 0; i < 2 * R; i++) {
        u64 cells_above = *(const u64 *)(at + (i64)(i - R) * pitch);
        columns += cells_above;
        ring[i][lane()] = to_bits(cells_above);
    }
    at += (i64)R * pitch;
    u64 ahead = *(const u64 *)at;                // the row to enter next
    i32 newest = 2 * R, middle_row = R;          // of the ring
    ROLL for (i32 y = y0; y < y1; y++, to += pitch) {
        u64 entering = ahead;
        if (y + 1 < y1) at += pitch;
        ahead = *(const u64 *)at;
        columns += entering;
        ring[newest][lane()] = to_bits(entering);
        u64 now = to_cells(ring[middle_row][lane()]);
        newest = newest == 2 * R ? 0 : newest + 1;
        middle_row = middle_row == 2 * R ? 0 : middle_row + 1;
        u32 low = (u32)columns * 0x01010101, high = (u32)(columns >> 32) * 0x01010101;    // prefix sums of four columns each
        u32 sum = (low >> 24) + (high >> 24);
        u32 before = (sum_to_lane(sum) - sum) * 0x10001, middle = before + (low >> 24) * 0x10001;
        Quad s = {{before + byte_permute(low, 0, 0x4140), before + byte_permute(low, 0, 0x4342),
                   middle + byte_permute(high, 0, 0x4140), middle + byte_permute(high, 0, 0x4342)}};
        Quad *line = mine[y & 1] + left + lane();
        *line = s;
        warp_barrier();    // of the other line, which the next row writes, all have read before they come here again
        Quad to_right = window<right_start>(line[right], line[reach]);
        Quad to_left = window<left_start>(line[-left], line[1 - left]);
        UNROLL for (int i = 0; i < 4; i++) s.v[i] = to_right.v[i] - to_left.v[i];
        u32 then_low = next_states((u32)now, s.v[0], s.v[1], pair), then_high = next_states(now >> 32, s.v[2], s.v[3], pair);
        if (writes) *(u64 *)to = (u64)then_high << 32 | then_low;
        columns -= to_cells(ring[newest][lane()]);
    }
}

#define RADIUS(R)                                                                                                              \
    KERNEL __launch_bounds__(32 * warps) prefix_##R(const u8 *cells, u8 *next, i32 pitch, i32 w, i32 h, i32 rows, RULE) {          \
        prefix<R>(cells, next, pitch, w, h, rows, THE_RULE);                                                                       \
    }

RADIUS(1) RADIUS(2) RADIUS(3) RADIUS(4) RADIUS(5) RADIUS(6) RADIUS(7) RADIUS(8)
RADIUS(9) RADIUS(10) RADIUS(11) RADIUS(12) RADIUS(13) RADIUS(14) RADIUS(15) RADIUS(16)
