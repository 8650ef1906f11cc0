#include "sim/batch/batch_plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "schemas/batch_generated.h"
#include "sim/scene/scene_fields.h"
#include "sim/scene/schema_json.h"
#include "takt/core/assert.h"

namespace takt::sim {
namespace {

constexpr std::uint64_t kMaxBatchTicks = std::uint64_t{1} << 40u;  // as --ticks of `takt run`

using Strings = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;
using Sweeps = flatbuffers::Vector<flatbuffers::Offset<schema::BatchSweep>>;

std::string text_of(const flatbuffers::String* text) { return text != nullptr ? text->str() : std::string(); }

// A row of the table is one line, and a name needs no quotes there.
bool is_one_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}
bool is_plain(std::string_view text) {
  return is_one_line(text) && text.find_first_of(",\"") == std::string_view::npos;
}

std::string stem_of(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  std::size_t const dot = path.rfind('.');
  return std::string(dot == 0 ? path : path.substr(0, dot));
}

// A value that is written after another one, and contains it or is it.
bool replaces(std::string_view later, std::string_view earlier) {
  return earlier.starts_with(later) &&
         (earlier.size() == later.size() || earlier[later.size()] == '.' || earlier[later.size()] == '[');
}

class PlanReader {
 public:
  PlanReader(SceneFields& fields, const schema::BatchEntry* defaults)
      : fields_(&fields), defaults_(defaults) {}

  void check_defaults(const FieldPath& at) {
    if (defaults_ == nullptr) return;
    if (defaults_->name() != nullptr)
      fields_->fail(at, "name", "a name is of one entry of \"runs\": set it there");
    if (defaults_->seeds() != nullptr || defaults_->seed_count() != 0 || defaults_->first_seed() != 0)
      fields_->fail(at, {}, "seeds are of one entry of \"runs\": set them there");
  }

  // Adds the variant of an entry.
  void read(const schema::BatchEntry& entry, const FieldPath& at, std::size_t index, BatchPlan& plan) {
    BatchVariant variant;
    variant.entry = index;
    read_scene(entry, at, variant);
    read_outputs(entry, at, variant);
    read_seeds(entry, at, variant);
    if (defaults_ != nullptr) read_settings(defaults_->set(), {nullptr, "defaults"}, variant);
    read_settings(entry.set(), at, variant);
    const bool has_own = entry.sweep() != nullptr || defaults_ == nullptr;
    FieldPath const up = has_own ? at : FieldPath{nullptr, "defaults"};
    add_sweeps(has_own ? entry.sweep() : defaults_->sweep(), up, std::move(variant), plan);
  }

 private:
  template <class Get>
  auto value(const schema::BatchEntry& entry, Get get) const {
    auto own = (entry.*get)();
    return own || defaults_ == nullptr ? own : (defaults_->*get)();
  }

  void read_scene(const schema::BatchEntry& entry, const FieldPath& at, BatchVariant& variant) {
    variant.scene_path = text_of(value(entry, &schema::BatchEntry::scene));
    if (variant.scene_path.empty())
      fields_->fail(at, {}, "\"scene\" is missing: expected a scene file, here or in \"defaults\"");
    variant.name = entry.name() != nullptr ? entry.name()->str() : stem_of(variant.scene_path);
    if (variant.name.size() > kMaxNameBytes || !is_plain(variant.name)) {
      fields_->fail(at, "name",
                    "expected at most " + std::to_string(kMaxNameBytes) +
                        " bytes without commas, quotes and control characters");
    }
    std::string const numbers = text_of(value(entry, &schema::BatchEntry::numbers));
    if (numbers == "fixed") {
      variant.numbers = NumbersMode::kFixed;
    } else if (!numbers.empty() && numbers != "float") {
      fields_->fail(at, "numbers", "\"" + numbers + "\" is unknown: expected \"float\" or \"fixed\"");
    }
    if (auto const hz = value(entry, &schema::BatchEntry::hz); hz)
      variant.hz = fields_->count(at, "hz", *hz, 1, 1000);
    if (auto const substeps = value(entry, &schema::BatchEntry::substeps); substeps)
      variant.substeps = fields_->count(at, "substeps", *substeps, 1, 64);
    auto const ticks = value(entry, &schema::BatchEntry::ticks);
    if (!ticks) fields_->fail(at, {}, "\"ticks\" is missing: expected a number, here or in \"defaults\"");
    variant.ticks = ticks ? *ticks : 0;
    check_ticks(at, "ticks", variant.ticks);
  }

