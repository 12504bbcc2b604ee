// The rule on pairs of FP16, for the kernels whose sums are that.
#pragma once
#include "cells.h"

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
