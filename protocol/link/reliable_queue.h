// ReliableQueue is the queue of one player's reliable messages in front of the session's Link. It has two
// lanes, each in order: prompt messages (answers and outcomes) overtake the world (bodies, geometry and all
// that must follow them). The Link has no lanes, and the wire does not show them. Entries of the world are
// messages, shared messages, join images (a saved simulation for a new client) and geometry. The function
// pump() moves entries into the Link while the Link's reliable backlog is below a limit. Images and geometry
// are cut into slices there, so a thousand joining clients share one copy of the bytes. ServerPeer owns the
// queue and bounds bytes(), which does not count shared entries.
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

/// The lane of a message in a ReliableQueue.
enum class Lane : std::uint8_t { kPrompt, kWorld };

/// Messages that were written once for several sessions.
using SharedMessages = std::vector<std::shared_ptr<const std::vector<std::byte>>>;

class ReliableQueue {
 public:
  /// Copies a message of 1 to kReliableBytesMax bytes to the end of a lane.
  void push(std::span<const std::byte> message, Lane lane);
  /// Appends shared messages, not null, to the world's lane.
  void push_shared(const SharedMessages& messages);
  /// Appends a join image of `tick` to the world's lane: not null, at most 1 GiB (asserted).
  void push_image(std::uint64_t tick, std::shared_ptr<const std::vector<std::byte>> image);
  /// Appends a geometry to the world's lane: digest not 0, 1 to kGeometryBytesMax bytes (asserted).
  void push_geometry(GeometryBlob geometry);

  /// Moves entries into the link: the world's while the link's reliable backlog is below
  /// useful_backlog_bytes(), prompt ones while it is below twice that. `writer` writes the slices.
  void pump(Link& link, MessageWriter& writer);

  /// Bytes of messages that wait here; shared messages, images and geometry do not count.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool empty() const noexcept { return queue_.empty() && prompt_.empty(); }
  /// Drops everything that waits.
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
  std::deque<std::vector<std::byte>> prompt_;
  std::deque<Entry> queue_;  // of the world
  std::size_t bytes_ = 0;
};

}  // namespace takt::protocol
