// CAT for several generations a launch, beyond the paper: a warp keeps a patch of 128×64 cells in its registers, in
// INT8, advances it by products with bands, and writes what is right in the end. Cells beyond the patch count as dead,
// so after g generations what lies within g·radius of its edge is wrong: patches overlap by twice that. No shared
// memory, no barrier.
//
// The universe lies in memory in fragments of 16×16 bytes. A register has the four cells of a row of a fragment in
// columns 2t and 2t + 1 (i = 0, 1) and eight columns further (c = 0, 1), for lane t of four; byte 2i + c is column 8c
// + 2t + i. The lane's row is that of its number / 4, of eight. PTX ISA gives the place of each element of m16n8k32
// in the lanes of a warp, and the order of the index that is summed over is free as long as the band has the same
// order. Therefore
//
//     Hᵀ = Σ B · Xᵀ     sums along rows, of 16 columns and 8 rows, lies as S = Σ B · H wants its right factor, and
//     S                  comes out where the cells of X lie.
//
// Up to radius 8, 16 sums need 32 cells: one product, whose right factor has a register of the fragment itself and
// one of the eight columns before and the eight after. Up to radius 16 they need 48: two products.
//
// Values are put together by the products, too. Two eights of rows (columns) are added up in one result, the second
// times 256: an 8-bit factor is at most 255, so cells of every second eight of rows are 4 in place of 1 and the band
// has 64, or sums have been doubled and the band has 128.
#include "woven.h"

constexpr int blocks = 8;     // of 16 columns of a patch
constexpr int groups = 8;     // of 8 rows
constexpr int pairs = groups / 2;

// Sums of up to 127 take a byte each. Both c of H are in one result.
template <class Product> struct Small {
    Product rows[2], columns[2];
    FieldRule<8> rule;
    INLINE_MEMBER void make(i32 radius, Rule r) {
        rows[0].make(radius, 1, 2), rows[1].make(radius, 64, 128);
        columns[0].make(radius, 1, 1), columns[1].make(radius, 128, 128);
        rule.make(r);
    }
    // The next states of two eights of rows of a fragment, of its cells now and H of the sixteen rows above, here and
    // below; 1, and 4 in the second.
    INLINE_MEMBER void next(u32 &upper, u32 &lower, const u32 above[2], const u32 here[2], const u32 below[2]) const {
        const i32 start = rule.start * 0x0101;
        i32 sum[4] = {start, start, start, start};
        UNROLL for (int c = 0; c < 2; c++) columns[c].add_product(sum, above[c], here[c], below[c]);
        upper = rule.next(upper, together(sum)) >> 7;
        lower = rule.next(lower >> 2, together(sum + 2)) >> 5;
    }
};
// Larger sums take two bytes.
template <class Product> struct Large {
    Product rows[2], columns;
    FieldRule<16> rule;
    INLINE_MEMBER void make(i32 radius, Rule r) {
        rows[0].make(radius, 1, 1), rows[1].make(radius, 64, 64);
        columns.make(radius, 1, 1);
        rule.make(r);
    }
    INLINE_MEMBER u32 next_four(u32 cells, const i32 sums0[2], const i32 sums1[2]) const {
        return rule.next(cells & first, together(sums0)) >> 15 | rule.next(cells >> 8 & first, together(sums1)) >> 7;
    }
    INLINE_MEMBER void next(u32 &upper, u32 &lower, const u32 above[2], const u32 here[2], const u32 below[2]) const {
        const i32 start = rule.start;
        i32 sum[2][4];
        UNROLL for (int c = 0; c < 2; c++) {
            UNROLL for (int q = 0; q < 4; q++) sum[c][q] = start;
            columns.add_product(sum[c], above[c], here[c], below[c]);
        }
        upper = next_four(upper, sum[0], sum[1]);
        lower = next_four(lower >> 2, sum[0] + 2, sum[1] + 2) << 2;
    }
};

