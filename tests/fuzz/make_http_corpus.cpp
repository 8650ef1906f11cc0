// Writes the seeds of the web gateway's fuzz corpus: requests, upgrades, frames and sessions. Run by hand
// when the target's script changes (CONTRIBUTING.md); findings of the fuzzer are added beside the seeds.
//
// usage: make_http_corpus tests/fuzz/corpus
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "protocol/link/frame.h"
#include "protocol/messages/message_writer.h"
#include "tests/unit/protocol/sample_messages.h"

namespace {

using namespace takt::protocol;

void save(const std::filesystem::path& directory, const std::string& name, std::uint8_t head,
          const std::string& script) {
  std::filesystem::create_directories(directory);
  std::ofstream out(directory / name, std::ios::binary);
  out.put(static_cast<char>(head));
  out.write(script.data(), static_cast<std::streamsize>(script.size()));
}

std::string frames_of(const Message& message) {
  MessageWriter writer;
  std::vector<std::byte> frame;
  write_frame(MessageClass::kReliable, writer.write(message), frame);
  return {reinterpret_cast<const char*>(frame.data()), frame.size()};
}

/// A payload as the target's script has it: a length in eights, then the bytes, filled up with an empty
/// frame's worth of nothing.
std::string scripted(std::string payload) {
  payload.resize((payload.size() + 7) / 8 * 8);
  return static_cast<char>(payload.size() / 8) + payload;
}

/// Bytes with their number in front, in big-endian order.
std::string counted(std::size_t size_bytes, const std::string& bytes) {
  std::string out;
  for (std::size_t i = size_bytes; i-- > 0;) out += static_cast<char>((bytes.size() >> (8 * i)) & 0xff);
  return out + bytes;
}

/// The first message of a client of TLS (RFC 8446, 4.1.2) in a record: version 1.2 and, with
/// `is_newest`, 1.3.
std::string client_hello(bool is_newest) {
  using namespace std::string_literals;
  std::string extensions = "\x00\x0a"s + counted(2, counted(2, "\x00\x17\x00\x1d"s)) +  // groups
                           "\x00\x0b"s + counted(2, counted(1, "\x00"s)) +              // point formats
                           "\x00\x0d"s + counted(2, counted(2, "\x04\x03\x08\x04"s));   // signatures
  if (is_newest)
    extensions += "\x00\x2b"s + counted(2, counted(1, "\x03\x04\x03\x03"s)) +  // versions
                  "\x00\x33"s + counted(2, counted(2, "\x00\x1d"s + counted(2, std::string(32, '\x09'))));
  std::string const body = "\x03\x03"s + std::string(32, 'r') +
                           counted(1, std::string(is_newest ? 32 : 0, 's')) +
                           counted(2, "\x13\x01\xc0\x2b"s) + counted(1, "\x00"s) + counted(2, extensions);
  return "\x16\x03\x01"s + counted(2, "\x01"s + counted(3, body));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_http_corpus tests/fuzz/corpus\n", stderr);
    return 2;
  }
  std::filesystem::path const root = std::filesystem::path(argv[1]) / "http";
  std::string const host = "Host: 127.0.0.1\r\n";
  save(root, "get", 32 | 28, "GET / HTTP/1.1\r\n" + host + "\r\n");
  save(root, "get_in_pieces", 32 | 4,
       "GET /healthz HTTP/1.1\r\n" + host + "\r\nGET /metrics?x HTTP/1.0\r\n\r\n");
  save(root, "head", 32 | 28, "HEAD /index.html HTTP/1.1\r\n" + host + "If-None-Match: \"1\"\r\n\r\n");
  save(root, "post", 32 | 28, "POST / HTTP/1.1\r\n" + host + "Content-Length: 4\r\n\r\nbody");
  save(root, "chunked", 32 | 28,
       "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n");
  save(root, "traversal", 32 | 28, "GET /../../etc/passwd HTTP/1.1\r\n" + host + "\r\n");
  save(root, "upgrade_elsewhere", 32 | 28,
       "GET /x HTTP/1.1\r\n" + host +
           "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  save(root, "upgrade_origin", 32 | 28,
       "GET /ws HTTP/1.1\r\n" + host +
           "Origin: http://evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  save(root, "upgrade_version", 32 | 28,
       "GET /ws HTTP/1.1\r\n" + host +
           "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 12\r\n\r\n");
  save(root, "text", 1 | 32 | 28, std::string("\x81\x85\0\0\0\0hello", 11));
  save(root, "bad_text", 1 | 32 | 4, std::string("\x81\x82\0\0\0\0\xff\xfe", 8));
  save(root, "ping_pong_close", 1 | 32 | 28,
       std::string("\x89\x82\0\0\0\0hi\x8a\x80\0\0\0\0\x88\x82\0\0\0\0\x03\xe8", 22));
  save(root, "unmasked", 1 | 32 | 28, "\x82\x02hi");
  save(root, "in_pieces", 1 | 32 | 8, std::string("\x02\x82\0\0\0\0ab\x80\x82\0\0\0\0cd", 16));
  save(root, "huge", 1 | 32 | 28, std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xffmask", 14));
  constexpr std::uint8_t kTls = 128 | 32;
  std::string const change = std::string("\x14\x03\x03\x00\x01\x01", 6);  // ChangeCipherSpec
  save(root, "tls_12", kTls | 28, client_hello(false));
  save(root, "tls_13", kTls | 28, client_hello(true));
  save(root, "tls_13_in_pieces", kTls | 4, client_hello(true));
  save(root, "tls_13_unread", 128 | 28, client_hello(true));
  save(root, "tls_then_garbage", kTls | 28,
       client_hello(true) + change + "\x17\x03\x03" + counted(2, std::string(64, 'x')));
  save(root, "tls_alert", kTls | 28, client_hello(false) + std::string("\x15\x03\x03\x00\x02\x02\x28", 7));
  save(root, "tls_huge_record", kTls | 28, std::string("\x16\x03\x01\xff\xff\x01\xff\xff\xff", 9));
  save(root, "tls_plain_get", kTls | 28, "GET / HTTP/1.1\r\n" + host + "\r\n");
  save(root, "tls_plain_connect", kTls | 4, "CONNECT a:1 HTTP/1.1\r\n" + host + "\r\n");
  ConnectRequest request;
  request.player_name = "fuzz";
  std::string const join = frames_of(request);
  save(root, "join", 2 | 32 | 28, scripted(join));
  save(root, "join_unread", 2 | 28, scripted(join));
  auto const samples = test::sample_messages();
  for (auto const& message : samples) {
    std::string const bytes = frames_of(message);
    if (bytes.size() > 1000) continue;
    MessageWriter writer;
    // A frame must end where its payload does: what fills it up would begin another.
    std::string exact = join + bytes;
    save(root, "join_then_" + std::to_string(message.index() + 1), 1 | 32 | 28,
         std::string{'\x82', static_cast<char>(0x80 | 126), static_cast<char>(exact.size() >> 8),
                     static_cast<char>(exact.size() & 0xff)} +
             std::string(4, '\0') + exact);
  }
  return 0;
}
