// save_image() writes the state of a world as portable bytes (a world image), and load_image() checks and
// restores them. encode_state() appends the image's payload alone. list_fields() passes the fields to a
// FieldSink, and diff_states() lists those in which two states differ. World's functions for saving, loading
// and comparing call these functions.
//
// Image layout, little-endian, no padding:
//   offset 0   8 bytes  magic "TAKTWLD\n"
//   offset 8   u16      kWorldImageVersion
//   offset 10  u8       NumbersMode: float or fixed
//   offset 11  u8       1 if WorldDef::max_contacts is not 0 (the payload then has it), else 0
//   offset 12  u32      0
//   offset 16  u64      payload size, bytes
//   offset 24  u64      XXH3-64 of the payload
//   offset 32  payload  the canonical encoding: the fields of visit_state in order, each of fixed width;
//                       lists are a u32 length and the elements
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/state/world_state.h"
#include "takt/physics/snapshot.h"

namespace takt {

inline constexpr std::size_t kWorldImageHeaderBytes = 32;

/// Appends the canonical encoding, the image's payload, to `out`. encoded_size() returns its bytes.
template <class Real>
void encode_state(const WorldState<Real>& state, std::vector<std::byte>& out);
template <class Real>
[[nodiscard]] std::size_t encoded_size(const WorldState<Real>& state);
/// Returns header and payload.
template <class Real>
[[nodiscard]] std::vector<std::byte> save_image(const WorldState<Real>& state);
/// Checks an untrusted image and restores the state. Lists are capped by the available bytes before anything
/// is allocated. Errors: kBadImage, kImageVersion, kImageNumbers, kImageInconsistent.
template <class Real>
[[nodiscard]] Result<WorldState<Real>, PhysicsError> load_image(std::span<const std::byte> image);
/// Lists at most `max` fields whose bits differ, in the order of visit_state(). A field that only one state
/// has is "absent" in the other.
template <class Real>
void list_fields(const WorldState<Real>& state, FieldSink& sink);
template <class Real>
[[nodiscard]] std::vector<StateDifference> diff_states(const WorldState<Real>& left,
                                                       const WorldState<Real>& right, std::size_t max);

}  // namespace takt
