#include "cli/resumed_world.h"

#include <utility>

#include "cli/game_option.h"
#include "cli/journal_files.h"
#include "takt/sim/replay.h"

namespace takt::cli {

Result<ResumedWorld, server::FileError> resume_world(const std::string& path,
                                                     const server::GameRegistry& games,
                                                     const StepOptions& step) {
  auto found = last_recording(path);
  if (!found) return found.error();
  sim::RecordingReader const& reader = found->recording.reader;
  sim::RecordingInfo const& info = reader.info();
  auto scene = sim::load_scene(reader.scene_binary(), found->path);
  if (!scene) return server::FileError{found->path + ": holds no scene, so it cannot be resumed"};
  std::uint64_t const end_tick = info.end_tick - (info.is_last_in_work ? 1 : 0);
  sim::GameFactory const factory = games.factory();
  auto simulation = sim::seek(reader, end_tick, step, factory);
  if (!simulation)
    return server::FileError{found->path + ": " + replay_failure(simulation.error(), reader, games)};
  return ResumedWorld{found->path, *std::move(scene), *std::move(simulation), info.is_last_in_work};
}

}  // namespace takt::cli
