// Playne and Hawick's kernels for the host.
#include "../multiprocessor.cu"

#include "run.h"

KERNELS(ENTRY(playne16), ENTRY(playne32))
