#include "sim/recording/recording_chunk.h"

#include "takt/core/bytes.h"
#include "takt/core/hash.h"

namespace takt::sim {
namespace {

constexpr std::size_t kCheckedHeadBytes =
    kChunkHeadBytes - sizeof(std::uint64_t);     // all but the checksum itself
constexpr flatbuffers::uoffset_t kMaxDepth = 4;  // chunk > payload
constexpr flatbuffers::uoffset_t kMaxTables = 4;

static_assert(static_cast<int>(schema::RecordingPayload::RecordingHeader) ==
              static_cast<int>(ChunkKind::kHeader));
static_assert(static_cast<int>(schema::RecordingPayload::RecordingImage) ==
              static_cast<int>(ChunkKind::kImage));
static_assert(static_cast<int>(schema::RecordingPayload::RecordingTicks) ==
              static_cast<int>(ChunkKind::kTicks));
static_assert(static_cast<int>(schema::RecordingPayload::RecordingIndex) ==
              static_cast<int>(ChunkKind::kIndex));
static_assert(static_cast<int>(schema::RecordingPayload::RecordingInputs) ==
              static_cast<int>(ChunkKind::kInputs));
static_assert(static_cast<int>(schema::RecordingPayload::RecordingHashes) ==
              static_cast<int>(ChunkKind::kHashes));

std::uint64_t checksum_of(std::span<const std::byte> head, std::span<const std::byte> payload) {
  return hash_bytes(payload, hash_bytes(head.first(kCheckedHeadBytes)));
}

// FlatBuffers' Verifier checks the alignment of scalars, not of what a vector holds: 64-bit elements may
// stand anywhere in a crafted buffer.
template <class Vector>
bool is_aligned(const Vector* vector) {
  return vector == nullptr || reinterpret_cast<std::uintptr_t>(vector->Data()) % alignof(std::uint64_t) == 0;
}

bool has_aligned_vectors(const schema::RecordingChunk& root) {
  if (const auto* ticks = root.payload_as_RecordingTicks()) return is_aligned(ticks->hashes());
  if (const auto* hashes = root.payload_as_RecordingHashes()) return is_aligned(hashes->hashes());
  if (const auto* index = root.payload_as_RecordingIndex()) return is_aligned(index->chunks());
  return true;
}

}  // namespace

std::vector<std::byte> frame_chunk(ChunkKind kind, std::uint64_t first_tick,
                                   const flatbuffers::FlatBufferBuilder& builder) {
  auto const payload = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
  TAKT_ASSERT(payload.size() <= kMaxChunkBytes);
  std::vector<std::byte> bytes;
  bytes.reserve(kChunkHeadBytes + payload.size());
  ByteWriter out(bytes);
  out.put(kChunkMagic);
  out.put(static_cast<std::uint32_t>(kind));
  out.put(static_cast<std::uint32_t>(payload.size()));
  out.put(std::uint32_t{0});
  out.put(first_tick);
  out.put(checksum_of(bytes, payload));
  out.put_bytes(payload);
  return bytes;
}

Result<Chunk, SimError> load_chunk(const ByteSource& source, std::uint64_t offset) {
  std::uint64_t const size = source.size_bytes();
  if (offset > size || size - offset < kChunkHeadBytes) return SimError::kRecordingDamaged;
  std::byte head[kChunkHeadBytes];
  if (!source.read(offset, head)) return SimError::kReadFailed;
  ByteReader in(head);
  auto const magic = in.get<std::uint32_t>();
  auto const kind = in.get<std::uint32_t>();
  auto const payload_bytes = in.get<std::uint32_t>();
  auto const reserved = in.get<std::uint32_t>();
  Chunk chunk;
  chunk.first_tick = in.get<std::uint64_t>();
  auto const checksum = in.get<std::uint64_t>();
  bool const is_sound = magic == kChunkMagic && kind >= 1 && kind <= 6 && reserved == 0 &&
                        payload_bytes <= kMaxChunkBytes && payload_bytes <= size - offset - kChunkHeadBytes;
  if (!is_sound) return SimError::kRecordingDamaged;
  chunk.kind = static_cast<ChunkKind>(kind);
  chunk.offset = offset;
  chunk.end_offset = offset + kChunkHeadBytes + payload_bytes;
  chunk.payload.resize(payload_bytes);
  if (!source.read(offset + kChunkHeadBytes, chunk.payload)) return SimError::kReadFailed;
  if (checksum_of(head, chunk.payload) != checksum) return SimError::kRecordingDamaged;
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(chunk.payload.data()),
                                 chunk.payload.size(), kMaxDepth, kMaxTables);
  if (!schema::VerifyRecordingChunkBuffer(verifier)) return SimError::kRecordingDamaged;
  if (static_cast<std::uint32_t>(chunk.root().payload_type()) != kind || chunk.root().payload() == nullptr)
    return SimError::kRecordingDamaged;
  if (!has_aligned_vectors(chunk.root())) return SimError::kRecordingDamaged;
  return chunk;
}

}  // namespace takt::sim
