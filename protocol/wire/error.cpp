#include "protocol/wire/error.h"

namespace takt::protocol {

std::string_view message(Error error) noexcept {
  switch (error) {
    case Error::kTooShort: return "fewer bytes than the layout needs";
    case Error::kTooLong: return "more bytes than the limit allows";
    case Error::kBadMagic: return "not a Takt datagram";
    case Error::kBadType: return "unknown datagram, section or frame kind";
    case Error::kBadLayout: return "sections or frames do not add up";
    case Error::kVerifierFailed: return "malformed message";
    case Error::kMissingField: return "a required field is missing";
    case Error::kOutOfRange: return "a value is outside its range";
    case Error::kNotFinite: return "a number is NaN or infinite";
    case Error::kNotConnected: return "there is no session";
    case Error::kQueueFull: return "a bounded queue is full, try again later";
    case Error::kUnknownPlayer: return "no such player";
  }
  return "unknown error";
}

}  // namespace takt::protocol
