// Writes the seeds of the protocol's fuzz corpora: every message as it is, as a datagram script and as a
// frame. Run by hand when the schema changes (CONTRIBUTING.md); findings of the fuzzer are added beside the
// seeds.
//
// usage: make_protocol_corpus tests/fuzz/corpus
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "protocol/link/frame.h"
#include "protocol/messages/message_writer.h"
#include "protocol/wire/datagram.h"
#include "protocol/wire/latency_probe.h"
#include "takt/core/bytes.h"
#include "tests/unit/protocol/sample_messages.h"

namespace {

using namespace takt::protocol;
using Bytes = std::vector<std::byte>;

void save(const std::filesystem::path& directory, const std::string& name, const Bytes& bytes) {
  std::filesystem::create_directories(directory);
  std::ofstream out(directory / name, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// One step of a datagram script (datagram_fuzz.cpp).
void append_step(Bytes& script, std::uint8_t control, std::uint8_t what, const Bytes& body) {
  takt::ByteWriter writer(script);
  writer.put(control);
  writer.put(static_cast<std::uint16_t>(1 + body.size()));
  writer.put(what);
  writer.put_bytes(body);
}

/// Likewise with a datagram that is sent as it is.
void append_datagram(Bytes& script, std::uint8_t control, const Bytes& datagram) {
  takt::ByteWriter writer(script);
  writer.put(control);
  writer.put(static_cast<std::uint16_t>(datagram.size()));
  writer.put_bytes(datagram);
}

constexpr std::uint8_t kHandshake = 0;
constexpr std::uint8_t kSealed = 1;
constexpr std::uint8_t kSealedWithAcks = 3;
constexpr std::uint8_t kProbe = 5;
constexpr std::uint8_t kProbeAnswer = 13;
constexpr std::uint8_t kNameText = 16;

Bytes section_of(const Bytes& message, bool reliable) {
  Bytes out;
  write_section({reliable ? SectionKind::kFragment : SectionKind::kMessage, reliable, 0, message}, out);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_protocol_corpus tests/fuzz/corpus\n", stderr);
    return 2;
  }
  std::filesystem::path const root = argv[1];
  MessageWriter writer;
  std::vector<Message> messages = test::sample_messages();
  messages.push_back(test::joint_inputs());
  ChallengeResponse named;
  named.proof.assign(kNamedProofBytes, std::byte{5});
  messages.push_back(named);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    auto const view = writer.write(message);
    Bytes const bytes(view.begin(), view.end());
    bool const is_sample = i < std::variant_size_v<Message>;
    std::string const suffix = i == std::variant_size_v<Message> ? "_joints" : "_named";
    std::string const name = "kind_" + std::to_string(message.index() + 1) + (is_sample ? "" : suffix);
    bool const small = bytes.size() <= kUnreliableBytesMax;

    Bytes whole{std::byte{small ? std::uint8_t{0} : std::uint8_t{1}}};
    whole.insert(whole.end(), bytes.begin(), bytes.end());
    save(root / "message", name, whole);

    for (std::uint8_t who = 0; who < 4; ++who) {
      Bytes stream{static_cast<std::byte>(who | (who * 8u << 2u))};
      write_frame(MessageClass::kDatagram, bytes, stream);
      write_frame(MessageClass::kReliable, bytes, stream);
      save(root / "tcp_frame", name + "_to_" + std::to_string(who), stream);
    }
    if (!small) continue;
    Bytes script;
    append_step(script, 0, kHandshake, bytes);
    append_step(script, 3, kHandshake, bytes);
    append_step(script, 0, kSealed, section_of(bytes, false));
    append_step(script, 1, kSealed, section_of(bytes, false));
    Bytes with_acks;
    write_ack_block({3, 10, AckBlock::kMaskAll & ~0x100ull}, with_acks);
    Bytes const reliable = section_of(bytes, true);
    with_acks.insert(with_acks.end(), reliable.begin(), reliable.end());
    append_step(script, 0x18, kSealedWithAcks, with_acks);
    append_step(script, 0x19, kSealedWithAcks, with_acks);
    append_step(script, 4, kSealed, section_of(bytes, false));
    save(root / "datagram", name, script);
  }
  // Latency probes of both addresses, one cut short, and a reply to each end.
  Bytes probe;
  write_latency_probe(7, probe);
  Bytes reply;
  write_latency_reply({7, kProtocolVersion}, reply);
  Bytes probes;
  append_datagram(probes, 4, probe);
  append_datagram(probes, 6, probe);
  append_datagram(probes, 4, {probe.begin(), probe.end() - 1});
  append_datagram(probes, 4, reply);
  append_datagram(probes, 5, reply);
  save(root / "datagram", "latency_probe", probes);
  // The client goes to another address and answers the probe there; its datagrams of before come late.
  Bytes move;
  auto const alive = writer.write(KeepAlive{});
  Bytes const keep_alive = section_of({alive.begin(), alive.end()}, false);
  append_step(move, 2, kSealed, keep_alive);
  append_step(move, 2, kProbeAnswer, {});
  append_step(move, 0x12, kSealed, keep_alive);
  append_step(move, 0x18, kSealed, keep_alive);
  append_step(move, 0, kProbeAnswer, {});
  append_step(move, 2, kProbe, Bytes(8, std::byte{1}));
  save(root / "datagram", "moving_address", move);
  // Names behind the seal: good ones, then ones with a wrong length, wrong zeros, a control character, and
  // bytes that are no UTF-8: cut short, too long a form, a surrogate, a number above U+10FFFF.
  Bytes names;
  for (std::string const& text :
       {std::string("\3Ada"), std::string(1, '\0'), "\x20" + std::string(32, 'x'), std::string("\3J\xc3\xbc"),
        std::string("\3\xe2\x82\xac"), std::string("\4\xf0\x9f\x98\x80"), std::string("\x21\x41\x64\x61"),
        std::string("\2Ada"), std::string("\1\n"), std::string("\1\x7f"), std::string("\2\xc2\x9f"),
        std::string("\2J\xc3"), std::string("\2\xc1\x81"), std::string("\3\xe0\x81\x81"),
        std::string("\3\xed\xa0\x80"), std::string("\4\xf4\x90\x80\x80"), std::string("\1\x80")}) {
    auto const bytes = std::as_bytes(std::span(text));
    append_step(names, 2, kNameText, {bytes.begin(), bytes.end()});
  }
  save(root / "datagram", "sealed_names", names);
  return 0;
}
