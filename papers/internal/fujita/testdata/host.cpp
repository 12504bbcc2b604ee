// The kernels of Fujita et al. for the host.
#include "../life.cu"

#include "run.h"

#define BLOCKS_ENTRIES32(T) ENTRY(register_32_single_##T), ENTRY(shared_32_single_##T)
#define BLOCKS_ENTRIES64(T) \
    ENTRY(register_64_single_##T), ENTRY(register_64_double_##T), ENTRY(shared_64_single_##T), ENTRY(shared_64_double_##T)

KERNELS(ENTRY(cells_global), ENTRY(single_global), ENTRY(double_global), BLOCKS_ENTRIES32(2), BLOCKS_ENTRIES32(4), BLOCKS_ENTRIES32(8),
        BLOCKS_ENTRIES32(2_bits), BLOCKS_ENTRIES64(2), BLOCKS_ENTRIES64(4), BLOCKS_ENTRIES64(8), BLOCKS_ENTRIES64(16), BLOCKS_ENTRIES64(2_bits),
        ENTRY(shared_64_double_2_unshifted), ENTRY(shared_64_double_4_unshifted), ENTRY(shared_64_double_8_unshifted),
        ENTRY(shared_64_double_16_unshifted))
