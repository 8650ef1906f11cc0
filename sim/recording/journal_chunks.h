// These functions encode the chunks of a journal, a recording of version 2: inputs come before their tick is
// stepped, hashes and images later. They return whole chunks, or the file's head, as bytes. Any thread may
// call them. server/journal.h decides the order of chunks and writes them; RecordingReader reads them.
// RecordingWriter shares the file's head, the header and the image.
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
/// The head of a recording of `simulation`. `scene` is the one that it was created from; null = the recording
/// has no scene.
[[nodiscard]] RecordingHead head_of(const Simulation& simulation, const Scene* scene, std::string created_by);

/// The 12 bytes at the beginning of a file: magic, `version` and a reserved zero.
[[nodiscard]] std::vector<std::byte> encode_file_head(std::uint32_t version);
/// The header chunk of a recording that begins with the state of `first_tick`.
[[nodiscard]] std::vector<std::byte> encode_header(const RecordingHead& head, std::uint64_t first_tick);
/// A chunk with the image of the state of `tick` (Simulation::save()) and its hash.
[[nodiscard]] std::vector<std::byte> encode_image(std::uint64_t tick, std::uint64_t hash,
                                                  std::span<const std::byte> image);
/// A chunk of inputs. `counts`: number of inputs in each step from `first_tick` on; not empty (asserted).
/// `inputs`: encode_sorted() of these steps. `in_work`: the last step has not run yet.
[[nodiscard]] std::vector<std::byte> encode_inputs(std::uint64_t first_tick,
                                                   std::span<const std::uint32_t> counts,
                                                   std::span<const std::byte> inputs, bool in_work);
/// A chunk of hashes, one for each step from `first_tick` on, of the state after the step; not empty
/// (asserted).
[[nodiscard]] std::vector<std::byte> encode_hashes(std::uint64_t first_tick,
                                                   std::span<const std::uint64_t> hashes);
/// Index and tail of a journal that is complete. `size_bytes`: of the file before them. `end_tick`: of the
/// last state. `input_count`: inputs in the file.
[[nodiscard]] std::vector<std::byte> encode_journal_end(std::uint64_t size_bytes, std::uint64_t end_tick,
                                                        std::uint64_t input_count);

/// A whole chunk of inputs at the beginning of bytes that are not trusted.
struct InputsChunk {
  std::uint64_t first_tick = 0;
  std::size_t size_bytes = 0;  ///< head and payload
};
/// The chunk with which `bytes` begin; none when that is no whole, undamaged chunk of inputs.
[[nodiscard]] std::optional<InputsChunk> find_inputs(std::span<const std::byte> bytes);

/// Appends the encoding of a tick's inputs to `out`, in (player, sequence) order.
void encode_sorted(std::span<const Input> inputs, std::vector<std::byte>& out);

}  // namespace takt::sim
