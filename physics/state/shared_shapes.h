// One copy of a world's shapes and their geometry for all of its snapshots: calls change them, steps never
// do, so a snapshot holds a reference. Whoever changes shapes asks for them by edit(), and the next snapshot
// makes a new copy. Never asked, the copy is stale: TAKT_VALIDATE compares at each snapshot.
#pragma once

#include <cstring>
#include <memory>

#include "physics/state/world_state.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real>
class FrozenShapes {
 public:
  using Shared = std::shared_ptr<const ShapeState<Real>>;

  /// The shapes, to be changed.
  [[nodiscard]] ShapeState<Real>& edit(ShapeState<Real>& shapes) noexcept {
    shared_.reset();
    return shapes;
  }
  /// For a snapshot of `shapes`.
  [[nodiscard]] const Shared& share(const ShapeState<Real>& shapes) {
    if (shared_ == nullptr) shared_ = std::make_shared<const ShapeState<Real>>(shapes);
    TAKT_VALIDATE(same(shapes, *shared_));
    return shared_;
  }
  /// Makes `shapes` what a snapshot holds.
  void take_back(const Shared& from, ShapeState<Real>& shapes) {
    if (shared_ == from) return;
    shapes = *from;
    shared_ = from;
  }

 private:
  // Copies have the bytes of what they are copied from, padding included.
  [[nodiscard]] static bool same(const ShapeState<Real>& a, const ShapeState<Real>& b) noexcept {
    auto const equal = [](const auto& left, const auto& right) {
      return left.size() == right.size() &&
             (left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(left[0])) == 0);
    };
    return equal(a.shapes.records, b.shapes.records) && equal(a.shapes.slots, b.shapes.slots) &&
           a.shapes.free_head == b.shapes.free_head;
  }

  Shared shared_;
};

}  // namespace takt
