// The kernels of Fujita, Nishikori, Nakano and Ito, "Efficient GPU implementations for the Conway's Game of Life" (2015).
//
// A universe of width × height cells is an array of words; bit i of word j of a row is column 64j + i (32j + i for 32-bit words), and
// bits beyond the width are zero. Word j of row y is at j·sx + y·sy: sx = 1 is row-major order, sy = 1 column-major.
#include "device.h"

// ---- The bitwise sums

// Two words added: [AB]1, [AB]0. 2 operations.
template <class W> INLINE void half_add(W a, W b, W &s1, W &s0) {
    s1 = a & b;
    s0 = a ^ b;
}

// Two sums of two words added; neither is 3. 5 operations.
template <class W> INLINE void add2(W a1, W a0, W b1, W b0, W &s2, W &s1, W &s0) {
    s0 = a0 ^ b0;
    s1 = a1 ^ b1 ^ (a0 & b0);
    s2 = a1 & b1;
}

// Two sums of four words added; s23 says that the sum is 4 or more. 9 operations.
template <class W> INLINE void add3(W a2, W a1, W a0, W b2, W b1, W b0, W &s23, W &s1, W &s0) {
    s0 = a0 ^ b0;
    W x = a0 & b0, y = a1 ^ b1;
    s1 = x ^ y;
    s23 = a2 | b2 | (a1 & b1) | (x & y);
}

// The next state of cells i with sums (s23, s1, s0). 7 operations.
template <class W> INLINE W next(W i, W s23, W s1, W s0) {
    W z = ~s23 & s1, i2 = ~s0 & z, i3 = s0 & z;
    return (i & i2) | i3;
}

// SINGLE-WORD: the next state of i with neighbours a to h. 34 operations.
template <class W> INLINE W single_word(W a, W b, W c, W d, W e, W f, W g, W h, W i) {
    W ab1, ab0, cd1, cd0, ef1, ef0, gh1, gh0, ad2, ad1, ad0, eh2, eh1, eh0, s23, s1, s0;
    half_add(a, b, ab1, ab0);
    half_add(c, d, cd1, cd0);
    half_add(e, f, ef1, ef0);
    half_add(g, h, gh1, gh0);
    add2(ab1, ab0, cd1, cd0, ad2, ad1, ad0);
    add2(ef1, ef0, gh1, gh0, eh2, eh1, eh0);
    add3(ad2, ad1, ad0, eh2, eh1, eh0, s23, s1, s0);
    return next(i, s23, s1, s0);
}

// DOUBLE-WORD: the next states of k and of l below it. a b c are above k, d and e beside it, i and j beside l, f g h below l; the sum
// of d, e, i and j serves both. 59 operations.
template <class W> INLINE void double_word(W a, W b, W c, W d, W e, W f, W g, W h, W i, W j, W &k, W &l) {
    W de1, de0, ij1, ij0, ab1, ab0, cl1, cl0, fg1, fg0, hk1, hk0;
    half_add(d, e, de1, de0);
    half_add(i, j, ij1, ij0);
    half_add(a, b, ab1, ab0);
    half_add(c, l, cl1, cl0);
    half_add(f, g, fg1, fg0);
    half_add(h, k, hk1, hk0);
    W m2, m1, m0, u2, u1, u0, v2, v1, v0, s23, s1, s0, r23, r1, r0;
    add2(de1, de0, ij1, ij0, m2, m1, m0);
    add2(ab1, ab0, cl1, cl0, u2, u1, u0);
    add2(fg1, fg0, hk1, hk0, v2, v1, v0);
    add3(u2, u1, u0, m2, m1, m0, s23, s1, s0);
    add3(v2, v1, v0, m2, m1, m0, r23, r1, r0);
    k = next(k, s23, s1, s0);
    l = next(l, r23, r1, r0);
}

// ---- One generation a launch, in global memory

