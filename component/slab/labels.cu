// Connected clusters of a rectangle of cells, a bit each, beyond whose edges nothing is known.
//
// What is joined are runs of neighbouring columns of a 32-bit word: of one row where only edges touch (four), of two rows taken
// together where corners do (eight), for there cells in neighbouring columns of two rows always touch. They are joined as a forest is
// joined by many at once: of two roots the higher is hung below the lower, and where another thread was first, what it was hung to is
// joined instead (Komura 2015; Playne and Hawick 2018). First a block joins what lies in its tile, in shared memory:
//
//	┌────────┬────────┐   A cluster that touches no side of its tile is counted there and then. The others become nodes of a
//	│ o    oo│oo      │   second forest in global memory, which the kernel `join` joins along the sides of tiles: all that leaves
//	│ oo     │ o   oo │   a tile are its cells along the sides, as bits, and, where they live, the nodes they are in.
//	├────────┼────────┤
//	│     ooo│        │   `gather` adds the sizes up, `claim` and `number` find the clusters along the edges of the rectangle,
//	│   oo   │   oo   │   which the host joins with what lies beyond, and `count` counts the others.
//	└────────┴────────┘
#include "device.h"

constexpr u32 side = 256;           // columns of a tile
constexpr u32 words = side / 32;    // of a row of a tile
constexpr u32 pieces = 1024;        // words of all strips of a tile
constexpr u32 strips = pieces / words;
constexpr u32 shortest = strips / 32; // words of the shortest side of a tile, of which other sides have a multiple
constexpr u32 nodes = 512;          // of a tile at most: every other cell along its sides
constexpr u32 small = 512;          // clusters of fewer cells are counted by size
constexpr u32 none = 0xffffffff;

// A run's slot in a tile's forest: the number of another run of its cluster, or its own, in the low bits; above them the cells of a
// root's cluster, and whether that touches a side. Run number 16·i + c/2 begins in column c of word i: no two begin in columns 2c and 2c+1.
constexpr u32 number_bits = 14, number_mask = (1 << number_bits) - 1, touching = 1u << 31;

// What kernels leave for the host, all 64-bit: two lengths, clusters by size, then the sizes of large ones.
struct Found {
    u64 edges, larges, sizes[small], large[];
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

// ---- Runs

// Calls f for every run of ones.
template <typename F> INLINE void each_run(u32 v, F f) {
    while (v) {
        const u32 first = v & -v, run = v & ~(v + first);
        v &= ~run;
        f(run);
    }
}

INLINE u32 run_number(u32 i, u32 run) { return 16 * i + trailing_zeros(run) / 2; }

// The number of the run of word i, whose columns are v, that bit x is in.
INLINE u32 run_at(u32 i, u32 v, u32 x) {
    const u32 gaps = ~v & ((1u << x) - 1);
    return 16 * i + (32 - leading_zeros(gaps)) / 2;
}

// The bits at which two rows touch, leaving out what other contacts imply: over an edge the first of neighbouring columns, and corners
// where neither of the other two cells lives.
struct Contacts {
    u32 over, left, right; // with the same column of the row above, with that to the left, with that to the right

    // Where a word begins anew, contacts of the word to the left imply nothing.
    INLINE_MEMBER Contacts(bool eight, bool anew, u32 up, u32 down, u32 up_left, u32 down_left, u32 up_right, u32 down_right) {
        const u32 both = up & down, alone = down & ~up;
        over = both & ~(both << 1 | (anew ? 0 : (up_left & down_left) >> 31));
        left = eight ? alone & (up << 1 | up_left >> 31) & ~(down << 1 | down_left >> 31) : 0;
        right = eight ? alone & (up >> 1 | up_right << 31) & ~(down >> 1 | down_right << 31) : 0;
    }

    // Calls f with the column of each contact in the lower row and how much further right it is in the upper.
    template <typename F> INLINE_MEMBER void each(F f) const {
        for (u32 rest = over | left; rest; rest &= rest - 1) {
            const u32 x = trailing_zeros(rest);
            f(x, (left >> x & 1) ? -1 : 0);
        }
        for (u32 rest = right; rest; rest &= rest - 1) f(trailing_zeros(rest), 1);
    }
};

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

extern __shared__ u32 memory[];

// Where the cells are: rows of `stride` words, planes `plane` words apart, of which state 1 is the first without the others.
struct Cells {
    const u32 *at;
    u64 plane;
    u32 planes, stride, width, height;

