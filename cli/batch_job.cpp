#include "cli/batch_job.h"

#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "server/scene_file.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"

namespace takt::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFileBytes = 1u << 30u;  // far above the limits of scenes and meshes

// Hashes texts with their lengths, so that no two lists of texts are one stream of bytes.
class Identity {
 public:
  void add(std::string_view text) {
    std::array<std::byte, 8> length{};
    store_little_endian<std::uint64_t>(length.data(), text.size());
    hasher_.update(length);
    hasher_.update(std::as_bytes(std::span(text)));
  }
  [[nodiscard]] std::uint64_t value() const { return hasher_.digest(); }

 private:
  StreamHasher hasher_;
};

std::optional<server::FileError> add_file(const std::string& what, const std::string& path,
                                          Identity& identity, FileClaims& claims) {
  Result<std::string, server::FileError> const bytes = server::read_file(path, kMaxFileBytes);
  if (!bytes) return bytes.error();
  identity.add(*bytes);
  claims.add_input(what, path);
  return std::nullopt;
}

// The scene file and its meshes. A scene that is wrong without the plan's values is no error here.
std::optional<server::FileError> add_scene(const std::string& path, Identity& identity, FileClaims& claims) {
  if (auto fault = add_file("a scene of the plan", path, identity, claims)) return fault;
  std::vector<fs::path> meshes;
  (void)server::read_scene_file(path, path, &meshes);
  for (const fs::path& mesh : meshes)
    if (auto fault = add_file("a mesh of the plan", mesh.string(), identity, claims)) return fault;
  return std::nullopt;
}

}  // namespace

std::string BatchJob::path_of(const std::string& in_plan) const {
  return (fs::path(plan_path).parent_path() / in_plan).string();
}

WorldOptions BatchJob::world_of(const sim::BatchRun& run) const {
  const sim::BatchVariant& variant = *run.variant;
  WorldOptions world;
  world.scene_path = path_of(variant.scene_path);
  world.numbers = variant.numbers == NumbersMode::kFixed ? "fixed" : "float";
  world.hz = variant.hz;
  world.substeps = variant.substeps;
  for (const sim::SceneSetting& setting : variant.settings)
    world.settings.push_back(setting.path + '=' + setting.value);
  if (!run.seed) return world;
  if (variant.seed_path.empty()) {
    world.seed = run.seed;
  } else {
    world.settings.push_back(variant.seed_path + '=' + std::to_string(*run.seed));
  }
  return world;
}

std::string BatchJob::name_of(const sim::BatchRun& run) const {
  return plan_path + ": run " + std::to_string(run.index) + " (" + run.variant->name + "): ";
}

Result<BatchJob, server::FileError> load_batch_job(const std::string& plan_path, const std::string& version,
                                                   const std::string& game, FileClaims& claims) {
  claims.add_input("the plan", plan_path);
  Result<std::string, server::FileError> const text = server::read_file(plan_path, sim::kMaxSceneTextBytes);
  if (!text) return text.error();
  Result<sim::BatchPlan, sim::SceneError> plan = sim::load_batch_plan(*text, plan_path);
  if (!plan) return server::FileError{message(plan.error())};
  BatchJob job{plan_path, *std::move(plan), game, version, 0};
  Identity identity;
  for (const std::string& part : {version, game, *text}) identity.add(part);
  std::set<std::string> seen;
  for (const sim::BatchVariant& variant : job.plan.variants) {
    std::optional<server::FileError> fault;
    if (seen.insert(variant.scene_path).second)
      fault = add_scene(job.path_of(variant.scene_path), identity, claims);
    if (!fault && !variant.inputs_path.empty() && seen.insert(variant.inputs_path).second)
      fault = add_file("inputs of the plan", job.path_of(variant.inputs_path), identity, claims);
    if (fault) {
      return server::FileError{plan_path + ": runs[" + std::to_string(variant.entry) + "]: " + fault->text};
    }
  }
  job.id = identity.value();
  return job;
}

}  // namespace takt::cli
