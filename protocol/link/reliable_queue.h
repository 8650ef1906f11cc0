// ReliableQueue is the queue of one player's reliable messages in front of the session's Link. It has two
// orders: prompt messages (answers and outcomes) overtake those of the room and the world (bodies, geometry
// and all that must follow them). The Link has no lanes, and the wire does not show them. Entries of the
// world are messages, shared messages, join images (a saved simulation for a new client) and geometry. A
// change of mode overtakes messages of the game, which drop_world() leaves. The
// function pump() moves entries into the Link while the Link's reliable backlog is below a limit. Images and
// geometry are cut into slices there, so a thousand joining clients share one copy of the bytes. ServerPeer
// owns the queue and bounds bytes(). Shared entries do not count there: of images the newest alone waits, and
// drop_world() drops all of a world that the client will not see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "protocol/link/link.h"
#include "protocol/messages/message_writer.h"

namespace takt::protocol {

/// The lane of a message in a ReliableQueue. Room, world and game share one order.
enum class Lane : std::uint8_t {
  kPrompt,
  kRoom,   ///< concerns the session or the room, whatever its client has of the world
  kWorld,  ///< part of the world, which drop_world() drops
  kGame,   ///< a message of the game, which push_mode() may overtake
};

/// Messages that were written once for several sessions.
using SharedMessages = std::vector<std::shared_ptr<const std::vector<std::byte>>>;

class ReliableQueue {
 public:
  /// Copies a message of 1 to kReliableBytesMax bytes to the end of a lane.
  void push(std::span<const std::byte> message, Lane lane);
  /// Appends shared messages, not null, to the world's lane.
  void push_shared(const SharedMessages& messages);
  /// Inserts a ModeSwitch into the room's lane, ahead of messages of the game that wait behind all else.
  /// `is_marked`: mark() is behind it as soon as it is in the link.
  void push_mode(std::span<const std::byte> message, bool is_marked);
  /// Appends a join image of `tick` to the world's lane: not null, at most 1 GiB (asserted). It replaces one
  /// that waits, also if that one has begun.
  void push_image(std::uint64_t tick, std::shared_ptr<const std::vector<std::byte>> image);
  /// Appends a geometry to the world's lane: digest not 0, 1 to kGeometryBytesMax bytes (asserted).
  void push_geometry(GeometryBlob geometry);

  /// Moves entries into the link: the world's while the link's reliable backlog is below
  /// useful_backlog_bytes(), prompt ones while it is below twice that. `writer` writes the slices.
  void pump(Link& link, MessageWriter& writer);

  /// Link::reliable_mark() behind the newest marked push_mode(); none until that message is in the link.
  [[nodiscard]] std::optional<std::uint32_t> mark() const noexcept { return mark_; }

  /// Bytes of messages that wait here; shared messages, images and geometry do not count.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool empty() const noexcept { return queue_.empty() && games_.empty() && prompt_.empty(); }
  /// Drops all entries of the world's lane that wait: the client begins with another world, or has it in
  /// another way. Slices that are in the link stay there.
  void drop_world();
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
  struct Entry {
    std::variant<std::vector<std::byte>, std::shared_ptr<const std::vector<std::byte>>, Image, Shape> content;
    Lane lane = Lane::kWorld;
    bool is_marked = false;
  };
  void append(Entry&& entry);

  std::deque<std::vector<std::byte>> prompt_;
  std::deque<Entry> queue_;                   // of the room, the world and the game
  std::deque<std::vector<std::byte>> games_;  // of the game, behind all of queue_
  std::size_t bytes_ = 0;
  std::optional<std::uint32_t> mark_;
};

}  // namespace takt::protocol
