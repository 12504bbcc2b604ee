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

// The rule on pairs of FP16: x·(survive − birth) + birth is the bound for x alive or dead.
struct HalfRule {
    u32 lo, hi, lo_more, hi_more;
};
INLINE u32 pair_of(u32 n) {
    u32 r;
    asm("{\n\t.reg .b16 h;\n\tcvt.rn.f16.u32 h, %1;\n\tmov.b32 %0, {h, h};\n\t}" : "=r"(r) : "r"(n));
    return r;
}
INLINE u32 half_subtract(u32 a, u32 b) {
    u32 r;
    asm("sub.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
INLINE HalfRule half_rule(Rule r) {
    u32 lo = pair_of(r.birth_lo), hi = pair_of(r.birth_hi);
    return {lo, hi, half_subtract(pair_of(r.survive_lo), lo), half_subtract(pair_of(r.survive_hi), hi)};
}
INLINE u32 next_halves(u32 cells, u32 sums, HalfRule r) {
    u32 next;
    asm("{\n\t.reg .b32 lo, hi;\n\t"
        "fma.rn.f16x2 lo, %1, %5, %3;\n\tfma.rn.f16x2 hi, %1, %6, %4;\n\t"
        "set.ge.f16x2.f16x2 lo, %2, lo;\n\tset.le.f16x2.f16x2 hi, %2, hi;\n\tmul.f16x2 %0, lo, hi;\n\t}"
        : "=r"(next) : "r"(cells), "r"(sums), "r"(r.lo), "r"(r.hi), "r"(r.lo_more), "r"(r.hi_more));
    return next;
}
// The rule on two cells of FP16 with sums that are integers.
INLINE u32 next_halves(u32 cells, u32 sums, PairRule r) {
    u32 born = (sums + r.birth_ge) & (r.birth_le - sums), stay = (sums + r.survive_ge) & (r.survive_le - sums);
    return (lop3<0xe4>(stay, born, cells << 2) >> 15 & 0x10001) * 0x3c00;
}
