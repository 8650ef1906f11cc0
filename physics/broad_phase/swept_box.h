// SweptBox is a box that moves along a straight line, as a query of the broad phase. meets() tests whether
// the moving box reaches the fat bounds (enlarged box) of a shape. The test accepts every box that is
// reached, and may accept others that the sweep misses by its rounding margin. The callers (world queries,
// movers, ropes, continuous collision) then compute the hit with the exact shapes.
#pragma once

#include <limits>

#include "physics/state/shape_bounds.h"

namespace takt {

/// A box around a point that moves along a straight line, relative to the origin of fat bounds, m.
class SweptBox {
 public:
  /// The box reaches from `from` + `lower` to `from` + `upper` before it moves by `translation`. `lower` is
  /// at most `upper` on each axis; all numbers are finite.
  SweptBox(Vec3<double> from, Vec3<double> lower, Vec3<double> upper, Vec3<double> translation) noexcept
      : from_(from), lower_(lower), upper_(upper), translation_(translation) {}

  /// True when the moving box meets `bounds` within the first `fraction` of its displacement, at least 0. The
  /// result may be true for a near miss, never false for a meeting.
  [[nodiscard]] bool meets(const FatBounds& bounds, double fraction) const noexcept {
    return entry(lower_of(bounds), upper_of(bounds), fraction) <= fraction;
  }
  /// Returns a lower bound of the fraction of its displacement at which the moving box first meets the box
  /// from `lower` to `upper`. The result is 0 when they meet at the start, and infinite when they do not meet
  /// up to the fraction `max`, at least 0.
  [[nodiscard]] double entry(Vec3<double> lower, Vec3<double> upper, double max) const noexcept {
    double in = 0.0;
    double out = max;
    bool const meets = meets_axis(lower.x - upper_.x, upper.x - lower_.x, from_.x, translation_.x, in, out) &&
                       meets_axis(lower.y - upper_.y, upper.y - lower_.y, from_.y, translation_.y, in, out) &&
                       meets_axis(lower.z - upper_.z, upper.z - lower_.z, from_.z, translation_.z, in, out);
    return meets ? in : std::numeric_limits<double>::infinity();
  }
  /// Returns a lower bound of the distance between the box before it moves and the box from `lower` to
  /// `upper`, m; 0 when they overlap.
  [[nodiscard]] double distance(Vec3<double> lower, Vec3<double> upper) const noexcept {
    auto const gap = [](double low, double high, double from) {
      double const apart = maximum(low - from, from - high) - slack(from, 0.0);
      return maximum(apart, 0.0);
    };
    double const x = gap(lower.x - upper_.x, upper.x - lower_.x, from_.x);
    double const y = gap(lower.y - upper_.y, upper.y - lower_.y, from_.y);
    double const z = gap(lower.z - upper_.z, upper.z - lower_.z, from_.z);
    double const square = x * x + y * y + z * z;
    return maximum(sqrt(square) * (1.0 - 1e-12) - 1e-9, 0.0);
  }

  [[nodiscard]] static Vec3<double> lower_of(const FatBounds& bounds) noexcept {
    return {static_cast<double>(bounds.lower[0]), static_cast<double>(bounds.lower[1]),
            static_cast<double>(bounds.lower[2])};
  }
  [[nodiscard]] static Vec3<double> upper_of(const FatBounds& bounds) noexcept {
    return {static_cast<double>(bounds.upper[0]), static_cast<double>(bounds.upper[1]),
            static_cast<double>(bounds.upper[2])};
  }

 private:
  /// Exceeds the rounding of this class. Fat bounds exceed the shapes by 10 mm or more anyway.
  static double slack(double from, double by) noexcept {
    return 1e-12 * (absolute(from) + absolute(by)) + 1e-9;
  }
  static bool meets_axis(double low, double high, double from, double by, double& in, double& out) noexcept {
    double const room = slack(from, by);
    low -= room;
    high += room;
    if (absolute(by) <= room) return from + absolute(by) >= low && from - absolute(by) <= high;
    double const to_low = (low - from) / by;
    double const to_high = (high - from) / by;
    in = maximum(in, minimum(to_low, to_high));
    out = minimum(out, maximum(to_low, to_high));
    return in <= out;
  }

  Vec3<double> from_;
  Vec3<double> lower_;
  Vec3<double> upper_;
  Vec3<double> translation_;
};

}  // namespace takt
