// encode_without_tick() and decode_input_of_tick() convert an input to bytes and back without its tick, for
// encodings in which all inputs of a tick stand together. The bytes are those of encode() and decode_input()
// (takt/sim/command.h) from the player on. command.cpp has both pairs. All four assert or check the lengths
// of texts and lists (sim/state/byte_fields.h): those that decode find kInputMalformed, and those that encode
// assert is_recordable(). Scripts, the C interface and the protocol refuse longer ones by name.
#pragma once

#include <cstdint>

#include "takt/core/bytes.h"
#include "takt/core/result.h"
#include "takt/sim/command.h"
#include "takt/sim/error.h"

namespace takt::sim {

/// True when each text and list of the command is within kMaxDecodedBytes and kMaxDecodedElements, so that
/// its recording can be read.
[[nodiscard]] bool is_recordable(const Command& command) noexcept;

/// The command is_recordable() (asserted), as for encode().
void encode_without_tick(const Input& input, ByteWriter& writer);
/// Layout errors only (kInputMalformed), as decode_input().
[[nodiscard]] Result<Input, SimError> decode_input_of_tick(std::uint64_t tick, ByteReader& reader);

}  // namespace takt::sim
