// The cells of a universe as words of neighbouring columns.
#pragma once
#include "device.h"

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
