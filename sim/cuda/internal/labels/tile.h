// A tile of cells in shared memory, and what its kernel shares with the others: forests, and clusters by size.
#pragma once
#include "cells.h"
#include "contacts.h"

constexpr u32 side = 256;             // columns of a tile
constexpr u32 words = side / 32;      // of a row of a tile
constexpr u32 strip_words = 1024;     // of all strips of a tile
constexpr u32 strips = strip_words / words;
constexpr u32 shortest = strips / 32; // words of the shortest side of a tile, of which other sides have a multiple
constexpr u32 most_pieces = 16 * strip_words;
constexpr u32 many = 2048;            // pieces of a tile
constexpr u32 nodes = 512;            // of a tile at most: every other cell along its sides
constexpr u32 small = 512;            // clusters of fewer cells are counted by size
constexpr u32 none = 0xffffffff;
constexpr u32 tile_threads = 512, turns = strip_words / tile_threads;

// A piece's slot in a tile's forest: the number of another piece of its cluster, or its own, in the low bits; above them the cells of a
// root's cluster, and whether that touches a side.
constexpr u32 number_bits = 14, number_mask = (1 << number_bits) - 1, touching = 1u << 31;

// The clusters that no edge has, all 64-bit: how many are large, clusters by size, then the sizes of large ones.
struct Found {
    u64 larges, sizes[small], large[];
};

// ---- Forests

// The root above i. What is passed on the way is hung higher, which others may do, or climb, at the same time.
INLINE u32 find(u32 *parents, u32 i) {
    for (;;) {
        const u32 parent = relaxed_load(parents + i);
        if (parent == i) return i;
        const u32 above = relaxed_load(parents + parent);
        if (above == parent) return parent;
        relaxed_store(parents + i, above);
        i = above;
    }
}

INLINE void unite(u32 *parents, u32 a, u32 b) {
    for (;;) {
        a = find(parents, a);
        b = find(parents, b);
        if (a == b) return;
        const u32 high = a > b ? a : b, low = a > b ? b : a;
        const u32 before = atomic_min(parents + high, low);
        if (before == high) return; // it was a root still
        a = before;                 // it hung below this one, or did until now
        b = low;
    }
}

// ---- Clusters by size

INLINE void clear_sizes(u32 *sizes) {
    for (u32 i = thread(); i < small; i += threads()) sizes[i] = 0;
}

INLINE void count_cluster(u32 *sizes, Found *found, u64 size) {
    if (size < small) {
        atomic_add(sizes + size, 1);
    } else {
        found->large[atomic_add(&found->larges, 1)] = size;
    }
}

INLINE void emit_sizes(const u32 *sizes, Found *found) {
    for (u32 i = thread(); i < small; i += threads()) {
        if (sizes[i]) atomic_add(found->sizes + i, sizes[i]);
    }
}

// ---- Tiles

DYNAMIC_SHARED(u32, memory, 4);

// The columns at which pieces of a word begin.
INLINE u32 starts(u32 columns) { return columns & ~(columns << 1); }

// The numbers of the first cells of a tile's sides.
struct Corners {
    u32 top, bottom, left, right;
};

