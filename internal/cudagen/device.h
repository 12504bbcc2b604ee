// What kernels take from CUDA, in clang's own terms: the sources are compiled without NVIDIA's headers.
// A name that CUDA has keeps its meaning; those of its built-in variables are functions here: threadIdx.x is thread().
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
// DYNAMIC_SHARED is the shared memory whose size the host says when it launches a kernel. Its address is a multiple of align.
#define DYNAMIC_SHARED(type, name, align) extern __shared__ __attribute__((aligned(align))) type name[]
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

// KERNEL is a kernel that the host finds by its own name, without C++'s decoration.
#define KERNEL extern "C" __global__ void
// INLINE is a function of the device that never is a call, INLINE_MEMBER one of a struct.
#define INLINE static __device__ inline __attribute__((always_inline))
#define INLINE_MEMBER __device__ inline __attribute__((always_inline))
// UNROLL repeats the loop that follows in full, so that its arrays may live in registers; ROLL keeps it a loop.
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("nounroll")

constexpr u32 all_lanes = 0xffffffff;

// ---- Where a thread is

INLINE u32 thread() { return __nvvm_read_ptx_sreg_tid_x(); } // in its block
INLINE u32 threads() { return __nvvm_read_ptx_sreg_ntid_x(); } // of a block
INLINE u32 block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); } // of the grid
INLINE u32 blocks_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
INLINE u32 block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
INLINE u32 blocks_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }
INLINE u32 lane() { return __nvvm_read_ptx_sreg_laneid(); } // in its warp

// ---- Waiting

INLINE void block_barrier() { __syncthreads(); }
INLINE void warp_barrier() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); } // __syncwarp

// ---- Between the lanes of a warp, all 32 taking part

INLINE u32 shuffle_up(u32 v, u32 by) { return __nvvm_shfl_sync_up_i32(all_lanes, v, by, 0); } // from lane − by; else own
INLINE u32 shuffle_down(u32 v, u32 by) { return __nvvm_shfl_sync_down_i32(all_lanes, v, by, 31); } // from lane + by; else own
INLINE u32 shuffle_xor(u32 v, u32 mask) { return __nvvm_shfl_sync_bfly_i32(all_lanes, v, mask, 31); }
INLINE u64 shuffle_up(u64 v, u32 by) { return (u64)shuffle_up((u32)(v >> 32), by) << 32 | shuffle_up((u32)v, by); }
INLINE u64 shuffle_down(u64 v, u32 by) { return (u64)shuffle_down((u32)(v >> 32), by) << 32 | shuffle_down((u32)v, by); }
INLINE u32 shuffle_from(u32 v, u32 lane) { return __nvvm_shfl_sync_idx_i32(all_lanes, v, lane, 31); }
// v and, in the lanes from `by` on, that of lane − by.
INLINE u32 add_shuffle_up(u32 v, u32 by) {
    asm("{\n\t.reg .pred p;\n\t.reg .b32 r;\n\tshfl.sync.up.b32 r|p, %0, %1, 0, 0xffffffff;\n\t@p add.u32 %0, %0, r;\n\t}"
        : "+r"(v) : "r"(by));
    return v;
}
INLINE u32 warp_sum(u32 v) { // __reduce_add_sync
    u32 r;
    asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(v));
    return r;
}
INLINE u32 ballot(bool v) { return __nvvm_vote_ballot_sync(all_lanes, v); }
INLINE bool block_any(bool v) { return __nvvm_bar0_or(v); } // of a block: __syncthreads_or

// ---- Words

// The function of three words whose truth table is T, bit 4a + 2b + c.
template <int T> INLINE u32 lop3(u32 a, u32 b, u32 c) {
    u32 r;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(c), "n"(T));
    return r;
}
// Words that are read together.
struct __attribute__((aligned(8))) Words2 { u32 a, b; };
struct __attribute__((aligned(16))) Words4 { u32 a, b, c, d; };
// Four bytes of b:a, chosen by the nibbles of s: __byte_perm.
INLINE u32 byte_permute(u32 a, u32 b, u32 s) { return __nvvm_prmt(a, b, s); }

