// Kernels that the tests of this package run.
#include "device.h"

DYNAMIC_SHARED(u32, words, 4);

// The lane's number from the lane above, by way of shared memory.
KERNEL rotate(u32 *to) {
    words[thread()] = thread();
    block_barrier();
    to[block_x() * threads() + thread()] = words[(thread() + 1) % threads()];
}
// A word more than the block has asked for.
KERNEL beyond() {
    words[threads()] = thread();
}
// Counts threads as nobody should: another thread may come between.
KERNEL lose(u32 *count) {
    const u32 before = relaxed_load(count);
    relaxed_store(count, before + 1);
}

#include "run.h"

KERNELS(ENTRY(rotate), ENTRY(beyond), ENTRY(lose))
