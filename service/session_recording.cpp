// The recordings of Session's worlds.
#include <algorithm>
#include <exception>

#include "service/recorded_bytes.h"
#include "service/session.h"
#include "service/wire/values.h"

namespace takt::service {
namespace {

constexpr std::uint32_t kEnded = 0;  // Reply::recording
constexpr std::uint32_t kGoesOn = 1;
constexpr std::uint32_t kCut = 2;

}  // namespace

void RecordedBytes::drop(std::size_t count) {
  sum_->remove(count);
  begin_ += count;
  if (begin_ == bytes_.size()) {
    free_bytes(bytes_);
    begin_ = 0;
  } else if (begin_ >= size()) {  // each byte moves once on average
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
}

bool RecordedBytes::add_edit(std::size_t count) noexcept {
  if (!sum_->add(count)) return false;
  edit_bytes_ += count;
  return true;
}

// Encoded edits are smaller, so no limit is in the way.
void RecordedBytes::end_tick(std::size_t waiting_bytes) noexcept {
  std::uint64_t const kept = std::min<std::uint64_t>(edit_bytes_, waiting_bytes);
  sum_->remove(edit_bytes_ - kept);
  edit_bytes_ = kept;
}

bool RecordedBytes::write(std::span<const std::byte> bytes) {
  sum_->remove(edit_bytes_);  // they are among the bytes
  edit_bytes_ = 0;
  is_cut_ = is_cut_ || !sum_->add(bytes.size());
  if (is_cut_) return false;
  try {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  } catch (const std::exception&) {  // no memory
    sum_->remove(bytes.size());
    is_cut_ = true;
  }
  return !is_cut_;
}

void Session::end_recordings(std::uint32_t handle, const Thing& thing) {
  std::erase_if(recordings_, [&](const auto& entry) {
    auto const& [place, recorded] = entry;
    if (place.first != handle) return false;
    auto* world = static_cast<takt_world*>(thing.handle);
    takt_status const status =
        thing.kind == Kind::kBatch
            ? takt_batch_world(static_cast<takt_batch*>(thing.handle), place.second, &world)
            : TAKT_OK;
    if (status == TAKT_OK && !recorded->has_ended()) (void)takt_world_record_stop(world);
    return true;
  });
}

takt_status Session::record(const wire::Request& request, takt_world* world, RecordedPart& part) {
  auto const place = std::pair(request.handle(), request.world_index());
  auto found = recordings_.find(place);
  if (request.body_type() == wire::RequestBody::Record) {
    if (takt_status const bad = allow(0, 0)) return bad;
    auto recorded = std::make_shared<RecordedBytes>(recorded_sum_);
    if (takt_status const bad = record_world(world, std::make_unique<RecordedSink>(recorded)))
      return recorded->is_cut()
                 ? fail(TAKT_ERROR_LIMIT,
                        "limit recording: the state of the world has too many bytes, or others "
                        "of this connection wait to be taken")
                 : bad;
    found = recordings_.insert_or_assign(place, std::move(recorded)).first;
  } else if (found == recordings_.end()) {
    return fail(TAKT_ERROR_RECORDING, "the world is not recording");
  } else if (request.body_type() == wire::RequestBody::RecordStop && !found->second->has_ended()) {
    (void)takt_world_record_stop(world);  // a cut shows in the reply
  }
  RecordedBytes& recorded = *found->second;
  std::span<const std::byte> const bytes =
      recorded.waiting().first(std::min(recorded.size(), kRecordedPartBytes));
  part.bytes = builder_.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  recorded.drop(bytes.size());
  part.bytes_left = recorded.size();
  part.state = recorded.is_cut() ? kCut : recorded.has_ended() ? kEnded : kGoesOn;
  if (recorded.has_ended() && recorded.size() == 0) recordings_.erase(found);
  return TAKT_OK;
}

}  // namespace takt::service
