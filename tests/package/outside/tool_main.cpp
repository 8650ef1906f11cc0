// hoops: the commands of takt for the studio's own game, with bots that play it.
#include <algorithm>
#include <optional>

#include "hoops.h"
#include "takt/cli/takt_main.h"

int main(int argc, char** argv) {
  takt::cli::Program program;
  program.name = "hoops";
  program.version = "1.0";
  program.games.add<hoops::Hoops>();
  program.bot = [](const takt::cli::BotView& view, takt::Random& random) {
    std::optional<takt::sim::Command> command;
    bool const has_ball =
        std::ranges::any_of(view.bodies, [&](const auto& body) { return body.player == view.player; });
    if (has_ball && random.next_below(3) == 0) command = takt::sim::CustomCommand{{hoops::kKick}};
    return command;
  };
  return takt::cli::takt_main(argc, argv, program);
}
