// Products with bands whose results lie in the lanes of a warp as the next product's factors do: a register has the
// four cells of a row of a fragment in columns 2t and 2t + 1 (i = 0, 1) and eight columns further (c = 0, 1), for lane t
// of four; byte 2i + c is column 8c + 2t + i. The lane's row is that of its number / 4, of eight. temporal.cu says more.
#pragma once
#include "cells.h"

constexpr u32 first = 0x00ff00ff;    // bytes of a word with c = 0

struct Band {
    u32 v[4];
};

// B, for right factors of two registers, which begin at some columns from the fragment's; the c of the second one is
// its own distance further, or far away. The first eight results count each cell low times, the others high times.
INLINE Band band_of(i32 radius, i32 column, const i32 second[2], u32 low, u32 high) {
    Band b;
    const i32 group = lane() / 4, t = lane() % 4;
    UNROLL for (int q = 0; q < 4; q++) {
        u32 word = 0;
        UNROLL for (int e = 0; e < 4; e++) {
            i32 c = e % 2, in = column + 8 * c + 2 * t + e / 2 + (q / 2 ? second[c] : 0);
            i32 distance = in - (q % 2 * 8 + group);
            word |= (u32)(distance <= radius && -distance <= radius) << 8 * e;
        }
        b.v[q] = word * (q % 2 ? high : low);
    }
    return b;
}

// Sums along rows or columns up to radius 8. Product is mma_u8 or mma_s8.
template <decltype(mma_u8) Product = mma_u8> struct Near {
    Band band;
    INLINE_MEMBER void make(i32 radius, u32 low, u32 high) {
        const i32 second[2] = {16, -16};
        band = band_of(radius, 0, second, low, high);
    }
    INLINE_MEMBER void add_product(i32 sum[4], u32 before, u32 here, u32 after) const {
        const u32 right[2] = {here, lop3<0xe4>(after, before, first)};
        Product(sum, band.v, right, sum);
    }
};
// The same up to radius 16.
template <decltype(mma_u8) Product = mma_u8> struct Far {
    Band band, last;
    INLINE_MEMBER void make(i32 radius, u32 low, u32 high) {
        const i32 before[2] = {-16, -16}, nowhere[2] = {1024, 1024};
        band = band_of(radius, 0, before, low, high);
        last = band_of(radius, 16, nowhere, low, high);
    }
    INLINE_MEMBER void add_product(i32 sum[4], u32 before, u32 here, u32 after) const {
        const u32 right[2] = {here, before}, more[2] = {after, 0};
        Product(sum, band.v, right, sum);
        Product(sum, last.v, more, sum);
    }
};

// Two results, each below 65536.
INLINE u32 together(const i32 sum[2]) { return byte_permute(sum[0], sum[1], 0x5410); }

// The rule on several sums in a word, whose cells are 1 or 0 in the same places. With FIELD bits for each, the
// highest of v + top − lo is set where v ≥ lo, of v + top − 1 − hi where v > hi. Sums come with top − birth_lo added.
template <int FIELD> struct FieldRule {
    u32 start, further, more_lo, more_hi;
    static constexpr u32 top = 1u << (FIELD - 1), ones = FIELD == 8 ? 0x01010101 : 0x00010001;
    INLINE_MEMBER void make(Rule r) {
        start = top - r.birth_lo, further = (r.birth_lo - r.birth_hi - 1) * ones;
        more_lo = r.birth_lo - r.survive_lo, more_hi = r.birth_hi - r.survive_hi;
    }
    // The next states, in the highest bits.
    INLINE_MEMBER u32 next(u32 cells, u32 sums) const {
        return lop3<0x20>(sums + cells * more_lo, sums + further + cells * more_hi, top * ones);
    }
};
