#include "client_sdk/cpp/rope_store.h"

#include <algorithm>
#include <utility>

#include "client_sdk/cpp/interpolation.h"

namespace takt::client {
namespace {

constexpr std::uint64_t kNotGone = std::numeric_limits<std::uint64_t>::max();

Position position_of(const protocol::Position& p) noexcept { return Position::from_raw(p.x, p.y, p.z); }

// at + step, from one position to another that is near; a hostile server's wrap round the world.
std::int64_t beyond(std::int64_t at, std::int64_t from, std::int64_t to) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(at) + static_cast<std::uint64_t>(to) -
                                   static_cast<std::uint64_t>(from));
}

}  // namespace

void RopeTrack::add(std::uint64_t tick, std::uint64_t complete_before, protocol::RopeState&& rope) {
  auto const at = std::ranges::lower_bound(samples_, tick, {}, &Sample::tick);
  if (at != samples_.end() && at->tick == tick) {
    at->rope = std::move(rope);
    return;
  }
  std::uint64_t rested_until = complete_before < tick ? complete_before : 0;
  if (at != samples_.begin()) rested_until = std::max(rested_until, std::prev(at)->tick);
  // A sample that slips in between two others ends the rest that the later one assumed.
  if (at != samples_.end()) at->rested_until = std::max(at->rested_until, tick);
  samples_.insert(at, Sample{tick, rested_until, std::move(rope)});
  if (samples_.size() > kSamplesMax) samples_.erase(samples_.begin());
}

std::size_t RopeTrack::node_count() const noexcept {
  std::size_t sum = 0;
  for (const Sample& sample : samples_) sum += sample.rope.nodes.size();
  return sum;
}

bool RopeTrack::show_at(double tick, std::uint64_t complete_tick) {
  auto const after = std::ranges::upper_bound(
      samples_, tick, {}, [](const Sample& sample) { return static_cast<double>(sample.tick); });
  if (after == samples_.begin()) return false;
  auto const from = std::prev(after);
  auto const is_alike = [&](const Sample& other) {
    return other.rope.nodes.size() == from->rope.nodes.size();
  };
  if (after != samples_.end() && is_alike(*after)) {
    auto const begin = static_cast<double>(std::max(from->tick, after->rested_until));
    blend(from->rope, after->rope, std::max(0.0, tick - begin) / (static_cast<double>(after->tick) - begin));
  } else if (after == samples_.end() && from != samples_.begin() && is_alike(*std::prev(from)) &&
             complete_tick <= from->tick && (from->rope.flags & protocol::kRopeAsleep) == 0) {
    auto const gap = static_cast<double>(from->tick - std::max(std::prev(from)->tick, from->rested_until));
    blend(std::prev(from)->rope, from->rope,
          1 + std::min({tick - static_cast<double>(from->tick), kGuessTicksMax, gap}) / gap);
  } else {
    blend(from->rope, from->rope, 0);
  }
  radius_m_ = from->rope.radius;
  asleep_ = (from->rope.flags & protocol::kRopeAsleep) != 0;
  if (from - samples_.begin() > 1) samples_.erase(samples_.begin(), std::prev(from));
  return true;
}

// A fraction above 1 goes on in the same direction.
void RopeTrack::blend(const protocol::RopeState& from, const protocol::RopeState& to, double fraction) {
  nodes_.resize(from.nodes.size());
  tensions_n_.resize(from.tensions.size());
  double const within = std::min(fraction, 1.0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Position const a = position_of(from.nodes[i]);
    Position const b = position_of(to.nodes[i]);
    nodes_[i] = interpolate(a, b, within);
    if (fraction <= 1) continue;
    Position const further = interpolate(a, b, fraction - 1);
    nodes_[i] =
        Position::from_raw(beyond(b.x_raw, a.x_raw, further.x_raw), beyond(b.y_raw, a.y_raw, further.y_raw),
                           beyond(b.z_raw, a.z_raw, further.z_raw));
  }
  for (std::size_t i = 0; i < tensions_n_.size(); ++i)
    tensions_n_[i] = from.tensions[i] + static_cast<float>(fraction) * (to.tensions[i] - from.tensions[i]);
}

void RopeStore::add(std::uint64_t tick, std::uint64_t complete_before, protocol::RopeState&& rope) {
  RopeTrack& track = tracks_[RopeId::from_u64(rope.id)];
  if (track.gone_at != kNotGone) {
    if (tick < track.gone_at) return;
    // Listed again, after there were too many to list it: what was shown of it ends a little early.
    gone_nodes_ -= track.node_count();
    track = {};
  }
  track.add(tick, complete_before, std::move(rope));  // whoever reads the wire bounds how many there are
}

void RopeStore::remove_at(std::uint64_t tick, RopeId rope) {
  auto const at = tracks_.find(rope);
  if (at == tracks_.end() || tick <= at->second.first_tick()) return;  // it was of an earlier life
  bool const is_news = at->second.gone_at == kNotGone;
  at->second.gone_at = std::min(at->second.gone_at, tick);
  if (!is_news) return;
  gone_nodes_ += at->second.node_count();
  if (gone_nodes_ <= kGoneNodesMax) return;
  std::erase_if(tracks_, [](const auto& entry) { return entry.second.gone_at != kNotGone; });
  gone_nodes_ = 0;
}

const std::vector<Rope>& RopeStore::show_at(double tick, std::uint64_t complete_tick) {
  shown_ropes_.clear();
  std::erase_if(tracks_,
                [&](const auto& entry) { return static_cast<double>(entry.second.gone_at) <= tick; });
  gone_nodes_ = 0;
  for (const auto& [id, track] : tracks_)
    if (track.gone_at != kNotGone) gone_nodes_ += track.node_count();
  for (auto& [id, track] : tracks_)
    if (track.show_at(tick, complete_tick))
      shown_ropes_.push_back({id, track.radius_m(), track.asleep(), track.nodes(), track.tensions_n()});
  return shown_ropes_;
}

void RopeStore::clear() {
  tracks_.clear();
  gone_nodes_ = 0;
  shown_ropes_.clear();
}

}  // namespace takt::client
