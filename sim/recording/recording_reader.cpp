#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "sim/recording/recording_chunk.h"
#include "takt/core/bytes.h"
#include "takt/sim/recording.h"

namespace takt::sim {
namespace {

struct Place {
  std::uint64_t offset = 0;
  std::uint64_t first_tick = 0;
  std::uint32_t tick_count = 0;
};

std::span<const std::byte> bytes_of(const flatbuffers::Vector<std::uint8_t>* list) {
  if (list == nullptr) return {};
  return std::as_bytes(std::span(list->data(), list->size()));
}

std::string text_of(const flatbuffers::String* text) { return text != nullptr ? text->str() : std::string(); }

// The lengths of a ticks chunk agree with one another and its head.
bool is_sound(const Chunk& chunk, const schema::RecordingTicks& ticks) {
  return ticks.hashes() != nullptr && ticks.input_counts() != nullptr &&
         ticks.hashes()->size() == ticks.input_counts()->size() && ticks.hashes()->size() > 0 &&
         ticks.first_tick() == chunk.first_tick;
}

bool is_sound(const Chunk& chunk, const schema::RecordingInputs& inputs) {
  return inputs.input_counts() != nullptr && inputs.input_counts()->size() > 0 &&
         inputs.first_tick() == chunk.first_tick;
}

bool is_sound(const Chunk& chunk, const schema::RecordingHashes& hashes) {
  return hashes.hashes() != nullptr && hashes.hashes()->size() > 0 && hashes.first_tick() == chunk.first_tick;
}

// All ticks of a chunk, or nothing if its inputs do not decode to the last byte. Hashes of a journal come
// from other chunks.
template <class Table>
std::optional<std::vector<RecordedTick>> decode_ticks(const Table& table) {
  ByteReader in(bytes_of(table.inputs()));
  std::vector<RecordedTick> ticks(table.input_counts()->size());
  for (flatbuffers::uoffset_t i = 0; i < table.input_counts()->size(); ++i) {
    RecordedTick& tick = ticks[i];
    tick.tick = table.first_tick() + i;
    if constexpr (std::is_same_v<Table, schema::RecordingTicks>) {
      tick.hash_after = table.hashes()->Get(i);
    } else {
      tick.has_hash = false;
    }
    for (std::uint32_t k = 0; k < table.input_counts()->Get(i); ++k) {
      Result<Input, SimError> input = decode_input(in);
      if (!input) return std::nullopt;
      tick.inputs.push_back(*std::move(input));
    }
  }
  if (in.remaining() != 0) return std::nullopt;
  return ticks;
}

}  // namespace

struct RecordingReader::Impl {
  explicit Impl(const ByteSource& s) : source(&s) {}

  Result<Unit, SimError> open();
  bool open_by_index();
  Result<Unit, SimError> open_by_scan();
  bool take_header(const Chunk& chunk);
  bool take_scanned(const Chunk& chunk);
  bool take_of_journal(const Chunk& chunk);
  void find_end_of_journal();
  [[nodiscard]] Result<std::vector<RecordedTick>, SimError> load_ticks(const Place& place) const;
  [[nodiscard]] bool add_hashes(std::vector<RecordedTick>& ticks) const;
  void take_place(ChunkKind kind, const Place& place);
  [[nodiscard]] Result<Chunk, SimError> load_image(std::uint64_t tick) const;

