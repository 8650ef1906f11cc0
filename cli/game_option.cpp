#include "cli/game_option.h"

#include <CLI/CLI.hpp>

#include <vector>

namespace takt::cli {

void add_game_option(CLI::App& app, std::string& name, const server::GameRegistry& games) {
  name = kNoGame;
  if (games.is_empty()) return;
  name = games.names().front();
  std::vector<std::string> allowed(games.names().begin(), games.names().end());
  allowed.emplace_back(kNoGame);
  app.add_option("--game", name, "The game whose rules the world has, or none")
      ->check(CLI::IsMember(allowed))
      ->capture_default_str();
}

void add_messages_option(CLI::App& app, bool& wanted, const server::GameRegistry& games) {
  if (games.is_empty()) return;
  app.add_flag("--messages", wanted, "Print the messages of the game: tick, recipient and text");
}

std::unique_ptr<sim::Game> make_game(const std::string& name, const server::GameRegistry& games) {
  return name == kNoGame ? nullptr : games.make(name);
}

std::string games_text(const server::GameRegistry& games) {
  if (games.is_empty()) return "; this program has no games";
  std::string text = "; this program has: ";
  for (const std::string& name : games.names()) text += (&name == &games.names().front() ? "" : ", ") + name;
  return text;
}

std::string replay_failure(sim::SimError error, const sim::RecordingReader& recording,
                           const server::GameRegistry& games) {
  std::string text(message(error));
  sim::RecordingInfo const& info = recording.info();
  if (error == sim::SimError::kGameMismatch) text += " (game " + info.game_name + ")" + games_text(games);
  if (error == sim::SimError::kGameRefused) {
    std::string const refusal = sim::image_refusal(recording, info.first_tick, games.factory());
    if (!refusal.empty()) text += " (" + info.game_name + ": " + refusal + ")";
  }
  return text;
}

std::string game_exception_text(std::uint64_t tick, const std::string& thrown) {
  return "tick " + std::to_string(tick) + ": the game threw: " + thrown;
}

}  // namespace takt::cli
