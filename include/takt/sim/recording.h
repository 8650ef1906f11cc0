// A recording is a sequence of chunks with checksums, from which a simulation can be repeated. The chunks
// have a header, the image (saved state) at the start, the inputs and hash of every tick, later images, and
// an index. RecordingWriter writes a recording while the simulation runs. A journal is a recording whose
// inputs are written before their step; server/journal.h writes journals. RecordingReader reads both. If a
// recording was cut short, RecordingReader reads all whole chunks before the cut, provided that the first
// image is among them. Bytes go to a ByteSink and come from a ByteSource, which the caller implements;
// MemorySink and MemorySource are in memory. docs/RECORDING.md has the byte tables, schemas/recording.fbs the
// payloads of chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "takt/core/result.h"
#include "takt/sim/command.h"
#include "takt/sim/error.h"
#include "takt/sim/simulation.h"

namespace takt::sim {

/// The destination of a recording, such as a file. The writer calls it on the thread of its own calls.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Appends all of the bytes, or returns false (disk full, file gone). After false the writer calls it no
  /// more.
  [[nodiscard]] virtual bool write(std::span<const std::byte> bytes) = 0;
};

/// The bytes of a recording to read; they must not change while a reader uses them.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;
  /// Fills all of `out` with the bytes from `offset` on; false when it cannot.
  [[nodiscard]] virtual bool read(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

// Byte tables in docs/RECORDING.md; a test compares the two.
inline constexpr std::uint64_t kRecordingMagic = 0x000A314345524B54ull;  ///< "TKREC1\n\0"
inline constexpr std::uint32_t kRecordingVersion = 1;   ///< inputs and hashes of a tick together
inline constexpr std::uint32_t kJournalVersion = 2;     ///< inputs before the step, hashes and images later
inline constexpr std::size_t kRecordingHeadBytes = 16;  ///< magic, version, reserved
inline constexpr std::uint32_t kChunkMagic = 0x4B434B54u;  ///< "TKCK"
inline constexpr std::size_t kChunkHeadBytes =
    32;  ///< magic, kind, payload bytes, reserved, first tick, checksum
inline constexpr std::uint64_t kRecordingTailMagic = 0x00000A444E454B54ull;  ///< "TKEND\n\0\0"
inline constexpr std::size_t kRecordingTailBytes = 16;      ///< tail magic, offset of the index chunk
inline constexpr std::uint32_t kMaxChunkBytes = 1u << 30u;  ///< of one payload

/// The kinds of chunks. Frozen values.
enum class ChunkKind : std::uint32_t {
  kHeader = 1,  ///< scene, numbers mode, versions; first and once
  kImage = 2,   ///< a simulation image at a tick
  kTicks = 3,   ///< inputs and hashes of consecutive ticks
  kIndex = 4,   ///< where the other chunks are; last and once, only after close()
  kInputs = 5,  ///< journal: inputs of consecutive ticks, written before the last of them is stepped
  kHashes = 6,  ///< journal: hashes after consecutive ticks
};

struct RecordingOptions {
  std::uint32_t image_every_ticks = 600;  ///< an image at every multiple of this tick, at least 1: 10 s at 60
                                          ///< Hz; smaller = faster seek, larger file
  std::uint32_t ticks_per_chunk = 60;     ///< ticks written together, [1, 3600]: a crash loses up to so many
  std::string created_by;                 ///< program and version, for people
};

/// Writes a recording while the simulation runs. When the sink fails, the recording ends and the simulation
/// can go on: one call returns kWriteFailed, and later calls do nothing and succeed. The bytes before form a
/// valid recording with a cut end.
class RecordingWriter {
 public:
  /// `sink` must outlive the writer. The ranges of `options` are asserted.
  explicit RecordingWriter(ByteSink& sink, RecordingOptions options = {});
  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) noexcept;
  ~RecordingWriter();  ///< neither flushes nor closes: call close()

  /// Writes the header and the first image, from which a replay starts. `scene` is stored for people and
  /// tools, and may be null. Call begin() once (asserted), before the others.
  Result<Unit, SimError> begin(const Simulation& simulation, const Scene* scene);
  /// Records the tick that simulation.step(inputs) has just computed with TickOptions::want_hash. Every tick
  /// must be appended, in order (asserted, unless the sink has failed). Each input must fit encode()
  /// (asserted): a caller with texts and lists of others checks their sizes before.
  Result<Unit, SimError> append(const Simulation& simulation, std::span<const Input> inputs,
                                const TickResult& result);
  /// Gives the sink the ticks that wait for their chunk.
  Result<Unit, SimError> flush();
  /// Flushes and writes the index. Call close() at most once, after begin(); no append() may follow (both
  /// asserted). A reader of a recording without index scans all chunks.
  Result<Unit, SimError> close();

  [[nodiscard]] bool failed() const noexcept;                  ///< the sink has refused bytes
  [[nodiscard]] std::uint64_t written_bytes() const noexcept;  ///< accepted by the sink so far
  [[nodiscard]] std::uint64_t tick_count() const noexcept;     ///< appended so far
  [[nodiscard]] std::size_t waiting_bytes() const noexcept;  ///< of encoded inputs that wait for their chunk

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The description of a recording. Texts and numbers of the file's header are untrusted.
struct RecordingInfo {
  std::string created_by;
  std::string scene_title;
  std::string game_name;  ///< empty = none
  NumbersMode numbers = NumbersMode::kFloat;
  std::uint64_t scene_hash = 0;
  std::uint32_t tick_rate_hz = 60;
  std::uint32_t substeps = 4;
  std::uint64_t first_tick = 0;  ///< of the first image
  std::uint64_t end_tick = 0;    ///< of the state after the last recorded tick
  std::uint64_t input_count = 0;
  std::uint64_t image_count = 0;
  std::uint64_t size_bytes = 0;
  std::uint32_t version = kRecordingVersion;
  bool is_last_in_work = false;    ///< a journal's last tick has inputs and no sign that its step ended
  bool closed = false;             ///< the recording has an index and a tail that fit its chunks
  std::uint64_t cut_at_bytes = 0;  ///< closed: the size; else the offset of the first byte that no whole
                                   ///< chunk before contains
};

/// One recorded step, from the state of `tick` to that of tick + 1.
struct RecordedTick {
  std::uint64_t tick = 0;
  std::uint64_t hash_after = 0;  ///< state hash of tick + 1
  std::vector<Input> inputs;     ///< in (player, sequence) order
  bool has_hash = true;          ///< false: a journal has no hash of this step, and hash_after is 0

  /// True unless the recording states another hash.
  [[nodiscard]] bool agrees(std::uint64_t hash) const noexcept { return !has_hash || hash == hash_after; }
};

/// Reads a recording of untrusted bytes. The reader checks sizes, checksums and structure of each chunk
/// before it uses the chunk; Simulation::restore checks the content of images. One thread at a time uses a
/// reader, const calls included.
class RecordingReader {
 public:
  /// Finds the chunks by the index. A journal, and a recording without a fitting index, is scanned up to its
  /// first damage. `source` must outlive the reader. Errors: kReadFailed, kNotRecording, kRecordingVersion,
  /// kRecordingEmpty.
  [[nodiscard]] static Result<RecordingReader, SimError> open(const ByteSource& source);
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;
  ~RecordingReader();

  [[nodiscard]] const RecordingInfo& info() const noexcept;
  /// The scene's binary form (Scene::binary) without a check; empty when begin() had no scene.
  [[nodiscard]] std::span<const std::byte> scene_binary() const noexcept;
  /// Ticks that have an image, ascending; the first is info().first_tick.
  [[nodiscard]] std::span<const std::uint64_t> image_ticks() const noexcept;
  /// Returns the image of one of image_ticks(), for Simulation::restore. Errors of the three calls:
  /// kTickOutOfRange, kReadFailed, kRecordingDamaged.
  [[nodiscard]] Result<std::vector<std::byte>, SimError> image(std::uint64_t tick) const;
  /// Returns the state hash that the recording states for the image of that tick.
  [[nodiscard]] Result<std::uint64_t, SimError> image_hash(std::uint64_t tick) const;
  /// Returns the recorded step of a tick in [first_tick, end_tick). The reader keeps the last chunk, so
  /// consecutive ticks are cheap.
  [[nodiscard]] Result<RecordedTick, SimError> tick(std::uint64_t tick) const;

 private:
  struct Impl;
  explicit RecordingReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A source over bytes in memory, which the caller owns and which must outlive it.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return bytes_.size(); }
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  std::span<const std::byte> bytes_;
};

/// A sink that appends to a vector of its own. It never fails.
class MemorySink final : public ByteSink {
 public:
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override;
  [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace takt::sim
