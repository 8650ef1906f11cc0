// RemoteWorld is the world behind a takt_world of a service, RemoteBatch a batch, RemoteSnapshot a snapshot,
// and RemoteService the connection of a takt_service. Their functions are those of takt.h: they check
// pointers, send one request, and store the observation of the reply in the arrays. Numbers and ids are
// checked by the service. A world of a batch has the batch's handle on the service and an index.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "c/call.h"
#include "c/file_bytes.h"
#include "c/remote_arrays.h"
#include "service/wire/frame.h"

namespace takt::service {
class ServiceClient;
}  // namespace takt::service

namespace takt::c {

struct RemoteService {
  static constexpr HandleKind kKind = HandleKind::kService;
  static constexpr std::string_view kName = "service";
  std::shared_ptr<service::ServiceClient> client;
};

struct RemoteSnapshot {
  static constexpr HandleKind kKind = HandleKind::kRemoteSnapshot;
  static constexpr std::string_view kName = "snapshot of a service";
  std::shared_ptr<service::ServiceClient> client;
  std::uint32_t handle = 0;
  std::uint64_t tick = 0;
  std::uint32_t worlds = 0;

  RemoteSnapshot() = default;
  RemoteSnapshot(const RemoteSnapshot&) = delete;
  RemoteSnapshot& operator=(const RemoteSnapshot&) = delete;
  ~RemoteSnapshot();
};

class RemoteBatch;

class RemoteWorld {
 public:
  static constexpr HandleKind kKind = HandleKind::kRemoteWorld;
  static constexpr std::string_view kName = "world";

  RemoteWorld(std::shared_ptr<service::ServiceClient> client, service::Target target)
      : client_(std::move(client)), target_(target) {}
  /// A world that the service is about to have: see set_handle().
  explicit RemoteWorld(std::shared_ptr<service::ServiceClient> client)
      : RemoteWorld(std::move(client), {0, service::kNoWorldIndex}) {}
  RemoteWorld(const RemoteWorld&) = delete;
  RemoteWorld& operator=(const RemoteWorld&) = delete;
  /// Destroys the world of the service, unless it belongs to a batch.
  ~RemoteWorld();

  void set_handle(std::uint32_t handle) noexcept { target_.handle = handle; }
  takt_status fork(takt_world** fork);
  takt_status step(std::uint32_t ticks);
  takt_status get_info(takt_world_info* info);
  takt_status hash(std::uint64_t* hash);
  takt_status find(std::uint32_t kind, const char* name, std::size_t name_bytes, std::uint64_t* id);
  takt_status list(std::uint32_t kind, std::uint64_t* ids, std::size_t capacity, std::size_t* count,
                   std::uint64_t body = 0);
  takt_status joint_state(std::uint64_t joint, std::uint32_t axis, double* value, double* rate);
  takt_status array(std::uint32_t field, takt_view* view, takt_array** hold);
  takt_status contacts(takt_contact* contacts, std::size_t capacity, std::size_t* count);
  takt_status events(takt_event* events, std::size_t capacity, std::size_t* count);
  takt_status query(const takt_query* queries, std::size_t query_count, takt_answer* answers, takt_hit* hits,
                    std::size_t hit_capacity, std::size_t* hit_count);

