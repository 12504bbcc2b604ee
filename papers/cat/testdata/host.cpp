// The kernels of the published methods, of PACK-PREFIX and of the layouts, for the host. Those of the other tensor-core methods name
// instructions of the GPU; their arithmetic and their lanes are in host_fragments.go.
#include "../cells.h"

namespace layout_cu {
#include "../layout.cu"
}
namespace methods_cu {
#include "../methods.cu"
}
#undef RADIUS
#undef METHOD
namespace pack_cu {
#include "../pack.cu"
}
#undef RADIUS
namespace prefix_cu {
#include "../prefix.cu"
}
#undef RADIUS
namespace wmma_cu {
#include "../wmma.cu"
}

namespace changes_cu {
#include "../changes.cu"
}

#include "run.h"

#define RADIUS(R)                                                                                                          \
    ENTRY(methods_cu::base_##R), ENTRY(methods_cu::base8_##R), ENTRY(methods_cu::shared_##R), ENTRY(methods_cu::coarse_##R), \
        ENTRY(methods_cu::mcell_##R), ENTRY(pack_cu::pack_##R), ENTRY(prefix_cu::prefix_##R)

KERNELS(RADIUS(1), RADIUS(2), RADIUS(3), RADIUS(4), RADIUS(5), RADIUS(6), RADIUS(7), RADIUS(8), RADIUS(9), RADIUS(10), RADIUS(11), RADIUS(12),
        RADIUS(13), RADIUS(14), RADIUS(15), RADIUS(16), ENTRY(layout_cu::load_rows), ENTRY(layout_cu::store_rows),
        ENTRY(layout_cu::halo_rows), ENTRY(layout_cu::load_halves), ENTRY(layout_cu::store_halves), ENTRY(layout_cu::halo_halves),
        ENTRY(layout_cu::load_bytes), ENTRY(layout_cu::store_bytes), ENTRY(layout_cu::halo_bytes), ENTRY(layout_cu::differences),
        ENTRY(wmma_cu::wmma), ENTRY(changes_cu::changed_none), ENTRY(changes_cu::changed_bands), ENTRY(changes_cu::changed_padded),
        ENTRY(changes_cu::changed_fixed), ENTRY(changes_cu::changed_pairs), ENTRY(changes_cu::changed_all))
