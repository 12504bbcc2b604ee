// Connected clusters of a rectangle of cells, a bit each, beyond whose edges nothing is known.
//
// What is joined are pieces: neighbouring columns of a 32-bit word with live cells, in one row where only edges touch (four), in two rows
// taken together where corners do (eight), for there cells in neighbouring columns of two rows always touch. They are joined as a forest
// is joined by many at once: of two roots the higher is hung below the lower, and where another thread was first, what it was hung to is
// joined instead (Komura 2015; Playne and Hawick 2018). First a block joins what lies in its tile, in shared memory:
//
//	┌────────┬────────┐   A cluster that touches no side of its tile is counted there and then. The others become nodes of a
//	│ o    oo│oo      │   second forest in global memory, which the kernel `join` joins along the sides of tiles: all that leaves
//	│ oo     │ o   oo │   a tile are its cells along the sides, as bits, and, where they live, the nodes they are in.
//	├────────┼────────┤
//	│     ooo│        │   `gather` adds the sizes up, `claim` and `number` find the clusters along the edges of the rectangle,
//	│   oo   │   oo   │   which the host joins with what lies beyond, and `count` counts the others.
//	└────────┴────────┘
//
// Pieces are listed, and contacts shared out among the lanes of a warp, before anything is done with them: lanes that go through the words
// of a soup side by side would mostly wait for the one whose word has the most.
#include "tile.h"

// Several rectangles, which do not touch each other, are labelled at once as if they lay one above the other: each begins with a row of
// tiles.

// The sides of all tiles, in one row of numbers: the first rows of all tiles, tile row after tile row, then the last rows, then
// the first columns, tile column after tile column, then the last columns.
struct Sides {
    u32 across, down, tall; // tiles side by side and one above the other, rows of a tile

    INLINE_MEMBER u32 wide() const { return across * side; }
    INLINE_MEMBER u32 high() const { return down * tall; }
    INLINE_MEMBER u32 top(u32 row) const { return row * wide(); }
    INLINE_MEMBER u32 bottom(u32 row) const { return (down + row) * wide(); }
    INLINE_MEMBER u32 left(u32 column) const { return 2 * down * wide() + column * high(); }
    INLINE_MEMBER u32 right(u32 column) const { return 2 * down * wide() + (across + column) * high(); }
};

// from is the first rectangle, from which the others are so many words apart.
template <u32 rows> INLINE void label_tiles(const Cells &from, u32 rectangles, u64 apart, u32 *labels, u32 *bits, u32 *parents, u64 *counts,
                                            u32 *lengths, Found *found) {
    Tile<rows> tile;
    tile.slots = memory;
    tile.cells = tile.slots + most_pieces;
    tile.sizes = tile.cells + rows * strip_words;
    tile.sums = tile.sizes + small;
    tile.length = tile.sums + 32;
    tile.list = (u16 *)(tile.length + 2);
    tile.firsts = tile.list + most_pieces;
    constexpr u32 tall = rows * strips;
    const u32 each = (from.height + tall - 1) / tall; // rows of tiles of a rectangle
    const Sides sides = {(from.width + side - 1) / side, rectangles * each, tall};
    clear_sizes(tile.sizes);
    ROLL for (u32 t = block_x(); t < sides.across * sides.down; t += blocks_x()) {
        const u32 row = t / sides.across, column = t - row * sides.across, base = t * nodes;
        const u32 left = column * side, top = row % each * tall;
        const u32 last_x = (from.width - left < side ? from.width - left : side) - 1;
        const u32 last_y = (from.height - top < tall ? from.height - top : tall) - 1;
        Cells cells = from;
        cells.at += row / each * apart;
        const u32 n = tile.load(cells, left / 32, top);
        block_barrier();
        tile.join(n);
        block_barrier();
        if (thread() == 0) *tile.length = 0;
        tile.measure(n, last_x, last_y);
        block_barrier();
        tile.count(n, parents, counts, base, found);
        block_barrier();
        const u32 down = row * tall;
        const Corners at = {sides.top(row) + left, sides.bottom(row) + left, sides.left(column) + down, sides.right(column) + down};
        tile.emit_sides(labels, bits, base, at, last_x, last_y);
        if (thread() == 0) lengths[t] = *tile.length;
        block_barrier();
    }
    emit_sizes(tile.sizes, found);
}

// One launch for all tiles, by as many blocks as fit the device. Labels and bits are those of the sides, parents and counts (cells)
// the nodes, lengths the nodes of each tile.
#define TILES(name, rows)                                                                                                              \
    KERNEL __launch_bounds__(tile_threads, 2)                                                                                          \
    name(const u32 *cells, u64 plane, u32 planes, u32 stride, u32 interleaved, u32 width, u32 height, u32 rectangles, u64 apart,       \
         u32 *labels, u32 *bits, u32 *parents, u64 *counts, u32 *lengths, Found *found) {                                              \
        label_tiles<rows>({cells, plane, planes, stride, interleaved, width, height}, rectangles, apart, labels, bits, parents,        \
                          counts, lengths, found);                                                                                     \
    }
TILES(tiles4, 1)
TILES(tiles8, 2)

// ---- Between tiles

