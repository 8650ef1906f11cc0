// The search for the farthest point in four lanes. Built with -mavx2 on x86-64 (never -mfma), as portable
// vector code elsewhere.
#include "physics/geometry/farthest_point.h"

namespace takt {

FarthestPoint farthest_point_4() noexcept { return &farthest_of<4>; }

}  // namespace takt
