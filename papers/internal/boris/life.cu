// The kernels of BorisTheBrave's second article on the Game of Life in CUDA (temporal blocking), toroidal and exact.
//
// A universe is rows of 64-bit words, one after the other; bit i of word j of a row is column 64j + i, and bits beyond the width are
// zero. A thread has a column of words of so many rows: its row group. Blocks below each other follow each other.
#include "device.h"

struct Universe {
    const u64 *from;
    u64 *to;
    u32 width, height, words; // words of a row
};

// The 64 cells of row y from column x on, around the torus. Rows are 64 cells or more.
INLINE u64 load_word(const Universe &u, u32 x, u32 y) {
    const u64 *row = u.from + (u64)y * u.words;
    u32 j = x / 64, shift = x % 64, left = u.width - x; // cells before the seam
    u64 v = row[j] >> shift;
    if (shift && j + 1 < u.words) v |= row[j + 1] << (64 - shift);
    if (left < 64) v |= row[0] << left;
    return v;
}

INLINE void store_word(const Universe &u, u32 j, u32 y, u64 v) {
    u32 left = u.width - 64 * j;
    u.to[(u64)y * u.words + j] = left < 64 ? v & ((1ull << left) - 1) : v;
}

// The cells left and right of those of a word, with the words beside it.
INLINE u64 lefts(u64 before, u64 v) { return v << 1 | before >> 63; }
INLINE u64 rights(u64 v, u64 after) { return v >> 1 | after << 63; }

INLINE u64 xor3(u64 a, u64 b, u64 c) { return a ^ b ^ c; }
INLINE u64 majority(u64 a, u64 b, u64 c) { return (a & b) | (c & (a | b)); }

// The sums of 1 × 3 cells: ones and twos.
struct RowSum {
    u64 ones, twos;
};
INLINE RowSum sum3(u64 before, u64 v, u64 after) {
    u64 l = lefts(before, v), r = rights(v, after);
    return {xor3(l, v, r), majority(l, v, r)};
}

// The next state of cells v: their 3 × 3 cells, themselves included, are three rows' sums, and come to 3, or to 4 and v.
INLINE u64 next(RowSum up, RowSum mid, RowSum down, u64 v) {
    u64 odd = xor3(up.ones, mid.ones, down.ones), carry = majority(up.ones, mid.ones, down.ones);
    u64 x = xor3(up.twos, mid.twos, down.twos), m = majority(up.twos, mid.twos, down.twos);
    u64 t = x ^ carry; // the twos, the carry among them, are 1 where t & ~m, and 2 where ~t & (m ^ x)
    return (odd & t & ~m) | (v & ~odd & ~t & (m ^ x));
}

// ---- One generation a launch: the best variant of the first article

// A thread slides down a row group of a column of words.
template <u32 Rows> INLINE void one_generation(const Universe &u) {
    u32 j = threads() * block_y() + thread(), y = Rows * block_x();
    if (j >= u.words) return;
    u32 last = u.words - 1, end = (u.width - 1) % 64; // bit of a row's last cell
    u32 before = j ? j - 1 : last, after = j < last ? j + 1 : 0, top = j ? 63 : end, bottom = j < last ? 63 : end;
    u64 cells = ~0ull >> (63 - bottom);
    auto row = [&](u32 y, u64 &v) {
        const u64 *r = u.from + (u64)y * u.words;
        v = r[j];
        u64 l = v << 1 | (r[before] >> top & 1), h = v >> 1 | (r[after] & 1) << bottom;
        return RowSum{xor3(l, v, h), majority(l, v, h)};
    };
    u64 v, w;
    RowSum up = row(y ? y - 1 : u.height - 1, v), mid = row(y, v);
    UNROLL for (u32 k = 0; k < Rows; k++) {
        if (y + k >= u.height) return;
        RowSum down = row(y + k + 1 < u.height ? y + k + 1 : 0, w);
        u.to[(u64)(y + k) * u.words + j] = next(up, mid, down, v) & cells;
        up = mid, mid = down, v = w;
    }
}