// Joins what touches across pairs of sides: words of 32 cells from number `upper` on with those from `lower` on, n of them. They are rows of
// `length` words that do not touch each other. After each `run` words one row is left out: there one rectangle ends and the next begins.
KERNEL __launch_bounds__(256) join(const u32 *labels, const u32 *bits, u32 *parents, u32 upper, u32 lower, u32 length, u32 n, u32 run,
                                   u32 eight) {
    const u32 thread_of_all = block_x() * threads() + thread();
    const auto word_of = [&](u32 t) { return t + t / run * length; };
    const u32 i = word_of(thread_of_all);
    Contacts contacts;
    if (thread_of_all < n) {
        const u32 *up = bits + upper / 32 + i, *down = bits + lower / 32 + i;
        const bool first = i % length == 0, last = (i + 1) % length == 0;
        // Four live cells around the corner of four tiles: were two contacts to imply each other, the sides above one another and those
        // side by side, one cell would be left out.
        const bool anew = i % shortest == 0;
        contacts = Contacts(eight != 0, anew, *up, *down, first ? 0 : up[-1], first ? 0 : down[-1], last ? 0 : up[1], last ? 0 : down[1]);
    }
    share_contacts(contacts, [&](u32 from, u32 x, i32 dx) {
        const u32 at = 32 * word_of(thread_of_all - lane() + from) + x;
        unite(parents, labels[lower + at], labels[upper + at + dx]);
    });
}

// Adds the cells of every node to its root: a warp takes a tile at a time. Many nodes of one warp tend to have the same root, which one of
// them then adds for all.
KERNEL __launch_bounds__(256) gather(u32 *parents, u64 *counts, const u32 *lengths, u32 tiles) {
    const u32 warps = threads() / 32;
    ROLL for (u32 t = block_x() * warps + thread() / 32; t < tiles; t += blocks_x() * warps) {
        ROLL for (u32 k = 0; k < lengths[t]; k += 32) {
            const u32 node = t * nodes + k + lane();
            u32 root = none, cells = 0;
            if (k + lane() < lengths[t]) {
                root = find(parents, node);
                if (root != node) cells = (u32)counts[node]; // of a tile
            }
            const bool same = root == shuffle_from(root, 0);
            const u32 sum = warp_sum(same ? cells : 0);
            if (lane() == 0) cells = sum;
            if (cells && (lane() == 0 || !same)) atomic_add(counts + root, cells);
        }
    }
}

// ---- The edges of the rectangle

constexpr u32 claimed = 1u << 31; // in place of a root's parent: what follows is its number among the clusters along the edges

// The root above i, which may be claimed.
INLINE u32 climb(const u32 *parents, u32 i) {
    for (;;) {
        const u32 parent = relaxed_load(parents + i);
        if (parent == i || parent & claimed) return i;
        i = parent;
    }
}

// The cells along the edges of all rectangles: w + w + h + h of each, along the upper, the lower, the left and the right one. From a rectangle
// to the next the numbers of tops and bottoms rise by in_rows, those of lefts and rights by in_columns.
struct Edges {
    u32 rectangles, w, h, in_rows, in_columns, top, bottom, left, right;

    INLINE_MEMBER u32 cells() const { return 2 * (w + h); }
    INLINE_MEMBER u32 at(u32 i) const {
        const u32 r = i / cells();
        i -= r * cells();
        if (i < 2 * w) return r * in_rows + (i < w ? top + i : bottom + i - w);
        i -= 2 * w;
        return r * in_columns + (i < h ? left + i : right + i - h);
    }
};

// Numbers the clusters along the edges of each rectangle, counts them, and lists their sizes, of which a rectangle has w + h + 2 at most.
KERNEL __launch_bounds__(256) claim(const u32 *labels, const u32 *bits, u32 *parents, u64 *counts, u64 *sizes, u32 *clusters,
                                    u32 rectangles, u32 w, u32 h, u32 in_rows, u32 in_columns, u32 top, u32 bottom, u32 left, u32 right) {
    const Edges edges = {rectangles, w, h, in_rows, in_columns, top, bottom, left, right};
    const u32 i = block_x() * threads() + thread(), r = i / edges.cells();
    if (r >= rectangles) return;
    const u32 at = edges.at(i);
    if (!(bits[at / 32] >> at % 32 & 1)) return;
    const u32 root = climb(parents, labels[at]);
    if (relaxed_load(parents + root) & claimed) return;
    const u64 cells = atomic_exchange(counts + root, 0);
    if (!cells) return; // another thread has it
    const u32 k = atomic_add(clusters + r, 1);
    sizes[r * (w + h + 2) + k] = cells;
    relaxed_store(parents + root, claimed | k);
}

// Stores these numbers by cell, and none where one is dead.
KERNEL __launch_bounds__(256) number(const u32 *labels, const u32 *bits, const u32 *parents, u32 *numbers,
                                     u32 rectangles, u32 w, u32 h, u32 in_rows, u32 in_columns, u32 top, u32 bottom, u32 left, u32 right) {
    const Edges edges = {rectangles, w, h, in_rows, in_columns, top, bottom, left, right};
    const u32 i = block_x() * threads() + thread();
    if (i >= rectangles * edges.cells()) return;
    const u32 at = edges.at(i);
    numbers[i] = bits[at / 32] >> at % 32 & 1 ? parents[climb(parents, labels[at])] & ~claimed : none;
}

// Counts the clusters of nodes that no edge has claimed.
KERNEL __launch_bounds__(256) count(const u32 *parents, const u64 *counts, const u32 *lengths, u32 tiles, Found *found) {
    u32 *sizes = memory;
    clear_sizes(sizes);
    block_barrier();
    const u32 warps = threads() / 32;
    ROLL for (u32 t = block_x() * warps + thread() / 32; t < tiles; t += blocks_x() * warps) {
        ROLL for (u32 k = lane(); k < lengths[t]; k += 32) {
            const u32 node = t * nodes + k;
            if (parents[node] == node) count_cluster(sizes, found, counts[node]);
        }
    }
    block_barrier();
    emit_sizes(sizes, found);
}
