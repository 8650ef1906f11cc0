#include "protocol/refusal.h"

namespace takt::protocol {

Counter counter_of_header(Error error) noexcept {
  switch (error) {
    case Error::too_short: return Counter::datagram_short;
    case Error::too_long: return Counter::datagram_oversize;
    case Error::bad_type: return Counter::datagram_bad_type;
    default: return Counter::datagram_bad_magic;
  }
}

Counter counter_of_message(Error error) noexcept {
  switch (error) {
    case Error::verifier_failed:
    case Error::too_short:
    case Error::too_long:
    case Error::bad_type: return Counter::verifier_failed;
    default: return Counter::message_bad_field;
  }
}

}  // namespace takt::protocol
