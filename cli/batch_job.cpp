#include "cli/batch_job.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "server/scene_file.h"
#include "sim/commands/input_script.h"
#include "sim/scene/scene_files.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"

namespace takt::cli {
namespace {

namespace fs = std::filesystem;

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

// Numbers, booleans and lists of them name no file, and change no name of a valid scene. Other values may.
class PlainValue final : public sim::JsonVisitor {
 public:
  static bool is(std::string_view value) {
    PlainValue plain;
    return value.find('/') == std::string_view::npos && !sim::walk_json(value, plain) && plain.is_plain_;
  }
  bool enter(std::span<const sim::JsonSegment>, sim::JsonKind kind, std::string_view,
             std::uint32_t) override {
    using enum sim::JsonKind;
    return is_plain_ = kind == kNumber || kind == kBoolean || kind == kArray;
  }
  bool leave(std::span<const sim::JsonSegment>, sim::JsonKind, std::uint32_t child_count,
             std::uint32_t) override {
    return is_plain_ = is_plain_ && child_count != 0;
  }

 private:
  bool is_plain_ = true;
};

// Collects the names of files in a scene, and gives nothing of them.
class NameList final : public sim::SceneFiles {
 public:
  Result<std::string, sim::SceneFileError> read(std::string_view name, std::size_t) const override {
    names.emplace_back(name);
    return std::string();
  }
  mutable std::vector<std::string> names;
};

// Gives the meshes of a scene from the files of a job.
class JobMeshes final : public sim::SceneFiles {
 public:
  JobMeshes(const BatchJob& job, fs::path folder) : job_(&job), folder_(std::move(folder)) {}
  Result<std::string, sim::SceneFileError> read(std::string_view name, std::size_t) const override {
    auto const found = job_->files.find((folder_ / name).string());
    if (found == job_->files.end())
      return sim::SceneFileError{std::string(name) + ": was not read with the plan; start again"};
    if (!found->second.fault.empty()) return sim::SceneFileError{found->second.fault};
    return found->second.bytes;
  }

 private:
  const BatchJob* job_;
  fs::path folder_;
};

// Reads the files of a job, each once.
class FileReader {
 public:
  FileReader(BatchJob& job, Identity& identity, FileClaims& claims)
      : job_(&job), identity_(&identity), claims_(&claims) {}

  // The line of an error; empty = none.
  std::string read(const sim::BatchVariant& variant) {
    std::string const scene = job_->path_of(variant.scene_path);
    const BatchFile& file = read("a scene of the plan", scene, scene);
    if (!file.fault.empty()) return file.fault;
    // One combination has the names of all when the sweeps name no file.
    bool const is_plain = std::ranges::all_of(variant.sweeps, [](const sim::BatchSweep& sweep) {
      return std::ranges::all_of(sweep.values, PlainValue::is);
    });
    std::uint64_t const count = is_plain ? 1 : variant.combination_count();
    for (std::uint64_t combination = 0; combination < count; ++combination)
      read_meshes(scene, file.bytes, sim::BatchRun{0, &variant, combination, std::nullopt}.settings());
    if (variant.inputs_path.empty()) return {};
    std::string const inputs = job_->path_of(variant.inputs_path);
    return read("inputs of the plan", inputs, inputs).fault;
  }

 private:
  const BatchFile& read(const char* what, const std::string& path, const std::string& display_name) {
    auto const [at, is_new] = job_->files.try_emplace(path);
    if (!is_new) return at->second;
    Result<std::string, server::FileError> bytes =
        server::read_file(path, sim::kMaxSceneTextBytes, display_name);
    if (bytes) {
      at->second.bytes = *std::move(bytes);
    } else {
      at->second.fault = message(bytes.error());
    }
    for (const std::string& part : {path.substr(path.rfind('/') + 1), at->second.bytes}) identity_->add(part);
    identity_->add(at->second.fault.empty() ? "whole" : "unreadable");
    claims_->add_input(what, path);
    return at->second;
  }

  // The meshes of the scene with the settings. Faults of settings are of the runs, which load_scene() finds.
  void read_meshes(const std::string& path, const std::string& scene,
                   const std::vector<sim::SceneSetting>& settings) {
    std::vector<std::string> key{path};
    std::vector<sim::SceneSetting> naming;
    for (const sim::SceneSetting& setting : settings) {
      if (PlainValue::is(setting.value)) continue;
      key.insert(key.end(), {setting.path, setting.value});
      naming.push_back(setting);
    }
    if (!seen_.insert(key).second || std::string_view(scene).substr(0, 8).ends_with("TKSC")) return;
    std::optional<std::string> text = changed(scene, naming);
    // An element of a list of numbers may have become an object.
    if (!text) text = changed(scene, settings);
    if (!text) return;
    NameList const list;
    (void)sim::with_files(*text, list);
    for (const std::string& name : list.names)
      read("a mesh of the plan", (fs::path(path).parent_path() / name).string(), name);
  }

  static std::optional<std::string> changed(std::string text,
                                            const std::vector<sim::SceneSetting>& settings) {
    for (const sim::SceneSetting& setting : settings) {
      auto next = sim::with_setting(text, setting);
      if (!next) return std::nullopt;
      text = *std::move(next);
    }
    return text;
  }

  BatchJob* job_;
  Identity* identity_;
  FileClaims* claims_;
  std::set<std::vector<std::string>> seen_;  // scenes with the settings that may name files
};

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
  for (const sim::SceneSetting& setting : run.settings())
    world.settings.push_back(setting.path + '=' + setting.value);
  if (variant.seed_path.empty()) world.seed = run.seed;
  return world;
}

Result<sim::Scene, server::FileError> BatchJob::load_scene(const sim::BatchRun& run) const {
  WorldOptions const world = world_of(run);
  JobMeshes const meshes(*this, fs::path(world.scene_path).parent_path());
  Result<sim::Scene, server::FileError> scene =
      server::parse_scene(files.at(world.scene_path).bytes, world.scene_path, &meshes, run.settings());
  if (!scene) return scene;
  if (world.hz != 0) scene->world.tick_rate_hz = world.hz;
  if (world.substeps != 0) scene->world.substeps = world.substeps;
  if (world.seed) scene->world.seed = *world.seed;
  return scene;
}

Result<std::vector<sim::Input>, server::FileError> BatchJob::load_inputs(const sim::BatchRun& run,
                                                                         const sim::Scene& scene) const {
  if (run.variant->inputs_path.empty()) return std::vector<sim::Input>{};
  std::string const path = path_of(run.variant->inputs_path);
  Result<std::vector<sim::Input>, sim::SceneError> script =
      sim::load_input_script(files.at(path).bytes, path, scene);
  if (!script) return server::FileError{message(script.error())};
  return *std::move(script);
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
  BatchJob job{plan_path, *std::move(plan), game, version, 0, {}};
  Identity identity;
  for (const std::string& part : {version, game, *text}) identity.add(part);
  FileReader reader(job, identity, claims);
  for (const sim::BatchVariant& variant : job.plan.variants) {
    if (std::string const fault = reader.read(variant); !fault.empty())
      return server::FileError{plan_path + ": runs[" + std::to_string(variant.entry) + "]: " + fault};
  }
  job.id = identity.value();
  return job;
}

}  // namespace takt::cli
