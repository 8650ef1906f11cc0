#include "cli/batch_runner.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "cli/batch_results.h"
#include "cli/body_table.h"
#include "cli/csv_row.h"
#include "cli/difference_text.h"
#include "cli/game_option.h"
#include "cli/recording_file.h"
#include "cli/run_start.h"
#include "sim/recording/game_exception.h"
#include "sim/scene/scene_names.h"
#include "takt/sim/recording.h"

namespace takt::cli {

using sim::BatchMeasureKind;

// The outputs of one run. A failed one ends the run, which then has no row.
struct BatchRunner::Files {
  std::optional<BodyTable> table;
  std::unique_ptr<FileSink> sink;
  std::optional<sim::RecordingWriter> writer;
  std::string failure;

  void open(const BatchJob& job, const std::string& folder, const sim::BatchRun& run, const sim::Scene& scene,
            const sim::Simulation& simulation) {
    if (folder.empty()) return;
    if (run.variant->csv_every != 0) {
      Result<BodyTable, server::FileError> opened =
          BodyTable::create(batch_run_file(folder, run.index, ".csv"), &scene);
      if (!opened) return void(failure = opened.error().text);
      table.emplace(*std::move(opened));
    }
    if (!run.variant->record) return;
    Result<std::unique_ptr<FileSink>, server::FileError> opened = FileSink::create(
        batch_run_file(folder, run.index, ".takt"), OutputKind::kForcedRecording);  // of an earlier attempt
    if (!opened) return void(failure = opened.error().text);
    sink = *std::move(opened);
    sim::RecordingOptions options;
    options.created_by = job.version;
    writer.emplace(*sink, options);
    if (!writer->begin(simulation, &scene)) failure = sink->failure();
  }

  void write_row(const sim::BatchVariant& variant, const sim::Simulation& simulation) {
    if (!table || simulation.tick() % variant.csv_every != 0) return;
    if (!table->write(simulation.world())) failure = table->failure();
  }

  void add(const sim::BatchVariant& variant, const sim::Simulation& simulation,
           std::span<const sim::Input> inputs, const sim::TickResult& result) {
    if (writer && !writer->append(simulation, inputs, result)) failure = sink->failure();
    write_row(variant, simulation);
  }

