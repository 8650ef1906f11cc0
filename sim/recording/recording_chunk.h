// frame_chunk() returns the bytes of one chunk of a recording, and load_chunk() reads one. A chunk is a
// 32-byte head with a checksum over head and payload, and a FlatBuffers payload. load_chunk() trusts no byte:
// it checks the size limit, the checksum, FlatBuffers' Verifier, and the payload's kind against the head's.
// recording_writer.cpp and journal_chunks.cpp frame chunks. recording_reader.cpp loads them and checks their
// order; find_inputs() (journal_chunks.h) loads single ones.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schemas/recording_generated.h"
#include "takt/core/result.h"
#include "takt/sim/recording.h"

namespace takt::sim {

/// A chunk whose payload has passed every check.
struct Chunk {
  ChunkKind kind = ChunkKind::kHeader;
  std::uint64_t first_tick = 0;
  std::uint64_t offset = 0;      ///< of the head in the source
  std::uint64_t end_offset = 0;  ///< of the first byte after the payload
  std::vector<std::byte> payload;

  /// The payload's table, as long as the payload lives.
  [[nodiscard]] const schema::RecordingChunk& root() const {
    return *schema::GetRecordingChunk(payload.data());
  }
};

/// Head and payload of a chunk; `builder` is finished, with at most kMaxChunkBytes (asserted).
[[nodiscard]] std::vector<std::byte> frame_chunk(ChunkKind kind, std::uint64_t first_tick,
                                                 const flatbuffers::FlatBufferBuilder& builder);

/// The chunk at `offset`. Errors: kReadFailed (the source), kRecordingDamaged (cut or damaged).
[[nodiscard]] Result<Chunk, SimError> load_chunk(const ByteSource& source, std::uint64_t offset);

}  // namespace takt::sim
