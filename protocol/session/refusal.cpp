#include "protocol/session/refusal.h"

namespace takt::protocol {

Counter counter_of_header(Error error) noexcept {
  switch (error) {
    case Error::kTooShort: return Counter::kDatagramShort;
    case Error::kTooLong: return Counter::kDatagramOversize;
    case Error::kBadType: return Counter::kDatagramBadType;
    default: return Counter::kDatagramBadMagic;
  }
}

Counter counter_of_message(Error error) noexcept {
  switch (error) {
    case Error::kVerifierFailed:
    case Error::kTooShort:
    case Error::kTooLong:
    case Error::kBadType: return Counter::kVerifierFailed;
    default: return Counter::kMessageBadField;
  }
}

}  // namespace takt::protocol
