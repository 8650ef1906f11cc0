// Recordings, images, inputs and states of a game. The first byte says what the rest is. A fuzzer cannot
// guess checksums, so they are put right before the bytes are read: everything behind a checksum is as much
// under test as what is before it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "sim/recording/simulation_image.h"
#include "sim/state/game_state.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"
#include "takt/sim/replay.h"
#include "tests/unit/sim/varied_game.h"

namespace {

using namespace takt;
using namespace takt::sim;
using Bytes = std::vector<std::byte>;

void require(bool holds) {
  if (!holds) std::abort();
}

std::uint64_t number_at(const Bytes& bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
  return value;
}

// Checksums of every chunk that lies inside the bytes, front to back.
void repair_chunks(Bytes& bytes) {
  std::size_t at = kRecordingHeadBytes;
  while (at + kChunkHeadBytes <= bytes.size()) {
    std::uint64_t const payload = number_at(bytes, at + 8, 4);
    if (payload > bytes.size() - at - kChunkHeadBytes) return;
    auto const head = std::span<const std::byte>(bytes).subspan(at, 24);
    auto const body = std::span<const std::byte>(bytes).subspan(at + kChunkHeadBytes, payload);
    store_little_endian(bytes.data() + at + 24, hash_bytes(body, hash_bytes(head)));
    at += kChunkHeadBytes + payload;
  }
}

// The world image's checksum, then the simulation image's.
void repair_image(Bytes& image) {
  if (image.size() < kImageHeadBytes + kImageChecksumBytes) return;
  std::uint64_t const world_bytes = number_at(image, 40, 8);
  std::size_t const end = image.size() - kImageChecksumBytes;
  if (world_bytes >= 32 && world_bytes <= end - kImageHeadBytes) {
    std::size_t const world = end - world_bytes;
    store_little_endian(image.data() + world + 24,
                        hash_bytes(std::span<const std::byte>(image).subspan(world + 32, world_bytes - 32)));
  }
  store_little_endian(image.data() + end, hash_bytes(std::span<const std::byte>(image).first(end)));
}

// A few ticks of whatever came in: a restored state must be one that the engine can step and save.
void exercise(Simulation& simulation) {
  if (simulation.world().body_count() > 64 || simulation.world().def().substeps > 16) return;
  for (int tick = 0; tick < 2; ++tick) (void)simulation.step({});
  Result<Simulation, SimError> const again = Simulation::restore(simulation.save());
  require(again.ok() && again->hash() == simulation.hash());
}

void read_recording(const Bytes& bytes) {
  MemorySource const source(bytes);
  Result<RecordingReader, SimError> const reader = RecordingReader::open(source);
  if (!reader) return;
  RecordingInfo const& info = reader->info();
  require(info.cut_at_bytes <= bytes.size() && info.first_tick <= info.end_tick);
  for (std::uint64_t tick = info.first_tick; tick < info.end_tick && tick < info.first_tick + 200; ++tick) {
    if (!reader->tick(tick)) break;
  }
  Result<Bytes, SimError> const image = reader->image(info.first_tick);
  if (!image) return;
  Result<Simulation, SimError> simulation = Simulation::restore(*image);
  if (simulation) exercise(*simulation);
  if (simulation && simulation->world().body_count() <= 64 && info.end_tick - info.first_tick <= 20)
    (void)verify(*reader);
}

void read_inputs(const Bytes& bytes) {
  ByteReader reader(bytes);
  while (reader.remaining() > 0) {
    std::size_t const begin = reader.offset();
    Result<Input, SimError> const input = decode_input(reader);
    if (!input) return;
    Bytes again;
    encode(*input, again);
    require(
        std::ranges::equal(again, std::span<const std::byte>(bytes).subspan(begin, reader.offset() - begin)));
  }
}

// A state that is loaded has one encoding: these bytes.
void read_game(const Bytes& bytes) {
  VariedGame game;
  if (load_game(game, bytes)) return;
  Bytes again;
  save_game(game, again);
  require(again == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto const rest = std::as_bytes(std::span(data + 1, size - 1));
  Bytes bytes(rest.begin(), rest.end());
  switch (data[0] % 5) {
    case 0: read_recording(bytes); break;
    case 1:
      repair_chunks(bytes);
      read_recording(bytes);
      break;
    case 2: {
      repair_image(bytes);
      Result<Simulation, SimError> simulation = Simulation::restore(bytes);
      if (simulation) exercise(*simulation);
      break;
    }
    case 3: read_inputs(bytes); break;
    default: read_game(bytes);
  }
  return 0;
}
