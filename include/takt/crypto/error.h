// crypto::Error lists why a token, a key or a definition was refused; functions of crypto/ return it in a
// Result. message() returns a sentence for a person. Datagrams have DropReason instead, because a dropped
// datagram is counted and not answered.
#pragma once

#include <cstdint>
#include <string_view>

namespace takt::crypto {

/// Values are frozen; new ones go to the end.
enum class Error : std::uint8_t {
  kMalformed = 0,      ///< the bytes or the text have another layout
  kWrongVersion = 1,   ///< a token of a version that this build does not know
  kExpired = 2,        ///< the token's time has passed
  kWrongServer = 3,    ///< the token lists servers, and none is this one
  kWrongKey = 4,       ///< no key has the token's key id
  kForged = 5,         ///< the tag does not verify: a changed token, or another key with this id
  kReused = 6,         ///< another session holds the token
  kTableFull = 7,      ///< every place of a bounded table is taken
  kOutOfRange = 8,     ///< a value of a definition is outside its documented range
  kDuplicate = 9,      ///< a key with this id exists already
  kTooLongLived = 10,  ///< the token expires more than kTokenLifetimeMaxS after its issue or the present
};

/// One sentence for a person, without a full stop.
[[nodiscard]] std::string_view message(Error error) noexcept;

}  // namespace takt::crypto