// A generation of a patch. Cells of odd groups are 4 or 0.
template <class Sums> INLINE void advance(u32 x[blocks][groups], const Sums &sums) {
    u32 before[groups] = {};    // the fragments to the left, as they were
    UNROLL for (int b = 0; b < blocks; b++) {
        u32 h[pairs + 2][2] = {};    // sixteen rows each, the first and the last beyond the patch
        UNROLL for (int a = 0; a < pairs; a++) {
            i32 sum[4] = {};
            UNROLL for (int p = 0; p < 2; p++) {
                const int j = 2 * a + p;
                sums.rows[p].add_product(sum, before[j], x[b][j], b + 1 < blocks ? x[b + 1][j] : 0);
                before[j] = x[b][j];
            }
            h[a + 1][0] = together(sum), h[a + 1][1] = together(sum + 2);
        }
        UNROLL for (int a = 0; a < pairs; a++) sums.next(x[b][2 * a], x[b][2 * a + 1], h[a], h[a + 1], h[a + 2]);
    }
}

// Cells and next point at the first fragment of the margin, which is `margin` fragments wide, of a universe of across
// fragments a row, nx×height without it. Patches overlap by twice `aside` columns, a multiple of 8, and twice `halo`
// rows.
#define PARAMETERS i32 across, i32 margin, i32 nx, i32 height, i32 halo, i32 aside, i32 radius

template <class Sums>
INLINE void temporal(const u32 *__restrict__ cells, u32 *__restrict__ next, PARAMETERS, Rule rule, u32 generations) {
    constexpr i32 side = 16, area = side * side / 4, line = side / 4;    // of a fragment, in words
    const i32 patch = block_x() * (threads() / 32) + thread() / 32, group = lane() / 4;
    // The patch's first that are written.
    const i32 columns = patch * (blocks * side - 2 * aside), rows = block_y() * (groups * 8 - 2 * halo);
    if (columns >= nx * side) return;
    Sums sums;
    sums.make(radius, rule);

    const bool odd = aside / 8 % 2;                  // the patch begins in the middle of a fragment:
    const u32 shift = odd ? 0x6341 : 0x3210;         // its words are of two of these
    const i32 y0 = rows - halo + margin * side + group;
    const i64 at = (columns - aside + margin * side) / side * area + lane() % 4;
    u32 x[blocks][groups], last[groups];
    UNROLL for (int j = 0; j < groups; j++) {
        const i32 y = y0 + 8 * j;
        const u32 *from = cells + at + (i64)(y / side) * across * area + y % side * line;
        UNROLL for (int b = 0; b < blocks; b++) x[b][j] = from[b * area];
        last[j] = from[blocks * area];
    }
    UNROLL for (int j = 0; j < groups; j++) {
        UNROLL for (int b = 0; b < blocks; b++)
            x[b][j] = byte_permute(x[b][j], b + 1 < blocks ? x[b + 1][j] : last[j], shift) << j % 2 * 2;
    }

    ROLL for (u32 g = 0; g < generations; g++) advance(x, sums);

    const i32 skip = aside / side;                                      // fragments on either side that are not right
    const i32 left = columns / side - skip;                             // the fragment of the first word below
    UNROLL for (int j = 0; j < groups; j++) {
        const i32 row = 8 * j + group, y = y0 + 8 * j;
        u32 *to = next + ((i64)(y / side) * across + margin + left) * area + y % side * line + lane() % 4;
        const bool wanted = row >= halo && row < groups * 8 - halo && rows + row - halo < height;
        UNROLL for (int b = 0; b < blocks; b++) {
            const u32 word = byte_permute(x[b][j], b + 1 < blocks ? x[b + 1][j] : 0, shift);
            if (wanted && b >= skip && b < blocks - odd - skip && left + b < nx) to[b * area] = word >> j % 2 * 2;
        }
    }
}

#define TEMPORAL(name, Sums)                                                                                       \
    KERNEL __launch_bounds__(128, 3) name(const u32 *cells, u32 *next, PARAMETERS, RULE, u32 generations) {        \
        temporal<Sums>(cells, next, across, margin, nx, height, halo, aside, radius, THE_RULE, generations);       \
    }
TEMPORAL(temporal_5, Small<Near<>>)
TEMPORAL(temporal_8, Large<Near<>>)
TEMPORAL(temporal_16, Large<Far<>>)
