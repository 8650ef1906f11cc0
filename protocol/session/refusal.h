// counter_of_header and counter_of_message map an Error to the Counter (protocol/link/counters.h) that counts
// it. The first takes errors of read_header() (datagram.h), the second those of MessageReader::read().
// ClientEndpoint, ServerPeer, ServerDatagrams and ServerStreamSessions use them for bytes that they refuse.
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