  void close() {
    if (writer && failure.empty() && (!writer->close() || !sink->close())) failure = sink->failure();
    if (table && failure.empty() && !table->close()) failure = table->failure();
  }
};

BatchRunner::BatchRunner(const BatchJob& job, const server::GameRegistry& games, std::string folder,
                         const StopFlag& is_stopped)
    : job_(job), games_(games), folder_(std::move(folder)), is_stopped_(is_stopped) {}

Result<Unit, server::FileError> BatchRunner::load(const sim::BatchRun& run) {
  bool const has_seed_path = !run.variant->seed_path.empty();
  if (variant_ != run.variant || combination_ != run.combination || has_seed_path) {
    variant_ = nullptr;
    Result<sim::Scene, server::FileError> scene = job_.load_scene(run);
    if (!scene) return scene.error();
    scene_ = *std::move(scene);
    std::string const& inputs = run.variant->inputs_path;
    Result<std::vector<sim::Input>, server::FileError> script = job_.load_inputs(run, *scene_);
    if (!script) return script.error();
    script_ = *std::move(script);
    if (!script_.empty() && script_.back().tick >= run.variant->ticks) {
      return server::FileError{inputs +
                               ": inputs lie past the last tick and would never act; raise \"ticks\""};
    }
    for (const sim::BatchMeasure& measure : job_.plan.measures) {
      if (measure.body.empty()) continue;
      sim::NameMatch const found = sim::find_name(scene_->bodies, measure.body);
      if (found.count == 1) continue;
      return server::FileError{
          "\"measure\": " + (found.count > 1 ? sim::ambiguous_name(found.count, measure.body, "body")
                                             : "the scene has no body of the name \"" + measure.body + '"')};
    }
    variant_ = run.variant;
    combination_ = run.combination;
  }
  if (run.seed && !has_seed_path) scene_->world.seed = *run.seed;
  return Unit{};
}

Result<sim::Simulation, server::FileError> BatchRunner::start(const sim::BatchRun& run) const {
  Result<sim::Simulation, server::FileError> simulation = server::FileError{};
  WorldOptions const world = job_.world_of(run);
  auto const create = [&] { simulation = start_simulation(world, *scene_, job_.game, games_); };
  if (auto const thrown = sim::game_exception_of(create))
    return server::FileError{game_exception_text(0, *thrown)};
  return simulation;
}

Result<Unit, server::FileError> BatchRunner::check(const sim::BatchRun& run) {
  Result<Unit, server::FileError> const loaded = load(run);
  if (!loaded) return server::FileError{job_.name_of(run) + loaded.error().text};
  Result<sim::Simulation, server::FileError> const simulation = start(run);
  if (!simulation) return server::FileError{job_.name_of(run) + simulation.error().text};
  return Unit{};
}

BatchRunner::Outcome BatchRunner::run(const sim::BatchRun& run) {
  auto const failed = [&](const std::string& text) { return Outcome{{}, job_.name_of(run) + text}; };
  if (Result<Unit, server::FileError> const loaded = load(run); !loaded) return failed(loaded.error().text);
  Result<sim::Simulation, server::FileError> created = start(run);
  if (!created) return failed(created.error().text);
  sim::Simulation simulation = *std::move(created);
  Files files;
  files.open(job_, folder_, run, *scene_, simulation);
  if (files.failure.empty()) files.write_row(*run.variant, simulation);
  sim::TickOptions options;
  options.want_hash = files.writer.has_value();
  std::span<const sim::Input> script(script_);
  std::uint64_t refused_count = 0;
  while (simulation.tick() < run.variant->ticks && files.failure.empty()) {
    if (is_stopped_) return {};
    auto const later = std::ranges::find_if(
        script, [&](const sim::Input& input) { return input.tick != simulation.tick(); });
    auto const count = static_cast<std::size_t>(later - script.begin());
    std::span<const sim::Input> const inputs = script.first(count);
    script = script.subspan(count);
    sim::TickResult result;
    std::uint64_t const tick = simulation.tick();
    auto const step = [&] { result = simulation.step(inputs, options); };
    if (auto const thrown = sim::game_exception_of(step)) return failed(game_exception_text(tick, *thrown));
    refused_count += result.refused.size();
    files.add(*run.variant, simulation, inputs, result);
  }
  files.close();
  if (!files.failure.empty()) return failed(files.failure);
  return {row_of(run, simulation, refused_count), {}};
}

std::string BatchRunner::row_of(const sim::BatchRun& run, const sim::Simulation& simulation,
                                std::uint64_t refused_count) const {
  const sim::AnyWorld& world = simulation.world();
  std::string row = std::to_string(run.index) + ',' + run.variant->name;
  append_column(row, run.seed ? *run.seed : scene_->world.seed);
  std::string swept;
  for (const sim::SceneSetting& setting : run.variant->swept(run.combination))
    swept += (swept.empty() ? "" : " ") + setting.path + '=' + setting.value;
  row += ',' + csv_text(swept);
  row += run.variant->numbers == NumbersMode::kFixed ? ",fixed" : ",float";
  append_column(row, simulation.tick());
  row += ',' + hash_text(simulation.scene_hash()) + ',' + hash_text(simulation.hash());
  append_column(row, world.body_count());
  append_column(row, refused_count);
  for (const sim::BatchMeasure& measure : job_.plan.measures) append_measure(measure, world, row);
  return row;
}

void BatchRunner::append_measure(const sim::BatchMeasure& measure, const sim::AnyWorld& world,
                                 std::string& row) const {
  if (measure.kind == BatchMeasureKind::kEnergy) {
    WorldEnergy const energy = world.energy();
    append_column(row, energy.kinetic_j);
    append_column(row, energy.potential_j);
    return;
  }
  if (measure.kind == BatchMeasureKind::kContacts) {
    std::vector<ContactView> contacts;
    world.list_contacts(contacts);
    append_column(row, contacts.size());
    return;
  }
  if (measure.kind == BatchMeasureKind::kAwake) {
    std::vector<BodyId> bodies;
    world.list_bodies(bodies);
    append_column(row, std::ranges::count_if(bodies, [&](BodyId id) {
                    sim::BodyView const body = world.view(id);
                    return body.type == BodyType::kDynamic && !body.asleep;
                  }));
    return;
  }
  std::size_t const index = sim::find_name(scene_->bodies, measure.body).index;
  BodyId const id{static_cast<std::uint32_t>(index), 1};
  std::size_t const columns = measure.kind == BatchMeasureKind::kRotation ? 4 : 3;
  if (!world.contains(id)) {  // destroyed
    row.append(columns, ',');
    return;
  }
  sim::BodyView const body = world.view(id);
  if (measure.kind == BatchMeasureKind::kPosition) {
    for (std::int64_t const raw : {body.position.x_raw, body.position.y_raw, body.position.z_raw})
      append_column(row, metres_of(raw));
    return;
  }
  if (measure.kind == BatchMeasureKind::kRotation) {
    for (double const value : {body.rotation.x, body.rotation.y, body.rotation.z, body.rotation.w})
      append_real(row, value, world.numbers());
    return;
  }
  const Vec3<double>& v =
      measure.kind == BatchMeasureKind::kVelocity ? body.linear_velocity_m_s : body.angular_velocity_rad_s;
  for (double const value : {v.x, v.y, v.z}) append_real(row, value, world.numbers());
}

}  // namespace takt::cli