  const ByteSource* source;
  RecordingInfo info;
  std::vector<std::byte> scene;
  std::vector<Place> images;  // ascending ticks
  std::vector<std::uint64_t> image_ticks;
  std::vector<Place> tick_chunks;  // ascending, without gaps; of a journal those of inputs
  std::vector<Place> hash_chunks;  // of a journal: ascending, perhaps with gaps
  bool last_is_in_work = false;    // of a journal: as its last chunk of inputs states
  // The chunk that was read last.
  mutable std::vector<RecordedTick> kept_ticks;
  mutable std::vector<std::uint64_t> kept_hashes;
  mutable std::uint64_t kept_hash_offset = 0;  // 0 = none
};

bool RecordingReader::Impl::take_header(const Chunk& chunk) {
  if (chunk.kind != ChunkKind::kHeader) return false;
  auto const* const header = chunk.root().payload_as_RecordingHeader();
  bool const is_known = header->numbers() == schema::RecordedNumbers::float_mode ||
                        header->numbers() == schema::RecordedNumbers::fixed_mode;
  if (!is_known || header->first_tick() != chunk.first_tick) return false;
  info.created_by = text_of(header->created_by());
  info.scene_title = text_of(header->scene_title());
  info.game_name = text_of(header->game_name());
  info.numbers = static_cast<NumbersMode>(header->numbers());
  info.scene_hash = header->scene_hash();
  info.tick_rate_hz = header->tick_rate_hz();
  info.substeps = header->substeps();
  info.first_tick = header->first_tick();
  info.end_tick = header->first_tick();
  auto const binary = bytes_of(header->scene());
  scene.assign(binary.begin(), binary.end());
  return true;
}

void RecordingReader::Impl::take_place(ChunkKind kind, const Place& place) {
  if (kind == ChunkKind::kImage) {
    images.push_back(place);
    image_ticks.push_back(place.first_tick);
  } else if (kind == ChunkKind::kHashes) {
    hash_chunks.push_back(place);
  } else {
    tick_chunks.push_back(place);
    info.end_tick = place.first_tick + place.tick_count;
  }
}

// One chunk behind the header, while scanning: false when it does not continue what came before.
bool RecordingReader::Impl::take_scanned(const Chunk& chunk) {
  if (chunk.first_tick != info.end_tick) return false;
  if (chunk.kind == ChunkKind::kImage) {
    auto const* const image = chunk.root().payload_as_RecordingImage();
    bool const is_new = images.empty() || images.back().first_tick < chunk.first_tick;
    if (!is_new || image->tick() != chunk.first_tick || image->image() == nullptr) return false;
    take_place(chunk.kind, {chunk.offset, chunk.first_tick, 0});
    return true;
  }
  if (chunk.kind != ChunkKind::kTicks || images.empty()) return false;
  auto const* const ticks = chunk.root().payload_as_RecordingTicks();
  if (!is_sound(chunk, *ticks) || !decode_ticks(*ticks)) return false;
  for (std::uint32_t const count : *ticks->input_counts()) info.input_count += count;
  take_place(chunk.kind, {chunk.offset, chunk.first_tick, ticks->hashes()->size()});
  return true;
}

// take_scanned() of a journal, whose hashes and images come some time after the inputs.
bool RecordingReader::Impl::take_of_journal(const Chunk& chunk) {
  if (chunk.kind == ChunkKind::kImage) {
    auto const* const image = chunk.root().payload_as_RecordingImage();
    bool const is_new =
        images.empty() ? chunk.first_tick == info.end_tick : images.back().first_tick < chunk.first_tick;
    if (!is_new || chunk.first_tick > info.end_tick || image->tick() != chunk.first_tick ||
        image->image() == nullptr)
      return false;
    take_place(chunk.kind, {chunk.offset, chunk.first_tick, 0});
    return true;
  }
  if (images.empty()) return false;
  if (const auto* inputs = chunk.root().payload_as_RecordingInputs()) {
    if (chunk.first_tick != info.end_tick || !is_sound(chunk, *inputs) || !decode_ticks(*inputs))
      return false;
    for (std::uint32_t const count : *inputs->input_counts()) info.input_count += count;
    last_is_in_work = inputs->in_work();
    take_place(chunk.kind, {chunk.offset, chunk.first_tick, inputs->input_counts()->size()});
    return true;
  }
  const auto* hashes = chunk.root().payload_as_RecordingHashes();
  if (hashes == nullptr || !is_sound(chunk, *hashes)) return false;
  std::uint64_t const earliest =
      hash_chunks.empty() ? info.first_tick : hash_chunks.back().first_tick + hash_chunks.back().tick_count;
  if (chunk.first_tick < earliest || hashes->hashes()->size() > info.end_tick - chunk.first_tick ||
      chunk.first_tick > info.end_tick)
    return false;
  take_place(chunk.kind, {chunk.offset, chunk.first_tick, hashes->hashes()->size()});
  return true;
}

// A journal that was closed ends with an index, which lists no chunks, and a tail.
void RecordingReader::Impl::find_end_of_journal() {
  if (info.size_bytes < info.cut_at_bytes || info.size_bytes - info.cut_at_bytes < kRecordingTailBytes)
    return;
  Result<Chunk, SimError> const index = load_chunk(*source, info.cut_at_bytes);
  std::byte tail[kRecordingTailBytes];
  if (!index || index->kind != ChunkKind::kIndex ||
      index->end_offset != info.size_bytes - kRecordingTailBytes || !source->read(index->end_offset, tail))
    return;
  if (load_little_endian<std::uint64_t>(tail) != kRecordingTailMagic ||
      load_little_endian<std::uint64_t>(tail + 8) != info.cut_at_bytes)
    return;
  info.closed = true;
  info.cut_at_bytes = info.size_bytes;
}

// True when a whole index leads to every chunk; what was taken is then complete. The chunks' own checks come
// when they are read.
bool RecordingReader::Impl::open_by_index() {
  std::uint64_t const size = info.size_bytes;
  if (size < kRecordingHeadBytes + kRecordingTailBytes) return false;
  std::byte tail[kRecordingTailBytes];
  if (!source->read(size - kRecordingTailBytes, tail)) return false;
  if (load_little_endian<std::uint64_t>(tail) != kRecordingTailMagic) return false;
  std::uint64_t const index_offset = load_little_endian<std::uint64_t>(tail + 8);
  Result<Chunk, SimError> const chunk = load_chunk(*source, index_offset);
  if (!chunk || chunk->kind != ChunkKind::kIndex || chunk->end_offset != size - kRecordingTailBytes)
    return false;
  auto const* const index = chunk->root().payload_as_RecordingIndex();
  if (index->chunks() == nullptr || index->chunks()->size() < 2) return false;
  std::uint64_t earlier_offset = 0;
  for (flatbuffers::uoffset_t i = 0; i < index->chunks()->size(); ++i) {
    schema::ChunkEntry const& entry = *index->chunks()->Get(i);
    auto const kind = static_cast<ChunkKind>(entry.kind());
    if (entry.offset() <= earlier_offset || entry.offset() >= index_offset) return false;
    earlier_offset = entry.offset();
    if (i == 0) {
      Result<Chunk, SimError> const header = load_chunk(*source, entry.offset());
      if (!header || !take_header(*header)) return false;
      continue;
    }
    bool const is_image = kind == ChunkKind::kImage;
    bool const is_ticks = kind == ChunkKind::kTicks && entry.tick_count() > 0 && !images.empty();
    if ((!is_image && !is_ticks) || entry.first_tick() != info.end_tick) return false;
    if (is_image && !images.empty() && images.back().first_tick == entry.first_tick()) return false;
    take_place(kind, {entry.offset(), entry.first_tick(), entry.tick_count()});
  }
  if (index->end_tick() != info.end_tick || images.empty()) return false;
  info.input_count = index->input_count();
  info.closed = true;
  info.cut_at_bytes = size;
  return true;
}

Result<Unit, SimError> RecordingReader::Impl::open_by_scan() {
  std::uint64_t offset = kRecordingHeadBytes;
  bool has_header = false;
  for (;;) {
    Result<Chunk, SimError> const chunk = load_chunk(*source, offset);
    if (!chunk) {
      if (chunk.error() == SimError::kReadFailed) return chunk.error();
      break;
    }
    if (!has_header) {
      if (!take_header(*chunk)) break;
      has_header = true;
    } else if (info.version == kJournalVersion ? !take_of_journal(*chunk) : !take_scanned(*chunk)) {
      break;
    }
    offset = chunk->end_offset;
  }
  info.cut_at_bytes = offset;
  if (!has_header || images.empty()) return SimError::kRecordingEmpty;
  if (info.version == kJournalVersion) {
    find_end_of_journal();
    bool const is_proved = !hash_chunks.empty() &&
                           hash_chunks.back().first_tick + hash_chunks.back().tick_count == info.end_tick;
    info.is_last_in_work = last_is_in_work && !is_proved;
  }
  return Unit{};
}

Result<Unit, SimError> RecordingReader::Impl::open() {
  info = RecordingInfo{};
  info.size_bytes = source->size_bytes();
  if (info.size_bytes < kRecordingHeadBytes) return SimError::kNotRecording;
  std::byte head[kRecordingHeadBytes];
  if (!source->read(0, head)) return SimError::kReadFailed;
  if (load_little_endian<std::uint64_t>(head) != kRecordingMagic) return SimError::kNotRecording;
  info.version = load_little_endian<std::uint32_t>(head + 8);
  if (info.version != kRecordingVersion && info.version != kJournalVersion)
    return SimError::kRecordingVersion;
  if (info.version == kJournalVersion || !open_by_index()) {
    // Start again: the index may have led halfway.
    RecordingInfo fresh;
    fresh.size_bytes = info.size_bytes;
    fresh.version = info.version;
    info = fresh;
    images.clear();
    image_ticks.clear();
    tick_chunks.clear();
    Result<Unit, SimError> scanned = open_by_scan();
    if (!scanned) return scanned;
  }
  info.image_count = images.size();
  return Unit{};
}

Result<Chunk, SimError> RecordingReader::Impl::load_image(std::uint64_t tick) const {
  auto const at = std::ranges::lower_bound(images, tick, {}, &Place::first_tick);
  if (at == images.end() || at->first_tick != tick) return SimError::kTickOutOfRange;
  Result<Chunk, SimError> chunk = load_chunk(*source, at->offset);
  if (!chunk) return chunk;
  bool const is_image = chunk->kind == ChunkKind::kImage &&
                        chunk->root().payload_as_RecordingImage()->tick() == tick &&
                        chunk->root().payload_as_RecordingImage()->image() != nullptr;
  if (!is_image) return SimError::kRecordingDamaged;
  return chunk;
}

Result<std::vector<RecordedTick>, SimError> RecordingReader::Impl::load_ticks(const Place& place) const {
  Result<Chunk, SimError> const chunk = load_chunk(*source, place.offset);
  if (!chunk) return chunk.error();
  std::optional<std::vector<RecordedTick>> ticks;
  if (const auto* table = chunk->root().payload_as_RecordingTicks()) {
    if (is_sound(*chunk, *table)) ticks = decode_ticks(*table);
  } else if (const auto* inputs = chunk->root().payload_as_RecordingInputs()) {
    if (is_sound(*chunk, *inputs)) ticks = decode_ticks(*inputs);
    if (ticks && !add_hashes(*ticks)) ticks.reset();
  }
  if (!ticks || chunk->first_tick != place.first_tick || ticks->size() != place.tick_count)
    return SimError::kRecordingDamaged;
  return *std::move(ticks);
}

// Fills in the hashes that the journal has of these ticks; false when it cannot be read.
bool RecordingReader::Impl::add_hashes(std::vector<RecordedTick>& ticks) const {
  std::uint64_t const first = ticks.front().tick;
  std::uint64_t const end = first + ticks.size();
  auto at = std::ranges::upper_bound(hash_chunks, first, {}, &Place::first_tick);
  if (at != hash_chunks.begin()) --at;
  for (; at != hash_chunks.end() && at->first_tick < end; ++at) {
    if (kept_hash_offset != at->offset) {
      Result<Chunk, SimError> const chunk = load_chunk(*source, at->offset);
      const auto* const table = chunk ? chunk->root().payload_as_RecordingHashes() : nullptr;
      if (table == nullptr || !is_sound(*chunk, *table) || table->hashes()->size() != at->tick_count)
        return false;
      kept_hashes.assign(table->hashes()->begin(), table->hashes()->end());
      kept_hash_offset = at->offset;
    }
    for (std::uint64_t tick = std::max(first, at->first_tick);
         tick < std::min(end, at->first_tick + at->tick_count); ++tick) {
      ticks[tick - first].hash_after = kept_hashes[tick - at->first_tick];
      ticks[tick - first].has_hash = true;
    }
  }
  return true;
}

RecordingReader::RecordingReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;
RecordingReader::~RecordingReader() = default;

Result<RecordingReader, SimError> RecordingReader::open(const ByteSource& source) {
  auto impl = std::make_unique<Impl>(source);
  Result<Unit, SimError> const opened = impl->open();
  if (!opened) return opened.error();
  return RecordingReader(std::move(impl));
}

const RecordingInfo& RecordingReader::info() const noexcept { return impl_->info; }
std::span<const std::byte> RecordingReader::scene_binary() const noexcept { return impl_->scene; }
std::span<const std::uint64_t> RecordingReader::image_ticks() const noexcept { return impl_->image_ticks; }

Result<std::vector<std::byte>, SimError> RecordingReader::image(std::uint64_t tick) const {
  Result<Chunk, SimError> const chunk = impl_->load_image(tick);
  if (!chunk) return chunk.error();
  auto const bytes = bytes_of(chunk->root().payload_as_RecordingImage()->image());
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

Result<std::uint64_t, SimError> RecordingReader::image_hash(std::uint64_t tick) const {
  Result<Chunk, SimError> const chunk = impl_->load_image(tick);
  if (!chunk) return chunk.error();
  return chunk->root().payload_as_RecordingImage()->hash();
}

Result<RecordedTick, SimError> RecordingReader::tick(std::uint64_t tick) const {
  Impl& r = *impl_;
  if (tick < r.info.first_tick || tick >= r.info.end_tick) return SimError::kTickOutOfRange;
  auto const is_kept = [&] {
    return !r.kept_ticks.empty() && tick >= r.kept_ticks.front().tick && tick <= r.kept_ticks.back().tick;
  };
  if (!is_kept()) {
    auto const after = std::ranges::upper_bound(r.tick_chunks, tick, {}, &Place::first_tick);
    Place const& place = *std::prev(after);
    Result<std::vector<RecordedTick>, SimError> ticks = r.load_ticks(place);
    if (!ticks) return ticks.error();
    r.kept_ticks = *std::move(ticks);
  }
  return r.kept_ticks[tick - r.kept_ticks.front().tick];
}

bool MemorySource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > bytes_.size() || out.size() > bytes_.size() - offset) return false;
  if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  return true;
}

}  // namespace takt::sim
