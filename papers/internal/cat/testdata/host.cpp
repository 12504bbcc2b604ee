// All kernels of the room for the host, but those that only measure the rate of bare products.
#include "../cells.h"
#include "../halves.h"
#include "../woven.h"

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

namespace known_cu {
#include "../known.cu"
}

namespace tensor_cu {
#include "../tensor.cu"
}
#undef PARAMETERS
#undef ARGUMENTS
namespace register_cu {
#include "../register.cu"
}
#undef PARAMETERS
namespace temporal_cu {
#include "../temporal.cu"
}
#undef PARAMETERS
namespace rows_cu {
#include "../rows.cu"
}
namespace bits_cu {
#include "../bits.cu"
}
namespace volume_cu {
#include "../volume.cu"
}

#include "run.h"

#define RADIUS(R)                                                                                                          \
    ENTRY(methods_cu::base_##R), ENTRY(methods_cu::base8_##R), ENTRY(methods_cu::shared_##R), ENTRY(methods_cu::coarse_##R), \
        ENTRY(methods_cu::mcell_##R), ENTRY(methods_cu::mcellpairs_##R), ENTRY(pack_cu::pack_##R), ENTRY(prefix_cu::prefix_##R)

#undef CHANGES
#define CHANGES(R)                                                                                                    \
    ENTRY(methods_cu::baseindexed_##R), ENTRY(methods_cu::baseunrolled_##R), ENTRY(methods_cu::baserestrict_##R), \
        ENTRY(methods_cu::baseall_##R)

KERNELS(RADIUS(1), RADIUS(2), RADIUS(3), RADIUS(4), RADIUS(5), RADIUS(6), RADIUS(7), RADIUS(8), RADIUS(9), RADIUS(10), RADIUS(11), RADIUS(12),
        RADIUS(13), RADIUS(14), RADIUS(15), RADIUS(16), ENTRY(layout_cu::load_rows), ENTRY(layout_cu::store_rows),
        ENTRY(layout_cu::halo_rows), ENTRY(layout_cu::load_halves), ENTRY(layout_cu::store_halves), ENTRY(layout_cu::halo_halves),
        ENTRY(layout_cu::load_bytes), ENTRY(layout_cu::store_bytes), ENTRY(layout_cu::halo_bytes), ENTRY(layout_cu::differences),
        CHANGES(1), CHANGES(16), ENTRY(wmma_cu::wmma), ENTRY(known_cu::known_1x5),
        ENTRY(known_cu::known_1x13), ENTRY(known_cu::known_1x14), ENTRY(known_cu::known_1x30), ENTRY(known_cu::known_2x5),
        ENTRY(known_cu::known_4x4), ENTRY(known_cu::known_4x8), ENTRY(known_cu::known_8x8), ENTRY(known_cu::known_1x14_bands),
        ENTRY(known_cu::known_1x14_padded), ENTRY(known_cu::known_1x14_pairs), ENTRY(known_cu::known_1x14_all),
        ENTRY(tensor_cu::cat), ENTRY(tensor_cu::cat_wide), ENTRY(tensor_cu::cat_cached), ENTRY(register_cu::registers_1),
        ENTRY(register_cu::registers_2), ENTRY(register_cu::registers_3), ENTRY(register_cu::registers_4), ENTRY(register_cu::bytes_1),
        ENTRY(register_cu::bytes_2), ENTRY(temporal_cu::temporal_5), ENTRY(temporal_cu::temporal_8), ENTRY(temporal_cu::temporal_16), ENTRY(layout_cu::load_woven),
        ENTRY(layout_cu::store_woven), ENTRY(layout_cu::halo_woven), ENTRY(rows_cu::rows_2), ENTRY(rows_cu::rows_3), ENTRY(bits_cu::bits), ENTRY(bits_cu::load_bits),
        ENTRY(bits_cu::store_bits), ENTRY(bits_cu::halo_bits),
        ENTRY(volume_cu::volume_8_32), ENTRY(volume_cu::volume_8_64), ENTRY(volume_cu::volume_15_32), ENTRY(volume_cu::volume_15_64),
        ENTRY(volume_cu::volume_16_32), ENTRY(volume_cu::volume_16_64), ENTRY(volume_cu::load_volume), ENTRY(volume_cu::store_volume),
        ENTRY(volume_cu::halo_volume))
