// device.h of package cudagen for the host: the threads of a block are contexts of one thread that take turns. They change at barriers,
// between the lanes of a warp, and now and then before they touch memory that others change, by chance that has a seed. What is
// undefined behaviour traps.
#pragma once

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;

#define __shared__
#define __launch_bounds__(...)
#define KERNEL extern "C" void
#define INLINE static inline
#define INLINE_MEMBER inline
#define UNROLL
#define ROLL

constexpr u32 warp_lanes = 32;

struct Group { // threads that wait for each other
    u32 members, waiting, turn;
};

extern u32 here, block, blocks, block_threads;
extern Group whole, warps[];
extern u32 votes[2][512]; // by thread, for every other turn of its warp
void others_turn();
void perhaps_others_turn();

INLINE u32 thread() { return here; }
INLINE u32 threads() { return block_threads; }
INLINE u32 block_x() { return block; }
INLINE u32 blocks_x() { return blocks; }
INLINE u32 lane() { return here % warp_lanes; }

INLINE void wait(Group &g) {
    const u32 turn = g.turn;
    if (++g.waiting == g.members) {
        g.waiting = 0;
        g.turn++;
        return;
    }
    while (g.turn == turn) others_turn();
}
INLINE void block_barrier() { wait(whole); }

// f of what the lanes of the warp have.
template <typename F> INLINE u32 among_lanes(u32 v, F f) {
    Group &warp = warps[here / warp_lanes];
    u32 *all = votes[warp.turn % 2];
    all[here] = v;
    wait(warp);
    return f(all + here / warp_lanes * warp_lanes);
}
INLINE u32 ballot(bool v) {
    return among_lanes(v, [](const u32 *all) {
        u32 set = 0;
        for (u32 l = 0; l < warp_lanes; l++) set |= all[l] << l;
        return set;
    });
}
INLINE u32 shuffle_from(u32 v, u32 lane) {
    return among_lanes(v, [=](const u32 *all) { return all[lane]; });
}
INLINE u32 warp_sum(u32 v) {
    return among_lanes(v, [](const u32 *all) {
        u32 sum = 0;
        for (u32 l = 0; l < warp_lanes; l++) sum += all[l];
        return sum;
    });
}

INLINE u32 shuffle_up(u32 v, u32 by) {
    return among_lanes(v, [=](const u32 *all) { return all[lane() < by ? lane() : lane() - by]; });
}

struct alignas(8) Words2 { u32 a, b; };
struct alignas(16) Words4 { u32 a, b, c, d; };
INLINE u32 byte_permute(u32 a, u32 b, u32 s) {
    u32 r = 0;
    for (u32 i = 0; i < 4; i++) r |= (u32)(((u64)b << 32 | a) >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i;
    return r;
}
INLINE u32 count_ones(u32 v) { return (u32)__builtin_popcount(v); }
INLINE u32 leading_zeros(u32 v) { return v ? (u32)__builtin_clz(v) : 32; }
INLINE u32 trailing_zeros(u32 v) { return (u32)__builtin_ctz(v); }

template <typename T, typename F> INLINE T change(T *p, F f) {
    perhaps_others_turn();
    const T before = *p;
    *p = f(before);
    return before;
}
INLINE u32 atomic_add(u32 *p, u32 v) { return change(p, [=](u32 w) { return w + v; }); }
INLINE u64 atomic_add(u64 *p, u64 v) { return change(p, [=](u64 w) { return w + v; }); }
INLINE u32 atomic_min(u32 *p, u32 v) { return change(p, [=](u32 w) { return w < v ? w : v; }); }
INLINE u32 atomic_or(u32 *p, u32 v) { return change(p, [=](u32 w) { return w | v; }); }
INLINE void atomic_replace(u32 *p, u32 was, u32 v) {
    change(p, [=](u32 w) { return w == was ? v : w; });
}
INLINE u64 atomic_exchange(u64 *p, u64 v) { return change(p, [=](u64) { return v; }); }
INLINE u32 relaxed_load(const u32 *p) {
    perhaps_others_turn();
    return *p;
}
INLINE void relaxed_store(u32 *p, u32 v) {
    perhaps_others_turn();
    *p = v;
}