  takt_status impulse(std::uint64_t body, const double* impulse, const double* local_point);
  takt_status force(std::uint64_t body, const double* force, const double* torque, std::uint32_t ticks);
  takt_status teleport(std::uint64_t body, const double* position, const double* rotation,
                       const double* linear, const double* angular);
  takt_status spawn(const takt_spawn* spawn, std::uint64_t* body);
  takt_status despawn(std::uint64_t body);
  takt_status move(std::uint64_t body, const double* velocity, double turn, std::uint32_t in_heading_frame,
                   std::uint32_t jump);
  takt_status cut_rope(std::uint64_t rope, std::uint32_t segment);
  takt_status joint_motor(std::uint64_t joint, std::uint32_t axis, double speed, double max);
  takt_status joint_drive(std::uint64_t joint, std::uint32_t axis, std::uint32_t on, double target,
                          double frequency, double damping_ratio, double max);
  takt_status joint_limit(std::uint64_t joint, std::uint32_t axis, double lower, double upper);
  takt_status joint_friction(std::uint64_t joint, std::uint32_t axis, double friction);
  takt_status joint_enable(std::uint64_t joint, std::uint32_t enabled);
  takt_status destroy_joint(std::uint64_t joint);
  takt_status change_joint(std::uint64_t joint, const takt_joint_change* change);
  takt_status create_joint(const takt_joint_def* def, std::uint64_t* joint);
  takt_status change_body(std::uint64_t body, const takt_body_change* change);
  takt_status set_target(std::uint64_t body, const double* position, const double* rotation);
  takt_status change_shape(std::uint64_t shape, const takt_shape_change* change);
  takt_status tune_mover(std::uint64_t body, const takt_mover_tuning* tuning);
  takt_status create_mover(const takt_mover_def* def, const takt_mover_tuning* tuning, std::uint64_t* body);
  takt_status create_rope(const takt_rope_def* def, const double* points, std::uint64_t* rope);
  takt_status destroy_rope(std::uint64_t rope);
  takt_status rope_length(std::uint64_t rope, double segment_length);
  takt_status pin_rope(std::uint64_t rope, std::uint32_t node, std::uint64_t body, const double* point);
  takt_status unpin_rope(std::uint64_t rope, std::uint32_t node);
  takt_status grab(std::uint64_t body, const double* local_point, const double* target, double max_force);
  takt_status move_grab(const double* target);
  takt_status release();

  takt_status capture(takt_snapshot** snapshot);
  takt_status capture_into(takt_snapshot* snapshot);
  takt_status rollback(takt_snapshot* snapshot);
  takt_status save(const void** image, std::size_t* image_bytes);
  takt_status restore(const void* image, std::size_t image_bytes);
  takt_status key(std::uint8_t* key);

  /// True while the world has a recording, also one that this process could not begin or end for want of
  /// memory.
  [[nodiscard]] bool is_recording() const noexcept { return recording_ != nullptr || is_stray_; }
  /// Begins a recording into a file of this process. The world has none.
  takt_status record(const std::string& path);
  /// The world has a recording.
  takt_status record_stop();
  /// Takes bytes of the recording, if there is one, after `ticks` more. A recording whose file takes none, or
  /// that the service has cut, ends with a failure.
  takt_status follow_recording(std::uint32_t ticks);

  /// Observes the world again, if it has arrays.
  takt_status refresh();

  /// The batch that the world belongs to, and its handle; null for none.
  RemoteBatch* owner = nullptr;
  takt_batch* batch = nullptr;

 private:
  template <class Make, class Read>
  takt_status ask(std::uint32_t columns, const Make& make, const Read& read);
  template <class Make, class Read>
  takt_status read(const Make& make, const Read& read);
  template <class Make, class Read>
  takt_status change(const Make& make, const Read& read);
  template <class Make>
  takt_status change(const Make& make);
  takt_status step_part(std::uint32_t ticks, bool keeps_events);
  struct Taken;
  template <class Make>
  takt_status take_recorded(const Make& make, FileSink* sink, Taken& taken);
  takt_status begin_recording(const std::string& path);
  void abandon_recording();

