// Built with -mavx512f on x86-64, for the baseline CPU elsewhere.
#include "core/xxh3_kernels.h"

namespace takt {

HashKernels hash_kernels_avx512() noexcept { return kXxh3Kernels; }

}  // namespace takt
