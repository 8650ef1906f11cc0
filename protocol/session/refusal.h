// counter_of_header and counter_of_message map an Error of read_header or MessageReader to the Counter that
// counts it, for client and server alike. Private.
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