  void check_ticks(const FieldPath& at, std::string_view name, std::uint64_t ticks) {
    if (ticks <= kMaxBatchTicks) return;
    fields_->fail(
        at, name,
        std::to_string(ticks) + " is out of range: allowed is 0 to " + std::to_string(kMaxBatchTicks));
  }

  void read_outputs(const schema::BatchEntry& entry, const FieldPath& at, BatchVariant& variant) {
    variant.inputs_path = text_of(value(entry, &schema::BatchEntry::inputs));
    auto const record = value(entry, &schema::BatchEntry::record);
    variant.record = record && *record;
    auto const csv_every = value(entry, &schema::BatchEntry::csv_every);
    variant.csv_every = csv_every ? *csv_every : 0;
    check_ticks(at, "csv_every", variant.csv_every);
  }

  void read_seeds(const schema::BatchEntry& entry, const FieldPath& at, BatchVariant& variant) {
    if (entry.seeds() != nullptr) {
      variant.seeds.assign(entry.seeds()->begin(), entry.seeds()->end());
      if (variant.seeds.empty())
        fields_->fail(at, "seeds", "an empty list has no run: name a seed, or leave the field out");
      if (entry.seed_count() != 0)
        fields_->fail(at, "seed_count", "there are \"seeds\" too: allowed is one of them");
    }
    variant.first_seed = entry.first_seed();
    variant.seed_count = entry.seed_count();
    variant.seed_path = text_of(value(entry, &schema::BatchEntry::seed_path));
    if (!is_one_line(variant.seed_path)) fields_->fail(at, "seed_path", "expected a path in one line");
    if (entry.seed_path() != nullptr && !variant.has_seeds())
      fields_->fail(at, "seed_path", "there are no seeds for it: add \"seeds\" or \"seed_count\"");
    if (variant.seed_count == 0 && variant.first_seed != 0)
      fields_->fail(at, "first_seed", "\"seed_count\" is missing: it is the number of seeds from here on");
    if (variant.seed_count != 0 && variant.first_seed > UINT64_MAX - (variant.seed_count - 1))
      fields_->fail(at, "first_seed", "the last seed would be above 2^64 - 1");
  }

  void read_settings(const Strings* list, const FieldPath& at, BatchVariant& variant) {
    for (flatbuffers::uoffset_t i = 0; list != nullptr && i < list->size(); ++i) {
      std::string const text = list->Get(i)->str();
      std::size_t const equals = text.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == text.size() || !is_one_line(text)) {
        FieldPath const here{&at, "set", i};
        fields_->fail(here, {}, "expected \"PATH=VALUE\" in one line, such as world.gravity=[0,-1.62,0]");
        return;
      }
      variant.settings.push_back({text.substr(0, equals), text.substr(equals + 1)});
    }
  }

  void add_sweeps(const Sweeps* sweeps, const FieldPath& at, BatchVariant&& variant, BatchPlan& plan) {
    for (flatbuffers::uoffset_t i = 0; sweeps != nullptr && i < sweeps->size(); ++i) {
      const schema::BatchSweep& sweep = *sweeps->Get(i);
      FieldPath const here{&at, "sweep", i};
      if (!check_sweep(sweep, here) || !check_path(*sweeps, i, here, variant)) return;
      BatchSweep& read = variant.sweeps.emplace_back();
      read.path = sweep.path()->str();
      for (const flatbuffers::String* const value : *sweep.values()) read.values.push_back(value->str());
    }
    if (!fields_->ok()) return;
    std::uint64_t const combinations = variant.combination_count();
    std::uint64_t const seeds = variant.seeds_per_combination();
    if (combinations > kMaxBatchRuns || combinations * seeds > kMaxBatchRuns - plan.run_count) {
      fields_->fail(at, {}, "the plan has more than " + std::to_string(kMaxBatchRuns) + " runs: split it");
      return;
    }
    variant.first_run = plan.run_count;
    plan.run_count += combinations * seeds;
    plan.variants.push_back(std::move(variant));
  }

