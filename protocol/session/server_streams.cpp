#include "protocol/session/server_streams.h"

#include <algorithm>
#include <utility>

namespace takt::protocol {

ServerStream& ServerStreams::open(std::uint64_t now_us, const Address& address, const StreamOrigin& origin) {
  auto free =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.stream == nullptr; });
  if (free == slots_.end()) free = slots_.insert(slots_.end(), Slot{});
  ++free->generation;
  if (free->generation == 0) free->generation = 1;
  free->stream = std::make_unique<ServerStream>();
  free->stream->id = {static_cast<std::uint32_t>(free - slots_.begin()), free->generation};
  free->stream->address = address;
  free->stream->origin = origin;
  free->stream->opened_us = now_us;
  return *free->stream;
}

ServerStream* ServerStreams::find(StreamId id) noexcept {
  if (id.is_null() || id.index >= slots_.size()) return nullptr;
  Slot& slot = slots_[id.index];
  return slot.generation == id.generation ? slot.stream.get() : nullptr;
}

void ServerStreams::erase(StreamId id) noexcept {
  if (find(id) != nullptr) slots_[id.index].stream.reset();
}

void ServerStreams::announce(ServerStream& stream) {
  if (stream.announced || stream.link == nullptr || !stream.link->has_bytes()) return;
  stream.announced = true;
  writable_[static_cast<std::size_t>(stream.origin.transport)].push_back(stream.id);
}

StreamId ServerStreams::poll_writable(TransportKind kind) noexcept {
  auto& line = writable_[static_cast<std::size_t>(kind)];
  while (!line.empty()) {
    StreamId const id = line.front();
    line.pop_front();
    if (ServerStream* stream = find(id)) {
      stream->announced = false;
      return id;
    }
  }
  return {};
}

void ServerStreams::close(ServerStream& stream) {
  if (std::exchange(stream.closing, true)) return;
  closing_[static_cast<std::size_t>(stream.origin.transport)].push_back(stream.id);
}

StreamId ServerStreams::poll_closing(TransportKind kind) noexcept {
  auto& line = closing_[static_cast<std::size_t>(kind)];
  while (!line.empty()) {
    StreamId const id = line.front();
    line.pop_front();
    if (find(id) != nullptr) return id;
  }
  return {};
}

std::size_t ServerStreams::pending_count() const noexcept {
  return static_cast<std::size_t>(std::count_if(slots_.begin(), slots_.end(), is_pending));
}

std::size_t ServerStreams::pending_count(const Address& from) const noexcept {
  return static_cast<std::size_t>(std::count_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return is_pending(slot) && AddressGate::is_same(slot.stream->address, from);
  }));
}

ServerStream* ServerStreams::oldest_pending(const Address* from) noexcept {
  ServerStream* oldest = nullptr;
  for (const Slot& slot : slots_) {
    if (!is_pending(slot) || (from != nullptr && !AddressGate::is_same(slot.stream->address, *from)))
      continue;
    if (oldest == nullptr || slot.stream->opened_us < oldest->opened_us) oldest = slot.stream.get();
  }
  return oldest;
}

bool ServerStreams::is_pending(const Slot& slot) noexcept {
  return slot.stream != nullptr && slot.stream->pending_link != nullptr && !slot.stream->closing;
}

bool ServerStreams::empty() const noexcept {
  return std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.stream == nullptr; });
}

}  // namespace takt::protocol
