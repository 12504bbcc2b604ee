// device.h of package cudagen for the host: the threads of a block are contexts of one thread that take turns. They change at barriers,
// between the lanes of a warp and, if a test wants it, now and then before they touch memory that others change, by chance that has a seed.
// What is undefined behaviour traps.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

#define __device__
#define __shared__ static
#define DYNAMIC_SHARED(type, name, align) static type *const name = (type *)host_shared
#define __launch_bounds__(...)
#define KERNEL extern "C" void
#define INLINE static inline
#define INLINE_MEMBER inline
#define UNROLL
#define ROLL
#define __restrict__

constexpr u32 host_lanes = 32, host_most_threads = 1024, host_shared_bytes = 1 << 18;

struct HostGroup { // threads that wait for each other
    u32 members, waiting, turn;
};

extern u32 host_thread, host_threads, host_block[2], host_blocks[2];
extern HostGroup host_all, host_warps[host_most_threads / host_lanes];
extern u32 host_votes[2][host_most_threads]; // by thread, for every other turn of its warp
alignas(64) extern u8 host_shared[host_shared_bytes];
void host_others_turn();
void host_perhaps_others_turn();

INLINE u32 thread() { return host_thread; }
INLINE u32 threads() { return host_threads; }
INLINE u32 block_x() { return host_block[0]; }
INLINE u32 block_y() { return host_block[1]; }
INLINE u32 blocks_x() { return host_blocks[0]; }
INLINE u32 blocks_y() { return host_blocks[1]; }
INLINE u32 lane() { return host_thread % host_lanes; }

INLINE void host_wait(HostGroup &g) {
    const u32 turn = g.turn;
    if (++g.waiting == g.members) {
        g.waiting = 0;
        g.turn++;
        return;
    }
    while (g.turn == turn) host_others_turn();
}
INLINE HostGroup &host_warp() { return host_warps[host_thread / host_lanes]; }
INLINE void block_barrier() { host_wait(host_all); }
INLINE void warp_barrier() { host_wait(host_warp()); }

// f of what the lanes of the warp have.
template <typename F> INLINE u32 host_among_lanes(u32 v, F f) {
    u32 *all = host_votes[host_warp().turn % 2];
    all[host_thread] = v;
    warp_barrier();
    return f(all + host_thread / host_lanes * host_lanes);
}
INLINE u32 ballot(bool v) {
    return host_among_lanes(v, [](const u32 *all) {
        u32 set = 0;
        for (u32 l = 0; l < host_lanes; l++) set |= all[l] << l;
        return set;
    });
}
INLINE u32 shuffle_up(u32 v, u32 by) {
    return host_among_lanes(v, [=](const u32 *all) { return lane() < by ? v : all[lane() - by]; });
}
INLINE u32 shuffle_down(u32 v, u32 by) {
    return host_among_lanes(v, [=](const u32 *all) { return lane() + by < host_lanes ? all[lane() + by] : v; });
}
INLINE u32 shuffle_from(u32 v, u32 lane) {
    return host_among_lanes(v, [=](const u32 *all) { return all[lane]; });
}
INLINE u64 shuffle_up(u64 v, u32 by) { return (u64)shuffle_up((u32)(v >> 32), by) << 32 | shuffle_up((u32)v, by); }
INLINE u64 shuffle_down(u64 v, u32 by) { return (u64)shuffle_down((u32)(v >> 32), by) << 32 | shuffle_down((u32)v, by); }
INLINE bool block_any(bool v) {
    static u32 said[2]; // for every other turn of the block
    const u32 turn = host_all.turn % 2;
    said[turn] |= v;
    block_barrier();
    const bool any = said[turn];
    block_barrier(); // the next turn's has been read by all
    said[turn] = 0;
    return any;
}
INLINE u32 shuffle_xor(u32 v, u32 mask) {
    return host_among_lanes(v, [=](const u32 *all) { return all[lane() ^ mask]; });
}
INLINE u32 add_shuffle_up(u32 v, u32 by) {
    return host_among_lanes(v, [=](const u32 *all) { return lane() < by ? v : v + all[lane() - by]; });
}
INLINE u32 warp_sum(u32 v) {
    return host_among_lanes(v, [](const u32 *all) {
        u32 sum = 0;
        for (u32 l = 0; l < host_lanes; l++) sum += all[l];
        return sum;
    });
}

