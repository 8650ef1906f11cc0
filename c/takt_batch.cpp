// Batches of takt.h.
#include <optional>
#include <utility>
#include <vector>

#include "c/edit_values.h"
#include "c/takt_objects.h"
#include "service/wire/world_calls.h"

using namespace takt::c;  // NOLINT(google-build-using-namespace): functions of takt.h are global

namespace {

bool is_selected(const std::uint8_t* where, std::size_t index) noexcept {
  return where == nullptr || where[index] != 0;
}

takt_status refuse_broken(BatchObject& batch, const std::uint8_t* where) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (is_selected(where, i) && batch.world(i).is_broken())
      return fail(TAKT_ERROR_BROKEN, "a call on a world ran out of memory: roll the world back");
  }
  return TAKT_OK;
}

// An edit of each selected world, up to the first failure.
template <class Edit>
takt_status edit_worlds(BatchObject& batch, const std::uint8_t* where, const Edit& edit) {
  if (takt_status const bad = refuse_broken(batch, where)) return bad;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!is_selected(where, i)) continue;
    if (takt_status const bad = edit(batch.world(i), i)) return bad;
  }
  return TAKT_OK;
}

template <class Local, class Remote>
takt_status call_batch(const char* function, takt_batch* batch, Local&& local, Remote&& remote) noexcept {
  if (kind_of(batch) == HandleKind::kRemoteBatch) return call_with<RemoteBatch>(function, batch, remote);
  return call_with<BatchObject>(function, batch, local);
}

takt_status step_batch(const char* function, takt_batch* batch, std::uint32_t ticks,
                       const std::uint8_t* where, StopCheck* check) {
  return call_batch(
      function, batch,
      [&](BatchObject& b) -> takt_status {
        if (takt_status const bad = refuse_broken(b, where)) return bad;
        if (takt_status const lost = status_of(b.step(ticks, where, check))) return lost;
        if (check != nullptr && check->has_stopped)
          return fail(TAKT_ERROR_STOPPED,
                      "the step was stopped: worlds of the batch have different ticks, roll back");
        return TAKT_OK;
      },
      [&](RemoteBatch& r) -> takt_status {
        if (check != nullptr) return fail(TAKT_ERROR_UNSUPPORTED, "takt_service_set_stop stops remote steps");
        return r.step(ticks, where);
      });
}

takt_status destroy_remote(takt_batch* batch) {
  Use<RemoteBatch> use(batch, Access::kExclusive);
  if (use.fault() != AcquireFault::kNone) return fail(use.fault(), RemoteBatch::kName);
  std::vector<std::optional<Use<RemoteWorld>>> worlds(use->handles().size());
  std::size_t i = 0;
  for (const auto& [index, handle] : use->handles()) {
    worlds[i].emplace(handle, Access::kExclusive);
    if (worlds[i]->fault() != AcquireFault::kNone) return fail(worlds[i]->fault(), RemoteWorld::kName);
    ++i;
  }
  for (auto& world : worlds) world->retire();
  use.destroy();
  return TAKT_OK;
}

const double* row(const double* rows, std::size_t index, std::size_t columns) noexcept {
  return rows == nullptr ? nullptr : rows + index * columns;
}

}  // namespace

