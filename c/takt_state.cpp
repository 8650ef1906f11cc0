// Snapshots, images and recordings of takt.h.
#include <array>
#include <cstdio>
#include <utility>

#include "c/takt_objects.h"
#include "service/wire/world_calls.h"
#include "takt/sim/replay.h"

using namespace takt::c;  // NOLINT(google-build-using-namespace): functions of takt.h are global

namespace {

constexpr std::size_t kMaxPathBytes = 4096;

class RecorderSink final : public RecordingSink {
 public:
  explicit RecorderSink(std::unique_ptr<takt::service::WorldRecorder> recorder)
      : recorder_(std::move(recorder)) {}
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override { return recorder_->write(bytes); }
  [[nodiscard]] bool add_edit(std::size_t bytes) noexcept override { return recorder_->add_edit(bytes); }
  void end_tick(std::size_t waiting_bytes) noexcept override { recorder_->end_tick(waiting_bytes); }
  [[nodiscard]] takt::Result<takt::Unit, FileFault> commit() override { return takt::Unit{}; }
  [[nodiscard]] bool close() override {
    recorder_->end();
    return true;
  }

 private:
  std::unique_ptr<takt::service::WorldRecorder> recorder_;
};

takt_status refuse_recording(const WorldObject& world) {
  if (!world.is_recording()) return TAKT_OK;
  return fail(TAKT_ERROR_RECORDING, kIsRecording);
}

std::span<const std::byte> bytes_of(const void* data, std::size_t count) {
  return {static_cast<const std::byte*>(data), count};
}

// Refuses an image that would turn the world into one of another scene: names and held ids would lie.
takt_status refuse_image(const takt::sim::Simulation& image, std::uint64_t scene_hash,
                         takt::NumbersMode numbers) {
  if (image.scene_hash() != scene_hash) {
    std::array<char, 96> text{};
    (void)std::snprintf(text.data(), text.size(), "the image is of the scene %016llx and not of %016llx",
                        static_cast<unsigned long long>(image.scene_hash()),
                        static_cast<unsigned long long>(scene_hash));
    return fail(TAKT_ERROR_MISMATCH, text.data(), ": make a new world from the image");
  }
  if (image.numbers() == numbers) return TAKT_OK;
  bool const is_fixed = image.numbers() == takt::NumbersMode::kFixed;
  return fail(TAKT_ERROR_MISMATCH, "the image is of the other numbers mode, ", is_fixed ? "fixed" : "float",
              ": make a new world from the image");
}

}  // namespace

takt_status takt_world_capture(takt_world* world, takt_snapshot** snapshot) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (snapshot == nullptr) return null_argument("snapshot");
        auto object = std::make_unique<SnapshotObject>();
        w.capture(object->worlds.emplace_back());
        *snapshot = make_handle<takt_snapshot>(std::move(object));
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.capture(snapshot); });
}

takt_status takt_world_capture_into(takt_world* world, takt_snapshot* snapshot) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        Use<SnapshotObject> const use(snapshot, Access::kExclusive);
        if (use.fault() != AcquireFault::kNone) return fail(use.fault(), SnapshotObject::kName);
        if (use->worlds.size() != 1 || !w.fits(use->worlds.front()))
          return fail(TAKT_ERROR_MISMATCH,
                      "the snapshot is of another scene, numbers mode or number of worlds");
        // A capture that runs out of memory leaves the old state or a part of the new one.
        std::vector<CapturedWorld> worlds = std::move(use->worlds);
        use->worlds.clear();
        w.capture(worlds.front());
        use->worlds = std::move(worlds);
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.capture_into(snapshot); });
}

takt_status takt_world_rollback(takt_world* world, takt_snapshot* snapshot) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (takt_status const bad = refuse_recording(w)) return bad;
        Use<SnapshotObject> const use(snapshot, Access::kShared);
        if (use.fault() != AcquireFault::kNone) return fail(use.fault(), SnapshotObject::kName);
        if (use->worlds.size() != 1 || !w.fits(use->worlds.front()))
          return fail(TAKT_ERROR_MISMATCH,
                      "the snapshot is of another scene, numbers mode or number of worlds");
        w.rollback(use->worlds.front());
        refresh_all(w);
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.rollback(snapshot); }, Broken::kAccept);
}

takt_status takt_snapshot_destroy(takt_snapshot* snapshot) {
  if (kind_of(snapshot) == HandleKind::kRemoteSnapshot)
    return destroy_handle<RemoteSnapshot>(__func__, snapshot);
  return destroy_handle<SnapshotObject>(__func__, snapshot);
}

