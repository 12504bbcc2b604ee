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
// Pieces are listed before anything is done with them: lanes of a warp that go through the words of a soup side by side would mostly
// wait for the one whose word has the most.
#include "device.h"

constexpr u32 side = 256;           // columns of a tile
constexpr u32 words = side / 32;    // of a row of a tile
constexpr u32 strip_words = 1024;   // of all strips of a tile
constexpr u32 strips = strip_words / words;
constexpr u32 most_pieces = 16 * strip_words;
constexpr u32 shortest = strips / 32; // words of the shortest side of a tile, of which other sides have a multiple
constexpr u32 nodes = 512;          // of a tile at most: every other cell along its sides
constexpr u32 small = 512;          // clusters of fewer cells are counted by size
constexpr u32 none = 0xffffffff;

// A piece's slot in a tile's forest: the number of another piece of its cluster, or its own, in the low bits; above them the cells of a
// root's cluster, and whether that touches a side.
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

// ---- Pieces

// The columns at which pieces of a word begin.
INLINE u32 starts(u32 columns) { return columns & ~(columns << 1); }

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

    INLINE_MEMBER void only(u32 columns) {
        over &= columns;
        left &= columns;
        right &= columns;
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

// Exchanges the bits whose numbers have a 1 at place A and a 0 at place B, of which A is the higher, with those that have it the other way
// round.
template <u32 A, u32 B> INLINE u32 exchange(u32 v) {
    constexpr u32 by = (1u << A) - (1u << B);
    u32 first = 0; // the bits that move up
    UNROLL for (u32 i = 0; i < 32; i++) first |= ((i >> B & 1) & ~(i >> A)) << i;
    const u32 differ = (v >> by ^ v) & first;
    return v ^ differ ^ differ << by;
}

// Where the cells are: rows of `stride` words, planes `plane` words apart, of which state 1 is the first without the others. Columns are
// interleaved in groups of `interleaved` words, 1, 2 or 4: word j of a group has its columns j, j + interleaved, j + 2·interleaved, …
struct Cells {
    const u32 *at;
    u64 plane;
    u32 planes, stride, interleaved, width, height;

    // Columns 32·x to 32·x + 31 of row y.
    INLINE_MEMBER u32 word(u32 x, u32 y) const {
        const u32 left = 32 * x;
        if (left >= width || y >= height) return 0;
        const u32 *row = at + (u64)y * stride;
        u32 v = plain(row, x);
        ROLL for (u32 k = 1; k < planes; k++) v &= ~plain(row + k * plane, x);
        return width - left < 32 ? v & ((1u << (width - left)) - 1) : v;
    }

    INLINE_MEMBER u32 plain(const u32 *row, u32 x) const {
        if (interleaved == 4) {
            // Byte i of each word of the group; then bit 8j + k goes to place 4k + j.
            const Words4 group = *(const Words4 *)(row + (x & ~3u));
            const u32 i = x % 4, pick = i | (4 + i) << 4;
            const u32 v = byte_permute(byte_permute(group.a, group.b, pick), byte_permute(group.c, group.d, pick), 0x5410);
            return exchange<1, 0>(exchange<2, 0>(exchange<3, 1>(exchange<4, 2>(v))));
        }
        if (interleaved == 2) {
            // Half i of both words; then bit 16j + k goes to place 2k + j.
            const Words2 group = *(const Words2 *)(row + (x & ~1u));
            const u32 v = byte_permute(group.a, group.b, x % 2 ? 0x7632 : 0x5410);
            return exchange<1, 0>(exchange<2, 1>(exchange<3, 2>(exchange<4, 3>(v))));
        }
        return row[x];
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

// The numbers of the first cells of a tile's sides.
struct Corners {
    u32 top, bottom, left, right;
};

// A tile in shared memory. Rows is the rows of a strip.
template <u32 rows> struct Tile {
    u32 *slots, *cells, *sizes;
    u16 *list;   // of pieces: where each begins, 32 · word + column
    u16 *firsts; // by word: the number of its first piece
    u32 *length; // the number of pieces, then that of nodes

    INLINE_MEMBER u32 upper(u32 i) const { return cells[i]; }
    INLINE_MEMBER u32 lower(u32 i) const { return cells[(rows - 1) * strip_words + i]; }
    INLINE_MEMBER u32 columns(u32 i) const { return upper(i) | lower(i); }
    // Word x of row y.
    INLINE_MEMBER u32 word(u32 x, u32 y) const { return cells[y % rows * strip_words + y / rows * words + x]; }
    // The number of the piece that bit x of word i is in.
    INLINE_MEMBER u32 piece(u32 i, u32 x) const { return firsts[i] + count_ones(starts(columns(i)) & ((2u << x) - 1)) - 1; }

    // Loads the cells and lists the pieces, those of a warp's words one after the other. A piece that goes on from the word to the left
    // hangs below it from the beginning.
    INLINE_MEMBER void load(const Cells &from, u32 x, u32 y) {
        ROLL for (u32 i = thread(); i < strip_words; i += threads()) {
            u32 any = 0;
            UNROLL for (u32 k = 0; k < rows; k++) {
                const u32 v = from.word(x + i % words, y + i / words * rows + k);
                cells[k * strip_words + i] = v;
                any |= v;
            }
            u32 rest = starts(any), end = count_ones(rest);
            UNROLL for (u32 by = 1; by < 32; by *= 2) {
                const u32 before = shuffle_up(end, by);
                if (lane() >= by) end += before;
            }
            u32 first = 0;
            if (lane() == 31) first = atomic_add(length, end);
            end += shuffle_from(first, 31);
            u32 number = end - count_ones(rest);
            firsts[i] = (u16)number;
            const u32 last_left = shuffle_up(end, 1) - 1, goes_on = shuffle_up(any >> 31, 1);
            bool joined = goes_on && i % words != 0 && (any & 1);
            for (; rest; rest &= rest - 1) {
                list[number] = (u16)(32 * i + trailing_zeros(rest));
                slots[number] = joined ? last_left : number;
                joined = false;
                number++;
            }
        }
    }

    // Calls f for every piece with its number, its word and its columns.
    template <typename F> INLINE_MEMBER void each_piece(u32 n, F f) const {
        ROLL for (u32 number = thread(); number < n; number += threads()) {
            const u32 i = list[number] / 32, any = columns(i), first = 1u << list[number] % 32;
            f(number, i, any & ~(any + first));
        }
    }

    INLINE_MEMBER void join(u32 n) {
        each_piece(n, [&](u32 number, u32 i, u32 piece_columns) {
            if (i < words) return;
            const u32 a = i - words, j = i % words; // a is above
            const bool first = j == 0, last = j == words - 1;
            Contacts contacts(rows == 2, first, lower(a), upper(i), first ? 0 : lower(a - 1), first ? 0 : upper(i - 1),
                              last ? 0 : lower(a + 1), last ? 0 : upper(i + 1));
            contacts.only(piece_columns);
            contacts.each([&](u32 x, i32 dx) {
                const u32 column = 32 + x + dx;
                unite(slots, number, piece(a - 1 + column / 32, column % 32));
            });
        });
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

template <u32 rows> INLINE void label_tiles(const Cells &from, u32 *labels, u32 *bits, u32 *parents, u64 *counts, u32 *lengths, Found *found) {
    Tile<rows> tile;
    tile.slots = memory;
    tile.cells = tile.slots + most_pieces;
    tile.sizes = tile.cells + rows * strip_words;
    tile.length = tile.sizes + small;
    tile.list = (u16 *)(tile.length + 2);
    tile.firsts = tile.list + most_pieces;
    constexpr u32 tall = rows * strips;
    const Sides sides = {(from.width + side - 1) / side, (from.height + tall - 1) / tall, tall};
    clear_sizes(tile.sizes);
    ROLL for (u32 t = block_x(); t < sides.across * sides.down; t += blocks_x()) {
        const u32 row = t / sides.across, column = t - row * sides.across, base = t * nodes;
        const u32 left = column * side, top = row * tall;
        const u32 last_x = (from.width - left < side ? from.width - left : side) - 1;
        const u32 last_y = (from.height - top < tall ? from.height - top : tall) - 1;
        if (thread() == 0) *tile.length = 0;
        block_barrier();
        tile.load(from, left / 32, top);
        block_barrier();
        const u32 n = *tile.length;
        tile.join(n);
        block_barrier();
        if (thread() == 0) *tile.length = 0;
        tile.measure(n, last_x, last_y);
        block_barrier();
        tile.count(n, parents, counts, base, found);
        block_barrier();
        const Corners at = {sides.top(row) + left, sides.bottom(row) + left, sides.left(column) + top, sides.right(column) + top};
        tile.emit_sides(labels, bits, base, at, last_x, last_y);
        if (thread() == 0) lengths[t] = *tile.length;
        block_barrier();
    }
    emit_sizes(tile.sizes, found);
}

// One launch for all tiles, by as many blocks as fit the device. Labels and bits are those of the sides, parents and counts (cells)
// the nodes, lengths the nodes of each tile.
#define TILES(name, rows)                                                                                                              \
    KERNEL __launch_bounds__(512, 2) name(const u32 *cells, u64 plane, u32 planes, u32 stride, u32 interleaved, u32 width, u32 height, \
                                          u32 *labels, u32 *bits, u32 *parents, u64 *counts, u32 *lengths, Found *found) {             \
        label_tiles<rows>({cells, plane, planes, stride, interleaved, width, height}, labels, bits, parents, counts, lengths, found);  \
    }
TILES(tiles4, 1)
TILES(tiles8, 2)

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

// The numbers of the cells along the upper, the lower, the left and the right edge, all w + w + h + h one after the other.
struct Edges {
    u32 w, h, top, bottom, left, right;

    INLINE_MEMBER u32 cells() const { return 2 * (w + h); }
    INLINE_MEMBER u32 at(u32 i) const {
        if (i < 2 * w) return i < w ? top + i : bottom + i - w;
        i -= 2 * w;
        return i < h ? left + i : right + i - h;
    }
};

// Numbers the clusters along the edges, and lists their sizes.
KERNEL __launch_bounds__(256) claim(const u32 *labels, const u32 *bits, u32 *parents, u64 *counts, u64 *sizes, Found *found,
                                    u32 w, u32 h, u32 top, u32 bottom, u32 left, u32 right) {
    const Edges edges = {w, h, top, bottom, left, right};
    const u32 i = block_x() * threads() + thread();
    if (i >= edges.cells()) return;
    const u32 at = edges.at(i);
    if (!(bits[at / 32] >> at % 32 & 1)) return;
    const u32 root = climb(parents, labels[at]);
    if (relaxed_load(parents + root) & claimed) return;
    const u64 cells = atomic_exchange(counts + root, 0);
    if (!cells) return; // another thread has it
    const u32 k = (u32)atomic_add(&found->edges, 1);
    sizes[k] = cells;
    relaxed_store(parents + root, claimed | k);
}

// Stores these numbers by cell, and none where one is dead.
KERNEL __launch_bounds__(256) number(const u32 *labels, const u32 *bits, const u32 *parents, u32 *numbers,
                                     u32 w, u32 h, u32 top, u32 bottom, u32 left, u32 right) {
    const Edges edges = {w, h, top, bottom, left, right};
    const u32 i = block_x() * threads() + thread();
    if (i >= edges.cells()) return;
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
