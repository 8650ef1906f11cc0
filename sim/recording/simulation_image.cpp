#include "sim/recording/simulation_image.h"

#include "takt/core/bytes.h"
#include "takt/core/hash.h"
#include "takt/sim/simulation.h"

namespace takt::sim {

std::vector<std::byte> frame_image(const ImageSections& s) {
  std::vector<std::byte> image;
  image.reserve(kImageHeadBytes + s.game_name.size() + s.state.size() + s.game.size() + s.world.size() +
                kImageChecksumBytes);
  ByteWriter out(image);
  out.put(kSimulationImageMagic);
  out.put(kSimulationImageVersion);
  out.put(static_cast<std::uint32_t>(s.numbers));
  out.put(static_cast<std::uint32_t>(s.game_name.size()));
  out.put(s.tick);
  out.put(static_cast<std::uint64_t>(s.state.size()));
  out.put(static_cast<std::uint64_t>(s.game.size()));
  out.put(static_cast<std::uint64_t>(s.world.size()));
  out.put_bytes(std::as_bytes(std::span(s.game_name)));
  out.put_bytes(s.state);
  out.put_bytes(s.game);
  out.put_bytes(s.world);
  out.put(hash_bytes(image));
  return image;
}

Result<ImageSections, SimError> parse_image(std::span<const std::byte> image) {
  if (image.size() < kImageHeadBytes + kImageChecksumBytes) return SimError::kBadImage;
  ByteReader in(image);
  if (in.get<std::uint32_t>() != kSimulationImageMagic) return SimError::kBadImage;
  if (in.get<std::uint32_t>() != kSimulationImageVersion) return SimError::kImageVersion;
  auto const content = image.first(image.size() - kImageChecksumBytes);
  if (hash_bytes(content) != load_little_endian<std::uint64_t>(image.data() + content.size()))
    return SimError::kBadImage;
  auto const numbers = in.get<std::uint32_t>();
  auto const name_bytes = in.get<std::uint32_t>();
  ImageSections s;
  s.tick = in.get<std::uint64_t>();
  auto const state_bytes = in.get<std::uint64_t>();
  auto const game_bytes = in.get<std::uint64_t>();
  auto const world_bytes = in.get<std::uint64_t>();
  if (numbers != static_cast<std::uint32_t>(NumbersMode::kFloat) &&
      numbers != static_cast<std::uint32_t>(NumbersMode::kFixed)) {
    return SimError::kImageInconsistent;
  }
  s.numbers = static_cast<NumbersMode>(numbers);
  std::uint64_t rest = content.size() - kImageHeadBytes;
  for (std::uint64_t const part : {std::uint64_t{name_bytes}, state_bytes, game_bytes, world_bytes}) {
    if (part > rest) return SimError::kImageInconsistent;
    rest -= part;
  }
  if (rest != 0 || name_bytes > kMaxGameNameBytes) return SimError::kImageInconsistent;
  auto const name = in.get_bytes(name_bytes);
  s.game_name = std::string_view(reinterpret_cast<const char*>(name.data()), name.size());
  s.state = in.get_bytes(state_bytes);
  s.game = in.get_bytes(game_bytes);
  s.world = in.get_bytes(world_bytes);
  return s;
}

}  // namespace takt::sim
