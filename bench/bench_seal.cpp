// Processor time of sealing for a server with 256 clients that sends 4 datagrams of 1,200 bytes to each at 60
// Hz: time per datagram, and the fraction of one core, with each cipher that this CPU has. Sessions between
// such CPUs have the last one. The cipher of the library alone seals equal bytes in turn with it, so the
// ratio of both is the cost of the code around it on any machine.
// Opening and refusing of datagrams and of tokens come after it.
//
// usage: bench_seal [TICKS]
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "crypto/datagram_opener.h"
#include "crypto/datagram_sealer.h"
#include "crypto/key_exchange.h"
#include "takt/crypto/connect_token.h"

namespace {

using namespace takt::crypto;

constexpr std::size_t kClients = 256;
constexpr std::size_t kDatagramsATick = 4;
constexpr double kTicksASecond = 60;
constexpr std::size_t kDatagramBytes = 1200;

SecretKey key_of(std::size_t number) {
  std::array<std::byte, SecretKey::kBytes> bytes{};
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(number >> (8 * i));
  return SecretKey(bytes);
}

// Processor time of this process: the machine may be busy with others.
double processor_ns() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC * 1e9; }
double ns_since(double begin_ns, std::size_t count) {
  return (processor_ns() - begin_ns) / static_cast<double>(count);
}

// Seals the payload as a DatagramSealer does, with nothing around the library's call.
void seal_alone(DatagramCipher cipher, const SecretKey& key, std::span<const std::byte> payload,
                std::vector<std::byte>& out) {
  constexpr std::size_t kHead = kSealOverheadBytes - kSealTagBytes;
  encrypt_datagram(cipher, key.reveal(), 1, std::span(out).first(kHead), payload, out.data() + kHead);
}

void print_row(const char* what, double ns) { std::printf("%-28s %8.0f ns\n", what, ns); }

void bench_datagrams(DatagramCipher cipher, const char* name, std::size_t ticks) {
  std::vector<DatagramSealer> sealers;
  std::vector<DatagramOpener> openers;
  for (std::size_t i = 0; i < kClients; ++i) {
    sealers.emplace_back(cipher, key_of(i), static_cast<std::uint32_t>(i), 0);
    openers.emplace_back(cipher, key_of(i), static_cast<std::uint32_t>(i));
  }
  std::vector<std::byte> const payload(kDatagramBytes - kSealOverheadBytes, std::byte{0x5A});
  std::vector<std::vector<std::byte>> sent(kClients * kDatagramsATick,
                                           std::vector<std::byte>(payload.size() + kSealOverheadBytesMax));
  auto sent_alone = sent;
  std::vector<std::byte> out(kDatagramBytes);
  SecretKey const alone_key = key_of(1);
  double alone_ns = 0;
  double seal_ns = 0;
  double open_ns = 0;
  std::size_t bytes = 0;
  for (std::size_t tick = 0; tick < ticks; ++tick) {
    double const sealing = processor_ns();
    for (std::size_t i = 0; i < sent.size(); ++i) {
      DatagramSealer& sealer = sealers[i / kDatagramsATick];
      bytes = sealer.seal(tick, sealer.next_number() - 1, {}, payload, sent[i]);
    }
    seal_ns += ns_since(sealing, sent.size());
    double const alone = processor_ns();
    for (std::vector<std::byte>& out_alone : sent_alone) seal_alone(cipher, alone_key, payload, out_alone);
    alone_ns += ns_since(alone, sent.size());
    double const opening = processor_ns();
    for (std::size_t i = 0; i < sent.size(); ++i)
      (void)openers[i / kDatagramsATick].open(tick, 0, std::span(sent[i]).first(bytes), out);
    open_ns += ns_since(opening, sent.size());
  }
  alone_ns /= static_cast<double>(ticks);
  seal_ns /= static_cast<double>(ticks);
  open_ns /= static_cast<double>(ticks);
  double const a_second = static_cast<double>(sent.size()) * kTicksASecond;
  print_row((std::string(name) + " alone").c_str(), alone_ns);
  print_row("seal 1,200 B", seal_ns);
  print_row("open 1,200 B", open_ns);
  std::printf("%s, %zu clients x %zu datagrams x %.0f Hz: sealing takes %.2f %% of a core\n", name, kClients,
              kDatagramsATick, kTicksASecond, seal_ns * a_second / 1e7);
  std::printf("of which %.2f %% is the cipher alone: sealing costs %.3f of it\n", alone_ns * a_second / 1e7,
              seal_ns / alone_ns);
  std::vector<std::byte> forged(payload.size() + kSealOverheadBytesMax);
  forged.resize(sealers[0].seal(0, sealers[0].next_number() - 1, {}, payload, forged));
  forged.back() ^= std::byte{1};
  std::size_t const forgeries = ticks * 256;
  double const refusing = processor_ns();
  for (std::size_t i = 0; i < forgeries; ++i) (void)openers[0].open(0, 0, forged, out);
  print_row("refuse a forged 1,200 B", ns_since(refusing, forgeries));
}

void bench_tokens(std::size_t rounds) {
  TokenKeys keys;
  keys.add(1, key_of(1)).value();
  TokenClaims claims;
  claims.user_id = 1;
  claims.expires_s = 10;
  claims.player_name = "a player";
  claims.servers = {"eu1.example.com:7777"};
  std::array<std::byte, kTokenRandomBytes> const random{};
  ConnectToken const token = mint_token(claims, keys, 1, random).value();
  std::vector<std::byte> forged = token.sealed;
  forged.back() ^= std::byte{1};
  struct Case {
    const char* what;
    const std::vector<std::byte>& sealed;
    std::uint64_t now_s;
  };
  for (const Case& c : {Case{"refuse a forged token", forged, 1}, Case{"refuse an expired token", forged, 10},
                        Case{"open a token", token.sealed, 1}}) {
    double const begin = processor_ns();
    for (std::size_t i = 0; i < rounds; ++i) (void)open_token(c.sealed, keys, claims.servers, c.now_s);
    print_row(c.what, ns_since(begin, rounds));
  }
}

void bench_key_exchange(std::size_t rounds) {
  KeyPair const client(key_of(1));
  KeyPair const lasting(key_of(2));
  KeyPair const short_lived(key_of(3));
  double const begin = processor_ns();
  for (std::size_t i = 0; i < rounds; ++i)
    (void)agree_as_server(lasting, short_lived, client.public_key(), {}, nullptr);
  print_row("agree on keys (server)", ns_since(begin, rounds));
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const ticks = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200;
  if (ticks == 0) {
    std::fputs("usage: bench_seal [TICKS], 1 or more\n", stderr);
    return 2;
  }
  bench_datagrams(DatagramCipher::kChaCha20Poly1305, "ChaCha20-Poly1305", ticks);
  if ((ciphers_of_cpu() & kAes256GcmBit) != 0)
    bench_datagrams(DatagramCipher::kAes256Gcm, "AES-256-GCM", ticks);
  bench_tokens(ticks * 10);
  bench_key_exchange(ticks);
  return 0;
}