  bool check_sweep(const schema::BatchSweep& sweep, const FieldPath& at) {
    if (text_of(sweep.path()).empty() || !is_one_line(sweep.path()->string_view()))
      return fields_->fail(at, {}, "\"path\" is missing: expected a path such as world.gravity");
    if (sweep.values() == nullptr || sweep.values()->size() == 0)
      return fields_->fail(at, {}, "\"values\" is missing or empty: expected one value for each run");
    for (flatbuffers::uoffset_t i = 0; i < sweep.values()->size(); ++i) {
      std::string_view const text = sweep.values()->Get(i)->string_view();
      FieldPath const here{&at, "values", i};
      if (text.empty() || !is_one_line(text)) return fields_->fail(here, {}, "expected a value in one line");
    }
    return true;
  }

  // Refuses a sweep whose values another field would replace, so that its runs would not differ.
  bool check_path(const Sweeps& sweeps, flatbuffers::uoffset_t index, const FieldPath& at,
                  const BatchVariant& variant) {
    std::string_view const path = sweeps.Get(index)->path()->string_view();
    auto const fail = [&](const std::string& by) {
      return fields_->fail(at, "path",
                           std::string(path) + " is set by " + by +
                               " too, which would replace each of the values: leave one of the two out");
    };
    if (variant.hz != 0 && path == "world.tick_rate_hz") return fail("\"hz\"");
    if (variant.substeps != 0 && path == "world.substeps") return fail("\"substeps\"");
    if (variant.has_seeds()) {
      bool const has_path = !variant.seed_path.empty();
      if (!has_path && path == "world.seed") return fail("the seeds of the entry");
      if (has_path && replaces(variant.seed_path, path)) return fail("\"seed_path\"");
    }
    for (flatbuffers::uoffset_t later = index + 1; later < sweeps.size(); ++later) {
      auto const* const other = sweeps.Get(later)->path();
      if (other != nullptr && !other->string_view().empty() && replaces(other->string_view(), path))
        return fail("sweep[" + std::to_string(later) + "]");
    }
    return true;
  }

  SceneFields* fields_;
  const schema::BatchEntry* defaults_;
};

struct MeasureName {
  std::string_view name;
  BatchMeasureKind kind;
  bool of_body;
};
constexpr std::array kMeasureNames{
    MeasureName{"energy", BatchMeasureKind::kEnergy, false},
    MeasureName{"contacts", BatchMeasureKind::kContacts, false},
    MeasureName{"awake", BatchMeasureKind::kAwake, false},
    MeasureName{"position", BatchMeasureKind::kPosition, true},
    MeasureName{"rotation", BatchMeasureKind::kRotation, true},
    MeasureName{"velocity", BatchMeasureKind::kVelocity, true},
    MeasureName{"angular_velocity", BatchMeasureKind::kAngularVelocity, true},
};

std::optional<BatchMeasure> parse_measure(std::string_view text) {
  std::size_t const dot = text.rfind('.');
  bool const of_body = dot != std::string_view::npos && dot > 0;
  std::string_view const name = of_body ? text.substr(dot + 1) : text;
  auto const found = std::ranges::find(kMeasureNames, name, &MeasureName::name);
  if (found == kMeasureNames.end() || found->of_body != of_body || !is_plain(text)) return std::nullopt;
  return BatchMeasure{found->kind, std::string(of_body ? text.substr(0, dot) : std::string_view())};
}

