#include "server/world_view.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/limits.h"
#include "protocol/message.h"
#include "sim/replication.h"

namespace takt::server {

namespace {

protocol::Position to_wire(const Position& p) noexcept { return {p.x, p.y, p.z}; }

}  // namespace

bool is_nameable(BodyId body) noexcept { return body.index < protocol::kBodyIndexMax; }

std::size_t list_states(const sim::Simulation& simulation, std::vector<protocol::BodyState>& out) {
  sim::list_body_states(simulation.world(), out);
  return std::erase_if(out, [](const protocol::BodyState& body) { return !is_nameable(BodyId::from_u64(body.id)); });
}

std::string title_of(const std::string& title) {
  bool const fits = title.size() <= protocol::kTitleBytesMax && protocol::is_printable(title);
  return fits ? title : protocol::printable_text(title);
}

protocol::CameraPlace camera_of(const sim::CameraHint& camera) noexcept {
  auto const place_of = [](Vec3<double> m) {
    // A camera further out than a world reaches stands at its edge.
    auto const raw = [](double x) { return static_cast<std::int64_t>(std::clamp(x, -0x1p31, 0x1p31 - 1) * 0x1p32); };
    return protocol::Position{raw(m.x), raw(m.y), raw(m.z)};
  };
  return {place_of(camera.eye_m), place_of(camera.target_m)};
}

std::optional<InsideView> look_inside(const sim::Simulation& simulation, const std::map<sim::PlayerId, std::uint32_t>& inspections) {
  std::uint32_t asked = 0;
  for (auto const& [player, what] : inspections) asked |= what;
  if (asked == 0) return std::nullopt;
  InsideView inside;
  if ((asked & protocol::kInspectContacts) != 0) {
    std::vector<ContactView> contacts;
    simulation.world().list_contacts(contacts);
    inside.contacts_total = static_cast<std::uint32_t>(contacts.size());
    // Ties keep the order of contact work, so that the list does not flicker.
    std::ranges::stable_sort(contacts, [](const ContactView& a, const ContactView& b) { return a.impulse_n_s > b.impulse_n_s; });
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
    std::vector<GrabView> grabs;
    simulation.world().list_grabs(grabs);
    inside.joints_total = static_cast<std::uint32_t>(grabs.size());
    if (grabs.size() > protocol::kJointFramesMax) grabs.resize(protocol::kJointFramesMax);
    for (const GrabView& grab : grabs) {
      Quat<double> const& q = grab.rotation;
      inside.joints.push_back({grab.body.to_u64(),
                               0,
                               to_wire(grab.anchor),
                               to_wire(grab.target),
                               {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)},
                               protocol::kJointGrab});
    }
  }
  return inside;
}

}  // namespace takt::server
