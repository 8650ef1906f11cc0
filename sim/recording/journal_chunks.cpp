#include "sim/recording/journal_chunks.h"

#include <utility>

#include "sim/recording/recording_chunk.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::sim {
namespace {

flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> put_bytes(flatbuffers::FlatBufferBuilder& builder,
                                                                 std::span<const std::byte> bytes) {
  return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::vector<std::byte> finish(flatbuffers::FlatBufferBuilder& builder, ChunkKind kind,
                              std::uint64_t first_tick, flatbuffers::Offset<void> payload) {
  auto const member = static_cast<schema::RecordingPayload>(kind);
  schema::FinishRecordingChunkBuffer(builder, schema::CreateRecordingChunk(builder, member, payload));
  return frame_chunk(kind, first_tick, builder);
}

}  // namespace

RecordingHead head_of(const Simulation& simulation, const Scene* scene, std::string created_by) {
  RecordingHead head;
  head.created_by = std::move(created_by);
  head.numbers = simulation.numbers();
  head.scene_hash = simulation.scene_hash();
  head.has_scene = scene != nullptr;
  if (scene != nullptr) {
    head.scene_title = scene->title;
    head.scene = scene->binary;
  }
  head.has_game = simulation.game() != nullptr;
  if (head.has_game) head.game_name = simulation.game()->name();
  head.tick_rate_hz = simulation.world().def().tick_rate_hz;
  head.substeps = simulation.world().def().substeps;
  return head;
}

std::vector<std::byte> encode_file_head(std::uint32_t version) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.put(kRecordingMagic);
  out.put(version);
  out.put(std::uint32_t{0});
  return bytes;
}

std::vector<std::byte> encode_header(const RecordingHead& head, std::uint64_t first_tick) {
  flatbuffers::FlatBufferBuilder builder;
  auto const created_by = builder.CreateString(head.created_by);
  flatbuffers::Offset<flatbuffers::String> title;
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> binary;
  if (head.has_scene) {
    title = builder.CreateString(head.scene_title);
    binary = put_bytes(builder, head.scene);
  }
  flatbuffers::Offset<flatbuffers::String> game_name;
  if (head.has_game) game_name = builder.CreateString(head.game_name);
  auto const header = schema::CreateRecordingHeader(
      builder, created_by, static_cast<schema::RecordedNumbers>(head.numbers), head.scene_hash, title, binary,
      game_name, head.tick_rate_hz, head.substeps, kSimulationImageVersion, first_tick);
  return finish(builder, ChunkKind::kHeader, first_tick, header.Union());
}

std::vector<std::byte> encode_image(std::uint64_t tick, std::uint64_t hash,
                                    std::span<const std::byte> image) {
  flatbuffers::FlatBufferBuilder builder(image.size() + 1024);
  auto const bytes = put_bytes(builder, image);
  auto const table = schema::CreateRecordingImage(builder, tick, hash, bytes);
  return finish(builder, ChunkKind::kImage, tick, table.Union());
}

std::vector<std::byte> encode_inputs(std::uint64_t first_tick, std::span<const std::uint32_t> counts,
                                     std::span<const std::byte> inputs, bool in_work) {
  TAKT_ASSERT(!counts.empty());
  flatbuffers::FlatBufferBuilder builder;
  auto const count_list = builder.CreateVector(counts.data(), counts.size());
  auto const bytes = put_bytes(builder, inputs);
  auto const table = schema::CreateRecordingInputs(builder, first_tick, count_list, bytes, in_work);
  return finish(builder, ChunkKind::kInputs, first_tick, table.Union());
}

std::vector<std::byte> encode_hashes(std::uint64_t first_tick, std::span<const std::uint64_t> hashes) {
  TAKT_ASSERT(!hashes.empty());
  flatbuffers::FlatBufferBuilder builder;
  auto const list = builder.CreateVector(hashes.data(), hashes.size());
  auto const table = schema::CreateRecordingHashes(builder, first_tick, list);
  return finish(builder, ChunkKind::kHashes, first_tick, table.Union());
}

std::vector<std::byte> encode_journal_end(std::uint64_t size_bytes, std::uint64_t end_tick,
                                          std::uint64_t input_count) {
  flatbuffers::FlatBufferBuilder builder;
  auto const index = schema::CreateRecordingIndex(builder, 0, end_tick, input_count);
  std::vector<std::byte> bytes = finish(builder, ChunkKind::kIndex, end_tick, index.Union());
  ByteWriter out(bytes);
  out.put(kRecordingTailMagic);
  out.put(size_bytes);
  return bytes;
}

std::optional<InputsChunk> find_inputs(std::span<const std::byte> bytes) {
  Result<Chunk, SimError> const chunk = load_chunk(MemorySource(bytes), 0);
  if (!chunk || chunk->kind != ChunkKind::kInputs) return std::nullopt;
  return InputsChunk{chunk->first_tick, static_cast<std::size_t>(chunk->end_offset)};
}

void encode_sorted(std::span<const Input> inputs, std::vector<std::byte>& out) {
  std::vector<Input> ordered(inputs.begin(), inputs.end());
  sort_inputs(ordered);
  for (const Input& input : ordered) encode(input, out);
}

}  // namespace takt::sim
