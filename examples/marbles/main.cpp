// Plays twenty seconds of the marble game without a server, records it in memory, and replays the recording
// with a fresh game: the same bits.
#include <cinttypes>
#include <cstdio>

#include "examples/marbles/marble_game.h"
#include "takt/sim/replay.h"

int main() {
  namespace sim = takt::sim;
  auto const scene = sim::load_scene(std::string_view(R"({"title": "Marbles", "world": {"seed": 4},
    "bodies": [{"name": "ground", "type": "static", "shapes": [{"half_space": {}, "friction": 0.8}]}]})"),
                                     "marbles");
  if (!scene) return std::fprintf(stderr, "takt: %s\n", message(scene.error()).c_str()), 1;
  auto simulation =
      sim::Simulation::create(*scene, takt::NumbersMode::kFloat, std::make_unique<marbles::MarbleGame>());
  if (!simulation) return 1;

  sim::MemorySink sink;
  sim::RecordingWriter recording(sink);
  if (!recording.begin(*simulation, &*scene)) return 1;
  std::uint32_t sequence[3] = {};
  for (std::uint64_t tick = 0; tick < 1200; ++tick) {
    std::vector<sim::Input> inputs;
    if (tick == 0) {
      for (sim::PlayerId const player : {1u, 2u})
        inputs.push_back(
            {tick, sim::kServerPlayer, ++sequence[0], sim::JoinCommand{player, false, "someone"}});
    }
    for (sim::PlayerId const player : {1u, 2u}) {
      if (tick % (20 * player) == 10)
        inputs.push_back({tick, player, ++sequence[player], sim::CustomCommand{{std::byte{1}}}});  // east
    }
    if (!recording.append(*simulation, inputs, simulation->step(inputs))) return 1;
  }
  if (!recording.close()) return 1;

  for (const auto& marble : dynamic_cast<const marbles::MarbleGame&>(*simulation->game()).marbles()) {
    std::printf("player %u scored %u\n", marble.player, marble.score);
  }
  sim::MemorySource const source(sink.bytes());
  auto const reader = sim::RecordingReader::open(source);
  if (!reader) return 1;
  auto const report =
      sim::verify(*reader, {}, [](std::string_view) { return std::make_unique<marbles::MarbleGame>(); });
  bool const is_same = report && !report->mismatch && report->final_hash == simulation->hash();
  std::printf("tick %" PRIu64 " hash 0x%016" PRIx64 ", replayed %s\n", simulation->tick(), simulation->hash(),
              is_same ? "bit for bit" : "differently");
  return is_same ? 0 : 1;
}
