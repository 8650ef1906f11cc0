// RecordedRoom is a room whose journal writes files, without a thread: after each step the files have the
// tick's inputs and its hash. It notes the hash and the bytes of the present file after each tick.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cli/journal_files.h"
#include "server/room.h"
#include "takt/sim/scene.h"

namespace takt::cli::test {

class RecordedRoom {
 public:
  static constexpr std::uint32_t kImageEveryTicks = 50;

  explicit RecordedRoom(const std::string& path) : path_(path) {
    auto created = JournalFiles::create(path, OutputKind::kRecording, 0);
    EXPECT_TRUE(created.ok());
    files_ = *std::move(created);
    auto scene = sim::load_scene(kScene, "test");
    EXPECT_TRUE(scene.ok());
    room_ = std::make_unique<server::Room>(*server::Room::create(*scene, {}));
    server::JournalOptions options;
    options.sync_ms = 0;
    options.retry_ms = 0;
    options.image_every_ticks = kImageEveryTicks;
    EXPECT_TRUE(room_->start_journal(*files_, *scene, options).ok());
    EXPECT_TRUE(files_->commit());
    note();
    for (protocol::PlayerId const player : {1u, 2u}) {
      protocol::PlayerJoined joined;
      joined.player = player;
      room_->handle_event(joined);
    }
  }

  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      if (++steps_ % 3 == 0) {
        protocol::ImpulseCommand impulse;
        impulse.body = (std::uint64_t{1} << 32) | (1 + steps_ % 20);
        impulse.impulse = {10, 500, static_cast<float>(steps_ % 7)};
        room_->handle_event(
            protocol::InputsArrived{1 + steps_ % 2, {{room_->simulation().tick(), steps_, impulse}}});
      }
      (void)room_->step();
      note();
    }
  }
  [[nodiscard]] server::JournalStatus status() const { return room_->journal_status(); }
  [[nodiscard]] std::uint64_t tick() const { return room_->simulation().tick(); }
  [[nodiscard]] std::uint64_t bytes() const { return std::filesystem::file_size(files_->path()); }
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& hashes() const { return hashes_; }
  /// Bytes of the file that have all of a tick: its inputs and its hash.
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& bytes_of_tick() const { return bytes_of_tick_; }

 private:
  static constexpr std::string_view kScene = R"({
  "players": {},
  "bodies": [{ "type": "static", "position": [0, -1, 0], "shapes": [{ "half_space": {} }] }],
  "generators": [{ "grid": { "count": [3, 3, 3], "origin": [0, 1, 0], "spacing": [1.2, 1.2, 1.2], "shapes": [{ "box": { "size": [1, 1, 1] } }] } }],
})";
  void note() {
    hashes_[tick()] = room_->hash();
    bytes_of_tick_[tick()] = bytes();
  }

  std::string path_;
  std::unique_ptr<JournalFiles> files_;  // the room's journal writes to it
  std::unique_ptr<server::Room> room_;
  std::uint32_t steps_ = 0;
  std::map<std::uint64_t, std::uint64_t> hashes_;
  std::map<std::uint64_t, std::uint64_t> bytes_of_tick_;
};

}  // namespace takt::cli::test
