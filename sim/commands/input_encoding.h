// encode_without_tick() and decode_input_of_tick() convert an input to bytes and back without its tick, for
// encodings in which all inputs of a tick stand together. The bytes are those of encode() and decode_input()
// (takt/sim/command.h) from the player on. command.cpp has both pairs.
#pragma once

#include <cstdint>

#include "takt/core/bytes.h"
#include "takt/core/result.h"
#include "takt/sim/command.h"
#include "takt/sim/error.h"

namespace takt::sim {

void encode_without_tick(const Input& input, ByteWriter& writer);
/// Layout errors only (kInputMalformed), as decode_input().
[[nodiscard]] Result<Input, SimError> decode_input_of_tick(std::uint64_t tick, ByteReader& reader);

}  // namespace takt::sim
