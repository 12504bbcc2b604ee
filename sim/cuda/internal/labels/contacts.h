// Where cells of two rows touch.
#pragma once
#include "device.h"

// The place of one number n of v, the lowest being number 0.
INLINE u32 nth_one(u32 v, u32 n) {
    u32 place = 0;
    UNROLL for (u32 half = 16; half; half /= 2) {
        const u32 below = count_ones(v >> place & ((1u << half) - 1));
        if (n >= below) {
            n -= below;
            place += half;
        }
    }
    return place;
}

// The bits at which two rows touch, leaving out what other contacts imply: over an edge the first of neighbouring columns, and corners
// where neither of the other two cells lives.
struct Contacts {
    u32 over = 0, left = 0, right = 0; // with the same column of the row above, with that to the left, with that to the right

    INLINE_MEMBER Contacts() {}

    // Where a word begins anew, contacts of the word to the left imply nothing.
    INLINE_MEMBER Contacts(bool eight, bool anew, u32 up, u32 down, u32 up_left, u32 down_left, u32 up_right, u32 down_right) {
        const u32 both = up & down, alone = down & ~up;
        over = both & ~(both << 1 | (anew ? 0 : (up_left & down_left) >> 31));
        left = eight ? alone & (up << 1 | up_left >> 31) & ~(down << 1 | down_left >> 31) : 0;
        right = eight ? alone & (up >> 1 | up_right << 31) & ~(down >> 1 | down_right << 31) : 0;
    }

    INLINE_MEMBER u32 count() const { return count_ones(over | left) + count_ones(right); }

    // Calls f with the column of contact number n in the lower row and how much further right it is in the upper.
    template <typename F> INLINE_MEMBER void nth(u32 n, F f) const {
        const u32 firsts = count_ones(over | left);
        const bool first = n < firsts;
        const u32 x = nth_one(first ? over | left : right, first ? n : n - firsts);
        f(x, !first ? 1 : (left >> x & 1) ? -1 : 0);
    }
};

// The sum of v over the lanes up to this one.
INLINE u32 sum_up_to(u32 v) {
    UNROLL for (u32 by = 1; by < 32; by *= 2) {
        const u32 before = shuffle_up(v, by);
        if (lane() >= by) v += before;
    }
    return v;
}

// Shares the contacts of all lanes out among them, so that all have about as many: calls f with the lane that has it and what nth says.
template <typename F> INLINE void share_contacts(const Contacts &mine, F f) {
    const u32 own = mine.count(), end = sum_up_to(own), total = shuffle_from(end, 31);
    ROLL for (u32 k = 0; k < total; k += 32) {
        const u32 n = k + lane();
        u32 from = 0; // the lanes whose contacts are all before number n
        UNROLL for (u32 step = 16; step; step /= 2) {
            if (shuffle_from(end, from + step - 1) <= n) from += step;
        }
        const u32 first = shuffle_from(end - own, from);
        Contacts theirs;
        theirs.over = shuffle_from(mine.over, from);
        theirs.left = shuffle_from(mine.left, from);
        theirs.right = shuffle_from(mine.right, from);
        if (n < total) theirs.nth(n - first, [&](u32 x, i32 dx) { f(from, x, dx); });
    }
}
