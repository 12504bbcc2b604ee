// The kernels that label clusters, for the host.
#include "../labels.cu"

#include "run.h"

KERNELS(ENTRY(tiles4), ENTRY(tiles8), ENTRY(join), ENTRY(gather), ENTRY(claim), ENTRY(number), ENTRY(count))
