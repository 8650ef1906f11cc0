#include "protocol/session/handshake_context.h"

#include <cstdint>
#include <span>

#include "protocol/wire/siphash.h"

namespace takt::protocol {

// Every line determines cookies and keys of sessions, and both ends must compute the same.
template <class Writer>
void append_request(const ConnectRequest& request, Writer& writer) {
  writer.put(request.protocol_version);
  writer.put(request.scene_hash);
  writer.put(static_cast<std::uint8_t>(request.numbers_mode));
  writer.put(static_cast<std::uint8_t>(request.mode));
  writer.put(request.nonce);
  writer.put(static_cast<std::uint8_t>(request.role));
  writer.put(request.ciphers);
  writer.put(static_cast<std::uint8_t>(request.player_name.size()));
  writer.put_bytes(std::as_bytes(std::span(request.player_name)));
  // Lengths and flags go ahead of what they announce: else two requests could have the same bytes.
  writer.put(static_cast<std::uint16_t>(request.token.size()));
  writer.put_bytes(request.token);
  writer.put(static_cast<std::uint8_t>(request.resume ? 1 : 0));
  if (!request.resume) return;
  writer.put(request.resume->tick);
  writer.put(request.resume->hash_tick);
  writer.put(request.resume->hash);
  writer.put(request.resume->epoch);
}
template void append_request(const ConnectRequest& request, ByteWriter& writer);
template void append_request(const ConnectRequest& request, SipHasher& writer);

std::vector<std::byte> handshake_context(TransportKind transport, const ConnectRequest& request,
                                         const Cookie& cookie, const crypto::ServerPublicKeys& server,
                                         const crypto::PublicKey& client) {
  std::vector<std::byte> bytes;
  bytes.reserve(192 + request.token.size());
  ByteWriter writer(bytes);
  writer.put(static_cast<std::uint8_t>(transport));
  writer.put_bytes(cookie);
  writer.put_bytes(server.lasting.bytes);
  writer.put_bytes(server.short_lived.bytes);
  writer.put_bytes(client.bytes);
  append_request(request, writer);
  return bytes;
}

}  // namespace takt::protocol