// Words that are read together.
struct alignas(8) Words2 { u32 a, b; };
struct alignas(16) Words4 { u32 a, b, c, d; };

// Bit 4a + 2b + c of T.
template <int T> INLINE u32 lop3(u32 a, u32 b, u32 c) {
    u32 r = 0;
    for (u32 i = 0; i < 32; i++) r |= (u32)(T >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return r;
}
INLINE u32 byte_permute(u32 a, u32 b, u32 s) {
    u32 r = 0;
    for (u32 i = 0; i < 4; i++) r |= (u32)(((u64)b << 32 | a) >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i;
    return r;
}
INLINE u32 dot4(u32 a, u32 b, u32 sum) {
    for (u32 i = 0; i < 32; i += 8) sum += (a >> i & 0xff) * (b >> i & 0xff);
    return sum;
}
INLINE u32 count_ones(u32 v) { return (u32)__builtin_popcount(v); }
INLINE u32 leading_zeros(u32 v) { return v ? (u32)__builtin_clz(v) : 32; }
INLINE u32 trailing_zeros(u32 v) { return (u32)__builtin_ctz(v); }

// Memory that other threads change at the same time.
template <class W, class F> INLINE W host_change(W *p, F f) {
    host_perhaps_others_turn();
    const W before = *p;
    *p = f(before);
    return before;
}
INLINE u32 atomic_add(u32 *p, u32 v) { return host_change(p, [=](u32 w) { return w + v; }); }
INLINE u64 atomic_add(u64 *p, u64 v) { return host_change(p, [=](u64 w) { return w + v; }); }
INLINE u32 atomic_min(u32 *p, u32 v) { return host_change(p, [=](u32 w) { return w < v ? w : v; }); }
INLINE u32 atomic_or(u32 *p, u32 v) { return host_change(p, [=](u32 w) { return w | v; }); }
INLINE u64 atomic_or(u64 *p, u64 v) { return host_change(p, [=](u64 w) { return w | v; }); }
INLINE u32 atomic_and(u32 *p, u32 v) { return host_change(p, [=](u32 w) { return w & v; }); }
INLINE u64 atomic_and(u64 *p, u64 v) { return host_change(p, [=](u64 w) { return w & v; }); }
INLINE void atomic_replace(u32 *p, u32 was, u32 v) {
    host_change(p, [=](u32 w) { return w == was ? v : w; });
}
INLINE u64 atomic_exchange(u64 *p, u64 v) {
    return host_change(p, [=](u64) { return v; });
}
INLINE u32 relaxed_load(const u32 *p) {
    host_perhaps_others_turn();
    return *p;
}
INLINE void relaxed_store(u32 *p, u32 v) {
    host_perhaps_others_turn();
    *p = v;
}

// Asynchronous copies are made at once.
INLINE void copy_async16(void *to, const void *from) {
    if ((u64)to % 16 || (u64)from % 16) __builtin_trap();
    __builtin_memcpy(to, from, 16);
}
INLINE void copy_async_commit() {}
template <int N> INLINE void copy_async_wait() {}

// FP16 values that are integers from 0 to 2048, the only ones in these kernels; any other one traps.
INLINE u32 integer_of(u16 half) {
    if (half == 0) return 0;
    const i32 exponent = (half >> 10) - 25;
    const u32 digits = (half & 0x3ff) | 0x400;
    if (exponent > 1 || exponent < -10 || (exponent < 0 && digits & ((1u << -exponent) - 1))) __builtin_trap();
    return exponent < 0 ? digits >> -exponent : digits << exponent;
}
INLINE u16 host_half(u32 n) {
    if (n == 0) return 0;
    if (n > 2048) __builtin_trap();
    const i32 log = 31 - __builtin_clz(n);
    return (u16)((log + 15) << 10 | ((log <= 10 ? n << (10 - log) : n >> (log - 10)) & 0x3ff));
}

// A lane has half a row of a fragment here.
struct WmmaFactor { u16 v[8]; };
struct WmmaSum { u16 v[8]; };
INLINE void host_load(u16 v[8], const u16 *from, u32 line) {
    if ((u64)from % 32) __builtin_trap();
    for (u32 i = 0; i < 8; i++) v[i] = from[lane() / 2 * line + lane() % 2 * 8 + i];
}
INLINE void load_left(WmmaFactor &f, const u16 *from, u32 line) { host_load(f.v, from, line); }
INLINE void load_right(WmmaFactor &f, const u16 *from, u32 line) { host_load(f.v, from, line); }
INLINE void load_sum(WmmaSum &s, const u16 *from, u32 line) { host_load(s.v, from, line); }
extern u16 host_factors[2][host_most_threads / host_lanes][256]; // left and right, by warp
INLINE void add_product(WmmaSum &s, const WmmaFactor &left, const WmmaFactor &right) {
    u16 *a = host_factors[0][host_thread / host_lanes], *b = host_factors[1][host_thread / host_lanes];
    for (u32 i = 0; i < 8; i++) a[8 * lane() + i] = left.v[i], b[8 * lane() + i] = right.v[i];
    warp_barrier();
    for (u32 i = 0; i < 8; i++) {
        u32 sum = integer_of(s.v[i]);
        for (u32 l = 0; l < 16; l++) sum += integer_of(a[lane() / 2 * 16 + l]) * integer_of(b[l * 16 + lane() % 2 * 8 + i]);
        s.v[i] = host_half(sum);
    }
    warp_barrier();
}
INLINE void store_sum(u16 *to, const WmmaSum &s, u32 line) {
    if ((u64)to % 32) __builtin_trap();
    for (u32 i = 0; i < 8; i++) to[lane() / 2 * line + lane() % 2 * 8 + i] = s.v[i];
}

// An FP16 value that is an integer from −2048 to 2048, and the reverse; another one traps.
INLINE i32 host_signed(u16 half) { return half >> 15 ? -(i32)integer_of(half & 0x7fff) : (i32)integer_of(half); }
INLINE u16 host_signed_half(i32 n) { return n < 0 ? host_half((u32)-n) | 0x8000 : host_half((u32)n); }
INLINE float float_of(u16 half) { return (float)host_signed(half); }

template <class F> INLINE u32 host_halves(F f) { return (u32)f(0) | (u32)f(16) << 16; }
INLINE u32 halves_of(u32 n) { return host_half(n) * 0x10001u; }
INLINE u32 halves_minus(u32 a, u32 b) {
    return host_halves([=](u32 i) { return host_signed_half(host_signed((u16)(a >> i)) - host_signed((u16)(b >> i))); });
}
INLINE u32 halves_times_plus(u32 a, u32 b, u32 c) {
    return host_halves([=](u32 i) {
        return host_signed_half(host_signed((u16)(a >> i)) * host_signed((u16)(b >> i)) + host_signed((u16)(c >> i)));
    });
}
INLINE u32 halves_from(u32 a, u32 b) {
    return host_halves([=](u32 i) { return host_half(host_signed((u16)(a >> i)) >= host_signed((u16)(b >> i))); });
}
INLINE u32 halves_up_to(u32 a, u32 b) {
    return host_halves([=](u32 i) { return host_half(host_signed((u16)(a >> i)) <= host_signed((u16)(b >> i))); });
}
INLINE u32 halves_times(u32 a, u32 b) {
    return host_halves([=](u32 i) { return host_signed_half(host_signed((u16)(a >> i)) * host_signed((u16)(b >> i))); });
}

// What the lanes of a warp show each other: f reads it when all have come, and none goes on before all have read.
extern u64 host_shown[host_most_threads / host_lanes][host_lanes][8];
template <class F> INLINE void host_show(const u64 *mine, u32 n, F f) {
    u64(*all)[8] = host_shown[host_thread / host_lanes];
    for (u32 i = 0; i < n; i++) all[lane()][i] = mine[i];
    warp_barrier();
    f(all);
    warp_barrier();
}

// The 8×8 matrices of ldmatrix and movmatrix: lane l has elements 2·(l mod 4) and the next of row l/4.
INLINE u32 host_pair(u16 low, u16 high) { return low | (u32)high << 16; }
template <bool TRANSPOSED> INLINE void host_load_matrix4(u32 r[4], const void *row) {
    if ((u64)row % 16) __builtin_trap();
    const u64 address = (u64)row;
    host_show(&address, 1, [=](u64(*all)[8]) {
        const u32 i = lane() / 4, j = lane() % 4 * 2;
        for (u32 m = 0; m < 4; m++) {
            const auto at = [&](u32 y, u32 x) { return ((const u16 *)all[8 * m + y][0])[x]; };
            r[m] = TRANSPOSED ? host_pair(at(j, i), at(j + 1, i)) : host_pair(at(i, j), at(i, j + 1));
        }
    });
}
INLINE void load_matrix4(u32 r[4], const void *row) { host_load_matrix4<false>(r, row); }
INLINE void load_matrix4_transposed(u32 r[4], const void *row) { host_load_matrix4<true>(r, row); }
INLINE void transpose(u32 &r) {
    const u64 mine = r;
    host_show(&mine, 1, [&](u64(*all)[8]) {
        const u32 i = lane() / 4, j = lane() % 4 * 2;
        const auto at = [&](u32 y, u32 x) { return (u16)(all[4 * y + x / 2][0] >> x % 2 * 16); };
        r = host_pair(at(j, i), at(j + 1, i));
    });
}

// Products of 16×8 results, by PTX ISA's places of the elements: in words of as many elements as there are in 32 bits, lane l has of the left
// factor words l mod 4 (registers 0 and 1) and 4 + l mod 4 (2 and 3) of the rows l/4 (0 and 2) and 8 + l/4 (1 and 3), of the right factor the
// same words of column l/4. Of the results it has those of row l/4, then those of row 8 + l/4, in the columns 2·(l mod 4) and the next. Dot is
// the sum of the products of two words' elements.
template <class T, class Dot> INLINE void host_mma(T c[4], const u32 a[4], const u32 b[2], Dot dot) {
    const u64 mine[6] = {a[0], a[1], a[2], a[3], b[0], b[1]};
    host_show(mine, 6, [&](u64(*all)[8]) {
        for (u32 i = 0; i < 4; i++) {
            const u32 row = lane() / 4, high = i / 2, column = lane() % 4 * 2 + i % 2;
            for (u32 word = 0; word < 8; word++)
                c[i] += dot((u32)all[4 * row + word % 4][word / 4 * 2 + high], (u32)all[4 * column + word % 4][4 + word / 4]);
        }
    });
}
INLINE u32 host_dot_halves(u32 a, u32 b) {
    return integer_of((u16)a) * integer_of((u16)b) + integer_of((u16)(a >> 16)) * integer_of((u16)(b >> 16));
}
INLINE void mma_f16(u32 d[2], const u32 a[4], const u32 b[2], const u32 c[2]) {
    u32 sum[4];
    for (u32 i = 0; i < 4; i++) sum[i] = integer_of((u16)(c[i / 2] >> i % 2 * 16));
    host_mma(sum, a, b, host_dot_halves);
    d[0] = host_pair(host_half(sum[0]), host_half(sum[1])), d[1] = host_pair(host_half(sum[2]), host_half(sum[3]));
}
INLINE void mma_f32(float c[4], const u32 a[4], const u32 b[2]) { host_mma(c, a, b, host_dot_halves); }
INLINE void mma_u8(i32 d[4], const u32 a[4], const u32 b[2], const i32 c[4]) {
    u32 sum[4] = {(u32)c[0], (u32)c[1], (u32)c[2], (u32)c[3]};
    host_mma(sum, a, b, [](u32 x, u32 y) { return dot4(x, y, 0); });
    for (u32 i = 0; i < 4; i++) d[i] = (i32)sum[i];
}
INLINE void mma_s8(i32 d[4], const u32 a[4], const u32 b[2], const i32 c[4]) {
    i32 sum[4] = {c[0], c[1], c[2], c[3]};
    host_mma(sum, a, b, [](u32 x, u32 y) {
        i32 dot = 0;
        for (u32 byte = 0; byte < 4; byte++) dot += (signed char)(x >> 8 * byte) * (signed char)(y >> 8 * byte);
        return dot;
    });
    for (u32 i = 0; i < 4; i++) d[i] = sum[i];
}
INLINE void mma_bits(i32 c[4], const u32 a[4], const u32 b[2]) {
    host_mma(c, a, b, [](u32 x, u32 y) { return (i32)count_ones(x & y); });
}
