// Calls on worlds and batches of this process that the service needs and takt.h does not have: recordings
// into memory, and steps in parts. The objects behind takt.h (c/) define them. Handles, statuses and
// takt_last_error() are those of takt.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "takt/c/takt.h"

namespace takt::service {

/// The destination of a recording. The threads that step the world call it, one at a time.
class WorldRecorder {
 public:
  virtual ~WorldRecorder() = default;
  /// An edit takes `bytes` of memory until the tick's end. False beyond a limit: the edit is then refused
  /// with TAKT_ERROR_LIMIT.
  [[nodiscard]] virtual bool add_edit(std::size_t bytes) noexcept = 0;
  /// The tick has ended. Its edits are encoded, and those that no write() has taken have `waiting_bytes`.
  virtual void end_tick(std::size_t waiting_bytes) noexcept = 0;
  /// Takes all of the bytes, or returns false: then the recording ends.
  [[nodiscard]] virtual bool write(std::span<const std::byte> bytes) = 0;
  /// The recording has ended.
  virtual void end() noexcept = 0;
};

/// takt_world_record into `recorder`. TAKT_ERROR_FILE: it took no more bytes.
[[nodiscard]] takt_status record_world(takt_world* world, std::unique_ptr<WorldRecorder> recorder);

struct StepPart {
  std::uint32_t ticks = 0;
  const std::uint8_t* where = nullptr;  ///< of a batch: a byte for each world; null = all
  takt_stop_function is_stopped = nullptr;
  void* context = nullptr;
  bool keeps_events = false;  ///< the events of the step before stay, and both are parts of one
};

/// takt_world_step_until, and takt_batch_step_until. TAKT_ERROR_FILE: a recorder took no more bytes, and
/// `has_stopped` tells of the step.
[[nodiscard]] takt_status step_part(takt_world* world, const StepPart& part, bool& has_stopped);
[[nodiscard]] takt_status step_part(takt_batch* batch, const StepPart& part, bool& has_stopped);

}  // namespace takt::service
