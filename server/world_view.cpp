#include "server/world_view.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "protocol/messages/message.h"
#include "protocol/wire/limits.h"
#include "sim/replication/body_replication.h"

namespace takt::server {

namespace {

protocol::Position to_wire(const Position& p) noexcept { return {p.x_raw, p.y_raw, p.z_raw}; }
protocol::Quatf to_wire(const Quat<double>& q) noexcept {
  return {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)};
}

// Grabs, then joints in id order: the first that there is room for.
void list_joint_frames(const sim::AnyWorld& world, InsideView& inside) {
  std::vector<GrabView> grabs;
  std::vector<JointId> joints;
  world.list_grabs(grabs);
  world.list_joints(joints);
  inside.joints_total = static_cast<std::uint32_t>(grabs.size() + joints.size());
  for (const GrabView& grab : grabs) {
    if (inside.joints.size() == protocol::kJointFramesMax) return;
    protocol::JointFrame frame;
    frame.body_a = grab.body.to_u64();
    frame.anchor_a = to_wire(grab.anchor);
    frame.anchor_b = to_wire(grab.target);
    frame.rotation = to_wire(grab.rotation);
    inside.joints.push_back(frame);
  }
  for (JointId const joint : joints) {
    if (inside.joints.size() == protocol::kJointFramesMax) return;
    JointView const view = world.joint(joint);
    protocol::JointFrame frame;
    frame.body_a = view.body_a.to_u64();
    frame.body_b = view.body_b.to_u64();
    frame.anchor_a = to_wire(view.anchor_a);
    frame.anchor_b = to_wire(view.anchor_b);
    frame.rotation = to_wire(view.frame_a);
    frame.rotation_b = to_wire(view.frame_b);
    frame.kind = static_cast<std::uint32_t>(view.kind);
    frame.id = joint.to_u64();
    frame.force = static_cast<float>(std::sqrt(dot(view.force_n, view.force_n)));
    frame.torque = static_cast<float>(std::sqrt(dot(view.torque_n_m, view.torque_n_m)));
    frame.flags = (view.enabled ? 0 : protocol::kJointOff) | (view.broken ? protocol::kJointTorn : 0);
    inside.joints.push_back(frame);
  }
}

}  // namespace

bool is_nameable(BodyId body) noexcept { return body.index < protocol::kBodyIndexMax; }

std::size_t list_states(const sim::Simulation& simulation, std::vector<protocol::BodyState>& out) {
  sim::list_body_states(simulation.world(), out);
  return std::erase_if(
      out, [](const protocol::BodyState& body) { return !is_nameable(BodyId::from_u64(body.id)); });
}

void list_mover_inputs(const sim::Simulation& simulation, std::vector<protocol::MoverInput>& out) {
  sim::list_mover_inputs(simulation.world(), out);
  std::erase_if(out,
                [](const protocol::MoverInput& input) { return !is_nameable(BodyId::from_u64(input.body)); });
}

std::string title_of(const std::string& title) {
  bool const fits = title.size() <= protocol::kTitleBytesMax && protocol::is_printable(title);
  return fits ? title : protocol::printable_text(title);
}

protocol::CameraPlace camera_of(const sim::CameraHint& camera) noexcept {
  auto const place_of = [](Vec3<double> m) {
    // A camera further out than a world reaches stands at its edge.
    auto const raw = [](double x) {
      return static_cast<std::int64_t>(std::clamp(x, -0x1p31, 0x1p31 - 1) * 0x1p32);
    };
    return protocol::Position{raw(m.x), raw(m.y), raw(m.z)};
  };
  return {place_of(camera.eye_m), place_of(camera.target_m)};
}

std::optional<InsideView> look_inside(const sim::Simulation& simulation,
                                      const std::map<sim::PlayerId, std::uint32_t>& inspections) {
  std::uint32_t asked = 0;
  for (auto const& [player, what] : inspections) asked |= what;
  if (asked == 0) return std::nullopt;
  InsideView inside;
  if ((asked & protocol::kInspectContacts) != 0) {
    std::vector<ContactView> contacts;
    simulation.world().list_contacts(contacts);
    inside.contacts_total = static_cast<std::uint32_t>(contacts.size());
    // Ties keep the order of contact work, so that the list does not flicker.
    std::ranges::stable_sort(
        contacts, [](const ContactView& a, const ContactView& b) { return a.impulse_n_s > b.impulse_n_s; });
    if (contacts.size() > protocol::kContactPointsMax) contacts.resize(protocol::kContactPointsMax);
    for (const ContactView& contact : contacts) {
      Vec3<double> const& n = contact.normal;
      inside.contacts.push_back({contact.body_a.to_u64(),
                                 contact.body_b.to_u64(),
                                 to_wire(contact.position),
                                 {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z)},
                                 static_cast<float>(contact.impulse_n_s),
                                 static_cast<float>(contact.separation_m)});
    }
  }
  if ((asked & protocol::kInspectJoints) != 0) {
    list_joint_frames(simulation.world(), inside);
  }
  return inside;
}

bool asks_for_ropes(const std::map<sim::PlayerId, std::uint32_t>& inspections) noexcept {
  return std::ranges::any_of(inspections,
                             [](auto const& asked) { return (asked.second & protocol::kInspectRopes) != 0; });
}

std::optional<std::vector<protocol::RopeState>> list_ropes(const sim::Simulation& simulation,
                                                           const RopeLimits& limits) {
  std::vector<RopeId> ids;
  simulation.world().list_ropes(ids);
  if (ids.size() > limits.ropes_max) return std::nullopt;
  std::vector<protocol::RopeState> out;
  std::size_t nodes = 0;
  RopeView rope;
  for (RopeId const id : ids) {
    if (id.index >= protocol::kRopeIndexMax) continue;
    simulation.world().read_rope(id, rope);
    nodes += rope.nodes.size();
    if (nodes > limits.nodes_max) return std::nullopt;
    if (nodes > protocol::kRopeNodesPerWorld) break;
    protocol::RopeState& state = out.emplace_back();
    state.id = id.to_u64();
    state.flags = rope.asleep ? protocol::kRopeAsleep : 0;
    state.radius = static_cast<float>(rope.radius_m);
    for (const Position& node : rope.nodes) state.nodes.push_back(to_wire(node));
    for (double const tension : rope.tensions_n) state.tensions.push_back(static_cast<float>(tension));
    state.tensions.resize(state.nodes.size() - 1);
  }
  return out;
}

std::vector<std::uint64_t> list_broken_joints(const sim::Simulation& simulation) {
  std::vector<std::uint64_t> out;
  for (JointId const joint : simulation.events().broken_joints) out.push_back(joint.to_u64());
  return out;
}

}  // namespace takt::server
