// How the universes of CAT's methods lie in memory, and their rule. A universe has a margin around it, which the halo kernels fill from
// the opposite edge of the torus.
#pragma once
#include "device.h"

// A cell is alive in the next generation when the sum of its neighbourhood is in birth_lo..birth_hi where it is dead now, in
// survive_lo..survive_hi where it is alive. The sum has the cell itself, once (in a cross twice). An interval with lo above hi is empty.
#define RULE u32 birth_lo, u32 birth_hi, u32 survive_lo, u32 survive_hi

struct Rule {
    u32 birth_lo, birth_hi, survive_lo, survive_hi;
};
#define THE_RULE (Rule{birth_lo, birth_hi, survive_lo, survive_hi})

// The next state of one cell.
INLINE u8 next_state(u32 cell, u32 sum, Rule r) {
    u32 lo = cell ? r.survive_lo : r.birth_lo, hi = cell ? r.survive_hi : r.birth_hi;
    return sum >= lo && sum <= hi;
}

// The rule for two sums in the halves of a word: bit 15 of a half of v + ge is set where v ≥ lo, of le − v where v ≤ hi.
struct PairRule {
    u32 birth_ge, birth_le, survive_ge, survive_le;
};
INLINE PairRule pair_rule(Rule r) {
    return {(0x8000 - r.birth_lo) * 0x10001, (0x8000 + r.birth_hi) * 0x10001,
            (0x8000 - r.survive_lo) * 0x10001, (0x8000 + r.survive_hi) * 0x10001};
}

// The next states of four cells, one a byte, from their sums, two a word.
INLINE u32 next_states(u32 cells, u32 sums01, u32 sums23, PairRule r) {
    u32 born = byte_permute((sums01 + r.birth_ge) & (r.birth_le - sums01), (sums23 + r.birth_ge) & (r.birth_le - sums23), 0x7531);
    u32 stay = byte_permute((sums01 + r.survive_ge) & (r.survive_le - sums01), (sums23 + r.survive_ge) & (r.survive_le - sums23), 0x7531);
    return lop3<0xe4>(stay, born, cells << 7) >> 7 & 0x01010101;
}
