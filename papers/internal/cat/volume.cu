// CAT-VOLUME, the paper's future work: CAT in three dimensions, for cubes of radius 1 to 16, in INT8.
//
// The sums over a layer are CAT's, B · X · B for the layer's cells X and the band B. The sum over the 2·radius + 1
// layers around a cell is a running sum along z. Products are linear, so a step from one layer to the next needs no
// layer's sums again, but only the products of what changes:
//
//     S(z) = S(z − 1) + B · D · B     D = X(z + radius) − X(z − radius − 1), whose cells are −1, 0 or 1
//
// S stays in the registers in which the tensor cores add up: the second product adds to it without another
// instruction. A warp goes along z with a patch of 32 columns and 16·PAIRS rows. First it enters 2·radius layers
// without writing any. See woven.h for what lies where.
//
// A cell is a bit in memory: words of 32 columns, the words of 8 rows side by side. Bit 8·e + 4·f + t is byte e of lane
// t of fragment f (16 columns), so a register of a factor is a rotated word and a mask. Sums along rows lie between
// −33 and 33. Those of two eights of rows are one result, the second times 256 (the cells 4 in place of 1, the band
// 64), and both are counted from 128, so that each is a byte.
#include "woven.h"

constexpr i32 tile = 8;              // words of a tile, one below another
constexpr i32 above = 2;             // tiles of margin above and below
constexpr u32 biased = 0x80808080;

// A word rotated to the right, by as much more as the lane's number of four.
struct Rotated {
    i32 t;
    INLINE_MEMBER u32 operator()(u32 word, i32 by) const { return word >> ((by + t) & 31) | word << (-(by + t) & 31); }
};

// What changes in four cells: 1 where a cell appears, −1 where it disappears. In the second eight of rows 4 and −4.
template <int SECOND> INLINE u32 change(u32 appears, u32 disappears, i32 fragment, Rotated rotated) {
    constexpr u32 ones = SECOND ? 0x04040404 : 0x01010101;
    const i32 by = 4 * fragment - 2 * SECOND;
    const u32 in = rotated(appears, by), out = rotated(disappears, by);
    return lop3<0x20>(in, out, ones) + lop3<0x20>(out, in, ones) * (SECOND ? 63 : 255);
}

// The rule on sums below 32768, two in a word. Sums begin at start.
struct Halved {
    FieldRule<16> rule;
    INLINE_MEMBER void make(Rule r) { rule.make(r); }
    INLINE_MEMBER i32 start() const { return rule.start; }
    INLINE_MEMBER u32 next(u32 cells, const i32 sums0[2], const i32 sums1[2]) const {
        return rule.next(cells & first, together(sums0)) >> 15 | rule.next(cells >> 8 & first, together(sums1)) >> 7;
    }
};
// On larger ones, one by one.
struct Single {
    i32 birth_lo, width, more_lo, more_hi;
    INLINE_MEMBER void make(Rule r) {
        birth_lo = r.birth_lo, width = r.birth_hi - r.birth_lo;
        more_lo = r.birth_lo - r.survive_lo, more_hi = r.survive_hi - r.birth_hi;
    }
    INLINE_MEMBER i32 start() const { return -birth_lo; }
    INLINE_MEMBER u32 next(u32 cells, const i32 sums0[2], const i32 sums1[2]) const {
        u32 all = 0;
        UNROLL for (int e = 0; e < 4; e++) {
            const i32 sum = e % 2 ? sums1[e / 2] : sums0[e / 2], alive = cells >> 8 * e & 1;
            const u32 outside = (sum + alive * more_lo) | (width - sum + alive * more_hi);
            all |= (~outside >> 31) << 8 * e;
        }
        return all;
    }
};

// Of two words of parts that two lanes have, the first or the second in whole.
INLINE u32 merged(bool second, u32 a, u32 b, u32 lanes) { return (second ? b : a) | shuffle_xor(second ? a : b, lanes); }

// Cells and next point at the first word of a layer's margin. A layer has down×across tiles; behind the last layer there
// is one without cells. A warp writes `layers` layers of a patch.
#define PARAMETERS i32 across, i32 down, i32 words, i32 height, i32 depth, i32 layers, i32 radius

