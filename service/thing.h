// Thing is a world, a batch or a snapshot of a Session: the object of takt.h that a number of the wire names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "service/wire/frame.h"

namespace takt::service {

enum class ThingKind : std::uint8_t { kWorld, kBatch, kSnapshot };

/// Names a world or a batch beyond its connection (LeaseDesk).
using Key = std::array<std::byte, kKeyBytes>;

struct Thing {
  ThingKind kind;
  void* handle;              ///< a takt_world, takt_batch or takt_snapshot
  std::uint32_t worlds;      ///< of a batch or snapshot; 1 for a world
  std::optional<Key> key{};  ///< once a client has asked for it
};

}  // namespace takt::service
