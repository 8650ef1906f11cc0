#include "sim/random_scene/draw_scene.h"

#include <utility>

#include "sim/random_scene/random_families.h"
#include "takt/physics/float_control.h"

namespace takt::sim {
namespace {

// Not inlined into its caller, which sets the floating-point control word (see FloatControlGuard).
[[gnu::noinline]] RandomScene drawn_scene(std::uint64_t seed) {
  SceneDraft draft = begin_draft(seed);
  draw_family(draft);
  return finish_draft(std::move(draft), seed);
}

}  // namespace

RandomScene random_scene(std::uint64_t seed) {
  FloatControlGuard const guard;
  return drawn_scene(seed);
}

}  // namespace takt::sim