// word-per-cell: a thread a cell. Lines of length cells follow each other: rows, or columns of a universe stored column by column.
// A block is some cells beside each other of line first + block_y().
KERNEL cells_global(const u8 *from, u8 *to, u32 length, u32 lines, u32 first) {
    u32 x = threads() * block_x() + thread(), y = first + block_y();
    if (x >= length) return;
    u32 left = x ? x - 1 : length - 1, right = x + 1 < length ? x + 1 : 0;
    const u8 *up = from + (u64)(y ? y - 1 : lines - 1) * length, *mid = from + (u64)y * length;
    const u8 *down = from + (u64)(y + 1 < lines ? y + 1 : 0) * length;
    u32 s = up[left] + up[x] + up[right] + mid[left] + mid[right] + down[left] + down[x] + down[right];
    to[(u64)y * length + x] = (s == 3) | (mid[x] & (s == 2));
}

// A universe of 64-bit words.
struct Shape {
    u32 width, height, words; // words of a row
    u32 sx, sy;
};

// Word j of row y and the words of its cells' left and right neighbours, around the torus.
INLINE void row_words(const u64 *cells, const Shape &s, u32 j, u32 y, u64 &left, u64 &word, u64 &right) {
    const u64 *row = cells + (u64)y * s.sy;
    u32 last = s.words - 1, end = (s.width - 1) & 63;
    word = row[(u64)j * s.sx];
    u64 before = row[(u64)(j ? j - 1 : last) * s.sx], after = row[(u64)(j < last ? j + 1 : 0) * s.sx];
    left = word << 1 | (before >> (j ? 63 : end) & 1);
    right = word >> 1 | (after & 1) << (j < last ? 63 : end);
}

INLINE u32 row_above(u32 y, u32 height) { return y ? y - 1 : height - 1; }
INLINE u32 row_below(u32 y, u32 height) { return y + 1 < height ? y + 1 : 0; }

// The bits of word j that are cells.
INLINE u64 cells_of(const Shape &s, u32 j) { return ~0ull >> (j < s.words - 1 ? 0 : 63 - ((s.width - 1) & 63)); }

// A thread is the word at place x along a line of words, which lie beside each other in memory, of line first + block_y().
INLINE void place(bool columns, u32 first, u32 &j, u32 &y) {
    u32 along = threads() * block_x() + thread(), line = first + block_y();
    j = columns ? line : along;
    y = columns ? along : line;
}

// SINGLE-WORD: a thread a word.
KERNEL single_global(const u64 *from, u64 *to, u32 width, u32 height, u32 words, u32 sx, u32 sy, u32 first) {
    Shape s = {width, height, words, sx, sy};
    u32 j, y;
    place(sy == 1, first, j, y);
    if (j >= words || y >= height) return;
    u64 a, b, c, d, i, e, f, g, h;
    row_words(from, s, j, row_above(y, height), a, b, c);
    row_words(from, s, j, y, d, i, e);
    row_words(from, s, j, row_below(y, height), f, g, h);
    to[(u64)j * sx + (u64)y * sy] = single_word(a, b, c, d, e, f, g, h, i) & cells_of(s, j);
}

// DOUBLE-WORD: a thread a word and the one below it. Where the height is odd the last thread of a column has one word.
KERNEL double_global(const u64 *from, u64 *to, u32 width, u32 height, u32 words, u32 sx, u32 sy, u32 first) {
    Shape s = {width, height, words, sx, sy};
    u32 jk, y;
    place(sy == 1, first, jk, y);
    y *= 2;
    if (jk >= words || y >= height) return;
    u32 below = row_below(y, height);
    u64 a, b, c, d, k, e, i, l, j, f, g, h;
    row_words(from, s, jk, row_above(y, height), a, b, c);
    row_words(from, s, jk, y, d, k, e);
    row_words(from, s, jk, below, i, l, j);
    row_words(from, s, jk, row_below(below, height), f, g, h);
    double_word(a, b, c, d, e, f, g, h, i, j, k, l);
    u64 *at = to + (u64)jk * sx;
    at[(u64)y * sy] = k & cells_of(s, jk);
    if (y + 1 < height) at[(u64)(y + 1) * sy] = l & cells_of(s, jk);
}