// ---- Several generations a launch
//
// A block loads a rectangle of 32 words × (warps · Rows) rows into shared memory, runs the generations there, and writes all but the
// words at both sides and the `halo` rows above and below, which may be wrong by then. Cells go from one array to the other with a
// barrier a generation. Around each array are Pad rows and a word that are never written: what is beyond the rectangle reads as dead.

constexpr u32 most_halo = 63; // the words at the sides are wrong in one more cell a generation

template <u32 Pad> constexpr u32 offset = 32 * Pad + 1; // of the rectangle in its array
template <u32 Pad> INLINE u32 array_words(u32 rows) { return 32 * (rows + 2 * Pad) + 2; }

template <u32 Rows, u32 Pad> struct Rectangle {
    u64 *now, *later; // this thread's first word in both arrays
    u32 x, y;         // word of a row and row of the universe that are the rectangle's first ones to be written
    u32 group;        // this thread's first row in the rectangle
    u32 rows;         // of the rectangle

    INLINE_MEMBER void load(const Universe &u, u64 *arrays, u32 halo) {
        u32 column = thread() % 32;
        group = thread() / 32 * Rows, rows = threads() / 32 * Rows;
        x = 30 * block_y(), y = block_x() * (rows - 2 * halo);
        u32 words = array_words<Pad>(rows);
        for (u32 i = thread(); i < offset<Pad>; i += threads()) {
            arrays[i] = arrays[words + i] = 0;
            arrays[words - 1 - i] = arrays[2 * words - 1 - i] = 0;
        }
        now = arrays + offset<Pad> + 32 * group + column;
        later = now + words;
        u32 left = (64 * (x + column) + u.width - 64) % u.width;
        u32 r = (y + group + most_halo * u.height - halo) % u.height;
        UNROLL for (u32 k = 0; k < Rows; k++) {
            now[32 * k] = load_word(u, left, r);
            r = r + 1 < u.height ? r + 1 : 0;
        }
        block_barrier();
    }
    INLINE_MEMBER void turn() {
        block_barrier();
        u64 *t = now;
        now = later, later = t;
    }
    INLINE_MEMBER void store(const Universe &u, u32 halo) {
        u32 column = thread() % 32, j = x + column - 1;
        if (column == 0 || column == 31 || j >= u.words) return;
        UNROLL for (u32 k = 0; k < Rows; k++) {
            u32 r = group + k - halo;
            if (r < rows - 2 * halo && y + r < u.height) store_word(u, j, y + r, now[32 * k]);
        }
    }
};

// Row group after row group, each row from its nine words.
template <u32 Rows> INLINE void shared(const Universe &u, u64 *arrays, u32 halo, u32 generations) {
    Rectangle<Rows, 1> a;
    a.load(u, arrays, halo);
    ROLL for (u32 g = 0; g < generations; g++) {
        ROLL for (i32 k = 0; k < (i32)Rows; k++) {
            const u64 *v = a.now + 32 * k;
            a.later[32 * k] = next(sum3(v[-33], v[-32], v[-31]), sum3(v[-1], v[0], v[1]), sum3(v[31], v[32], v[33]), v[0]);
        }
        a.turn();
    }
    a.store(u, halo);
}

// The loop over the row group unrolled, so that the 1 × 3 sums of a row serve three rows.
template <u32 Rows> INLINE void unrolled(const Universe &u, u64 *arrays, u32 halo, u32 generations) {
    Rectangle<Rows, 1> a;
    a.load(u, arrays, halo);
    ROLL for (u32 g = 0; g < generations; g++) {
        const u64 *v = a.now;
        RowSum up = sum3(v[-33], v[-32], v[-31]), mid = sum3(v[-1], v[0], v[1]);
        UNROLL for (i32 k = 0; k < (i32)Rows; k++) {
            RowSum down = sum3(v[32 * k + 31], v[32 * k + 32], v[32 * k + 33]);
            a.later[32 * k] = next(up, mid, down, v[32 * k]);
            up = mid, mid = down;
        }
        a.turn();
    }
    a.store(u, halo);
}

