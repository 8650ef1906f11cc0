#include "sim/comparison/desync_recording.h"

#include <array>
#include <span>

#include "takt/core/assert.h"

namespace takt::sim {
namespace {

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_image(std::vector<std::byte>& to, const SavedState& state) {
  append(to, encode_image(state.tick, state.hash, state.image));
}

// The inputs of every tick of [first, end) in one chunk. Returns their number.
std::uint64_t append_inputs(std::vector<std::byte>& to, const RecentInputs& inputs, std::uint64_t first,
                            std::uint64_t end) {
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(end - first));
  std::vector<std::byte> bytes;
  std::uint64_t total = 0;
  for (auto const& record : inputs.list(first, end)) {
    counts[static_cast<std::size_t>(record->tick - first)] =
        static_cast<std::uint32_t>(record->inputs.size());
    encode_sorted(record->inputs, bytes);
    total += record->inputs.size();
  }
  append(to, encode_inputs(first, counts, bytes, false));
  return total;
}

}  // namespace

SavedState save_state_of(const Simulation& simulation) {
  return {simulation.tick(), simulation.hash(), simulation.save()};
}

std::vector<std::byte> encode_desync(const DesyncStates& states, const RecentInputs& inputs,
                                     std::size_t bytes_max) {
  SavedState const& differing = states.differing;
  if (differing.image.size() > bytes_max) return {};
  bool const fit_both = states.earlier && states.earlier->image.size() <= bytes_max - differing.image.size();
  SavedState const* const earlier =
      fit_both && inputs.has(states.earlier->tick, differing.tick) ? &*states.earlier : nullptr;
  TAKT_ASSERT(earlier == nullptr || earlier->tick < differing.tick);
  std::vector<std::byte> out = encode_file_head(kJournalVersion);
  append(out, encode_header(states.head, earlier != nullptr ? earlier->tick : differing.tick));
  std::uint64_t input_count = 0;
  if (earlier != nullptr) {
    append_image(out, *earlier);
    input_count = append_inputs(out, inputs, earlier->tick, differing.tick);
    append(out, encode_hashes(differing.tick - 1, std::array{differing.hash}));
  }
  append_image(out, differing);
  append(out, encode_journal_end(out.size(), differing.tick, input_count));
  if (out.size() <= bytes_max) return out;
  // The chunks around the images are what was too much.
  if (earlier == nullptr) return {};
  out = {};
  return encode_desync({states.head, std::nullopt, differing}, inputs, bytes_max);
}

}  // namespace takt::sim