// A tile in shared memory. Rows is the rows of a strip.
template <u32 rows> struct Tile {
    u32 *slots, *cells, *sizes;
    u16 *list;   // of pieces: where each begins, 32 · word + column
    u16 *firsts; // by word: the number of its first piece
    u32 *sums;   // by warp's words: pieces
    u32 *length; // the number of nodes

    INLINE_MEMBER u32 upper(u32 i) const { return cells[i]; }
    INLINE_MEMBER u32 lower(u32 i) const { return cells[(rows - 1) * strip_words + i]; }
    INLINE_MEMBER u32 columns(u32 i) const { return upper(i) | lower(i); }
    // Word x of row y.
    INLINE_MEMBER u32 word(u32 x, u32 y) const { return cells[y % rows * strip_words + y / rows * words + x]; }
    // The number of the piece that bit x of word i is in.
    INLINE_MEMBER u32 piece(u32 i, u32 x) const { return firsts[i] + count_ones(starts(columns(i)) & ((2u << x) - 1)) - 1; }

    // Loads the cells, lists the pieces in the order of words, and returns how many there are. A piece that goes on from the word to the left
    // hangs below it from the beginning.
    INLINE_MEMBER u32 load(const Cells &from, u32 x, u32 y) {
        u32 any[turns], end[turns];
        UNROLL for (u32 turn = 0; turn < turns; turn++) {
            const u32 i = thread() + turn * tile_threads;
            any[turn] = 0;
            UNROLL for (u32 k = 0; k < rows; k++) {
                const u32 v = from.word(x + i % words, y + i / words * rows + k);
                cells[k * strip_words + i] = v;
                any[turn] |= v;
            }
        }
        UNROLL for (u32 turn = 0; turn < turns; turn++) {
            end[turn] = sum_up_to(count_ones(starts(any[turn])));
            if (lane() == 31) sums[(thread() + turn * tile_threads) / 32] = end[turn];
        }
        block_barrier();
        const u32 all = sum_up_to(sums[lane()]);
        UNROLL for (u32 turn = 0; turn < turns; turn++) {
            const u32 i = thread() + turn * tile_threads, goes_on = shuffle_up(any[turn] >> 31, 1);
            u32 rest = starts(any[turn]);
            u32 number = shuffle_from(all, i / 32) - sums[i / 32] + end[turn] - count_ones(rest);
            firsts[i] = (u16)number;
            bool joined = goes_on && i % words != 0 && (any[turn] & 1);
            for (; rest; rest &= rest - 1) {
                list[number] = (u16)(32 * i + trailing_zeros(rest));
                slots[number] = joined ? number - 1 : number;
                joined = false;
                number++;
            }
        }
        return shuffle_from(all, 31);
    }

    // Calls f for every piece with its number, its word and its columns.
    template <typename F> INLINE_MEMBER void each_piece(u32 n, F f) const {
        ROLL for (u32 number = thread(); number < n; number += threads()) {
            const u32 i = list[number] / 32, any = columns(i), first = 1u << list[number] % 32;
            f(number, i, any & ~(any + first));
        }
    }

    // Joins the n pieces. Where there are many, each first hangs itself below one that it touches, and comes to hang higher in some
    // rounds that wait for nobody: what is left for union-find to climb is short.
    INLINE_MEMBER void join(u32 n) {
        Contacts contacts[turns];
        UNROLL for (u32 turn = 0; turn < turns; turn++) {
            const u32 i = thread() + turn * tile_threads, a = i - words, j = i % words; // a is above
            if (i < words) continue;
            const bool first = j == 0, last = j == words - 1;
            contacts[turn] = Contacts(rows == 2, first, lower(a), upper(i), first ? 0 : lower(a - 1), first ? 0 : upper(i - 1),
                                      last ? 0 : lower(a + 1), last ? 0 : upper(i + 1));
        }
        const auto each_contact = [&](auto f) {
            UNROLL for (u32 turn = 0; turn < turns; turn++) {
                share_contacts(contacts[turn], [&](u32 from, u32 x, i32 dx) {
                    const u32 here = thread() - lane() + from + turn * tile_threads, column = 32 + x + dx;
                    f(piece(here, x), piece(here - words - 1 + column / 32, column % 32));
                });
            }
        };
        if (n >= many) {
            each_contact([&](u32 number, u32 above) { atomic_replace(slots + number, number, above); });
            block_barrier();
            ROLL for (u32 round = 0; round < 4; round++) {
                ROLL for (u32 number = thread(); number < n; number += threads()) {
                    const u32 parent = relaxed_load(slots + number), above = relaxed_load(slots + parent);
                    if (above != parent) relaxed_store(slots + number, above);
                }
            }
            block_barrier();
        }
        each_contact([&](u32 number, u32 above) { unite(slots, number, above); });
    }

    // Adds the cells of every piece to its root, and hangs the piece below it.
    INLINE_MEMBER void measure(u32 n, u32 last_x, u32 last_y) {
        each_piece(n, [&](u32 number, u32 i, u32 piece_columns) {
            const u32 j = i % words, strip = i / words;
            // The columns of the upper and the lower row along the tile's sides.
            const u32 ends = (j == 0) | (j == last_x / 32 ? 1u << last_x % 32 : 0);
            const u32 up_sides = strip == 0 || strip * rows == last_y ? ~0u : ends;
            const u32 low_sides = strip * rows + rows - 1 == last_y ? ~0u : ends;
            const u32 up = upper(i) & piece_columns, low = rows == 2 ? lower(i) & piece_columns : 0;
            u32 root = number;
            for (;;) {
                const u32 parent = relaxed_load(slots + root) & number_mask;
                if (parent == root) break;
                root = parent;
            }
            if (root != number) relaxed_store(slots + number, root);
            atomic_add(slots + root, (count_ones(up) + count_ones(low)) << number_bits);
            if ((up & up_sides) | (low & low_sides)) atomic_or(slots + root, touching);
        });
    }

    // Counts the clusters that touch no side, and makes nodes of the others: their slots become `touching` and the node's number in the tile.
    INLINE_MEMBER void count(u32 n, u32 *parents, u64 *counts, u32 base, Found *found) {
        ROLL for (u32 number = thread(); number < n; number += threads()) {
            const u32 slot = slots[number];
            if ((slot & number_mask) != number) continue;
            const u32 size = (slot & ~touching) >> number_bits;
            if (!(slot & touching)) {
                count_cluster(sizes, found, size);
                continue;
            }
            const u32 k = atomic_add(length, 1);
            slots[number] = touching | k;
            parents[base + k] = base + k;
            counts[base + k] = size;
        }
    }

    // The node that the cell in column x of row y is in.
    INLINE_MEMBER u32 node(u32 base, u32 x, u32 y) const {
        u32 slot = slots[piece(y / rows * words + x / 32, x % 32)];
        if (!(slot & touching)) slot = slots[slot];
        return base + (slot & ~touching);
    }

    // Writes the cells along the four sides: whether each lives, and its node if it does. at are the numbers of the first of each side.
    INLINE_MEMBER void emit_sides(u32 *labels, u32 *bits, u32 base, Corners at, u32 last_x, u32 last_y) const {
        constexpr u32 tall = rows * strips;
        ROLL for (u32 i = thread(); i < 2 * (side + tall); i += threads()) { // a warp's cells are all of one side
            const bool row = i < 2 * side, second = row ? i >= side : i >= 2 * side + tall;
            const u32 k = row ? i % side : (i - 2 * side) % tall;
            const u32 x = row ? k : second ? last_x : 0, y = !row ? k : second ? last_y : 0;
            const u32 number = k + (row ? second ? at.bottom : at.top : second ? at.right : at.left);
            const bool live = word(x / 32, y) >> x % 32 & 1;
            const u32 lives = ballot(live);
            if (lane() == 0) bits[number / 32] = lives;
            if (live) labels[number] = node(base, x, y);
        }
    }
};
