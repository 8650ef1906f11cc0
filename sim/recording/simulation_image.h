// frame_image() and parse_image() write and read the frame of a simulation image (the saved state of a
// Simulation). The frame has magic, version, numbers mode (float or fixed), the game's name, three sections
// and a checksum. The sections are SimState, the game's state and the world's image. parse_image() checks
// magic, version, sizes and checksum; Simulation::restore, its caller, decodes the sections.
// docs/RECORDING.md has the byte table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/result.h"
#include "takt/physics/world.h"
#include "takt/sim/error.h"

namespace takt::sim {

/// Head and sections of an image. After parse_image() the views point into the image's bytes.
struct ImageSections {
  NumbersMode numbers = NumbersMode::kFloat;
  std::uint64_t tick = 0;
  std::string_view game_name;        ///< at most kMaxGameNameBytes; empty without a Game
  std::span<const std::byte> state;  ///< encode_state()
  std::span<const std::byte> game;   ///< Game's own bytes; empty without a Game
  std::span<const std::byte> world;  ///< World's image
};

/// Bytes before the first section.
inline constexpr std::size_t kImageHeadBytes = 48;
/// XXH3-64 over all bytes before it, after the last section.
inline constexpr std::size_t kImageChecksumBytes = 8;
inline constexpr std::size_t kMaxGameNameBytes = 256;

/// The bytes of an image.
[[nodiscard]] std::vector<std::byte> frame_image(const ImageSections& sections);

/// Head and sections of an image, which must outlive the result. Errors: kBadImage (no image, cut or
/// damaged), kImageVersion, kImageInconsistent (numbers mode or sizes).
[[nodiscard]] Result<ImageSections, SimError> parse_image(std::span<const std::byte> image);

}  // namespace takt::sim
