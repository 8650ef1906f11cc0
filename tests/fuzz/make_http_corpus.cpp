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
