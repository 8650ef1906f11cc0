// These functions encode the chunks of a journal, a recording of version 2: inputs come before their tick is
// stepped, hashes and images later. They return whole chunks (or the file's head with the header) as bytes,
// in any thread. server/journal.h decides their order and writes them; RecordingReader reads them.
// RecordingWriter shares the header and the image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "takt/sim/recording.h"

namespace takt::sim {

/// A recording's header without its first tick.
struct RecordingHead {
  std::string created_by;
  NumbersMode numbers = NumbersMode::kFloat;
  std::uint64_t scene_hash = 0;
  bool has_scene = false;
  std::string scene_title;
  std::vector<std::byte> scene;  ///< binary form
  bool has_game = false;
  std::string game_name;
  std::uint32_t tick_rate_hz = 60;
  std::uint32_t substeps = 4;
};
/// `scene` may be null.
[[nodiscard]] RecordingHead head_of(const Simulation& simulation, const Scene* scene, std::string created_by);

/// The file's head, with `version`.
[[nodiscard]] std::vector<std::byte> encode_file_head(std::uint32_t version);
[[nodiscard]] std::vector<std::byte> encode_header(const RecordingHead& head, std::uint64_t first_tick);
[[nodiscard]] std::vector<std::byte> encode_image(std::uint64_t tick, std::uint64_t hash,
                                                  std::span<const std::byte> image);
/// `inputs`: encoded, of all ticks. `in_work`: the last tick is about to be stepped.
[[nodiscard]] std::vector<std::byte> encode_inputs(std::uint64_t first_tick,
                                                   std::span<const std::uint32_t> counts,
                                                   std::span<const std::byte> inputs, bool in_work);
[[nodiscard]] std::vector<std::byte> encode_hashes(std::uint64_t first_tick,
                                                   std::span<const std::uint64_t> hashes);
/// Index and tail of a whole journal of `size_bytes` bytes so far.
[[nodiscard]] std::vector<std::byte> encode_journal_end(std::uint64_t size_bytes, std::uint64_t end_tick,
                                                        std::uint64_t input_count);

/// A whole chunk of inputs at the beginning of bytes that are not trusted.
struct InputsChunk {
  std::uint64_t first_tick = 0;
  std::size_t size_bytes = 0;
};
[[nodiscard]] std::optional<InputsChunk> find_inputs(std::span<const std::byte> bytes);

/// The encoding of a tick's inputs: sorted, one after another.
void encode_sorted(std::span<const Input> inputs, std::vector<std::byte>& out);

}  // namespace takt::sim
