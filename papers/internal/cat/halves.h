// The rule on pairs of FP16, for the kernels whose sums are that.
#pragma once
#include "cells.h"

// The rule on pairs of FP16: x·(survive − birth) + birth is the bound for x alive or dead.
struct HalfRule {
    u32 lo, hi, lo_more, hi_more;
};
INLINE HalfRule half_rule(Rule r) {
    u32 lo = halves_of(r.birth_lo), hi = halves_of(r.birth_hi);
    return {lo, hi, halves_minus(halves_of(r.survive_lo), lo), halves_minus(halves_of(r.survive_hi), hi)};
}
INLINE u32 next_halves(u32 cells, u32 sums, HalfRule r) {
    u32 lo = halves_times_plus(cells, r.lo_more, r.lo), hi = halves_times_plus(cells, r.hi_more, r.hi);
    return halves_times(halves_from(sums, lo), halves_up_to(sums, hi));
}
// The rule on two cells of FP16 with sums that are integers.
INLINE u32 next_halves(u32 cells, u32 sums, PairRule r) {
    u32 born = (sums + r.birth_ge) & (r.birth_le - sums), stay = (sums + r.survive_ge) & (r.survive_le - sums);
    return (lop3<0xe4>(stay, born, cells << 2) >> 15 & 0x10001) * 0x3c00;
}
