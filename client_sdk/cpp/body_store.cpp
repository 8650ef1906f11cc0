#include "client_sdk/cpp/body_store.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace takt::client {
namespace {

void write_state(const protocol::BodyState& from, Body& to) {
  to.position = Position::from_raw(from.position.x, from.position.y, from.position.z);
  to.rotation = {from.rotation.x, from.rotation.y, from.rotation.z, from.rotation.w};
  to.linear_velocity_m_s = {from.linear_velocity.x, from.linear_velocity.y, from.linear_velocity.z};
  to.angular_velocity_rad_s = {from.angular_velocity.x, from.angular_velocity.y, from.angular_velocity.z};
}

}  // namespace

BodyStore::Bodies::iterator BodyStore::lower_bound(Bodies& bodies, BodyId id) noexcept {
  return std::lower_bound(
      bodies.begin(), bodies.end(), id,
      [](const std::unique_ptr<Known>& known, BodyId sought) { return known->id < sought; });
}

BodyStore::Known* BodyStore::find_in(Bodies& bodies, BodyId id) noexcept {
  auto const at = lower_bound(bodies, id);
  return at != bodies.end() && (*at)->id == id ? at->get() : nullptr;
}

BodyStore::Known* BodyStore::find(BodyId id) noexcept {
  Known* const known = find_in(known_, id);
  return known != nullptr ? known : find_in(new_, id);
}

BodyStore::Known* BodyStore::find_or_add(BodyId id) {
  if (Known* const known = find(id)) return known;
  if (known_.size() + new_.size() >= kBodiesMax) return nullptr;
  if (new_.size() == kNewMax) merge_new();
  Known* const added = new_.insert(lower_bound(new_, id), std::make_unique<Known>())->get();
  added->id = id;
  return added;
}

void BodyStore::merge_new() {
  auto const before = static_cast<std::ptrdiff_t>(known_.size());
  known_.insert(known_.end(), std::make_move_iterator(new_.begin()), std::make_move_iterator(new_.end()));
  new_.clear();
  std::inplace_merge(known_.begin(), known_.begin() + before, known_.end(),
                     [](const auto& a, const auto& b) { return a->id < b->id; });
}

void BodyStore::note_change(Known& known) {
  if (known.is_changing) return;
  known.is_changing = true;
  changing_.push_back(&known);
}

void BodyStore::add(std::uint64_t tick, std::uint64_t complete_before, std::uint64_t interval_ticks,
                    const protocol::BodyState& state) {
  Known* const known = find_or_add(BodyId::from_u64(state.id));
  if (known == nullptr) return;
  known->track.add(tick, complete_before, interval_ticks, state);
  note_change(*known);
}

void BodyStore::remove_at(std::uint64_t tick, BodyId id) {
  Known* const known = find(id);
  if (known == nullptr) return;
  known->track.remove_at(tick);
  note_change(*known);
}

bool BodyStore::describe(BodyId id, BodyDescription&& description) {
  Known* const known = find_or_add(id);
  if (known == nullptr) return false;
  known->description = std::move(description);
  known->is_described = true;
  note_change(*known);
  is_listed_ = false;
  return true;
}

const std::vector<Body>& BodyStore::show_at(double render_tick) {
  if (render_tick < shown_tick_) {
    merge_new();
    for (const std::unique_ptr<Known>& known : known_) note_change(*known);
  }
  shown_tick_ = render_tick;
  if (!is_listed_ || !update_shown(render_tick)) list_shown(render_tick);
  return shown_;
}

void BodyStore::clear() noexcept {
  known_.clear();
  new_.clear();
  changing_.clear();
  shown_.clear();
  shown_tick_ = 0;
}

// Writes the states of changing bodies into shown_. Returns false when a body comes or goes; list_shown()
// must follow.
bool BodyStore::update_shown(double tick) {
  std::size_t kept = 0;
  for (Known* const known : changing_) {
    known->track.forget_before(tick);
    auto const state = known->is_described ? known->track.at(tick) : std::nullopt;
    if (known->track.is_gone(tick) || state.has_value() != (known->shown_at != kNotShown)) return false;
    if (state) write_state(*state, shown_[known->shown_at]);
    known->is_changing = !known->track.is_settled(tick);
    if (known->is_changing) changing_[kept++] = known;
  }
  changing_.resize(kept);
  return true;
}

// Lists shown_ and changing_ anew, and forgets the bodies that are gone. A body that is not changing has
// neither come nor gone nor moved since the list before.
void BodyStore::list_shown(double tick) {
  merge_new();
  std::swap(shown_, shown_before_);
  shown_.clear();
  changing_.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    Known& known = *known_[i];
    if (!known.is_changing) {
      if (known.shown_at != kNotShown) {
        shown_.push_back(shown_before_[known.shown_at]);
        known.shown_at = shown_.size() - 1;
      }
    } else if (known.track.is_gone(tick)) {
      continue;
    } else {
      known.track.forget_before(tick);
      known.is_changing = !known.track.is_settled(tick);
      if (known.is_changing) changing_.push_back(&known);
      known.shown_at = kNotShown;
      if (auto const state = known.is_described ? known.track.at(tick) : std::nullopt) {
        known.shown_at = shown_.size();
        const BodyDescription& description = known.description;
        Body& body = shown_.emplace_back();
        body.id = known.id;
        body.user_kind = description.user_kind;
        body.player = description.player;
        body.shapes = description.shapes;
        body.geometries = description.geometries;
        write_state(*state, body);
      }
    }
    std::swap(known_[kept++], known_[i]);
  }
  known_.resize(kept);
  is_listed_ = true;
}

}  // namespace takt::client