takt_status takt_batch_create(takt_scene* scene, const takt_batch_options* options, takt_batch** batch) {
  return call(__func__, [&]() -> takt_status {
    if (batch == nullptr) return null_argument("batch");
    if (options == nullptr) return null_argument("options");
    takt_batch_options read{};
    if (takt_status const bad = read_struct(options, read)) return bad;
    if (read.numbers > TAKT_NUMBERS_FIXED)
      return fail(TAKT_ERROR_RANGE, "numbers is none of 0, TAKT_NUMBERS_FLOAT and TAKT_NUMBERS_FIXED");
    if (read.world_count < 1 || read.world_count > BatchObject::kMaxWorlds)
      return fail(TAKT_ERROR_RANGE, "world_count is not within [1, 65536]");
    if (takt_status const bad = check_step(read.threads, read.lanes)) return bad;
    Use<SceneObject> const use(scene, Access::kShared);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), SceneObject::kName);
    auto const mode =
        read.numbers == TAKT_NUMBERS_FIXED ? takt::NumbersMode::kFixed : takt::NumbersMode::kFloat;
    auto simulation = takt::sim::Simulation::create(*use->scene, mode);
    if (!simulation) return fail(simulation.error());
    auto names = names_of(*use->scene, simulation->world());
    auto first = std::make_unique<WorldObject>(*std::move(simulation), use->scene, std::move(names),
                                               StepSetting{read.lanes, nullptr});
    auto object = std::make_unique<BatchObject>(std::move(first), read.world_count, make_pool(read.threads));
    BatchObject& made = *object;
    made.handles.reserve(made.size());
    HandleTable& table = HandleTable::instance();
    auto* const handle = make_handle<takt_batch>(std::move(object));
    // Exclusive until each world has its handle; a failure takes all of them back.
    Use<BatchObject> owner(handle, Access::kExclusive);
    try {
      for (std::size_t i = 0; i < made.size(); ++i) {
        WorldObject& world = made.world(i);
        world.batch = handle;
        world.batch_object = &made;
        world.batch_index = static_cast<std::uint32_t>(i);
        made.handles.push_back(pointer_of<takt_world>(table.insert(HandleKind::kWorld, &world)));
      }
    } catch (...) {
      for (takt_world* const made_handle : made.handles) {
        Use<WorldObject> world(made_handle, Access::kExclusive);
        world.retire();
      }
      owner.destroy();
      throw;
    }
    *batch = handle;
    return TAKT_OK;
  });
}

takt_status takt_batch_destroy(takt_batch* batch) {
  return call(__func__, [&]() -> takt_status {
    if (batch == nullptr) return TAKT_OK;
    if (kind_of(batch) == HandleKind::kRemoteBatch) return destroy_remote(batch);
    Use<BatchObject> use(batch, Access::kExclusive);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), BatchObject::kName);
    std::vector<std::optional<Use<WorldObject>>> worlds(use->size());
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      worlds[i].emplace(use->handles[i], Access::kExclusive);
      if (worlds[i]->fault() != AcquireFault::kNone) return fail(worlds[i]->fault(), WorldObject::kName);
    }
    for (auto& world : worlds) {
      if ((*world)->is_recording()) (void)(*world)->stop_recording();
      world->retire();
    }
    use.destroy();
    return TAKT_OK;
  });
}

takt_status takt_batch_world(takt_batch* batch, size_t index, takt_world** world) {
  return call_batch(
      __func__, batch,
      [&](BatchObject& b) -> takt_status {
        if (world == nullptr) return null_argument("world");
        if (index >= b.size()) return fail(TAKT_ERROR_RANGE, "index is not below the number of worlds");
        *world = b.handles[index];
        return TAKT_OK;
      },
      [&](RemoteBatch& r) { return r.world(batch, index, world); });
}

takt_status takt::service::step_part(takt_batch* batch, const StepPart& part, bool& has_stopped) {
  StopCheck check{part.is_stopped, part.context};
  check.keeps_events = part.keeps_events;
  takt_status const status = step_batch("takt_batch_step", batch, part.ticks, part.where, &check);
  has_stopped = check.has_stopped;
  return status;
}

takt_status takt_batch_step(takt_batch* batch, uint32_t ticks, const uint8_t* where) {
  return step_batch(__func__, batch, ticks, where, nullptr);
}

takt_status takt_batch_step_until(takt_batch* batch, uint32_t ticks, const uint8_t* where,
                                  takt_stop_function is_stopped, void* context) {
  StopCheck check{is_stopped, context};
  return step_batch(__func__, batch, ticks, where, &check);
}

takt_status takt_batch_hashes(takt_batch* batch, uint64_t* hashes) {
  return call_batch(
      __func__, batch,
      [&](BatchObject& b) -> takt_status {
        if (hashes == nullptr) return null_argument("hashes");
        if (takt_status const bad = refuse_broken(b, nullptr)) return bad;
        b.for_each(nullptr,
                   [&](std::size_t i, std::uint32_t) { hashes[i] = b.world(i).simulation().hash(); });
        return TAKT_OK;
      },
      [&](RemoteBatch& r) { return r.hashes(hashes); });
}

