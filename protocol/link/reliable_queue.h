// ReliableQueue is the queue of one player's reliable messages in front of the session's Link, in order. Its
// entries are messages, shared messages, join images (a saved simulation for a new client) and geometry.
// pump() moves entries into the Link while the Link's reliable backlog is below a limit. Images and geometry
// are cut into slices only there, so a thousand joining clients share one copy. ServerPeer owns the queue and
// bounds bytes(), which does not count what is shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "protocol/link/link.h"
#include "protocol/messages/message_writer.h"

namespace takt::protocol {

/// Messages that were written once for several sessions.
using SharedMessages = std::vector<std::shared_ptr<const std::vector<std::byte>>>;

class ReliableQueue {
 public:
  void push(std::span<const std::byte> message);
  void push_shared(const SharedMessages& messages);
  void push_image(std::uint64_t tick, std::shared_ptr<const std::vector<std::byte>> image);

  void push_geometry(GeometryBlob geometry);

  /// Moves messages into the link while its reliable backlog is below `backlog_max`.
  void pump(Link& link, MessageWriter& writer, std::size_t backlog_max);

  /// Bytes of messages that wait here; shared messages, images and geometry do not count.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
  void clear() noexcept;

 private:
  struct Image {
    std::shared_ptr<const std::vector<std::byte>> bytes;
    std::uint64_t tick = 0;
    std::uint64_t hash = 0;
    std::size_t offset = 0;
  };
  struct Shape {
    GeometryBlob blob;
    std::size_t offset = 0;
  };
  using Entry =
      std::variant<std::vector<std::byte>, std::shared_ptr<const std::vector<std::byte>>, Image, Shape>;
  std::deque<Entry> queue_;
  std::size_t bytes_ = 0;
};

}  // namespace takt::protocol