// ---- Up to t generations a launch
//
// A block of one warp takes d × d cells, d the bits of a word, runs the generations on chip and writes the cells that are clean: those
// at least t away from the block's edge. Blocks write whole bytes, so where d − 2t is no multiple of 8 (t = 2) the clean columns beyond
// are left to the next block.

template <class W> constexpr u32 bits = 8 * sizeof(W);
template <class W, u32 T> constexpr u32 clean_rows = bits<W> - 2 * T;
template <class W, u32 T, bool Bits> constexpr u32 clean_columns = Bits ? bits<W> - 2 * T : (bits<W> - 2 * T) & ~7u;

// A universe of d or more cells each way.
template <class W> struct Universe {
    const W *from;
    W *to;
    u32 width, height, words;
    u32 sx, sy;
};

// The block of this warp: its clean cells start at column x of row y. Blocks beside each other in memory follow each other.
template <class W, u32 T, bool Bits> INLINE void block_corner(const Universe<W> &u, u32 &x, u32 &y) {
    bool columns = u.sy == 1;
    x = (columns ? block_y() : block_x()) * clean_columns<W, T, Bits>;
    y = (columns ? block_x() : block_y()) * clean_rows<W, T>;
}

// Row r of the block whose clean cells start at column x of row y: d cells from T columns before x on, around the torus.
template <class W, u32 T> INLINE W load_row(const Universe<W> &u, u32 x, u32 y, u32 r) {
    constexpr u32 d = bits<W>;
    y += r;
    y = y < T ? y + u.height - T : y - T;
    y = y < u.height ? y : y - u.height;
    x = x < T ? x + u.width - T : x - T;
    const W *row = u.from + (u64)y * u.sy, *word = row + (u64)(x / d) * u.sx;
    u32 shift = x % d;
    W v = *word >> shift;
    if (shift && x / d + 1 < u.words) v |= word[u.sx] << (d - shift);
    u32 left = u.width - x; // cells before the seam
    if (left < d) v |= *row << left;
    return v;
}

// Bytes go to memory in pieces as large as they are aligned: one to three instructions for what a block writes of a row. Blocks write N
// bytes of a row each, so that pieces smaller than the largest power of two in N never come up.

// Writes the low n bytes of v to the start of a word.
template <u32 N> INLINE void store_start(u8 *word, u32 n, u64 v) {
    if (n & 4) *(u32 *)word = (u32)v, word += 4, v >>= 32;
    if (N % 4 && n & 2) *(u16 *)word = (u16)v, word += 2, v >>= 16;
    if (N % 2 && n & 1) *word = (u8)v;
}

// Writes the low bytes of v to the bytes of a word from number `from` on, which is not 0.
template <class W, u32 N> INLINE void store_end(u8 *word, u32 from, u64 v) {
    if (N % 2 && from & 1) word[from] = (u8)v, from += 1, v >>= 8;
    if (N % 4 && from & 2) *(u16 *)(word + from) = (u16)v, from += 2, v >>= 16;
    if (sizeof(W) > 4 && from & 4) *(u32 *)(word + from) = (u32)v;
}

// Writes v to the bits of a mask; the other bits of the word are those of other blocks, which write them at the same time.
template <class W> INLINE void store_bits(W *word, W mask, W v) {
    atomic_and(word, v | ~mask);
    atomic_or(word, v & mask);
}