takt_status takt_snapshot_info(takt_snapshot* snapshot, uint64_t* tick, size_t* world_count) {
  return call(__func__, [&]() -> takt_status {
    if (kind_of(snapshot) == HandleKind::kRemoteSnapshot) {
      Use<RemoteSnapshot> const remote(snapshot, Access::kShared);
      if (remote.fault() != AcquireFault::kNone) return fail(remote.fault(), RemoteSnapshot::kName);
      if (tick != nullptr) *tick = remote->tick;
      if (world_count != nullptr) *world_count = remote->worlds;
      return TAKT_OK;
    }
    Use<SnapshotObject> const use(snapshot, Access::kShared);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), SnapshotObject::kName);
    if (tick != nullptr) *tick = use->worlds.empty() ? 0 : use->worlds.front().tick;
    if (world_count != nullptr) *world_count = use->worlds.size();
    return TAKT_OK;
  });
}

takt_status takt_world_save(takt_world* world, const void** image, size_t* image_bytes) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (image == nullptr || image_bytes == nullptr) return null_argument("image or image_bytes");
        w.image = w.simulation().save();
        *image = w.image.data();
        *image_bytes = w.image.size();
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.save(image, image_bytes); });
}

takt_status takt_world_restore(takt_world* world, const void* image, size_t image_bytes) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (takt_status const bad = refuse_recording(w)) return bad;
        if (image == nullptr) return null_argument("image");
        auto simulation = takt::sim::Simulation::restore(bytes_of(image, image_bytes));
        if (!simulation) return fail(simulation.error());
        if (takt_status const bad =
                refuse_image(*simulation, w.simulation().scene_hash(), w.simulation().numbers()))
          return bad;
        w.replace(*std::move(simulation));
        refresh_all(w);
        return TAKT_OK;
      },
      [&](RemoteWorld& r) { return r.restore(image, image_bytes); }, Broken::kAccept);
}

takt_status takt_world_from_image(const void* image, size_t image_bytes, takt_scene* scene,
                                  const takt_world_options* options, takt_world** world) {
  return call(__func__, [&]() -> takt_status {
    if (world == nullptr) return null_argument("world");
    if (image == nullptr) return null_argument("image");
    std::uint32_t numbers = 0;
    StepSetting setting;
    if (takt_status const bad = read_options(options, numbers, setting)) return bad;
    auto simulation = takt::sim::Simulation::restore(bytes_of(image, image_bytes));
    if (!simulation) return fail(simulation.error());
    if (numbers != 0 && numbers != static_cast<std::uint32_t>(simulation->numbers()))
      return fail(TAKT_ERROR_MISMATCH, "the image is of the other numbers mode");
    std::shared_ptr<const takt::sim::Scene> of;
    std::shared_ptr<const NameTable> names;
    if (scene != nullptr) {
      Use<SceneObject> const use(scene, Access::kShared);
      if (use.fault() != AcquireFault::kNone) return fail(use.fault(), SceneObject::kName);
      of = use->scene;
      if (takt::sim::scene_hash(*of) != simulation->scene_hash())
        return fail(TAKT_ERROR_MISMATCH, "the image is of another scene");
      auto const fresh = takt::sim::Simulation::create(*of, simulation->numbers());
      if (!fresh) return fail(fresh.error());
      names = names_of(*of, fresh->world());
    }
    *world = make_handle<takt_world>(std::make_unique<WorldObject>(*std::move(simulation), std::move(of),
                                                                   std::move(names), std::move(setting)));
    return TAKT_OK;
  });
}

takt_status takt_world_record(takt_world* world, const char* path, size_t path_bytes) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (takt_status const bad = refuse_recording(w)) return bad;
        std::string_view text;
        if (takt_status const bad = read_text(path, path_bytes, kMaxPathBytes, "path", text)) return bad;
        auto sink = FileSink::create(std::string(text));
        if (!sink) return fail(TAKT_ERROR_FILE, sink.error().text);
        auto const started = w.start_recording(*std::move(sink), std::string(text));
        return started ? takt_status{TAKT_OK} : fail(TAKT_ERROR_FILE, started.error().text);
      },
      [&](RemoteWorld& r) -> takt_status {
        if (r.is_recording()) return fail(TAKT_ERROR_RECORDING, kIsRecording);
        std::string_view text;
        if (takt_status const bad = read_text(path, path_bytes, kMaxPathBytes, "path", text)) return bad;
        return r.record(std::string(text));
      });
}

