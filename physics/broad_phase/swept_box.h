// SweptBox is a box that moves along a straight line, as a query of the broad phase. meets() tests whether
// the moving box reaches the fat bounds (enlarged box) of a shape; the test may accept too much, never too
// little. The callers (world queries, movers, ropes, continuous collision) then compute the hit with the
// exact shapes.
#pragma once

#include "physics/state/shape_bounds.h"

namespace takt {

/// A box around a point that moves along a straight line, relative to the origin of fat bounds, m.
class SweptBox {
 public:
  /// The box reaches from `from` + lower to `from` + upper before it moves by `translation`.
  SweptBox(Vec3<double> from, Vec3<double> lower, Vec3<double> upper, Vec3<double> translation) noexcept
      : from_(from), lower_(lower), upper_(upper), translation_(translation) {}

  /// True when it meets `bounds` within the first `fraction` of its displacement. Conservative.
  [[nodiscard]] bool meets(const FatBounds& bounds, double fraction) const noexcept {
    double in = 0.0;
    double out = fraction;
    return meets_axis(bounds.lower[0] - upper_.x, bounds.upper[0] - lower_.x, from_.x, translation_.x, in,
                      out) &&
           meets_axis(bounds.lower[1] - upper_.y, bounds.upper[1] - lower_.y, from_.y, translation_.y, in,
                      out) &&
           meets_axis(bounds.lower[2] - upper_.z, bounds.upper[2] - lower_.z, from_.z, translation_.z, in,
                      out);
  }

 private:
  static bool meets_axis(double low, double high, double from, double by, double& in, double& out) noexcept {
    // The slack exceeds the rounding of the lines below. Fat bounds exceed the shapes by 10 mm or more
    // anyway.
    double const slack = 1e-12 * (absolute(from) + absolute(by)) + 1e-9;
    low -= slack;
    high += slack;
    if (absolute(by) <= slack) return from + absolute(by) >= low && from - absolute(by) <= high;
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