// Writes the clean cells of row r of the block.
template <class W, u32 T, bool Bits> INLINE void store_row(const Universe<W> &u, u32 x, u32 y, u32 r, W v) {
    constexpr u32 d = bits<W>, n = clean_columns<W, T, Bits> / 8;
    y += r - T;
    if (r - T >= clean_rows<W, T> || y >= u.height) return;
    v >>= T;
    u32 left = u.width - x;
    W mask = ~(W)0 >> (Bits ? 2 * T : 0);
    if (left < d) mask &= ((W)1 << left) - 1; // bits beyond the width stay zero
    v &= mask;
    W *at = u.to + (u64)y * u.sy + (u64)(x / d) * u.sx;
    if (Bits) {
        u32 shift = x % d;
        store_bits<W>(at, mask << shift, v << shift);
        W rest = shift ? mask >> (d - shift) : 0; // within the width, so there is a next word
        if (rest) store_bits<W>(at + u.sx, rest, v >> (d - shift));
        return;
    }
    u8 *word = (u8 *)at;
    u32 from = x % d / 8;
    if (from == 0) {
        store_start<n>(word, n, v);
        return;
    }
    store_end<W, n>(word, from, v);
    u32 there = sizeof(W) - from;
    if (there < n && x / d + 1 < u.words) store_start<n>(word + (u64)u.sx * sizeof(W), n - there, v >> 8 * there);
}

// A row's words left and right of their cells; what is beyond the block is taken as dead.
template <class W> INLINE W lefts(W v) { return v << 1; }
template <class W> INLINE W rights(W v) { return v >> 1; }

template <class W> INLINE W single_rows(W up, W v, W down) {
    return single_word<W>(lefts(up), up, rights(up), lefts(v), rights(v), lefts(down), down, rights(down), v);
}
template <class W> INLINE void double_rows(W up, W &k, W &l, W down) {
    double_word<W>(lefts(up), up, rights(up), lefts(k), rights(k), lefts(down), down, rights(down), lefts(l), rights(l), k, l);
}

// ---- In registers, with warp shuffles

// 32 × 32 cells: a lane holds one row.
template <u32 T, bool Bits> INLINE void register32(const Universe<u32> &u, u32 generations) {
    u32 x, y;
    block_corner<u32, T, Bits>(u, x, y);
    u32 v = load_row<u32, T>(u, x, y, lane());
    ROLL for (u32 g = 0; g < generations; g++) v = single_rows(shuffle_up(v, 1), v, shuffle_down(v, 1));
    store_row<u32, T, Bits>(u, x, y, lane(), v);
}

// 64 × 64 cells: a lane holds rows 2·lane and 2·lane + 1.
template <u32 T, bool Double, bool Bits> INLINE void register64(const Universe<u64> &u, u32 generations) {
    u32 x, y;
    block_corner<u64, T, Bits>(u, x, y);
    u32 r = 2 * lane();
    u64 k = load_row<u64, T>(u, x, y, r), l = load_row<u64, T>(u, x, y, r + 1);
    ROLL for (u32 g = 0; g < generations; g++) {
        u64 up = shuffle_up(l, 1), down = shuffle_down(k, 1);
        if (Double) {
            double_rows(up, k, l, down);
        } else {
            u64 old = k;
            k = single_rows(up, k, l);
            l = single_rows(old, l, down);
        }
    }
    store_row<u64, T, Bits>(u, x, y, r, k);
    store_row<u64, T, Bits>(u, x, y, r + 1, l);
}

// ---- In shared memory

template <u32 T, bool Bits> INLINE void shared32(const Universe<u32> &u, u32 generations) {
    __shared__ u32 rows[32];
    u32 x, y;
    block_corner<u32, T, Bits>(u, x, y);
    u32 r = lane(), above = r ? r - 1 : 0, below = r < 31 ? r + 1 : 31;
    rows[r] = load_row<u32, T>(u, x, y, r);
    ROLL for (u32 g = 0; g < generations; g++) {
        warp_barrier();
        u32 v = single_rows(rows[above], rows[r], rows[below]);
        warp_barrier();
        rows[r] = v;
    }
    store_row<u32, T, Bits>(u, x, y, r, rows[r]);
}

