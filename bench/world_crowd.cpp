#include "bench/world_crowd.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <vector>

#include "bench/heap_bytes.h"
#include "bench/tick_times.h"
#include "bench/trial_world.h"

namespace takt::bench {
namespace {

template <class Real>
class TaktSmallWorld : public SmallWorld {
 public:
  TaktSmallWorld(const test::Trial& trial, const StepOptions& options)
      : world_(trial_world<Real>(trial)), options_(options) {
    std::vector<BodyId> bodies;
    world_.list_bodies(bodies);
    last_ = bodies.back();
  }
  void tick() override { status_ = world_.step(options_); }
  void kick() override { (void)world_.set_velocity(last_, {0, 4, 0}, {}); }
  [[nodiscard]] test::TrialStats stats() override {
    test::TrialStats found;
    found.body_count = world_.body_count();
    found.contact_count = status_.contact_count;
    std::vector<ContactView> contacts;
    world_.list_contacts(contacts);
    std::vector<double> separations;
    for (const ContactView& contact : contacts) separations.push_back(contact.separation_m);
    found.penetration = test::penetration_of(separations);
    found.digest = world_.hash();
    return found;
  }

 private:
  World<Real> world_;
  StepOptions options_;
  StepStatus status_;
  BodyId last_;
};

}  // namespace

std::unique_ptr<SmallWorld> takt_small_world(const test::Trial& trial, NumbersMode numbers,
                                             const StepOptions& options) {
  if (numbers == NumbersMode::kFixed) return std::make_unique<TaktSmallWorld<Fixed>>(trial, options);
  return std::make_unique<TaktSmallWorld<float>>(trial, options);
}

CrowdRow run_crowd(const CrowdSettings& settings, const std::function<std::unique_ptr<SmallWorld>()>& make) {
  std::vector<std::unique_ptr<SmallWorld>> worlds(settings.worlds);
  std::size_t const before_bytes = live_heap_bytes();
  for (auto& world : worlds) {
    world = make();
    for (std::uint32_t tick = 0; tick < settings.settle_ticks; ++tick) world->tick();
  }
  std::vector<double> step_us;
  step_us.reserve(settings.rounds);
  std::size_t const own_bytes = step_us.capacity() * sizeof(double);
  for (std::uint32_t round = 0; round < settings.rounds; ++round) {
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      if ((round + i) % settings.kick_every == 0) worlds[i]->kick();
    }
    double const begin_ms = thread_ms();
    for (auto const& world : worlds) world->tick();
    step_us.push_back(1e3 * (thread_ms() - begin_ms) / static_cast<double>(worlds.size()));
  }
  CrowdRow row;
  row.kib_a_world = static_cast<double>(live_heap_bytes() - before_bytes - own_bytes) / 1024.0 /
                    static_cast<double>(worlds.size());
  row.step_us = tick_times(std::move(step_us));
  row.first = worlds.front()->stats();
  return row;
}

void print_crowd_head(const CrowdSettings& settings) {
  std::printf(
      "Worlds stepped in turn, %" PRIu32
      " rounds; us of the processor; memory of the heap with all that a world keeps; depths of the first "
      "world's contacts.\n\n",
      settings.rounds);
  std::printf(
      "| scene | engine | numbers | lanes | threads | worlds | bodies | contacts | joints | us/world-step "
      "median | p99 | KiB/world | depth mean mm | "
      "max |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

void print_crowd_row(const std::string& name, const Engine& engine, const CrowdSettings& settings,
                     const CrowdRow& row) {
  std::printf("| %s | %s | %s | %" PRIu32 " | %" PRIu32 " | %" PRIu32 " | %" PRIu32 " | %" PRIu32
              " | 0 | %.1f | %.1f | %.1f | %.2f | %.2f |\n",
              name.c_str(), engine.name.c_str(), engine.numbers.c_str(), engine.lanes, engine.threads,
              settings.worlds, row.first.body_count, row.first.contact_count, row.step_us.median,
              row.step_us.p99, row.kib_a_world, 1e3 * row.first.penetration.mean_m,
              1e3 * row.first.penetration.max_m);
  std::fflush(stdout);
}

}  // namespace takt::bench
