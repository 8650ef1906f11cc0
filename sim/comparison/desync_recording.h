// encode_desync() returns one end's view of a desync as a recording (docs/RECORDING.md, a journal): an
// earlier state, the inputs from there on, and the state that differs, with its hash. `takt replay bisect`
// finds whether that end's state follows from its own earlier one, and `takt replay diff` compares the
// recordings of both ends. Nothing is simulated here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/comparison/recent_inputs.h"
#include "sim/recording/journal_chunks.h"
#include "takt/sim/simulation.h"

namespace takt::sim {

/// A state with its hash.
struct SavedState {
  std::uint64_t tick = 0;
  std::uint64_t hash = 0;
  std::vector<std::byte> image;  ///< Simulation::save()
};
[[nodiscard]] SavedState save_state_of(const Simulation& simulation);

struct DesyncStates {
  RecordingHead head;
  std::optional<SavedState> earlier;  ///< the recording begins with it; none = it begins with `differing`
  SavedState differing;               ///< of a later tick
};

/// Greatest size of a recording that is made.
inline constexpr std::size_t kDesyncBytesMax = std::size_t{64} << 20u;
/// A recording may have this earlier state and one like it. Whoever saves states asks before the second: the
/// states of a large world need not be there at once.
[[nodiscard]] constexpr bool has_room_for_two(const SavedState& earlier,
                                              std::size_t bytes_max = kDesyncBytesMax) noexcept {
  return earlier.image.size() <= bytes_max / 2;
}

/// Bytes of the whole recording, at most `bytes_max`. The earlier state is left out without the inputs from
/// it to `differing`, or if both states are too large together; none if `differing` alone is too large.
[[nodiscard]] std::vector<std::byte> encode_desync(const DesyncStates& states, const RecentInputs& inputs,
                                                   std::size_t bytes_max = kDesyncBytesMax);

}  // namespace takt::sim
