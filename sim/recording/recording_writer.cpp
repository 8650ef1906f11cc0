#include <algorithm>

#include "sim/recording/journal_chunks.h"
#include "sim/recording/recording_chunk.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"
#include "takt/sim/recording.h"

namespace takt::sim {
namespace {

// A chunk ends with the tick that reaches this, so that ticks together make no chunk beyond kMaxChunkBytes.
// One tick of a gigabyte of inputs is the caller's to refuse.
constexpr std::size_t kFullInputBytes = 16u << 20u;
// Memory for inputs that stays from chunk to chunk; a program may have thousands of recordings.
constexpr std::size_t kKeptInputBytes = 64u << 10u;

template <class T>
flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> put_bytes(flatbuffers::FlatBufferBuilder& builder,
                                                                 const T& bytes) {
  return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

void finish(flatbuffers::FlatBufferBuilder& builder, schema::RecordingPayload kind,
            flatbuffers::Offset<void> payload) {
  schema::FinishRecordingChunkBuffer(builder, schema::CreateRecordingChunk(builder, kind, payload));
}

}  // namespace

struct RecordingWriter::Impl {
  Impl(ByteSink& s, RecordingOptions o) : sink(&s), options(std::move(o)) {}

  bool write(std::span<const std::byte> bytes) {
    if (failed) return false;
    failed = !sink->write(bytes);
    if (!failed) written_bytes += bytes.size();
    return !failed;
  }
  bool write_chunk(ChunkKind kind, std::uint64_t first_tick, std::uint32_t ticks,
                   flatbuffers::FlatBufferBuilder& builder) {
    entries.emplace_back(written_bytes, first_tick, static_cast<std::uint32_t>(kind), ticks);
    return write(frame_chunk(kind, first_tick, builder));
  }
  bool write_header(const Simulation& simulation, const Scene* scene);
  bool write_image(const Simulation& simulation, std::uint64_t hash);
  bool write_ticks();
  bool write_index();

  // The result of a call that may have met the sink's first refusal.
  Result<Unit, SimError> report() {
    if (!failed || failure_told) return Unit{};
    failure_told = true;
    return SimError::kWriteFailed;
  }

  ByteSink* sink;
  RecordingOptions options;
  std::uint64_t written_bytes = 0;
  std::uint64_t next_tick = 0;
  std::uint64_t tick_count = 0;
  std::uint64_t input_count = 0;
  bool begun = false;
  bool closed = false;
  bool failed = false;
  bool failure_told = false;
  std::vector<schema::ChunkEntry> entries;
  // Ticks that wait for their chunk.
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint32_t> input_counts;
  std::vector<std::byte> inputs;
};

bool RecordingWriter::Impl::write_header(const Simulation& simulation, const Scene* scene) {
  if (!write(encode_file_head(kRecordingVersion))) return false;
  entries.emplace_back(written_bytes, simulation.tick(), static_cast<std::uint32_t>(ChunkKind::kHeader), 0);
  return write(encode_header(head_of(simulation, scene, options.created_by), simulation.tick()));
}

bool RecordingWriter::Impl::write_image(const Simulation& simulation, std::uint64_t hash) {
  entries.emplace_back(written_bytes, simulation.tick(), static_cast<std::uint32_t>(ChunkKind::kImage), 0);
  return write(encode_image(simulation.tick(), hash, simulation.save()));
}

bool RecordingWriter::Impl::write_ticks() {
  if (hashes.empty()) return !failed;
  flatbuffers::FlatBufferBuilder builder;
  std::uint64_t const first_tick = next_tick - hashes.size();
  auto const hash_list = builder.CreateVector(hashes);
  auto const count_list = builder.CreateVector(input_counts);
  auto const input_bytes = put_bytes(builder, inputs);
  auto const ticks = schema::CreateRecordingTicks(builder, first_tick, hash_list, count_list, input_bytes);
  finish(builder, schema::RecordingPayload::RecordingTicks, ticks.Union());
  auto const count = static_cast<std::uint32_t>(hashes.size());
  hashes.clear();
  input_counts.clear();
  inputs.clear();
  if (inputs.capacity() > kKeptInputBytes) inputs.shrink_to_fit();
  return write_chunk(ChunkKind::kTicks, first_tick, count, builder);
}

bool RecordingWriter::Impl::write_index() {
  std::uint64_t const offset = written_bytes;
  flatbuffers::FlatBufferBuilder builder;
  auto const chunks = builder.CreateVectorOfStructs(entries);
  auto const index = schema::CreateRecordingIndex(builder, chunks, next_tick, input_count);
  finish(builder, schema::RecordingPayload::RecordingIndex, index.Union());
  std::vector<std::byte> tail;
  ByteWriter out(tail);
  out.put(kRecordingTailMagic);
  out.put(offset);
  return write_chunk(ChunkKind::kIndex, next_tick, 0, builder) && write(tail);
}

RecordingWriter::RecordingWriter(ByteSink& sink, RecordingOptions options)
    : impl_(std::make_unique<Impl>(sink, std::move(options))) {
  TAKT_ASSERT(impl_->options.image_every_ticks >= 1 && impl_->options.ticks_per_chunk >= 1 &&
              impl_->options.ticks_per_chunk <= 3600);
}
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;
RecordingWriter& RecordingWriter::operator=(RecordingWriter&&) noexcept = default;
RecordingWriter::~RecordingWriter() = default;

Result<Unit, SimError> RecordingWriter::begin(const Simulation& simulation, const Scene* scene) {
  TAKT_ASSERT(!impl_->begun);
  impl_->begun = true;
  impl_->next_tick = simulation.tick();
  (void)(impl_->write_header(simulation, scene) && impl_->write_image(simulation, simulation.hash()));
  return impl_->report();
}

Result<Unit, SimError> RecordingWriter::append(const Simulation& simulation, std::span<const Input> inputs,
                                               const TickResult& result) {
  Impl& w = *impl_;
  TAKT_ASSERT(w.begun && !w.closed);
  if (w.failed) return w.report();  // the tick may be of another world by now
  TAKT_ASSERT(result.tick == w.next_tick + 1 && simulation.tick() == result.tick);
  ++w.next_tick;
  encode_sorted(inputs, w.inputs);
  w.hashes.push_back(result.hash);
  w.input_counts.push_back(static_cast<std::uint32_t>(inputs.size()));
  w.input_count += inputs.size();
  ++w.tick_count;
  bool const image_due = result.tick % w.options.image_every_ticks == 0;
  bool const is_full = w.hashes.size() >= w.options.ticks_per_chunk || w.inputs.size() >= kFullInputBytes;
  if (image_due || is_full) (void)w.write_ticks();
  if (image_due) (void)w.write_image(simulation, result.hash);
  return w.report();
}

Result<Unit, SimError> RecordingWriter::flush() {
  (void)impl_->write_ticks();
  return impl_->report();
}

Result<Unit, SimError> RecordingWriter::close() {
  TAKT_ASSERT(impl_->begun && !impl_->closed);
  impl_->closed = true;
  (void)(impl_->write_ticks() && impl_->write_index());
  return impl_->report();
}

bool RecordingWriter::failed() const noexcept { return impl_->failed; }
std::uint64_t RecordingWriter::written_bytes() const noexcept { return impl_->written_bytes; }
std::uint64_t RecordingWriter::tick_count() const noexcept { return impl_->tick_count; }
std::size_t RecordingWriter::waiting_bytes() const noexcept { return impl_->inputs.size(); }

bool MemorySink::write(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return true;
}

}  // namespace takt::sim