template <template <decltype(mma_u8)> class Sums, bool FAR, int PAIRS, class States>
INLINE void volume(const u32 *__restrict__ cells, u32 *__restrict__ next, PARAMETERS, Rule rule) {
    const i32 group = lane() / 4, t = lane() % 4;
    const i32 x = block_x() * (threads() / 32) + thread() / 32, patches = (height + 16 * PAIRS - 1) / (16 * PAIRS);
    const i32 y0 = block_y() % patches * (16 * PAIRS), z0 = block_y() / patches * layers;
    const i32 z1 = z0 + layers < depth ? z0 + layers : depth;
    if (x >= words) return;
    Sums<mma_s8> ones, more;    // of rows in the first eight, and of columns; of rows in the second
    ones.make(radius, 1, 1), more.make(radius, 64, 64);
    States states;
    states.make(rule);
    const Rotated rotated{t};

    i32 sum[PAIRS][2][2][4];    // sixteen rows, fragment, eight columns
    UNROLL for (int i = 0; i < PAIRS * 16; i++) sum[i / 16][i / 8 % 2][i / 4 % 2][i % 4] = states.start();

    const i64 layer = (i64)down * across * tile;
    const i32 line = across * tile;                                              // from eight rows to the next
    const i32 at = (y0 / 8 + above - 2) * line + (x + 1) * tile + group;         // 16 rows above the patch
    i32 enter = (z0 - radius) % depth, leave = 0, middle = z0;
    enter = enter < 0 ? enter + depth : enter;
    leave = enter;
    ROLL for (i32 z = z0 - 2 * radius; z < z1; z++) {    // the layer z + radius enters
        const u32 *in = cells + enter * layer + at, *out = cells + (z > z0 ? leave : depth) * layer + at;
        enter = enter + 1 < depth ? enter + 1 : 0;
        if (z > z0) leave = leave + 1 < depth ? leave + 1 : 0;

        u32 h[PAIRS + 2][2][2];    // sums along rows: sixteen rows, fragment, eight columns
        UNROLL for (int a = 0; a < PAIRS + 2; a++) {
            i32 both[2][4];
            UNROLL for (int i = 0; i < 8; i++) both[i / 4][i % 4] = biased & 0xffff;
            UNROLL for (int p = 0; p < 2; p++) {
                if (!FAR && (2 * a + p) % (2 * PAIRS + 3) == 0) continue;    // the first and the last are too far away
                const i32 j = (2 * a + p) * line;
                u32 appears[3], disappears[3], fragment[4];
                UNROLL for (int i = 0; i < 3; i++) appears[i] = in[j + (i - 1) * tile], disappears[i] = out[j + (i - 1) * tile];
                UNROLL for (int f = 0; f < 4; f++) {
                    const int i = (f + 1) / 2;
                    fragment[f] = p ? change<1>(appears[i], disappears[i], (f + 1) % 2, rotated)
                                    : change<0>(appears[i], disappears[i], (f + 1) % 2, rotated);
                }
                UNROLL for (int f = 0; f < 2; f++) (p ? more : ones).add_product(both[f], fragment[f], fragment[f + 1], fragment[f + 2]);
            }
            UNROLL for (int f = 0; f < 2; f++) {
                UNROLL for (int c = 0; c < 2; c++) h[a][f][c] = together(both[f] + 2 * c) ^ biased;
            }
            if (a < 2) continue;
            UNROLL for (int i = 0; i < 4; i++) {
                const int f = i / 2, c = i % 2;
                ones.add_product(sum[a - 2][f][c], h[a - 2][f][c], h[a - 1][f][c], h[a][f][c]);
            }
        }
        if (z < z0) continue;

        const u32 *now = cells + middle * layer + at + 2 * line;
        u32 *then = next + middle * layer + at + (2 + t) * line;
        middle++;
        UNROLL for (int s = 0; s < PAIRS; s += 2) {    // four eights of rows, one for each lane of four to write
            u32 word[4];
            UNROLL for (int j = 0; j < 4; j++) {
                const int a = s + j / 2, p = j % 2;
                const u32 own = now[(2 * s + j) * line] >> t;
                u32 four[2];
                UNROLL for (int f = 0; f < 2; f++)
                    four[f] = states.next(own >> 4 * f & 0x01010101, sum[a][f][0] + 2 * p, sum[a][f][1] + 2 * p);
                word[j] = (four[1] << 4 | four[0]) << t;
            }
            u32 two[2];
            UNROLL for (int i = 0; i < 2; i++) two[i] = merged(t & 1, word[2 * i], word[2 * i + 1], 1);
            const u32 whole = merged(t & 2, two[0], two[1], 2);
            if (y0 + 16 * s + 8 * t + group < height) then[2 * s * line] = whole;
        }
    }
}

