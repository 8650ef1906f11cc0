// BodyStore stores the bodies that a server described and their recent states, and lists all bodies at the
// render tick (the tick to draw). A Track per body has the states. Most bodies of a world rest: a call looks
// only at those that may have changed since the call before, and copies the others when a body came or went.
// Session has one BodyStore, and a RopeStore for ropes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "client_sdk/cpp/track.h"
#include "protocol/wire/limits.h"
#include "takt/client/body.h"

namespace takt::client {

/// A body as the server described it.
struct BodyDescription {
  std::uint32_t user_kind = 0;
  std::uint32_t player = 0;
  std::vector<ShapeDef> shapes;
  std::vector<std::uint64_t> geometries;  ///< digests, of `shapes`; 0 = none
};

class BodyStore {
 public:
  /// Track::add() for the body of `state.id`. A state beyond kBodiesMax bodies, of a hostile server, is
  /// ignored.
  void add(std::uint64_t tick, std::uint64_t complete_before, std::uint64_t interval_ticks,
           const protocol::BodyState& state);
  /// Track::remove_at() for a body; unknown ids are ignored.
  void remove_at(std::uint64_t tick, BodyId id);
  /// Replaces a body's description. A body is shown once it has one and a state. A body beyond kBodiesMax is
  /// ignored; returns false then.
  bool describe(BodyId id, BodyDescription&& description);
  /// Returns all bodies at this tick (Track::at), in id order. List and spans are valid until the next call
  /// of any function. Forgets bodies that are gone, and states that no later tick needs.
  [[nodiscard]] const std::vector<Body>& show_at(double render_tick);
  /// Forgets all bodies, for another world.
  void clear() noexcept;

  /// The list of the last show_at(); empty before the first one.
  [[nodiscard]] const std::vector<Body>& shown() const noexcept { return shown_; }

  static constexpr std::size_t kBodiesMax = protocol::kBodyIndexMax;

 private:
  static constexpr std::size_t kNotShown = std::numeric_limits<std::size_t>::max();
  struct Known {
    BodyId id;
    bool is_changing = false;  // in changing_
    bool is_described = false;
    std::size_t shown_at = kNotShown;  // in shown_
    Track track;
    BodyDescription description;
  };

  using Bodies = std::vector<std::unique_ptr<Known>>;  // ascending by id
  [[nodiscard]] static Bodies::iterator lower_bound(Bodies& bodies, BodyId id) noexcept;
  [[nodiscard]] static Known* find_in(Bodies& bodies, BodyId id) noexcept;
  [[nodiscard]] Known* find(BodyId id) noexcept;
  [[nodiscard]] Known* find_or_add(BodyId id);
  void merge_new();
  void note_change(Known& known);
  [[nodiscard]] bool update_shown(double tick);
  void list_shown(double tick);

  /// Number of new bodies that are merged into the others. A server sends bodies in id order; with this one
  /// in any other order costs no more than a pass over all bodies for each so many.
  static constexpr std::size_t kNewMax = 1024;

  Bodies known_;
  Bodies new_;                      // not yet in known_, at most kNewMax
  std::vector<Known*> changing_;    // of known_: all that may differ from shown_ at a later tick
  std::vector<Body> shown_;         // ascending by id
  std::vector<Body> shown_before_;  // of the list before
  double shown_tick_ = 0;
  bool is_listed_ = false;  // no description has come since shown_ was listed
};

}  // namespace takt::client