takt_status takt::service::record_world(takt_world* world, std::unique_ptr<WorldRecorder> recorder) {
  return call_world("takt_world_record", world, [&](WorldObject& w) -> takt_status {
    if (takt_status const bad = refuse_recording(w)) return bad;
    auto const started =
        w.start_recording(std::make_unique<RecorderSink>(std::move(recorder)), "the recording");
    return started ? takt_status{TAKT_OK} : fail(TAKT_ERROR_FILE, started.error().text);
  });
}

takt_status takt_world_record_stop(takt_world* world) {
  return call_world(
      __func__, world,
      [&](WorldObject& w) -> takt_status {
        if (!w.is_recording()) return fail(TAKT_ERROR_RECORDING, kIsNotRecording);
        return w.stop_recording() ? takt_status{TAKT_OK} : fail(TAKT_ERROR_FILE, kLostAtStop);
      },
      [](RemoteWorld& r) {
        return r.is_recording() ? r.record_stop() : fail(TAKT_ERROR_RECORDING, kIsNotRecording);
      },
      Broken::kAccept);
}

takt_status takt_recording_open(const char* path, size_t path_bytes, takt_recording** recording) {
  return call(__func__, [&]() -> takt_status {
    if (recording == nullptr) return null_argument("recording");
    std::string_view text;
    if (takt_status const bad = read_text(path, path_bytes, kMaxPathBytes, "path", text)) return bad;
    auto source = FileSource::open(std::string(text));
    if (!source) return fail(TAKT_ERROR_FILE, source.error().text);
    auto reader = takt::sim::RecordingReader::open(**source);
    if (!reader) return fail(reader.error());
    *recording = make_handle<takt_recording>(
        std::make_unique<RecordingObject>(RecordingObject{*std::move(source), *std::move(reader)}));
    return TAKT_OK;
  });
}

takt_status takt_recording_destroy(takt_recording* recording) {
  return destroy_handle<RecordingObject>(__func__, recording);
}

takt_status takt_recording_get_info(takt_recording* recording, takt_recording_info* info) {
  return call_with<RecordingObject>(__func__, recording, [&](RecordingObject& r) -> takt_status {
    if (takt_status const bad = check_output(info)) return bad;
    takt::sim::RecordingInfo const& from = r.reader.info();
    takt_recording_info out{};
    out.numbers = static_cast<std::uint32_t>(from.numbers);
    out.scene_hash = from.scene_hash;
    out.first_tick = from.first_tick;
    out.end_tick = from.end_tick;
    out.input_count = from.input_count;
    out.image_count = from.image_count;
    out.tick_rate_hz = from.tick_rate_hz;
    out.is_closed = from.closed ? 1 : 0;
    write_struct(out, info);
    return TAKT_OK;
  });
}

takt_status takt_recording_verify(takt_recording* recording, uint32_t threads, takt_verify_report* report) {
  return call_with<RecordingObject>(__func__, recording, [&](RecordingObject& r) -> takt_status {
    if (takt_status const bad = check_output(report)) return bad;
    if (takt_status const bad = check_step(threads, 0)) return bad;
    std::shared_ptr<takt::ThreadPool> const pool = make_pool(threads);
    takt::StepOptions step;
    step.pool = pool.get();
    auto const verified = takt::sim::verify(r.reader, step);
    if (!verified) return fail(verified.error());
    if (verified->stopped_by) return fail(*verified->stopped_by);
    takt_verify_report out{};
    out.agrees = verified->mismatch ? 0 : 1;
    out.ticks_checked = verified->ticks_checked;
    out.final_tick = verified->final_tick;
    out.final_hash = verified->final_hash;
    out.mismatch_tick = verified->mismatch ? verified->mismatch->tick : UINT64_MAX;
    write_struct(out, report);
    return TAKT_OK;
  });
}

takt_status takt_recording_world(takt_recording* recording, uint64_t tick, const takt_world_options* options,
                                 takt_world** world) {
  return call_with<RecordingObject>(__func__, recording, [&](RecordingObject& r) -> takt_status {
    if (world == nullptr) return null_argument("world");
    std::uint32_t numbers = 0;
    StepSetting setting;
    if (takt_status const bad = read_options(options, numbers, setting)) return bad;
    takt::StepOptions step;
    step.pool = setting.pool.get();
    auto simulation = takt::sim::seek(r.reader, tick, step);
    if (!simulation) return fail(simulation.error());
    if (numbers != 0 && numbers != static_cast<std::uint32_t>(simulation->numbers()))
      return fail(TAKT_ERROR_MISMATCH, "the recording is of the other numbers mode");
    *world = make_handle<takt_world>(
        std::make_unique<WorldObject>(*std::move(simulation), nullptr, nullptr, std::move(setting)));
    return TAKT_OK;
  });
}
