#include "takt/sim/any_world.h"

#include <optional>
#include <utility>

#include "takt/core/assert.h"

namespace takt::sim {

struct AnyWorldSnapshot::Impl {
  std::variant<std::monostate, WorldSnapshot<float>, WorldSnapshot<Fixed>> snapshot;
};

AnyWorldSnapshot::AnyWorldSnapshot() = default;
AnyWorldSnapshot::~AnyWorldSnapshot() = default;
AnyWorldSnapshot::AnyWorldSnapshot(AnyWorldSnapshot&&) noexcept = default;
AnyWorldSnapshot& AnyWorldSnapshot::operator=(AnyWorldSnapshot&&) noexcept = default;

namespace {

template <class Real>
Quat<double> quat_to_double(Quat<Real> q) {
  return {to_double(q.x), to_double(q.y), to_double(q.z), to_double(q.w)};
}

template <class Real>
Vec3<Real> vec_to_real(Vec3<double> v) {
  return {to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)};
}

}  // namespace

Result<AnyWorld, PhysicsError> AnyWorld::create(const WorldDef& def, NumbersMode numbers) {
  if (numbers == NumbersMode::kFixed) {
    auto world = World<Fixed>::create(def);
    if (!world) return world.error();
    return AnyWorld(*std::move(world));
  }
  auto world = World<float>::create(def);
  if (!world) return world.error();
  return AnyWorld(*std::move(world));
}

Result<AnyWorld, PhysicsError> AnyWorld::restore(std::span<const std::byte> image, NumbersMode numbers) {
  if (numbers == NumbersMode::kFixed) {
    auto world = World<Fixed>::restore(image);
    if (!world) return world.error();
    return AnyWorld(*std::move(world));
  }
  auto world = World<float>::restore(image);
  if (!world) return world.error();
  return AnyWorld(*std::move(world));
}
BodyView AnyWorld::view(BodyId body) const {
  return std::visit(
      [&](const auto& w) {
        auto const pose = w.pose(body);
        BodyView view;
        view.id = body;
        view.type = w.body_type(body);
        view.asleep = w.is_asleep(body);
        view.position = pose.position;
        view.rotation = quat_to_double(pose.rotation);
        view.linear_velocity_m_s = to_double(w.linear_velocity(body));
        view.angular_velocity_rad_s = to_double(w.angular_velocity(body));
        return view;
      },
      world_);
}
Position AnyWorld::world_point(BodyId body, Vec3<double> local_m) const {
  return std::visit(
      [&]<class Real>(const World<Real>& w) {
        BodyPose<Real> const pose = w.pose(body);
        return moved(pose.position, rotate(pose.rotation, vec_to_real<Real>(local_m)));
      },
      world_);
}
std::vector<StateDifference> AnyWorld::diff(const AnyWorld& left, const AnyWorld& right, std::size_t max) {
  TAKT_ASSERT(left.numbers() == right.numbers());
  return std::visit(
      [&]<class Real>(const World<Real>& l) {
        return World<Real>::diff(l, std::get<World<Real>>(right.world_), max);
      },
      left.world_);
}

void AnyWorld::capture(AnyWorldSnapshot& out) const {
  if (!out.impl_) out.impl_ = std::make_unique<AnyWorldSnapshot::Impl>();
  std::visit(
      [&]<class Real>(const World<Real>& w) {
        auto& slot = out.impl_->snapshot;
        if (!std::holds_alternative<WorldSnapshot<Real>>(slot)) slot.template emplace<WorldSnapshot<Real>>();
        w.capture(std::get<WorldSnapshot<Real>>(slot));
      },
      world_);
}
void AnyWorld::rollback(const AnyWorldSnapshot& from) {
  std::visit(
      [&]<class Real>(World<Real>& w) {
        auto const* const snapshot =
            from.impl_ ? std::get_if<WorldSnapshot<Real>>(&from.impl_->snapshot) : nullptr;
        TAKT_ASSERT(snapshot != nullptr);  // captured, and in this numbers mode
        w.rollback(*snapshot);
      },
      world_);
}
}  // namespace takt::sim
