#include "takt/crypto/error.h"

namespace takt::crypto {

std::string_view message(Error error) noexcept {
  switch (error) {
    case Error::kMalformed: return "malformed";
    case Error::kWrongVersion: return "a version that this build does not know";
    case Error::kExpired: return "expired, mint a new token";
    case Error::kWrongServer: return "wrong server: the token lists others";
    case Error::kWrongKey: return "wrong key: no key has the id of the token";
    case Error::kForged: return "forged, or sealed with another key";
    case Error::kReused: return "reused: another session holds the token";
    case Error::kTableFull: return "every place is taken";
    case Error::kOutOfRange: return "a value is outside its range";
    case Error::kDuplicate: return "a key with this id exists already";
    case Error::kTooLongLived: return "too long-lived: expires in more than 400 days, mint it for less time";
  }
  return "unknown error";
}

}  // namespace takt::crypto