takt_status takt_batch_array(takt_batch* batch, uint32_t field, takt_view* view, takt_array** hold) {
  return call_batch(
      __func__, batch,
      [&](BatchObject& b) -> takt_status {
        if (takt_status const bad = check_output(view)) return bad;
        if (field >= kFieldCount)
          return fail(TAKT_ERROR_RANGE, "field is none of TAKT_BODY_IDS to TAKT_BODY_FLAGS");
        if (takt_status const bad = refuse_broken(b, nullptr)) return bad;
        takt_view out = b.view(field);
        if (hold != nullptr) {
          auto held = std::make_unique<HeldArray>();
          held->memory = b.arrays().memory(field);
          *hold = make_handle<takt_array>(std::move(held));
        }
        write_struct(out, view);
        return TAKT_OK;
      },
      [&](RemoteBatch& r) { return r.array(field, view, hold); });
}

takt_status takt_batch_capture(takt_batch* batch, takt_snapshot** snapshot) {
  return call_batch(
      __func__, batch,
      [&](BatchObject& b) -> takt_status {
        if (snapshot == nullptr) return null_argument("snapshot");
        if (takt_status const bad = refuse_broken(b, nullptr)) return bad;
        auto object = std::make_unique<SnapshotObject>();
        object->worlds.resize(b.size());
        b.for_each(nullptr, [&](std::size_t i, std::uint32_t) { b.world(i).capture(object->worlds[i]); });
        *snapshot = make_handle<takt_snapshot>(std::move(object));
        return TAKT_OK;
      },
      [&](RemoteBatch& r) { return r.capture(snapshot); });
}

takt_status takt_batch_rollback(takt_batch* batch, takt_snapshot* snapshot, const uint8_t* where) {
  return call_batch(
      __func__, batch,
      [&](BatchObject& b) -> takt_status {
        Use<SnapshotObject> const use(snapshot, Access::kShared);
        if (use.fault() != AcquireFault::kNone) return fail(use.fault(), SnapshotObject::kName);
        std::vector<CapturedWorld> const& from = use->worlds;
        if (from.size() != 1 && from.size() != b.size())
          return fail(TAKT_ERROR_MISMATCH,
                      "the snapshot is neither of one world nor of as many as the batch has");
        auto const source = [&](std::size_t i) -> const CapturedWorld& {
          return from[from.size() == 1 ? 0 : i];
        };
        for (std::size_t i = 0; i < b.size(); ++i) {
          if (!is_selected(where, i)) continue;
          if (!b.world(i).fits(source(i)))
            return fail(TAKT_ERROR_MISMATCH, "the snapshot is of another scene or numbers mode");
          if (b.world(i).is_recording())
            return fail(TAKT_ERROR_RECORDING, "a world is recording: call takt_world_record_stop first");
        }
        b.for_each(where, [&](std::size_t i, std::uint32_t) {
          b.world(i).rollback(source(i));
          b.world(i).refresh();
        });
        for (std::size_t i = 0; i < b.size(); ++i) {
          if (is_selected(where, i)) b.refresh_world(static_cast<std::uint32_t>(i), {});
        }
        return TAKT_OK;
      },
      [&](RemoteBatch& r) { return r.rollback(snapshot, where); });
}

takt_status takt_batch_force(takt_batch* batch, const uint64_t* bodies, const double* forces,
                             const double* torques, uint32_t ticks, const uint8_t* where) {
  return call_batch(
      __func__, batch,
      [&](BatchObject& b) -> takt_status {
        if (bodies == nullptr || forces == nullptr) return null_argument("bodies or forces");
        return edit_worlds(b, where, [&](WorldObject& world, std::size_t i) {
          return apply_force(world, bodies[i], row(forces, i, 3), row(torques, i, 3), ticks);
        });
      },
      [&](RemoteBatch& r) { return r.force(bodies, forces, torques, ticks, where); });
}

takt_status takt_batch_teleport(takt_batch* batch, const uint64_t* bodies, const double* positions,
                                const double* rotations, const double* linear_velocities,
                                const double* angular_velocities, const uint8_t* where) {
  return call_batch(
      __func__, batch,
      [&](BatchObject& b) -> takt_status {
        if (bodies == nullptr) return null_argument("bodies");
        return edit_worlds(b, where, [&](WorldObject& world, std::size_t i) {
          return teleport(world, bodies[i], row(positions, i, 3), row(rotations, i, 4),
                          row(linear_velocities, i, 3), row(angular_velocities, i, 3));
        });
      },
      [&](RemoteBatch& r) {
        return r.teleport(bodies, positions, rotations, linear_velocities, angular_velocities, where);
      });
}
