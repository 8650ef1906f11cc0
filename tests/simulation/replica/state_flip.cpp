#include "tests/simulation/replica/state_flip.h"

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/recording/simulation_image.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"

namespace takt::client::test {
namespace {

// The head of a world's image (physics/state/world_image.cpp) has the hash of the bytes after it.
constexpr std::size_t kWorldHashOffset = 24;
constexpr std::size_t kWorldHeadBytes = 32;

}  // namespace

std::string flip_bit(sim::Simulation& simulation, std::string_view record, std::string_view field) {
  std::vector<std::byte> const image = simulation.save();
  auto const sections = sim::parse_image(image);
  if (!sections) throw std::runtime_error("the image does not parse");
  std::vector<std::byte> world(sections->world.begin(), sections->world.end());
  for (std::size_t i = kWorldHeadBytes; i < world.size(); ++i) {
    world[i] ^= std::byte{1};
    store_little_endian(world.data() + kWorldHashOffset,
                        hash_bytes(std::span(world).subspan(kWorldHeadBytes)));
    sim::ImageSections flipped = *sections;
    flipped.world = world;
    auto restored = sim::Simulation::restore(sim::frame_image(flipped));
    if (restored) {
      auto const differences = sim::Simulation::diff(simulation, *restored, 2);
      if (differences.size() == 1 && differences[0].path.starts_with(record) &&
          differences[0].path.find(field) != std::string::npos) {
        std::string path = differences[0].path;
        simulation = *std::move(restored);
        return path;
      }
    }
    world[i] ^= std::byte{1};
  }
  throw std::runtime_error("no field " + std::string(record) + "*" + std::string(field));
}

}  // namespace takt::client::test
