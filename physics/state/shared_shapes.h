// SharedShapes owns a copy of a world's shapes and their geometry, which snapshots of the world share until
// the shapes change. Steps never change shapes, so a snapshot holds a reference to the copy. Code that
// changes shapes must obtain them by edit(); the next snapshot then makes a new copy, and older snapshots
// keep theirs. A change without edit() leaves the copy stale: TAKT_VALIDATE compares the shape records at
// each snapshot. WorldImpl (world_impl.h) owns one SharedShapes. Snapshots may be read and destroyed on other
// threads; one thread uses a SharedShapes.
#pragma once

#include <cstring>
#include <memory>

#include "physics/state/world_state.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real>
class SharedShapes {
 public:
  using Shared = std::shared_ptr<const ShapeState<Real>>;

  /// Returns the shapes for modification and drops the shared copy.
  [[nodiscard]] ShapeState<Real>& edit(ShapeState<Real>& shapes) noexcept {
    shared_.reset();
    return shapes;
  }
  /// Returns the shared copy of `shapes` for a snapshot.
  [[nodiscard]] const Shared& acquire(const ShapeState<Real>& shapes) {
    if (shared_ == nullptr) shared_ = std::make_shared<const ShapeState<Real>>(shapes);
    TAKT_VALIDATE(same(shapes, *shared_));
    return shared_;
  }
  /// Restores `shapes` from a snapshot; `from` is not null (asserted). Shapes that already are those of
  /// `from` are not copied.
  void take_back(const Shared& from, ShapeState<Real>& shapes) {
    TAKT_ASSERT(from != nullptr);
    if (shared_ == from) return;
    shapes = *from;
    shared_ = from;
  }

 private:
  // Copies have the bytes of their source, padding included.
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