  std::shared_ptr<service::ServiceClient> client_;
  service::Target target_;
  RemoteArrays arrays_{0, false};
  std::vector<std::byte> image_;         // of the last save
  std::unique_ptr<FileSink> recording_;  // null = none
  bool is_stray_ = false;                // the service may record without a file here
  std::uint32_t untaken_ticks_ = 0;      // whose bytes are at the service
};

/// Makes a step in parts of step(ticks, is_later), with follow(ticks) after each, so that few bytes of
/// recordings wait at the service. A failure of a recording does not end the step.
template <class Step, class Follow>
takt_status step_in_parts(std::uint32_t ticks, const Step& step, const Follow& follow) {
  constexpr std::uint32_t kPartTicks = 600;  // with one image
  takt_status lost = TAKT_OK;
  std::string text;
  std::uint32_t done = 0;
  do {
    std::uint32_t const part = ticks - done < kPartTicks ? ticks - done : kPartTicks;
    if (takt_status const bad = step(part, done > 0)) return bad;
    done += part;
    if (takt_status const bad = follow(part)) {
      if (bad != TAKT_ERROR_FILE && bad != TAKT_ERROR_LIMIT) return bad;
      lost = bad;
      text = failure_text();
    }
  } while (done < ticks);
  return lost == TAKT_OK ? TAKT_OK : fail(lost, text);
}

class RemoteBatch {
 public:
  static constexpr HandleKind kKind = HandleKind::kRemoteBatch;
  static constexpr std::string_view kName = "batch";

  /// A batch that the service is about to have: see set_handle().
  explicit RemoteBatch(std::shared_ptr<service::ServiceClient> client) : client_(std::move(client)) {}
  RemoteBatch(const RemoteBatch&) = delete;
  RemoteBatch& operator=(const RemoteBatch&) = delete;
  /// Destroys the batch of the service. The handles of its worlds have been retired.
  ~RemoteBatch();

  void set_handle(std::uint32_t handle, std::uint32_t worlds) noexcept {
    handle_ = handle;
    worlds_ = worlds;
    arrays_ = RemoteArrays(worlds, true);
  }
  takt_status world(takt_batch* own, std::size_t index, takt_world** world);
  takt_status step(std::uint32_t ticks, const std::uint8_t* where);
  takt_status hashes(std::uint64_t* hashes);
  takt_status array(std::uint32_t field, takt_view* view, takt_array** hold);
  takt_status capture(takt_snapshot** snapshot);
  takt_status rollback(takt_snapshot* snapshot, const std::uint8_t* where);
  takt_status key(std::uint8_t* key);
  takt_status force(const std::uint64_t* bodies, const double* forces, const double* torques,
                    std::uint32_t ticks, const std::uint8_t* where);
  takt_status teleport(const std::uint64_t* bodies, const double* positions, const double* rotations,
                       const double* linear, const double* angular, const std::uint8_t* where);

  /// Observes the batch again, if it has arrays.
  takt_status refresh();
  [[nodiscard]] const std::map<std::size_t, takt_world*>& handles() const noexcept { return handles_; }

 private:
  template <class Make, class Read>
  takt_status ask(std::uint32_t columns, const Make& make, const Read& read);
  template <class Make>
  takt_status change(const Make& make, bool is_partial);
  takt_status step_part(std::uint32_t ticks, const std::uint8_t* where, bool keeps_events);

  std::shared_ptr<service::ServiceClient> client_;
  std::uint32_t handle_ = 0;
  std::uint32_t worlds_ = 0;
  RemoteArrays arrays_{0, true};
  std::map<std::size_t, takt_world*> handles_;  // of the worlds that the caller has named
  std::map<std::size_t, std::unique_ptr<RemoteWorld>> objects_;
};

/// call() with a world of a service, and its batch if it has one.
template <class Body>
takt_status call_remote_world(const char* function, takt_world* handle, Body&& body) noexcept {
  return call_with<RemoteWorld>(function, handle, [&](RemoteWorld& world) {
    std::optional<Use<RemoteBatch>> batch;
    if (world.batch != nullptr) {
      batch.emplace(world.batch, Access::kExclusive);
      if (batch->fault() != AcquireFault::kNone) return fail(batch->fault(), "batch");
    }
    return body(world);
  });
}

}  // namespace takt::c
