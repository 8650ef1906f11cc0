#include "protocol/wire/address.h"

#include <cstddef>

namespace takt::protocol {

std::string to_text(const Address& address) {
  std::string text;
  if (address.is_ipv4()) {
    for (std::size_t i = 12; i < 16; ++i) {
      if (i > 12) text += '.';
      text += std::to_string(address.ip[i]);
    }
  } else {
    static constexpr char kDigits[] = "0123456789abcdef";
    text += '[';
    for (std::size_t group = 0; group < 8; ++group) {
      if (group > 0) text += ':';
      unsigned const value = (unsigned{address.ip[2 * group]} << 8) | address.ip[2 * group + 1];
      bool written = false;
      for (int shift = 12; shift >= 0; shift -= 4) {
        unsigned const digit = (value >> shift) & 0xfu;
        if (digit != 0 || written || shift == 0) {
          text += kDigits[digit];
          written = true;
        }
      }
    }
    text += ']';
  }
  text += ':';
  text += std::to_string(address.port);
  return text;
}

}  // namespace takt::protocol
