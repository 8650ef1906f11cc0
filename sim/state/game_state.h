// save_game() and load_game() write and read the state of a Game by its visit_state(). SavedGame has the
// bytes and the names of their fields, so that list_game() passes the fields to a FieldSink without the Game:
// the shadow of a simulation has none. The bytes alone are hashed and stored in images; a layout never leaves
// the program. docs/RECORDING.md describes the encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/state_fields.h"
#include "takt/sim/game.h"

namespace takt::sim {

/// One call that a Game made in visit_state().
struct GameCall {
  enum class Kind : std::uint8_t { kNumber, kText, kList, kArray, kElement, kEndOfList };
  Kind kind = Kind::kNumber;
  FieldKind field = FieldKind::kU32;  ///< of kNumber
  std::string_view name;              ///< a literal; empty for kElement and kEndOfList
  std::string_view part;              ///< a literal such as "x"; empty for a plain number
};

struct SavedGame {
  std::vector<std::byte> bytes;
  std::vector<GameCall> layout;  ///< of the bytes, in order
};

/// Replaces `out` by the state of the game. A reused `out` keeps its memory.
void save_game(Game& game, SavedGame& out);
/// Replaces `out` by the bytes alone.
void save_game(Game& game, std::vector<std::byte>& out);

/// Replaces the game's state by exactly these bytes, which are untrusted. Returns none, or the field at which
/// the bytes were refused and why; the game must then be discarded.
[[nodiscard]] std::optional<std::string> load_game(Game& game, std::span<const std::byte> bytes);

/// Passes the record "game" with the fields outside of lists, and a record of "game.<list>" for each element.
void list_game(const SavedGame& saved, FieldSink& sink);

}  // namespace takt::sim