// SINGLE-WORD twice: a lane has rows lane and lane + 32.
template <u32 T, bool Bits> INLINE void shared64_single(const Universe<u64> &u, u32 generations) {
    __shared__ u64 rows[64];
    u32 x, y;
    block_corner<u64, T, Bits>(u, x, y);
    u32 k = lane(), l = lane() + 32, above = k ? k - 1 : 0, below = l < 63 ? l + 1 : 63;
    rows[k] = load_row<u64, T>(u, x, y, k);
    rows[l] = load_row<u64, T>(u, x, y, l);
    ROLL for (u32 g = 0; g < generations; g++) {
        warp_barrier();
        u64 v = single_rows(rows[above], rows[k], rows[k + 1]), w = single_rows(rows[l - 1], rows[l], rows[below]);
        warp_barrier();
        rows[k] = v;
        rows[l] = w;
    }
    store_row<u64, T, Bits>(u, x, y, k, rows[k]);
    store_row<u64, T, Bits>(u, x, y, l, rows[l]);
}

// Where row r of a block lies in shared memory, which has 16 banks of 64-bit words. Lanes that take every second row meet in 8 of
// them; shifted, every second group of 16 rows is turned by one bank, and they do not meet.
template <bool Shifted> INLINE u32 shared_place(u32 r) { return Shifted ? (r & ~15u) | ((r + (r >> 4 & 1)) & 15) : r; }

// DOUBLE-WORD: a lane has rows 2·lane and 2·lane + 1.
template <u32 T, bool Shifted, bool Bits> INLINE void shared64_double(const Universe<u64> &u, u32 generations) {
    __shared__ u64 rows[64];
    u32 x, y;
    block_corner<u64, T, Bits>(u, x, y);
    u32 r = 2 * lane();
    u32 above = shared_place<Shifted>(r ? r - 1 : 0), below = shared_place<Shifted>(r < 62 ? r + 2 : 63);
    u32 pk = shared_place<Shifted>(r), pl = shared_place<Shifted>(r + 1);
    rows[pk] = load_row<u64, T>(u, x, y, r);
    rows[pl] = load_row<u64, T>(u, x, y, r + 1);
    ROLL for (u32 g = 0; g < generations; g++) {
        warp_barrier();
        u64 k = rows[pk], l = rows[pl];
        double_rows(rows[above], k, l, rows[below]);
        warp_barrier();
        rows[pk] = k;
        rows[pl] = l;
    }
    store_row<u64, T, Bits>(u, x, y, r, rows[pk]);
    store_row<u64, T, Bits>(u, x, y, r + 1, rows[pl]);
}

// ---- The kernels by name: how the generations are run, the side of a block, the words at a time, t

#define BLOCKS(NAME, W, BODY)                                                                                                        \
    KERNEL __launch_bounds__(32) NAME(const W *from, W *to, u32 width, u32 height, u32 words, u32 sx, u32 sy,    \
                                                          u32 generations) {                                                         \
        BODY(Universe<W>{from, to, width, height, words, sx, sy}, generations);                                                      \
    }
// Their names end with what is after t: nothing, or bits.
#define BLOCKS32(T, END, Bits)                                                                                                       \
    BLOCKS(register_32_single_##T##END, u32, (register32<T, Bits>))                                                                  \
    BLOCKS(shared_32_single_##T##END, u32, (shared32<T, Bits>))
#define BLOCKS64(T, END, Bits)                                                                                                       \
    BLOCKS(register_64_single_##T##END, u64, (register64<T, false, Bits>))                                                           \
    BLOCKS(register_64_double_##T##END, u64, (register64<T, true, Bits>))                                                            \
    BLOCKS(shared_64_single_##T##END, u64, (shared64_single<T, Bits>))                                                               \
    BLOCKS(shared_64_double_##T##END, u64, (shared64_double<T, true, Bits>))
#define UNSHIFTED(T) BLOCKS(shared_64_double_##T##_unshifted, u64, (shared64_double<T, false, false>))

BLOCKS32(2, , false)
BLOCKS32(4, , false)
BLOCKS32(8, , false)
BLOCKS64(2, , false)
BLOCKS64(4, , false)
BLOCKS64(8, , false)
BLOCKS64(16, , false)
UNSHIFTED(2)
UNSHIFTED(4)
UNSHIFTED(8)
UNSHIFTED(16)
BLOCKS32(2, _bits, true)
BLOCKS64(2, _bits, true)