// sum and the products of the bytes of a with those of b: __dp4a.
INLINE u32 dot4(u32 a, u32 b, u32 sum) {
    asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
    return sum;
}
// An FP16 value that is an integer.
INLINE u32 integer_of(u16 half) {
    u32 r;
    asm("cvt.rni.u32.f16 %0, %1;" : "=r"(r) : "h"(half));
    return r;
}
INLINE float float_of(u16 half) {
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(half));
    return r;
}
// Two FP16 values in a word: an integer twice, a − b, a·b + c, 1 where a ≥ b and a ≤ b, a·b.
INLINE u32 halves_of(u32 n) {
    u32 r;
    asm("{\n\t.reg .b16 h;\n\tcvt.rn.f16.u32 h, %1;\n\tmov.b32 %0, {h, h};\n\t}" : "=r"(r) : "r"(n));
    return r;
}
INLINE u32 halves_minus(u32 a, u32 b) {
    u32 r;
    asm("sub.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
INLINE u32 halves_times_plus(u32 a, u32 b, u32 c) {
    u32 r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
INLINE u32 halves_from(u32 a, u32 b) {
    u32 r;
    asm("set.ge.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
INLINE u32 halves_up_to(u32 a, u32 b) {
    u32 r;
    asm("set.le.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
INLINE u32 halves_times(u32 a, u32 b) {
    u32 r;
    asm("mul.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

INLINE u32 count_ones(u32 v) { return (u32)__builtin_popcount(v); }
INLINE u32 leading_zeros(u32 v) { return (u32)__builtin_clzg(v, 32); } // 32 of nothing
INLINE u32 trailing_zeros(u32 v) { return (u32)__builtin_ctz(v); }     // of what is not 0

// ---- Atomics, on shared and global memory; each returns what was there before

INLINE u32 atomic_add(u32 *p, u32 v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
INLINE u64 atomic_add(u64 *p, u64 v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
INLINE u32 atomic_min(u32 *p, u32 v) { return __atomic_fetch_min(p, v, __ATOMIC_RELAXED); }
INLINE u32 atomic_or(u32 *p, u32 v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
INLINE u64 atomic_or(u64 *p, u64 v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
INLINE u32 atomic_and(u32 *p, u32 v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }
INLINE u64 atomic_and(u64 *p, u64 v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }
// Stores v if was is there.
INLINE void atomic_replace(u32 *p, u32 was, u32 v) {
    __atomic_compare_exchange_n(p, &was, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
INLINE u64 atomic_exchange(u64 *p, u64 v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
// Memory that other threads change at the same time.
INLINE u32 relaxed_load(const u32 *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
INLINE void relaxed_store(u32 *p, u32 v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }

// ---- Shared memory filled behind the threads' back: copy, commit, wait, barrier

// The address of shared memory as instructions take it.
INLINE u32 shared_address(const void *p) {
    return (u32)(u64)(const __attribute__((address_space(3))) void *)p;
}
// Copies 16 bytes; both addresses are multiples of 16.
INLINE void copy_async16(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
INLINE void copy_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until no more than N of this thread's commits are under way.
template <int N> INLINE void copy_async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

// ---- Tensor cores (PTX ISA, "Warp-level matrix instructions": how fragments lie in the lanes)

// Four 8×8 matrices of 16-bit values from shared memory; lane i gives the address of row i & 7 of matrix i >> 3.
INLINE void load_matrix4(u32 r[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(row)) : "memory");
}
INLINE void load_matrix4_transposed(u32 r[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(row)) : "memory");
}
// Each of a warp's 8×8 matrices of 16-bit values transposed.
INLINE void transpose(u32 &r) { asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r)); }
// d = a·b + c for a of 16×16, b of 16×8, c and d of 16×8, all FP16.
INLINE void mma_f16(u32 d[2], const u32 a[4], const u32 b[2], const u32 c[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
                 : "=r"(d[0]), "=r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]));
}
// c += a·b for the same in FP16, with c in FP32.
INLINE void mma_f32(float c[4], const u32 a[4], const u32 b[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// d = a·b + c for a of 16×32, b of 32×8 unsigned bytes, c and d of 16×8 32-bit integers.
INLINE void mma_u8(i32 d[4], const u32 a[4], const u32 b[2], const i32 c[4]) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
}
// The same for signed bytes.
INLINE void mma_s8(i32 d[4], const u32 a[4], const u32 b[2], const i32 c[4]) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
}

// c += the number of bits set both in a, of 16×256, and in b, of 256×8.
INLINE void mma_bits(i32 c[4], const u32 a[4], const u32 b[2]) {
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// WMMA's fragments of 16×16 FP16 values, whose place in the lanes is the hardware's own affair: of factors and of sums. Rows of memory are
// `line` values apart, and a fragment begins at a multiple of 32 bytes.
struct WmmaFactor { i32 v[8]; };
struct WmmaSum { i32 v[4]; };
INLINE void load_left(WmmaFactor &f, const u16 *from, u32 line) { __hmma_m16n16k16_ld_a(f.v, (const i32 *)from, line, 0); }
INLINE void load_right(WmmaFactor &f, const u16 *from, u32 line) { __hmma_m16n16k16_ld_b(f.v, (const i32 *)from, line, 0); }
INLINE void load_sum(WmmaSum &s, const u16 *from, u32 line) { __hmma_m16n16k16_ld_c_f16(s.v, (const i32 *)from, line, 0); }
INLINE void add_product(WmmaSum &s, const WmmaFactor &left, const WmmaFactor &right) { __hmma_m16n16k16_mma_f16f16(s.v, left.v, right.v, s.v, 0, 0); }
INLINE void store_sum(u16 *to, const WmmaSum &s, u32 line) { __hmma_m16n16k16_st_c_f16((i32 *)to, s.v, line, 0); }
