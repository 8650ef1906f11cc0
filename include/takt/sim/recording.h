// A recording is a file of chunks with checksums, from which a simulation can be repeated. The chunks have a
// header, the image (saved state) at the start, the inputs and hash of every tick, later images, and an
// index. RecordingWriter writes a recording while the simulation runs. RecordingReader reads it. If a
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

/// Where a recording goes. Called from the thread that records.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Takes all of the bytes, or returns false (disk full, file gone). After false nothing more is written.
  [[nodiscard]] virtual bool write(std::span<const std::byte> bytes) = 0;
};

/// Where a recording comes from; its size must not change while it is read.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;
  /// Fills `out` from `offset`; false when it cannot.
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

/// Frozen values.
enum class ChunkKind : std::uint32_t {
  kHeader = 1,  ///< scene, numbers mode, versions; first and once
  kImage = 2,   ///< a simulation image at a tick
  kTicks = 3,   ///< inputs and hashes of consecutive ticks
  kIndex = 4,   ///< where the other chunks are; last and once, only after close()
  kInputs = 5,  ///< journal: inputs of consecutive ticks, written before the last of them is stepped
  kHashes = 6,  ///< journal: hashes after consecutive ticks
};

struct RecordingOptions {
  std::uint32_t image_every_ticks =
      600;  ///< between images, [1, 1000000]: 10 s at 60 Hz; smaller = faster seek, larger file
  std::uint32_t ticks_per_chunk = 60;  ///< at most this many ticks are lost in a crash, [1, 3600]
  std::string created_by;              ///< program and version, for people
};

/// Writes a recording as the world runs. A failed sink ends the recording, never the simulation: the call
/// that met it returns kWriteFailed, and after that the writer is inert and its calls succeed; what was
/// written before is a valid recording with a cut end.
class RecordingWriter {
 public:
  explicit RecordingWriter(ByteSink& sink, RecordingOptions options = {});
  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) noexcept;
  ~RecordingWriter();  ///< does not close: call close() to have errors

  /// Header and first image. `scene` is kept for people and tools (may be null); the image is what replay
  /// starts from.
  Result<Unit, SimError> begin(const Simulation& simulation, const Scene* scene);
  /// After simulation.step(inputs) with TickOptions::want_hash: `result` must follow the tick before
  /// (asserted, unless the sink has failed). Call it for every tick.
  Result<Unit, SimError> append(const Simulation& simulation, std::span<const Input> inputs,
                                const TickResult& result);
  /// Writes ticks that wait for their chunk, so that a crash after this loses nothing before it.
  Result<Unit, SimError> flush();
  /// flush() and the index. Without it the recording is readable, only found by scanning.
  Result<Unit, SimError> close();

  [[nodiscard]] bool failed() const noexcept;  ///< the sink refused bytes
  [[nodiscard]] std::uint64_t written_bytes() const noexcept;
  [[nodiscard]] std::uint64_t tick_count() const noexcept;  ///< appended so far

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The description of a recording.
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
  bool is_last_in_work = false;  ///< a journal's last tick has inputs and no sign that its step ended
  bool closed = false;           ///< index and tail are there
  std::uint64_t cut_at_bytes =
      0;  ///< of an unclosed recording: everything before this offset is sound; else its size
};

/// One recorded step: inputs that took `tick` to tick + 1 and the hash after it.
struct RecordedTick {
  std::uint64_t tick = 0;
  std::uint64_t hash_after = 0;
  std::vector<Input> inputs;  ///< in (player, sequence) order
  bool has_hash = true;       ///< false: a journal that ended before the hash came; hash_after is 0

  /// True unless the recording states another hash.
  [[nodiscard]] bool agrees(std::uint64_t hash) const noexcept { return !has_hash || hash == hash_after; }
};

/// Reads a recording of untrusted bytes: caps, checksums, verifier and range checks before anything is used.
class RecordingReader {
 public:
  /// Finds the chunks by the index or, when there is none or it does not fit, by scanning up to the first
  /// damage. `source` must outlive the reader. Errors: kReadFailed, kNotRecording, kRecordingVersion,
  /// kRecordingEmpty.
  [[nodiscard]] static Result<RecordingReader, SimError> open(const ByteSource& source);
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;
  ~RecordingReader();

  [[nodiscard]] const RecordingInfo& info() const noexcept;
  /// The scene's binary form; empty when none was kept.
  [[nodiscard]] std::span<const std::byte> scene_binary() const noexcept;
  /// Ticks at which there is an image, ascending; the first is info().first_tick.
  [[nodiscard]] std::span<const std::uint64_t> image_ticks() const noexcept;
  /// The image at one of image_ticks() (kTickOutOfRange otherwise).
  [[nodiscard]] Result<std::vector<std::byte>, SimError> image(std::uint64_t tick) const;
  /// The hash that the recording states for the image of that tick.
  [[nodiscard]] Result<std::uint64_t, SimError> image_hash(std::uint64_t tick) const;
  /// A recorded tick in [first_tick, end_tick). Consecutive ticks are cheap: the chunk is kept.
  [[nodiscard]] Result<RecordedTick, SimError> tick(std::uint64_t tick) const;

 private:
  struct Impl;
  explicit RecordingReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A source over bytes in memory that it does not own.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return bytes_.size(); }
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  std::span<const std::byte> bytes_;
};

/// A sink into memory.
class MemorySink final : public ByteSink {
 public:
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override;
  [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace takt::sim