#define VOLUME(name, FAR, Sums, PAIRS, States, blocks)                                                              \
    KERNEL __launch_bounds__(128, blocks) name(const u32 *cells, u32 *next, PARAMETERS, RULE) {                     \
        volume<Sums, FAR, PAIRS, States>(cells, next, across, down, words, height, depth, layers, radius, THE_RULE); \
    }
VOLUME(volume_8_32, false, Near, 2, Halved, 4)
VOLUME(volume_8_64, false, Near, 4, Halved, 3)
VOLUME(volume_15_32, true, Far, 2, Halved, 4)
VOLUME(volume_15_64, true, Far, 4, Halved, 3)
VOLUME(volume_16_32, true, Far, 2, Single, 4)
VOLUME(volume_16_64, true, Far, 4, Single, 3)

// ---- Universes in and out, and the halo. A universe is the rows of its layers, one below another: h in all.

// The bit of a column in its word.
INLINE u32 bit_of(u32 column) { return 8 * (2 * (column % 2) + column / 8 % 2) + 4 * (column / 16 % 2) + column % 8 / 2; }

struct Volume {
    u32 *cells;
    i32 across, down, height, depth;
    // A word, also of the margin: column 32·word on.
    __device__ u32 &at(i32 word, i32 y, i32 z) const {
        const u32 row = y + 8 * above;
        return cells[(((i64)z * down + row / 8) * across + word + 1) * tile + row % 8];
    }
};
#define LAYOUT u32 *cells, i32 across, i32 down, i32 height, i32 depth
#define THE_VOLUME (Volume{cells, across, down, height, depth})

// A thread makes a word of the universe, or of bits in the order of their columns.
KERNEL load_volume(LAYOUT, const u32 *bits, u32 words, u32 w, u32 h) {
    const u32 x = block_x() * threads() + thread();
    for (u32 y = block_y(); y < h && x * 32 < w; y += blocks_y()) {
        const u32 from = bits[(u64)y * words + x];
        u32 word = 0;
        for (u32 column = 0; column < 32; column++) word |= (from >> column & 1) << bit_of(column);
        THE_VOLUME.at(x, y % height, y / height) = word;
    }
}
KERNEL store_volume(LAYOUT, u32 *bits, u32 words, u32 w, u32 h) {
    const u32 x = block_x() * threads() + thread();
    for (u32 y = block_y(); y < h && x < words; y += blocks_y()) {
        u32 word = 0;
        if (x * 32 < w) {
            const u32 from = THE_VOLUME.at(x, y % height, y / height);
            for (u32 column = 0; column < 32; column++) word |= (u32)(x * 32 + column < w && from >> bit_of(column) & 1) << column;
        }
        bits[(u64)y * words + x] = word;
    }
}

INLINE i32 wrap(i32 v, i32 n) { return (v % n + n) % n; }

// A thread makes a word of a layer's frame: first those of the radius rows above and below, then of each row between the
// word to the left, the one with the first column beyond the universe and the one after it.
KERNEL halo_volume(LAYOUT, i32 w, i32 h, i32 radius) {
    const i32 full = w / 32, wide = full + 3, rows = 2 * radius * wide, frame = rows + 3 * height;
    i32 i = block_x() * threads() + thread(), x, y;
    const i32 z = i / frame;
    if (z >= depth) return;
    i %= frame;
    if (i < rows) {
        x = i % wide - 1;
        y = i / wide;
        y = y < radius ? y - radius : y - radius + height;
    } else {
        i -= rows;
        x = i % 3 ? full + i % 3 - 1 : -1;
        y = i / 3;
    }
    const Volume v = THE_VOLUME;
    const i32 from = wrap(y, height);
    u32 word = 0;
    if (w % 32 == 0) {
        word = v.at(wrap(x, full), from, z);
    } else if (x >= 0 && x < full) {
        word = v.at(x, from, z);
    } else {
        for (u32 column = 0; column < 32; column++) {
            const u32 other = wrap(32 * x + column, w);
            word |= (v.at(other / 32, from, z) >> bit_of(other) & 1) << bit_of(column);
        }
    }
    v.at(x, y, z) = word;
}
