// text_of_token_refusal is the text of a Refuse about a token. counter_of_header and counter_of_message map
// an Error to the Counter (protocol/link/counters.h) that counts it. The first takes errors of read_header()
// (datagram.h), the second those of MessageReader::read(). ClientEndpoint, ServerPeer, ServerDatagrams and
// ServerStreamSessions use them for bytes that they refuse.
#pragma once

#include <string_view>

#include "protocol/link/counters.h"
#include "protocol/messages/message.h"
#include "protocol/wire/error.h"

namespace takt::protocol {

/// Counter for an error of read_header().
[[nodiscard]] Counter counter_of_header(Error error) noexcept;
/// Counter for an error of MessageReader::read(): kVerifierFailed for malformed bytes, kMessageBadField for a
/// well-formed message with a bad or missing field.
[[nodiscard]] Counter counter_of_message(Error error) noexcept;

/// One sentence for a person, with the remedy; of the reasons kTokenRequired and above.
[[nodiscard]] std::string_view text_of_token_refusal(RefuseReason reason) noexcept;

}  // namespace takt::protocol
