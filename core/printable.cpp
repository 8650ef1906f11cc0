#include "takt/core/bytes.h"

#include <cstddef>
#include <cstdint>

namespace takt {

bool is_printable(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i < text.size()) {
    auto const lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      if (lead < 0x20 || lead == 0x7f) return false;
      ++i;
      continue;
    }
    std::size_t const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || i + length > text.size()) return false;
    std::uint32_t code = lead & (0x7fu >> length);
    for (std::size_t k = 1; k < length; ++k) {
      auto const next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0u) != 0x80u) return false;
      code = (code << 6) | (next & 0x3fu);
    }
    bool const overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    bool const c1_control = code >= 0x80 && code < 0xa0;
    bool const surrogate = code >= 0xd800 && code < 0xe000;
    if (overlong || c1_control || surrogate || code > 0x10ffff) return false;
    i += length;
  }
  return true;
}

}  // namespace takt
