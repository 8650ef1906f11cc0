// A takt with a game that kills the program inside of a step when a player sends "crash", and throws when one
// sends "throw", and at the start of a scene with a body of that name. It refuses "refuse",
// repeats the rest of "say ..." to all and that of "tell ..." to the player. It counts the bytes that players
// send, and the count is part of its state. Its bots send "step" and "refuse".
#include <csignal>
#include <span>
#include <stdexcept>
#include <string_view>

#include "takt/cli/takt_main.h"
#include "takt/sim/game.h"

namespace {

class CrashGame final : public takt::sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "crash/1"; }
  [[nodiscard]] bool on_start(takt::sim::WorldAccess&, const takt::sim::SceneNames& names) override {
    if (names.body("throw")) throw std::runtime_error("bad scene");
    return true;
  }
  [[nodiscard]] bool on_command(takt::sim::WorldAccess& world, takt::sim::PlayerId player,
                                std::span<const std::byte> bytes) override {
    std::string_view const text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text == "crash") std::raise(SIGKILL);
    if (text == "throw") throw std::out_of_range("map::at");
    if (text == "refuse") return world.refuse("as asked");
    if (text.starts_with("say ")) (void)world.send_to_all(bytes.subspan(4));
    if (text.starts_with("tell ")) (void)world.send(player, bytes.subspan(5));
    byte_count_ += bytes.size();
    return true;
  }
  void visit_state(takt::sim::StateVisitor& state) override { state.field("byte_count", byte_count_); }

 private:
  std::uint64_t byte_count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  takt::cli::Program program;
  program.name = "crash-game";
  program.games.add<CrashGame>();
  program.bot = [](const takt::cli::BotView&, takt::Random& random) {
    std::string_view const text = random.next_below(2) == 0 ? "step" : "refuse";
    auto const bytes = std::as_bytes(std::span(text));
    return takt::sim::Command(takt::sim::CustomCommand{{bytes.begin(), bytes.end()}});
  };
  return takt::cli::takt_main(argc, argv, program);
}
