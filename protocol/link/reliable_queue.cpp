#include "protocol/link/reliable_queue.h"

#include <algorithm>
#include <utility>

#include "takt/core/assert.h"
#include "takt/core/hash.h"

namespace takt::protocol {

void ReliableQueue::push(std::span<const std::byte> message, Lane lane) {
  bytes_ += message.size();
  std::vector<std::byte> copy(message.begin(), message.end());
  switch (lane) {
    case Lane::kPrompt: return prompt_.push_back(std::move(copy));
    case Lane::kGame: return games_.push_back(std::move(copy));
    case Lane::kRoom:
    case Lane::kWorld: return append({std::move(copy), lane});
  }
}

// Each message of the game moves once at most before it goes, but by drop_world().
void ReliableQueue::append(Entry&& entry) {
  for (; !games_.empty(); games_.pop_front()) queue_.push_back({std::move(games_.front()), Lane::kGame});
  queue_.push_back(std::move(entry));
}

void ReliableQueue::push_shared(const SharedMessages& messages) {
  for (auto const& message : messages) append({message});
}

void ReliableQueue::push_mode(std::span<const std::byte> message, bool is_marked) {
  bytes_ += message.size();
  if (is_marked) {
    for (Entry& earlier : queue_) earlier.is_marked = false;
    mark_.reset();
  }
  queue_.push_back({std::vector(message.begin(), message.end()), Lane::kRoom, is_marked});
}

void ReliableQueue::push_image(std::uint64_t tick, std::shared_ptr<const std::vector<std::byte>> image) {
  TAKT_ASSERT(image != nullptr && image->size() <= (std::size_t{1} << 30));
  std::erase_if(queue_, [](const Entry& entry) { return std::holds_alternative<Image>(entry.content); });
  std::uint64_t const hash = hash_bytes(*image);
  append({Image{std::move(image), tick, hash, 0}});
}

void ReliableQueue::push_geometry(GeometryBlob geometry) {
  TAKT_ASSERT(geometry.bytes != nullptr && geometry.digest != 0 && !geometry.bytes->empty() &&
              geometry.bytes->size() <= kGeometryBytesMax);
  append({Shape{std::move(geometry), 0}});
}

void ReliableQueue::pump(Link& link, MessageWriter& writer) {
  std::size_t const backlog_max = link.useful_backlog_bytes();
  for (; !prompt_.empty() && link.reliable_backlog_bytes() < 2 * backlog_max; prompt_.pop_front()) {
    link.send_reliable(prompt_.front());
    bytes_ -= prompt_.front().size();
  }
  while (!queue_.empty() && link.reliable_backlog_bytes() < backlog_max) {
    auto& content = queue_.front().content;
    if (auto const* message = std::get_if<std::vector<std::byte>>(&content)) {
      link.send_reliable(*message);
      bytes_ -= message->size();
      if (queue_.front().is_marked) mark_ = link.reliable_mark();
      queue_.pop_front();
      continue;
    }
    if (auto const* shared = std::get_if<std::shared_ptr<const std::vector<std::byte>>>(&content)) {
      link.send_reliable(**shared);
      queue_.pop_front();
      continue;
    }
    if (auto* const shape = std::get_if<Shape>(&content)) {
      auto const rest = std::span<const std::byte>(*shape->blob.bytes).subspan(shape->offset);
      auto const slice = rest.first(std::min(rest.size(), kGeometrySliceBytes));
      auto const total = static_cast<std::uint32_t>(shape->blob.bytes->size());
      link.send_reliable(writer.write_slice(
          GeometrySlice{
              shape->blob.digest, shape->blob.kind, total, static_cast<std::uint32_t>(shape->offset), {}},
          slice));
      shape->offset += slice.size();
      if (shape->offset == shape->blob.bytes->size()) queue_.pop_front();
      continue;
    }
    Image& image = std::get<Image>(content);
    auto const rest = std::span<const std::byte>(*image.bytes).subspan(image.offset);
    auto const slice = rest.first(std::min(rest.size(), kJoinSliceBytes));
    link.send_reliable(
        writer.write_slice(JoinSlice{image.tick, image.bytes->size(), image.hash, image.offset, {}}, slice));
    image.offset += slice.size();
    if (image.offset == image.bytes->size()) queue_.pop_front();
  }
  if (!queue_.empty()) return;
  for (; !games_.empty() && link.reliable_backlog_bytes() < backlog_max; games_.pop_front()) {
    link.send_reliable(games_.front());
    bytes_ -= games_.front().size();
  }
}

void ReliableQueue::drop_world() {
  for (const Entry& entry : queue_)
    if (auto const* message = std::get_if<std::vector<std::byte>>(&entry.content);
        message != nullptr && entry.lane == Lane::kWorld)
      bytes_ -= message->size();
  std::erase_if(queue_, [](const Entry& entry) { return entry.lane == Lane::kWorld; });
  for (; !queue_.empty() && queue_.back().lane == Lane::kGame; queue_.pop_back())
    games_.push_front(std::move(std::get<std::vector<std::byte>>(queue_.back().content)));
}

void ReliableQueue::clear() noexcept {
  queue_.clear();
  games_.clear();
  prompt_.clear();
  bytes_ = 0;
}

}  // namespace takt::protocol
