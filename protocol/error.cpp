#include "protocol/error.h"

namespace takt::protocol {

std::string_view message_of(Error error) noexcept {
  switch (error) {
    case Error::too_short: return "fewer bytes than the layout needs";
    case Error::too_long: return "more bytes than the limit allows";
    case Error::bad_magic: return "not a Takt datagram";
    case Error::bad_type: return "unknown datagram, section or frame kind";
    case Error::bad_layout: return "sections or frames do not add up";
    case Error::verifier_failed: return "malformed message";
    case Error::missing_field: return "a required field is missing";
    case Error::out_of_range: return "a value is outside its range";
    case Error::not_finite: return "a number is NaN or infinite";
    case Error::not_connected: return "there is no session";
    case Error::queue_full: return "a bounded queue is full, try again later";
    case Error::unknown_player: return "no such player";
  }
  return "unknown error";
}

}  // namespace takt::protocol
