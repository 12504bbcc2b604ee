// How many products of a kind the tensor cores do: each warp does eight in turn, none of which waits for another, again and again.
#include "device.h"

#define PRODUCTS(name, shape, results)                                                                                         \
    KERNEL name(u32 *out, u32 rounds) {                                                                                         \
        u32 a[4], b[2], d[8][4] = {};                                                                                           \
        UNROLL for (int i = 0; i < 4; i++) a[i] = thread() * (i + 1), b[i % 2] = ~a[i];                                         \
        ROLL for (u32 r = 0; r < rounds; r++) {                                                                                 \
            UNROLL for (int i = 0; i < 8; i++) PRODUCT_##results(shape, d[i]);                                                  \
        }                                                                                                                       \
        UNROLL for (int i = 0; i < 32; i++) if (d[i / 4][i % 4] == 0x12345678) out[thread()] = i;                               \
    }
#define FACTORS "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
#define PRODUCT_2(shape, d) \
    asm volatile("mma.sync.aligned." shape " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" : "+r"(d[0]), "+r"(d[1]) : FACTORS)
#define PRODUCT_4(shape, d)                                                                                       \
    asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"               \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : FACTORS)

PRODUCTS(rate_fp16, "m16n8k16.row.col.f16.f16.f16.f16", 2)
PRODUCTS(rate_int8, "m16n8k32.row.col.s32.u8.u8.s32", 4)
PRODUCTS(rate_int4, "m16n8k64.row.col.s32.u4.u4.s32", 4)
PRODUCTS(rate_b1, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4)
