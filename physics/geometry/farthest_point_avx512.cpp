// The search for the farthest point in eight lanes. Built with -mavx512f and its companions on x86-64
// (contraction off), as portable vector code elsewhere.
#include "physics/geometry/farthest_point.h"

namespace takt {

FarthestPoint farthest_point_8() noexcept { return &farthest_of<8>; }

}  // namespace takt
