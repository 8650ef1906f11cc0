#include "client_sdk/cpp/rope_shelf.h"

#include <algorithm>

#include "client_sdk/cpp/interpolation.h"

namespace takt::client {
namespace {

// The offset is far below 2^31 m wherever the server is honest; what a hostile one says ends somewhere in the world.
std::int64_t moved(std::int64_t from, float offset_m) noexcept {
  double const raw = std::clamp(static_cast<double>(offset_m) * 0x1p32, -0x1p62, 0x1p62);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + static_cast<std::uint64_t>(static_cast<std::int64_t>(raw)));
}

}  // namespace

void RopeTrack::add(std::uint64_t tick, const protocol::RopeSlice& slice, std::span<const protocol::RopeNode> nodes) {
  Sample* const sample = sample_at(tick, slice);
  if (sample == nullptr || std::ranges::find(sample->firsts, slice.first) != sample->firsts.end() || nodes.size() > sample->missing) return;
  sample->firsts.push_back(slice.first);
  sample->missing -= nodes.size();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    protocol::Vec3f const& offset = nodes[i].offset;
    sample->nodes[slice.first + i] = {moved(slice.origin.x, offset.x), moved(slice.origin.y, offset.y), moved(slice.origin.z, offset.z)};
    if (slice.first + i < sample->tensions_n.size()) sample->tensions_n[slice.first + i] = nodes[i].tension;
  }
}

RopeTrack::Sample* RopeTrack::sample_at(std::uint64_t tick, const protocol::RopeSlice& slice) {
  auto const at = std::ranges::lower_bound(samples_, tick, {}, &Sample::tick);
  if (at != samples_.end() && at->tick == tick) return at->nodes.size() == slice.node_count ? &*at : nullptr;
  if (samples_.size() == kSamplesMax && at == samples_.begin()) return nullptr;
  Sample sample{tick, slice.radius, (slice.flags & protocol::kRopeAsleep) != 0, {}, {}, {}, slice.node_count};
  sample.nodes.resize(slice.node_count);
  sample.tensions_n.resize(slice.node_count - 1);
  auto place = samples_.insert(at, std::move(sample));
  if (samples_.size() > kSamplesMax) place = samples_.erase(samples_.begin()) + (place - samples_.begin() - 1);
  return &*place;
}

std::optional<std::uint64_t> RopeTrack::newest_tick() const noexcept {
  for (std::size_t i = samples_.size(); i-- > 0;)
    if (samples_[i].missing == 0) return samples_[i].tick;
  return std::nullopt;
}

bool RopeTrack::show_at(double tick) {
  constexpr std::size_t kNone = SIZE_MAX;
  std::size_t earlier = kNone;
  std::size_t before = kNone;
  std::size_t after = kNone;
  for (std::size_t i = 0; i < samples_.size() && after == kNone; ++i) {
    if (samples_[i].missing != 0) continue;
    if (static_cast<double>(samples_[i].tick) > tick) {
      after = i;
    } else {
      earlier = before;
      before = i;
    }
  }
  if (before == kNone) return false;
  Sample const& last = samples_[before];
  bool const has_next = after != kNone && samples_[after].nodes.size() == last.nodes.size();
  bool const goes_on = after == kNone && earlier != kNone && samples_[earlier].nodes.size() == last.nodes.size() && !last.asleep;
  auto const since = tick - static_cast<double>(last.tick);
  if (has_next) {
    blend(last, samples_[after], since / static_cast<double>(samples_[after].tick - last.tick));
  } else if (goes_on) {
    auto const gap = static_cast<double>(last.tick - samples_[earlier].tick);
    blend(samples_[earlier], last, 1 + std::min({since, kGuessTicksMax, gap}) / gap);
  } else {
    blend(last, last, 0);
  }
  radius_m_ = last.radius_m;
  asleep_ = last.asleep;
  std::size_t const needed = earlier != kNone ? earlier : before;
  samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(needed));
  return true;
}

// A share above 1 goes on in the same direction.
void RopeTrack::blend(const Sample& from, const Sample& to, double share) {
  nodes_.resize(from.nodes.size());
  tensions_n_.resize(from.tensions_n.size());
  double const within = std::min(share, 1.0);
  double const beyond = share - within;
  auto const between = [&](std::int64_t Position::*axis, std::size_t i, const Position& at, const Position& further) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(at.*axis) + static_cast<std::uint64_t>(further.*axis) -
                                     static_cast<std::uint64_t>(from.nodes[i].*axis));
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Position const at = interpolate(from.nodes[i], to.nodes[i], within);
    nodes_[i] = at;
    if (beyond <= 0) continue;
    Position const further = interpolate(from.nodes[i], to.nodes[i], beyond);
    nodes_[i] = {between(&Position::x, i, at, further), between(&Position::y, i, at, further), between(&Position::z, i, at, further)};
  }
  for (std::size_t i = 0; i < tensions_n_.size(); ++i)
    tensions_n_[i] = from.tensions_n[i] + static_cast<float>(share) * (to.tensions_n[i] - from.tensions_n[i]);
}

void RopeShelf::handle_part(const protocol::Ropes& part) {
  auto nodes = std::span(part.nodes);
  for (const protocol::RopeSlice& slice : part.slices) {
    auto const here = nodes.first(slice.count);  // the reader has counted them
    nodes = nodes.subspan(slice.count);
    RopeId const id = RopeId::from_u64(slice.rope);
    if (tracks_.size() >= kRopesMax && !tracks_.contains(id)) continue;
    RopeTrack& track = tracks_[id];
    track.add(part.tick, slice, here);
    track.gone_at = std::numeric_limits<std::uint64_t>::max();
  }
  if (part.whole) note_whole(part);
}

void RopeShelf::note_whole(const protocol::Ropes& part) {
  if (whole_tick_ && part.tick < *whole_tick_) return;
  if (!whole_tick_ || part.tick > *whole_tick_) {
    whole_tick_ = part.tick;
    whole_parts_.clear();
    whole_ropes_.clear();
  }
  whole_parts_.insert(part.part);
  for (const protocol::RopeSlice& slice : part.slices) whole_ropes_.insert(RopeId::from_u64(slice.rope));
  if (whole_parts_.size() < part.part_count) return;
  for (auto& [id, track] : tracks_)
    if (!whole_ropes_.contains(id) && track.newest_tick().value_or(0) < part.tick) track.gone_at = std::min(track.gone_at, part.tick);
}

const std::vector<Rope>& RopeShelf::show_at(double tick) {
  shown_.clear();
  std::erase_if(tracks_, [&](const auto& entry) { return static_cast<double>(entry.second.gone_at) <= tick; });
  for (auto& [id, track] : tracks_)
    if (track.show_at(tick)) shown_.push_back({id, track.radius_m(), track.asleep(), track.nodes(), track.tensions_n()});
  return shown_;
}

void RopeShelf::clear() {
  tracks_.clear();
  shown_.clear();
  whole_tick_.reset();
}

}  // namespace takt::client
