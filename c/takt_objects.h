// Functions that several sources of takt.h share: options of worlds, and calls with a world. A world of a
// batch is in use together with its batch, so that no other thread steps the batch meanwhile.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string_view>

#include "c/batch_object.h"
#include "c/call.h"
#include "c/remote_world.h"
#include "c/world_object.h"

namespace takt::c {

/// Checks options (may be null), and starts the threads. `numbers` gets the mode, or 0.
[[nodiscard]] takt_status read_options(const takt_world_options* options, std::uint32_t& numbers,
                                       StepSetting& setting);
[[nodiscard]] takt_status check_step(std::uint32_t threads, std::uint32_t lanes);
[[nodiscard]] std::shared_ptr<ThreadPool> make_pool(std::uint32_t threads);

/// Broken worlds refuse every call but those that replace their state.
enum class Broken : std::uint8_t { kRefuse, kAccept };

/// call() with a world, and its batch if it has one.
template <class Body>
takt_status call_world(const char* function, takt_world* handle, Body&& body,
                       Broken broken = Broken::kRefuse) noexcept {
  return call_with<WorldObject>(function, handle, [&](WorldObject& world) {
    std::optional<Use<BatchObject>> batch;
    if (world.batch != nullptr) {
      batch.emplace(world.batch, Access::kExclusive);
      if (batch->fault() != AcquireFault::kNone) return fail(batch->fault(), "batch");
    }
    if (world.is_broken() && broken == Broken::kRefuse)
      return fail(TAKT_ERROR_BROKEN,
                  "a call on the world ran out of memory: roll back, restore or destroy it");
    return body(world);
  });
}

/// call_world() for worlds of this process, and `remote` with a RemoteWorld for those of a service.
template <class Body, class Remote>
requires std::invocable<Remote&, RemoteWorld&> takt_status call_world(const char* function,
                                                                      takt_world* handle, Body&& body,
                                                                      Remote&& remote,
                                                                      Broken broken = Broken::kRefuse)
noexcept {
  if (kind_of(handle) == HandleKind::kRemoteWorld) return call_remote_world(function, handle, remote);
  return call_world(function, handle, body, broken);
}

/// Texts of takt_world_record and takt_world_record_stop, for worlds of this process and of a service.
inline constexpr std::string_view kIsRecording = "the world is recording: call takt_world_record_stop first";
inline constexpr std::string_view kIsNotRecording = "the world is not recording";
inline constexpr std::string_view kLostAtStop = "the file of the recording took no more bytes";
inline constexpr std::string_view kLostInStep = "the recording ended: its file takes no more bytes";

/// The status of a step whose arrays are refreshed.
[[nodiscard]] takt_status status_of(StepRecord record);

/// Refreshes the arrays of a world and of its batch after a change. The caller has both in use.
void refresh_all(WorldObject& world, BodyId body = {});

}  // namespace takt::c
