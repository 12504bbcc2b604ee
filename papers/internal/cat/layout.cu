// Universes in and out, and the halo, for each layout of cells.
#include "cells.h"

// Rows: bytes, row after row; cells points at the cell (0, 0), which has margins on all sides.
struct Rows {
    u8 *cells;
    i32 pitch;
    __device__ u8 get(i32 x, i32 y) const { return cells[(i64)y * pitch + x]; }
    __device__ void set(i32 x, i32 y, u8 v) const { cells[(i64)y * pitch + x] = v; }
};

// Fragments: squares of SIDE×SIDE cells, each contiguous, in rows of `across` squares; margin squares of margin surround the universe.
template <typename T, int SIDE, T ALIVE> struct Fragments {
    T *cells;
    i32 across, margin;
    __device__ T *at(i32 x, i32 y) const {
        u32 u = x + margin * SIDE, v = y + margin * SIDE;
        return cells + ((u64)(v / SIDE) * across + u / SIDE) * (SIDE * SIDE) + v % SIDE * SIDE + u % SIDE;
    }
    __device__ u8 get(i32 x, i32 y) const { return *at(x, y) != 0; }
    __device__ void set(i32 x, i32 y, u8 v) const { *at(x, y) = v ? ALIVE : 0; }
};
using Halves = Fragments<u16, 16, 0x3c00>;    // FP16
using Bytes = Fragments<u8, 32, 1>;           // INT8

// Fragments of 16×16 bytes, in a row of which the two columns 2t and 2t + 1 come before the next two, each after the
// one that is eight columns less; see temporal.cu.
struct Woven {
    u8 *cells;
    i32 across, margin;
    __device__ u8 *at(i32 x, i32 y) const {
        u32 u = x + margin * 16, v = y + margin * 16;
        return cells + ((u64)(v / 16) * across + u / 16) * 256 + v % 16 * 16 + u % 8 * 2 + u / 8 % 2;
    }
    __device__ u8 get(i32 x, i32 y) const { return *at(x, y); }
    __device__ void set(i32 x, i32 y, u8 v) const { *at(x, y) = v; }
};

// Load: a thread makes one cell from row-major bits, `words` words of 32 a row.
template <class Layout> INLINE void load(Layout to, const u32 *bits, u32 words, u32 w, u32 h) {
    u32 x = block_x() * threads() + thread();
    for (u32 y = block_y(); y < h && x < w; y += blocks_y())
        to.set(x, y, bits[(u64)y * words + x / 32] >> x % 32 & 1);
}

// Store: a warp makes a word of bits.
template <class Layout> INLINE void store(Layout from, u32 *bits, u32 words, u32 w, u32 h) {
    u32 x = block_x() * threads() + thread();
    for (u32 y = block_y(); y < h; y += blocks_y()) {
        u32 word = ballot(x < w && from.get(x < w ? x : 0, y));
        if (x % 32 == 0 && x / 32 < words) bits[(u64)y * words + x / 32] = word;
    }
}

INLINE i32 wrap(i32 v, i32 n) { return (v % n + n) % n; }

// Halo: a thread makes one cell of the frame of radius cells around the universe, from the cell that a torus has there: first the 2·radius
// rows above and below, then both sides of the h rows between.
template <class Layout> INLINE void halo(Layout cells, i32 w, i32 h, i32 radius) {
    i32 across = w + 2 * radius, rows = 2 * radius * across;
    i32 i = block_x() * threads() + thread();
    i32 x, y;
    if (i < rows) {
        x = i % across - radius;
        y = i / across;
        y = y < radius ? y - radius : y - radius + h;
    } else {
        i -= rows;
        x = i % (2 * radius);
        x = x < radius ? x - radius : x - radius + w;
        y = i / (2 * radius);
        if (y >= h) return;
    }
    cells.set(x, y, cells.get(wrap(x, w), wrap(y, h)));
}

KERNEL load_rows(u8 *cells, i32 pitch, const u32 *bits, u32 words, u32 w, u32 h) { load(Rows{cells, pitch}, bits, words, w, h); }
KERNEL store_rows(u8 *cells, i32 pitch, u32 *bits, u32 words, u32 w, u32 h) { store(Rows{cells, pitch}, bits, words, w, h); }
KERNEL halo_rows(u8 *cells, i32 pitch, i32 w, i32 h, i32 radius) { halo(Rows{cells, pitch}, w, h, radius); }

KERNEL load_halves(u16 *cells, i32 across, i32 margin, const u32 *bits, u32 words, u32 w, u32 h) {
    load(Halves{cells, across, margin}, bits, words, w, h);
}
KERNEL store_halves(u16 *cells, i32 across, i32 margin, u32 *bits, u32 words, u32 w, u32 h) {
    store(Halves{cells, across, margin}, bits, words, w, h);
}
KERNEL halo_halves(u16 *cells, i32 across, i32 margin, i32 w, i32 h, i32 radius) {
    halo(Halves{cells, across, margin}, w, h, radius);
}

KERNEL load_bytes(u8 *cells, i32 across, i32 margin, const u32 *bits, u32 words, u32 w, u32 h) {
    load(Bytes{cells, across, margin}, bits, words, w, h);
}
KERNEL store_bytes(u8 *cells, i32 across, i32 margin, u32 *bits, u32 words, u32 w, u32 h) {
    store(Bytes{cells, across, margin}, bits, words, w, h);
}
KERNEL halo_bytes(u8 *cells, i32 across, i32 margin, i32 w, i32 h, i32 radius) {
    halo(Bytes{cells, across, margin}, w, h, radius);
}

KERNEL load_woven(u8 *cells, i32 across, i32 margin, const u32 *bits, u32 words, u32 w, u32 h) {
    load(Woven{cells, across, margin}, bits, words, w, h);
}
KERNEL store_woven(u8 *cells, i32 across, i32 margin, u32 *bits, u32 words, u32 w, u32 h) {
    store(Woven{cells, across, margin}, bits, words, w, h);
}
KERNEL halo_woven(u8 *cells, i32 across, i32 margin, i32 w, i32 h, i32 radius) {
    halo(Woven{cells, across, margin}, w, h, radius);
}

// Counts the words that two universes of so many do not share.
KERNEL differences(const u32 *a, const u32 *b, u64 words, u32 *count) {
    u32 mine = 0;
    for (u64 i = (u64)block_x() * threads() + thread(); i < words; i += (u64)blocks_x() * threads()) mine += a[i] != b[i];
    mine = warp_sum(mine);
    if (lane() == 0 && mine) atomic_add(count, mine);
}
