// Fuzz target: a script of steps on one direction of a sealed session whose key is known. The first byte has
// the ciphers that the client offers (bit 0: AES-256-GCM, on a CPU that has it). Each step is a
// control byte, an argument byte and, for raw bytes, their count and the bytes. Controls, modulo 8:
//   0, 1  seal a datagram and keep it (argument: payload bytes; 1 also delivers it)
//   2     deliver a kept datagram (argument: which)
//   3     flip a bit of a kept datagram and deliver it
//   4     let time pass (argument: units of 10 ms)
//   5     acknowledge what was opened
//   6     deliver raw bytes
//   7     deliver raw bytes behind a good header
// A payload that opens must be one that was sealed, and must not have opened before.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "crypto/datagram_opener.h"
#include "crypto/datagram_sealer.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace {

using namespace takt::crypto;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kConnection = 7;
constexpr std::size_t kKept = 32;

SecretKey known_key() { return SecretKey(std::array<std::byte, SecretKey::kBytes>{}); }

class Link {
 public:
  explicit Link(DatagramCipher cipher)
      : sealer_(cipher, known_key(), kConnection, 0, {5, 1'000'000}),
        opener_(cipher, known_key(), kConnection) {}
  void seal(std::size_t payload_bytes) {
    Bytes payload(payload_bytes, std::byte{0x11});
    Bytes datagram(payload_bytes + kSealOverheadBytesMax);
    datagram.resize(sealer_.seal(now_us_, acked_, {}, payload, datagram));
    kept_.push_back(std::move(datagram));
    if (kept_.size() > kKept) kept_.erase(kept_.begin());
  }
  [[nodiscard]] Bytes kept(std::size_t which) const {
    return kept_.empty() ? Bytes{} : kept_[kept_.size() - 1 - which % kept_.size()];
  }
  void deliver(std::span<const std::byte> datagram, bool may_be_good) {
    Bytes out(datagram.size());
    auto const opened = opener_.open(now_us_, 20'000, datagram, out);
    if (!opened) return;
    TAKT_ASSERT(may_be_good);
    TAKT_ASSERT(opened->number < sealer_.next_number());
    TAKT_ASSERT(opened_.insert(opened->number).second);
    for (std::byte const b : opened->payload) TAKT_ASSERT(b == std::byte{0x11});
  }
  void wait(std::uint64_t us) { now_us_ += us; }
  void acknowledge() { acked_ = opener_.newest(); }

 private:
  std::uint64_t now_us_ = 0;
  std::uint64_t acked_ = 0;
  DatagramSealer sealer_;
  DatagramOpener opener_;
  std::vector<Bytes> kept_;
  std::set<std::uint64_t> opened_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  takt::ByteReader script(std::as_bytes(std::span(data, size)));
  if (script.remaining() == 0) return 0;
  Link link(choose_cipher(script.get<std::uint8_t>(), ciphers_of_cpu()));
  while (script.remaining() >= 2) {
    unsigned const control = script.get<std::uint8_t>() % 8u;
    std::size_t const argument = script.get<std::uint8_t>();
    switch (control) {
      case 0:
      case 1:
        link.seal(argument);
        if (control == 1) link.deliver(link.kept(0), true);
        break;
      case 2: link.deliver(link.kept(argument), true); break;
      case 3: {
        Bytes datagram = link.kept(argument);
        if (datagram.empty()) break;
        datagram[argument % datagram.size()] ^= std::byte{1} << (argument % 8);
        link.deliver(datagram, false);
        break;
      }
      case 4: link.wait(argument * 10'000); break;
      case 5: link.acknowledge(); break;
      default: {
        auto const raw = script.get_bytes(std::min(argument, script.remaining()));
        Bytes datagram;
        if (control == 7) {
          Bytes const good = link.kept(0);
          datagram.assign(good.begin(),
                          good.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(7, good.size())));
        }
        datagram.insert(datagram.end(), raw.begin(), raw.end());
        link.deliver(datagram, datagram == link.kept(0));
      }
    }
  }
  return 0;
}
