// protocol::Error lists why bytes, a value or a call were refused; functions of protocol/ return it in a
// Result. message() returns a sentence for a person. The value of an Error is not sent. The wire carries
// RefuseReason (a connection was refused) and DisconnectReason (a session ended) of
// protocol/messages/message.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace takt::protocol {

/// Values are frozen; new ones go to the end.
enum class Error : std::uint8_t {
  kTooShort = 0,        ///< fewer bytes than the fixed layout needs
  kTooLong = 1,         ///< more bytes than the limit allows
  kBadMagic = 2,        ///< not a Takt datagram
  kBadType = 3,         ///< a datagram, section or frame kind this version does not know
  kBadLayout = 4,       ///< sections or frames that do not add up
  kVerifierFailed = 5,  ///< the FlatBuffers verifier refused the message, or a vector is misaligned
  kMissingField = 6,    ///< a required table, string or vector is absent
  kOutOfRange = 7,      ///< a number, count or enum outside its documented range
  kNotFinite = 8,       ///< NaN or infinity
  kNotConnected = 9,    ///< the call needs an established session
  kQueueFull = 10,      ///< a bounded queue is full. Client: try again later. Server: the session has ended
  kUnknownPlayer = 11,  ///< no session of that player; the player may just have left
};

/// One sentence for a person, without a full stop.
[[nodiscard]] std::string_view message(Error error) noexcept;

}  // namespace takt::protocol