void read_measures(const Strings* list, SceneFields& fields, BatchPlan& plan) {
  FieldPath const root{};
  for (flatbuffers::uoffset_t i = 0; list != nullptr && i < list->size(); ++i) {
    std::string_view const text = list->Get(i)->string_view();
    FieldPath const at{&root, "measure", i};
    bool const is_double = std::ranges::any_of(*list, [&](const flatbuffers::String* other) {
      return other != list->Get(i) && other->string_view() == text;
    });
    if (is_double) {
      fields.fail(at, {}, "\"" + std::string(text) + "\" stands twice: once is allowed");
      return;
    }
    std::optional<BatchMeasure> measure = parse_measure(text);
    if (!measure) {
      fields.fail(at, {},
                  "\"" + std::string(text) +
                      "\" is unknown: expected energy, contacts, awake, or NAME.position, NAME.rotation, "
                      "NAME.velocity, NAME.angular_velocity of a body");
      return;
    }
    plan.measures.push_back(*std::move(measure));
  }
}

BatchPlan read_plan(const schema::BatchPlan& file, SceneFields& fields) {
  BatchPlan plan;
  FieldPath const root{};
  if (file.version() != 1)
    fields.fail(root, "version", std::to_string(file.version()) + " is unknown: this takt reads version 1");
  plan.title = text_of(file.title());
  read_measures(file.measure(), fields, plan);
  PlanReader reader(fields, file.defaults());
  reader.check_defaults({&root, "defaults"});
  if (file.runs() == nullptr || file.runs()->size() == 0)
    fields.fail(root, {}, "\"runs\" is missing or empty: expected a list of runs");
  for (flatbuffers::uoffset_t i = 0; fields.ok() && i < file.runs()->size(); ++i)
    reader.read(*file.runs()->Get(i), {&root, "runs", i}, i, plan);
  return plan;
}

}  // namespace

bool BatchVariant::has_seeds() const noexcept { return !seeds.empty() || seed_count != 0; }

std::uint64_t BatchVariant::seeds_per_combination() const noexcept {
  if (!seeds.empty()) return seeds.size();
  return seed_count != 0 ? seed_count : 1;
}

std::uint64_t BatchVariant::combination_count() const noexcept {
  std::uint64_t count = 1;
  for (const BatchSweep& sweep : sweeps) {
    count *= sweep.values.size();
    if (count > kMaxBatchRuns) return kMaxBatchRuns + 1;
  }
  return count;
}

std::vector<SceneSetting> BatchVariant::swept(std::uint64_t combination) const {
  TAKT_ASSERT(combination < combination_count());
  std::vector<SceneSetting> out;
  std::uint64_t stride = combination_count();
  for (const BatchSweep& sweep : sweeps) {  // the first sweep is the outermost loop
    stride /= sweep.values.size();
    out.push_back({sweep.path, sweep.values[combination / stride % sweep.values.size()]});
  }
  return out;
}

std::vector<SceneSetting> BatchRun::settings() const {
  std::vector<SceneSetting> out = variant->settings;
  for (SceneSetting& setting : variant->swept(combination)) out.push_back(std::move(setting));
  if (seed && !variant->seed_path.empty()) out.push_back({variant->seed_path, std::to_string(*seed)});
  return out;
}

BatchRun BatchPlan::run(std::uint64_t index) const {
  TAKT_ASSERT(index < run_count);
  auto const after =
      std::ranges::upper_bound(variants, index, {}, [](const BatchVariant& one) { return one.first_run; });
  const BatchVariant& variant = *(after - 1);  // the first one begins at 0
  std::uint64_t const seeds = variant.seeds_per_combination();
  std::uint64_t const offset = (index - variant.first_run) % seeds;
  BatchRun run{index, &variant, (index - variant.first_run) / seeds, std::nullopt};
  if (!variant.seeds.empty()) {
    run.seed = variant.seeds[offset];
  } else if (variant.seed_count != 0) {
    run.seed = variant.first_seed + offset;
  }
  return run;
}

Result<BatchPlan, SceneError> load_batch_plan(std::string_view json, std::string_view file_name) {
  std::string const file(file_name);
  Result<std::vector<std::byte>, JsonFault> const binary = parse_json(JsonSchema::kBatch, json);
  if (!binary) return SceneError{file, binary.error().line, binary.error().text};
  SceneFields fields;
  BatchPlan plan = read_plan(*schema::GetBatchPlan(binary->data()), fields);
  if (!fields.ok())
    return SceneError{file, line_of_path(json, fields.fault().path), sentence(fields.fault())};
  return plan;
}

}  // namespace takt::sim