// A window of 128 cells: a word with half a word on both sides.
struct Window {
    u64 low, high;
};

// The unrolled loop with an inner register array: a thread takes its row group with Inner rows above and below, as windows, and runs
// Inner generations in registers between two barriers. Windows and rows are wrong from their edges inwards by a cell a generation.
template <u32 Rows, u32 Inner> INLINE void registers(const Universe &u, u64 *arrays, u32 halo, u32 generations) {
    Rectangle<Rows, Inner> a;
    a.load(u, arrays, halo);
    ROLL for (u32 g = 0; g < generations; g += Inner) {
        Window w[Rows + 2 * Inner];
        UNROLL for (u32 k = 0; k < Rows + 2 * Inner; k++) {
            const u64 *v = a.now + 32 * (i32)(k - Inner);
            w[k] = {v[-1] >> 32 | v[0] << 32, v[0] >> 32 | v[1] << 32};
        }
        UNROLL for (u32 i = 0; i < Inner; i++) {
            if (g + i == generations) break;
            RowSum up[2] = {sum3(0, w[i].low, w[i].high), sum3(w[i].low, w[i].high, 0)};
            RowSum mid[2] = {sum3(0, w[i + 1].low, w[i + 1].high), sum3(w[i + 1].low, w[i + 1].high, 0)};
            UNROLL for (u32 k = i + 1; k + i + 1 < Rows + 2 * Inner; k++) {
                RowSum down[2] = {sum3(0, w[k + 1].low, w[k + 1].high), sum3(w[k + 1].low, w[k + 1].high, 0)};
                w[k] = {next(up[0], mid[0], down[0], w[k].low), next(up[1], mid[1], down[1], w[k].high)};
                up[0] = mid[0], up[1] = mid[1], mid[0] = down[0], mid[1] = down[1];
            }
        }
        UNROLL for (u32 k = 0; k < Rows; k++) a.later[32 * k] = w[k + Inner].low >> 32 | w[k + Inner].high << 32;
        a.turn();
    }
    a.store(u, halo);
}

// ---- The kernels by name and rows of a group; of the inner register array also by its generations

DYNAMIC_SHARED(u64, arrays, 16);

#define ONE(ROWS)                                                                                                                    \
    KERNEL one_generation_##ROWS(const u64 *from, u64 *to, u32 width, u32 height, u32 words) {                                       \
        one_generation<ROWS>({from, to, width, height, words});                                                                      \
    }
#define BLOCKED(NAME, LAST, THREADS, BODY)                                                                                                    \
    KERNEL __launch_bounds__(THREADS)                                                                                                  \
        NAME##_##LAST(const u64 *from, u64 *to, u32 width, u32 height, u32 words, u32 halo, u32 generations) {                       \
        BODY({from, to, width, height, words}, arrays, halo, generations);                                                           \
    }

ONE(1)
ONE(4)
ONE(8)
BLOCKED(shared, 1, 1024, shared<1>)
BLOCKED(shared, 4, 1024, shared<4>)
BLOCKED(shared, 8, 1024, shared<8>)
BLOCKED(unrolled, 4, 1024, unrolled<4>)
BLOCKED(unrolled, 8, 1024, unrolled<8>)
BLOCKED(registers_4, 1, 512, (registers<4, 1>))
BLOCKED(registers_4, 2, 512, (registers<4, 2>))
BLOCKED(registers_4, 4, 512, (registers<4, 4>))
BLOCKED(registers_8, 1, 512, (registers<8, 1>))
BLOCKED(registers_8, 2, 512, (registers<8, 2>))
BLOCKED(registers_8, 4, 512, (registers<8, 4>))
