// One end of `takt lockstep-test` for machines that have no `takt`: a cell of the determinism matrix under
// qemu. It takes the arguments that `takt lockstep-peer` takes, and the scene is one of examples/scenes by
// the stem of its path. `lockstep_peer --nudge TICK lockstep-peer ...` has a game with a planted divergence
// at that tick; 0 = never.
#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/comparison/lockstep_peer.h"
#include "takt/threads/thread_pool.h"
#include "tests/determinism/nudging_game.h"
#include "tests/scene_file.h"

namespace {

using takt::NumbersMode;

std::uint64_t number_of(const std::string& text) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("not a number: " + text);
  return value;
}

struct Arguments {
  std::string scene;
  NumbersMode numbers = NumbersMode::kFloat;
  std::uint32_t lanes = 0;
  std::uint32_t threads = 1;
  std::unique_ptr<takt::sim::Game> game;
};

Arguments parse(const std::vector<std::string>& words) {
  Arguments out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string const& word = words[i];
    if (word == "lockstep-peer") continue;
    if (!word.starts_with("--")) {
      out.scene = std::filesystem::path(word).stem().string();
      continue;
    }
    if (++i == words.size()) throw std::runtime_error(word + " needs a value");
    std::string const& value = words[i];
    if (word == "--numbers") {
      out.numbers = value == "fixed" ? NumbersMode::kFixed : NumbersMode::kFloat;
    } else if (word == "--lanes") {
      out.lanes = value == "auto" ? 0 : static_cast<std::uint32_t>(number_of(value));
    } else if (word == "--threads") {
      out.threads = value == "auto" ? 1 : static_cast<std::uint32_t>(number_of(value));
    } else if (word == "--nudge") {
      std::uint64_t const tick = number_of(value);
      out.game = std::make_unique<takt::sim::NudgingGame>(tick == 0 ? takt::sim::kNever : tick);
    } else {
      throw std::runtime_error(word + " is unknown here; leave it out");
    }
  }
  return out;
}

void answer_lines(Arguments arguments) {
  auto simulation = takt::sim::Simulation::create(takt::scene_files::load(arguments.scene), arguments.numbers,
                                                  std::move(arguments.game));
  if (!simulation) throw std::runtime_error(std::string(message(simulation.error())));
  std::unique_ptr<takt::ThreadPool> pool;
  if (arguments.threads > 1) pool = std::make_unique<takt::ThreadPool>(arguments.threads);
  takt::sim::LockstepPeer peer(*simulation, {}, {.lanes = arguments.lanes, .pool = pool.get()}, 0);
  std::cout << peer.greeting() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    takt::sim::PeerReply const reply = peer.handle_line(line);
    std::cout << reply.line << std::endl;
    if (reply.is_last) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    answer_lines(parse({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep_peer: %s\n", error.what());
    return 1;
  }
  return 0;
}
