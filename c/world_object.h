// WorldObject is the world behind a takt_world: a Simulation with its arrays, events and recording. Its edits
// are commands of the server that act at once and go into the recording of the next step. SceneObject,
// SnapshotObject and RecordingObject are the other objects that worlds come from and go to. WorldObject does
// not store its own handle and returns no status. Functions of takt.h check arguments before they call
// WorldObject.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "c/file_bytes.h"
#include "c/handle_table.h"
#include "c/state_arrays.h"
#include "takt/c/takt.h"
#include "takt/sim/recording.h"
#include "takt/sim/scene.h"
#include "takt/sim/simulation.h"
#include "takt/threads/thread_pool.h"

namespace takt::c {

/// Ids of named bodies and joints of a new world, sorted by name. A name of two things has two entries.
struct NameTable {
  std::vector<std::pair<std::string, BodyId>> bodies;
  std::vector<std::pair<std::string, JointId>> joints;
};

struct SceneObject {
  static constexpr HandleKind kKind = HandleKind::kScene;
  static constexpr std::string_view kName = "scene";
  std::shared_ptr<const sim::Scene> scene;
};

/// The state of one world, with all that decides which worlds it fits.
struct CapturedWorld {
  sim::SimulationSnapshot snapshot;
  WorldDef def;
  NumbersMode numbers = NumbersMode::kFloat;
  std::uint64_t scene_hash = 0;
  std::uint64_t tick = 0;
};

struct SnapshotObject {
  static constexpr HandleKind kKind = HandleKind::kSnapshot;
  static constexpr std::string_view kName = "snapshot";
  std::vector<CapturedWorld> worlds;
};

struct RecordingObject {
  static constexpr HandleKind kKind = HandleKind::kRecording;
  static constexpr std::string_view kName = "recording";
  std::unique_ptr<FileSource> source;
  sim::RecordingReader reader;
};

class BatchObject;

/// A function of the caller that ends steps early. Threads of a batch call it at the same time.
struct StopCheck {
  takt_stop_function is_stopped = nullptr;
  void* context = nullptr;
  std::atomic<bool> has_stopped{false};  ///< a step has ended early
  bool keeps_events = false;             ///< events of the step before stay: both are parts of one

  [[nodiscard]] bool stops() {
    if (is_stopped == nullptr || is_stopped(context) == 0) return false;
    has_stopped.store(true, std::memory_order_relaxed);
    return true;
  }
};

/// The fate of a recording in a step; the worse the greater.
enum class StepRecord : std::uint8_t {
  kWhole,     ///< it has the step, or there is none
  kFileFull,  ///< it has ended, because its file took no more bytes
  kNoMemory,  ///< it has ended, because it got no memory
};

/// Threads and lanes of steps; equal for a world and its forks.
struct StepSetting {
  std::uint32_t lanes = 0;
  std::shared_ptr<ThreadPool> pool;  // null = the calling thread alone
};

class WorldObject {
 public:
  static constexpr HandleKind kKind = HandleKind::kWorld;
  static constexpr std::string_view kName = "world";
  static constexpr std::size_t kMaxEvents = 1'000'000;

  /// `scene` may be null.
  WorldObject(sim::Simulation simulation, std::shared_ptr<const sim::Scene> scene,
              std::shared_ptr<const NameTable> names, StepSetting setting);

  [[nodiscard]] const sim::Simulation& simulation() const noexcept { return simulation_; }
  [[nodiscard]] const sim::AnyWorld& world() const noexcept { return simulation_.world(); }
  [[nodiscard]] const NameTable* names() const noexcept { return names_.get(); }
  [[nodiscard]] const std::vector<takt_event>& events() const noexcept { return events_; }
  [[nodiscard]] StateArrays& arrays() noexcept { return arrays_; }
  [[nodiscard]] takt_view view(std::uint32_t field) {
    return arrays_.view(field, [this](std::uint32_t) -> const sim::AnyWorld& { return world(); });
  }

  /// True when an exception ended the last call of change(), such as a step, edit, query or refresh: the
  /// state is not whole.
  [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }
  [[nodiscard]] bool is_recording() const noexcept { return writer_.has_value(); }

  /// Runs a call that changes the world or its arrays, and marks the world as broken if the call throws.
  template <class Call>
  decltype(auto) change(Call&& call) {
    struct Whole {
      bool& is_broken;
      int exceptions = std::uncaught_exceptions();
      ~Whole() { is_broken = std::uncaught_exceptions() > exceptions; }
    };
    Whole const whole{is_broken_};
    return call();
  }

  /// Steps without a refresh of arrays. `scratch` may be null, and so may `check`, which is called between
  /// ticks. It makes all ticks also when the recording ends.
  [[nodiscard]] StepRecord step(std::uint32_t ticks, StepScratch* scratch, StopCheck* check = nullptr);
  /// Refreshes the row of a body; null = all rows.
  void refresh(BodyId body = {}) {
    if (body)
      arrays_.refresh_body(0, world(), body);
    else
      arrays_.refresh([this](std::uint32_t) -> const sim::AnyWorld& { return world(); });
  }

  /// Applies a command of the server at once. `spawned` gets the id of a spawned body, `created` that of a
  /// joint, rope or mover's body. Both may be null. Throws RecordingLimit when the recording has no room for
  /// the command.
  [[nodiscard]] sim::Refusal edit(sim::Command command, BodyId* spawned = nullptr,
                                  std::uint64_t* created = nullptr);
  /// Runs queries into query_results.
  void run_queries();

  void capture(CapturedWorld& out) const;
  [[nodiscard]] bool fits(const CapturedWorld& captured) const noexcept;
  /// The state must fit.
  void rollback(const CapturedWorld& captured);
  /// Replaces the present state by `simulation`, which has the same scene and numbers mode.
  void replace(sim::Simulation simulation);
  [[nodiscard]] std::unique_ptr<WorldObject> fork() const;

  /// `name` stands before the reason of a failure.
  [[nodiscard]] Result<Unit, FileFault> start_recording(std::unique_ptr<RecordingSink> sink,
                                                        const std::string& name);
  /// False when bytes were lost. Out of memory, it throws: the recording has ended without its index.
  [[nodiscard]] bool stop_recording();

  std::vector<std::byte> image;       ///< of the last save
  std::vector<Query> queries;         ///< of run_queries()
  QueryResults query_results;         ///< likewise
  std::vector<ContactView> contacts;  ///< scratch of takt_world_contacts
  /// Set for a world of a batch: the batch's handle, the batch, and the index of the world in it. The batch
  /// may be used only while its handle is in use.
  const takt_batch* batch = nullptr;
  BatchObject* batch_object = nullptr;
  std::uint32_t batch_index = 0;

 private:
  void collect_events();
  // Ends the recording as it is; false when bytes were lost.
  bool drop_recording();

  sim::Simulation simulation_;
  std::shared_ptr<const sim::Scene> scene_;
  std::shared_ptr<const NameTable> names_;
  StepSetting setting_;
  StateArrays arrays_{1, false};
  std::vector<takt_event> events_;
  bool is_broken_ = false;
  std::unique_ptr<RecordingSink> sink_;
  std::optional<sim::RecordingWriter> writer_;
  std::vector<sim::Input> inputs_;  // of the recording, since the last step
};

/// Returns the names of a world that was just created from the scene.
[[nodiscard]] std::shared_ptr<const NameTable> names_of(const sim::Scene& scene, const sim::AnyWorld& world);

}  // namespace takt::c
