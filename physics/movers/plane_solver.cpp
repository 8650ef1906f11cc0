#include "physics/movers/plane_solver.h"

#include "takt/core/assert.h"

namespace takt {
namespace {

// A displacement may violate a plane by this and still be allowed, m or m/s: far above the rounding of
// intersections, far below visibility.
constexpr double kSlack = 1e-9;
// Three (or two) planes whose normals span a volume (area) below this intersect too far away to be
// meaningful.
constexpr double kFlat = 1e-6;
constexpr double kSameCosine = 0.99995;

/// The best displacement so far.
class BestDisplacement {
 public:
  BestDisplacement(Vec3<double> wanted, std::span<const MoverPlane> planes) noexcept
      : wanted_(wanted), planes_(planes) {
    offer({});
  }

  void offer(Vec3<double> displacement) noexcept {
    double broken = 0.0;
    for (const MoverPlane& plane : planes_)
      broken = maximum(broken, plane.min - dot(plane.normal, displacement));
    bool const allowed = broken <= kSlack;
    Vec3<double> const off = displacement - wanted_;
    double const square = dot(off, off);
    // The first of equals stays, so the order of planes decides ties.
    bool const better = !any_ || (allowed && !allowed_) || (allowed && allowed_ && square < square_) ||
                        (!allowed && !allowed_ && broken < broken_);
    if (!better) return;
    any_ = true;
    allowed_ = allowed;
    square_ = square;
    broken_ = broken;
    displacement_ = displacement;
  }
  [[nodiscard]] Vec3<double> displacement() const noexcept { return displacement_; }

 private:
  Vec3<double> wanted_;
  std::span<const MoverPlane> planes_;
  Vec3<double> displacement_;
  double square_ = 0.0;
  double broken_ = 0.0;
  bool any_ = false;
  bool allowed_ = false;
};

}  // namespace

void MoverPlanes::add(const MoverPlane& plane) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    MoverPlane& known = planes[i];
    if (known.obstacle != plane.obstacle || dot(known.normal, plane.normal) < kSameCosine) continue;
    if (plane.min > known.min) known = plane;
    return;
  }
  TAKT_ASSERT(count <= kMaxMoverPlanes);
  if (count < kMaxMoverPlanes) planes[count++] = plane;
}

Vec3<double> solve_planes(Vec3<double> wanted, std::span<const MoverPlane> planes) noexcept {
  TAKT_ASSERT(planes.size() <= kMaxMoverPlanes);
  BestDisplacement best(wanted, planes);
  best.offer(wanted);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const MoverPlane& a = planes[i];
    double const short_a = a.min - dot(a.normal, wanted);
    best.offer(wanted + a.normal * short_a);
    for (std::size_t k = i + 1; k < planes.size(); ++k) {
      const MoverPlane& b = planes[k];
      double const short_b = b.min - dot(b.normal, wanted);
      double const c = dot(a.normal, b.normal);
      double const area = 1.0 - c * c;
      if (area > kFlat) {
        double const s = (short_a - c * short_b) / area;
        double const t = (short_b - c * short_a) / area;
        best.offer(wanted + a.normal * s + b.normal * t);
      }
      for (std::size_t m = k + 1; m < planes.size(); ++m) {
        const MoverPlane& d = planes[m];
        Vec3<double> const bd = cross(b.normal, d.normal);
        double const volume = dot(a.normal, bd);
        if (absolute(volume) < kFlat) continue;
        Vec3<double> const sum =
            bd * a.min + cross(d.normal, a.normal) * b.min + cross(a.normal, b.normal) * d.min;
        best.offer({sum.x / volume, sum.y / volume, sum.z / volume});
      }
    }
  }
  return best.displacement();
}

}  // namespace takt
