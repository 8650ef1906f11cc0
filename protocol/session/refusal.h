// Maps refusals to counters, in one place for both ends. Private.
#pragma once

#include "protocol/link/counters.h"
#include "protocol/wire/error.h"

namespace takt::protocol {

/// For an error of read_header().
[[nodiscard]] Counter counter_of_header(Error error) noexcept;
/// For an error of MessageReader::read(): malformed bytes, or a well-formed message with a value out of
/// range.
[[nodiscard]] Counter counter_of_message(Error error) noexcept;

}  // namespace takt::protocol