    INLINE_MEMBER u32 word(u32 x, u32 y) const {
        if (x >= stride || y >= height) return 0;
        const u32 *p = at + (u64)y * stride + x;
        u32 v = *p;
        ROLL for (u32 k = 1; k < planes; k++) v &= ~p[k * plane];
        return v;
    }
};

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

// A tile in shared memory. Rows is the rows of a strip.
template <u32 rows> struct Tile {
    u32 *slots, *cells, *sizes, *length;

    INLINE_MEMBER u32 upper(u32 i) const { return cells[i]; }
    INLINE_MEMBER u32 lower(u32 i) const { return cells[(rows - 1) * pieces + i]; }
    INLINE_MEMBER u32 columns(u32 i) const { return upper(i) | lower(i); }
    // Word x of row y.
    INLINE_MEMBER u32 word(u32 x, u32 y) const { return cells[y % rows * pieces + y / rows * words + x]; }

    INLINE_MEMBER void load(const Cells &from, u32 x, u32 y) {
        for (u32 i = thread(); i < pieces; i += threads()) {
            u32 any = 0;
            UNROLL for (u32 k = 0; k < rows; k++) {
                const u32 v = from.word(x + i % words, y + i / words * rows + k);
                cells[k * pieces + i] = v;
                any |= v;
            }
            each_run(any, [&](u32 run) { slots[run_number(i, run)] = run_number(i, run); });
        }
    }

    INLINE_MEMBER void join() {
        for (u32 i = thread(); i < pieces; i += threads()) {
            const u32 here = columns(i), j = i % words;
            if (!here) continue;
            const bool first = j == 0, last = j == words - 1;
            if (here & 1 && !first && columns(i - 1) >> 31) unite(slots, run_at(i, here, 0), run_at(i - 1, columns(i - 1), 31));
            if (i < words) continue;
            const u32 a = i - words; // above
            const Contacts contacts(rows == 2, first, lower(a), upper(i), first ? 0 : lower(a - 1), first ? 0 : upper(i - 1),
                                    last ? 0 : lower(a + 1), last ? 0 : upper(i + 1));
            contacts.each([&](u32 x, i32 dx) {
                const u32 column = 32 + x + dx, word = a - 1 + column / 32;
                unite(slots, run_at(i, here, x), run_at(word, columns(word), column % 32));
            });
        }
    }

    // Adds the cells of every run to its root, and hangs the run below it.
    INLINE_MEMBER void measure(u32 last_x, u32 last_y) {
        for (u32 i = thread(); i < pieces; i += threads()) {
            const u32 j = i % words, strip = i / words;
            // The columns of the upper and the lower row along the tile's sides.
            const u32 ends = (j == 0) | (j == last_x / 32 ? 1u << last_x % 32 : 0);
            const u32 up_sides = strip == 0 || strip * rows == last_y ? ~0u : ends;
            const u32 low_sides = strip * rows + rows - 1 == last_y ? ~0u : ends;
            const u32 up = upper(i), low = rows == 2 ? lower(i) : 0;
            each_run(up | low, [&](u32 run) {
                const u32 number = run_number(i, run);
                u32 root = number;
                for (;;) {
                    const u32 parent = relaxed_load(slots + root) & number_mask;
                    if (parent == root) break;
                    root = parent;
                }
                if (root != number) relaxed_store(slots + number, root);
                atomic_add(slots + root, (count_ones(up & run) + count_ones(low & run)) << number_bits);
                if ((up & run & up_sides) | (low & run & low_sides)) atomic_or(slots + root, touching);
            });
        }
    }

    // Counts the clusters that touch no side, and makes nodes of the others: their slots become `touching` and the node's number in the tile.
    INLINE_MEMBER void count(u32 *parents, u64 *counts, u32 base, Found *found) {
        for (u32 i = thread(); i < pieces; i += threads()) {
            each_run(columns(i), [&](u32 run) {
                const u32 number = run_number(i, run), slot = slots[number];
                if ((slot & number_mask) != number) return;
                const u32 size = (slot & ~touching) >> number_bits;
                if (!(slot & touching)) {
                    count_cluster(sizes, found, size);
                    return;
                }
                const u32 k = atomic_add(length, 1);
                slots[number] = touching | k;
                parents[base + k] = base + k;
                counts[base + k] = size;
            });
        }
    }

    // The node that the cell in column x of row y is in.
    INLINE_MEMBER u32 node(u32 base, u32 x, u32 y) const {
        const u32 i = y / rows * words + x / 32;
        u32 slot = slots[run_at(i, columns(i), x % 32)];
        if (!(slot & touching)) slot = slots[slot];
        return base + (slot & ~touching);
    }

    // Writes a side: n cells from number `at` on, of which cell k is in column x(k) of row y(k).
    template <typename X, typename Y> INLINE_MEMBER void emit_side(u32 *labels, u32 *bits, u32 base, u32 at, u32 n, X x, Y y) {
        for (u32 k = thread(); k < n; k += threads()) {
            const bool live = word(x(k) / 32, y(k)) >> x(k) % 32 & 1;
            const u32 lives = ballot(live);
            if (lane() == 0) bits[(at + k) / 32] = lives;
            if (live) labels[at + k] = node(base, x(k), y(k));
        }
    }
};

template <u32 rows> INLINE void label_tiles(const Cells &from, u32 *labels, u32 *bits, u32 *parents, u64 *counts, u32 *lengths, Found *found) {
    Tile<rows> tile;
    tile.slots = memory;
    tile.cells = tile.slots + 16 * pieces;
    tile.sizes = tile.cells + rows * pieces;
    tile.length = tile.sizes + small;
    constexpr u32 tall = rows * strips;
    const Sides sides = {(from.width + side - 1) / side, (from.height + tall - 1) / tall, tall};
    clear_sizes(tile.sizes);
    ROLL for (u32 t = block_x(); t < sides.across * sides.down; t += blocks_x()) {
        const u32 row = t / sides.across, column = t - row * sides.across, base = t * nodes;
        const u32 left = column * side, top = row * tall;
        const u32 last_x = (from.width - left < side ? from.width - left : side) - 1;
        const u32 last_y = (from.height - top < tall ? from.height - top : tall) - 1;
        if (thread() == 0) *tile.length = 0;
        tile.load(from, left / 32, top);
        block_barrier();
        tile.join();
        block_barrier();
        tile.measure(last_x, last_y);
        block_barrier();
        tile.count(parents, counts, base, found);
        block_barrier();
        const auto same = [](u32 k) { return k; };
        tile.emit_side(labels, bits, base, sides.top(row) + left, side, same, [](u32) { return 0u; });
        tile.emit_side(labels, bits, base, sides.bottom(row) + left, side, same, [=](u32) { return last_y; });
        tile.emit_side(labels, bits, base, sides.left(column) + top, tall, [](u32) { return 0u; }, same);
        tile.emit_side(labels, bits, base, sides.right(column) + top, tall, [=](u32) { return last_x; }, same);
        if (thread() == 0) lengths[t] = *tile.length;
        block_barrier();
    }
    emit_sizes(tile.sizes, found);
}

// One launch for all tiles, by as many blocks as fit the device. Labels and bits are those of the sides, parents and counts (cells)
// the nodes, lengths the nodes of each tile.
KERNEL __launch_bounds__(256, 3) tiles4(const u32 *cells, u64 plane, u32 planes, u32 stride, u32 width, u32 height, u32 *labels, u32 *bits,
                                        u32 *parents, u64 *counts, u32 *lengths, Found *found) {
    label_tiles<1>({cells, plane, planes, stride, width, height}, labels, bits, parents, counts, lengths, found);
}

KERNEL __launch_bounds__(256, 3) tiles8(const u32 *cells, u64 plane, u32 planes, u32 stride, u32 width, u32 height, u32 *labels, u32 *bits,
                                        u32 *parents, u64 *counts, u32 *lengths, Found *found) {
    label_tiles<2>({cells, plane, planes, stride, width, height}, labels, bits, parents, counts, lengths, found);
}

// ---- Between tiles

// Joins what touches across pairs of sides: the n32 words from number `upper` on with those from `lower` on, which are rows of `length`
// words that do not touch each other.
KERNEL __launch_bounds__(256) join(const u32 *labels, const u32 *bits, u32 *parents, u32 upper, u32 lower, u32 length, u32 n, u32 eight) {
    const u32 i = block_x() * threads() + thread();
    if (i >= n) return;
    const u32 *up = bits + upper / 32 + i, *down = bits + lower / 32 + i;
    if (!*down) return;
    const bool first = i % length == 0, last = (i + 1) % length == 0;
    // Four live cells around the corner of four tiles: were two contacts to imply each other, the sides above one another and those side
    // by side, one cell would be left out.
    const bool anew = i % shortest == 0;
    const Contacts contacts(eight != 0, anew, *up, *down, first ? 0 : up[-1], first ? 0 : down[-1], last ? 0 : up[1], last ? 0 : down[1]);
    contacts.each([&](u32 x, i32 dx) { unite(parents, labels[lower + 32 * i + x], labels[upper + 32 * i + x + dx]); });
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

// Numbers the clusters of the n cells from number `at` on, and lists their sizes.
KERNEL __launch_bounds__(256) claim(const u32 *labels, const u32 *bits, u32 *parents, u64 *counts, u64 *edges, Found *found, u32 at, u32 n) {
    const u32 i = block_x() * threads() + thread();
    if (i >= n || !(bits[(at + i) / 32] >> i % 32 & 1)) return;
    const u32 root = climb(parents, labels[at + i]);
    if (relaxed_load(parents + root) & claimed) return;
    const u64 cells = atomic_exchange(counts + root, 0);
    if (!cells) return; // another thread has it
    const u32 k = (u32)atomic_add(&found->edges, 1);
    edges[k] = cells;
    relaxed_store(parents + root, claimed | k);
}

// Puts these numbers in the place of the nodes, and none where a cell is dead.
KERNEL __launch_bounds__(256) number(u32 *labels, const u32 *bits, const u32 *parents, u32 at, u32 n) {
    const u32 i = block_x() * threads() + thread();
    if (i >= n) return;
    u32 k = none;
    if (bits[(at + i) / 32] >> i % 32 & 1) k = parents[climb(parents, labels[at + i])] & ~claimed;
    labels[at + i] = k;
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
