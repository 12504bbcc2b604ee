// The kernels of BorisTheBrave's articles for the host.
#include "../life.cu"

#include "run.h"

KERNELS(ENTRY(one_generation_1), ENTRY(one_generation_4), ENTRY(one_generation_8), ENTRY(shared_1), ENTRY(shared_4), ENTRY(shared_8),
        ENTRY(unrolled_4), ENTRY(unrolled_8), ENTRY(registers_4_1), ENTRY(registers_4_2), ENTRY(registers_4_4), ENTRY(registers_8_1),
        ENTRY(registers_8_2), ENTRY(registers_8_4))
