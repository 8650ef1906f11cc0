// counter_of_header and counter_of_message map an Error to the Counter (protocol/link/counters.h) that counts
// it. The first takes errors of read_header() (datagram.h), the second those of MessageReader::read().
// ClientEndpoint, ServerPeer, ServerDatagrams and ServerStreamSessions use them for bytes that they refuse.
#pragma once

#include "protocol/link/counters.h"
#include "protocol/wire/error.h"

namespace takt::protocol {

/// Counter for an error of read_header().
[[nodiscard]] Counter counter_of_header(Error error) noexcept;
/// Counter for an error of MessageReader::read(): kVerifierFailed for malformed bytes, kMessageBadField for a
/// well-formed message with a bad or missing field.
[[nodiscard]] Counter counter_of_message(Error error) noexcept;

}  // namespace takt::protocol
