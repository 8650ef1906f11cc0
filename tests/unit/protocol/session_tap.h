// Tests are one end of a sealed session by this header, or somebody on its path who has the keys.
// test_seeds() are the seeds of test servers. answer_to() is the answer of a client to the challenge of a
// server. A SessionTap watches the handshake of a client whose seed it knows, and then seals and opens
// datagrams of the session.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "crypto/datagram_opener.h"
#include "crypto/datagram_sealer.h"
#include "crypto/handshake_seal.h"
#include "crypto/key_exchange.h"
#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "protocol/session/challenge.h"
#include "protocol/session/client_handshake.h"
#include "protocol/session/handshake_context.h"
#include "protocol/session/sealed_name.h"
#include "protocol/session/server_endpoint.h"
#include "protocol/wire/datagram.h"

namespace takt::protocol::test {

using Bytes = std::vector<std::byte>;

inline crypto::SecretKey seed_of(unsigned value) {
  std::array<std::byte, crypto::SecretKey::kBytes> bytes{};
  bytes.fill(static_cast<std::byte>(value));
  return crypto::SecretKey(bytes);
}

inline ServerSeeds test_seeds() { return {seed_of(1), seed_of(2)}; }

/// Any two keys, for links without a handshake.
inline crypto::SessionKeys test_keys() { return {seed_of(3), seed_of(4)}; }

inline Bytes handshake_of(std::span<const std::byte> message) {
  Bytes out;
  write_handshake_header(out);
  out.insert(out.end(), message.begin(), message.end());
  return out;
}
/// A message of a client is padded as the server wants it.
inline Bytes handshake_of(const Message& message) {
  MessageWriter writer;
  Bytes out = handshake_of(writer.write(message));
  bool const is_of_client =
      std::holds_alternative<ConnectRequest>(message) || std::holds_alternative<ChallengeResponse>(message);
  if (is_of_client) out.resize(kConnectRequestBytes);
  return out;
}

/// ClientOptions::key_seed of test clients.
inline std::shared_ptr<const crypto::SecretKey> client_seed(unsigned value = 0) {
  return std::make_shared<const crypto::SecretKey>(seed_of(value));
}
inline ClientOptions seeded(ClientOptions options = {}) {
  if (options.key_seed == nullptr) options.key_seed = client_seed();
  return options;
}

/// A proof of the size that a response to this request has. It proves nothing.
inline Bytes no_proof(const ConnectRequest& request) {
  return Bytes(request.token.empty() ? kNamedProofBytes : kProofBytes);
}

/// The answer of a client at `from` with this key pair, and the keys of its session. `name`: of a player
/// without a token.
struct Answer {
  ChallengeResponse response;
  crypto::SessionKeys keys;
};
inline Answer answer_to(const crypto::ServerPublicKeys& server, const Cookie& cookie,
                        const ConnectRequest& request, const crypto::KeyPair& client,
                        const crypto::SessionKeyBytes* token = nullptr,
                        TransportKind transport = TransportKind::kDatagram, std::string_view name = {}) {
  auto const context = handshake_context(transport, request, cookie, server, client.public_key());
  auto keys = crypto::agree_as_client(client, server, context, token);
  auto const& key = keys->client_to_server;
  Bytes proof = request.token.empty() ? prove_with_name(key, context, name) : prove(key, context);
  return {{cookie, request, client.public_key().bytes, std::move(proof)}, *std::move(keys)};
}

/// As answer_to(), of a stranger who receives at `from` and knows the secret of the server's cookies. The
/// name in the request goes into the proof.
inline ChallengeResponse response_of(ServerEndpoint& server, const std::array<std::uint64_t, 2>& secret,
                                     std::uint64_t now_us, const Address& from, ConnectRequest request,
                                     const crypto::SessionKeyBytes* token = nullptr,
                                     TransportKind transport = TransportKind::kDatagram) {
  static const crypto::KeyPair kClient(seed_of(5));
  server.handle_stream_closed(now_us, {});  // no stream: the server's keys are those of this time
  std::string const name = std::exchange(request.player_name, {});
  return answer_to(server.public_keys(), make_cookie(secret, now_us, transport, from, request), request,
                   kClient, token, transport, name)
      .response;
}

/// Likewise with any text in the place of a sealed name, and the keys of the session, which the stranger has.
inline Answer answer_with_text(ServerEndpoint& server, const std::array<std::uint64_t, 2>& secret,
                               std::uint64_t now_us, const Address& from, const ConnectRequest& request,
                               std::span<const std::byte> text,
                               TransportKind transport = TransportKind::kDatagram) {
  static const crypto::KeyPair kClient(seed_of(5));
  server.handle_stream_closed(now_us, {});
  crypto::ServerPublicKeys const keys = server.public_keys();
  Cookie const cookie = make_cookie(secret, now_us, transport, from, request);
  Answer answer = answer_to(keys, cookie, request, kClient, nullptr, transport);
  answer.response.proof.clear();
  crypto::seal_proof(answer.keys.client_to_server,
                     handshake_context(transport, request, cookie, keys, kClient.public_key()), text,
                     answer.response.proof);
  return answer;
}
inline ChallengeResponse response_with_text(ServerEndpoint& server,
                                            const std::array<std::uint64_t, 2>& secret, std::uint64_t now_us,
                                            const Address& from, const ConnectRequest& request,
                                            std::span<const std::byte> text,
                                            TransportKind transport = TransportKind::kDatagram) {
  return answer_with_text(server, secret, now_us, from, request, text, transport).response;
}

class SessionTap {
 public:
  /// `seed`: of the client (ClientOptions::key_seed).
  explicit SessionTap(const crypto::SecretKey& seed) : pair_(seed_of_attempt(seed, 0)) {}

  /// Watches a datagram of either direction.
  void see(std::span<const std::byte> datagram) {
    auto const body = read_handshake(datagram);
    if (!body || is_ready()) return;
    auto const message = reader_.read(*body, MessageClass::kDatagram);
    if (!message) return;
    if (auto const* request = std::get_if<ConnectRequest>(&*message)) {
      request_ = *request;
    } else if (auto const* challenge = std::get_if<Challenge>(&*message); challenge != nullptr && !keys_) {
      keys_ = answer_to({{challenge->lasting_key}, {challenge->short_lived_key}}, challenge->cookie, request_,
                        pair_)
                  .keys;
    } else if (auto const* sealed = std::get_if<SealedAccept>(&*message); sealed != nullptr && keys_) {
      Bytes bytes;
      if (!crypto::open_accept(keys_->server_to_client, sealed->sealed, bytes)) return;
      begin(std::get<Accept>(*reader_.read(bytes, MessageClass::kDatagram)));
    }
  }
  [[nodiscard]] bool is_ready() const { return as_client_ != nullptr; }
  [[nodiscard]] std::uint32_t connection_id() const { return connection_id_; }
  [[nodiscard]] const crypto::SessionKeys& keys() const { return *keys_; }
  [[nodiscard]] crypto::DatagramCipher cipher() const { return cipher_; }

  /// The next datagram of the client or of the server. Its numbers begin at 1,000, above the true ones of a
  /// short session.
  [[nodiscard]] Bytes from_client(std::span<const std::byte> sections = {},
                                  std::optional<AckBlock> acks = std::nullopt) {
    return client_datagram(acks.has_value(), payload_of(sections, acks));
  }
  [[nodiscard]] Bytes from_server(std::span<const std::byte> sections = {},
                                  std::optional<AckBlock> acks = std::nullopt) {
    return server_datagram(acks.has_value(), payload_of(sections, acks));
  }
  /// Likewise of any payload.
  [[nodiscard]] Bytes client_datagram(bool has_ack, std::span<const std::byte> payload) {
    return seal(*as_client_, has_ack, payload);
  }
  [[nodiscard]] Bytes server_datagram(bool has_ack, std::span<const std::byte> payload) {
    return seal(*as_server_, has_ack, payload);
  }
  /// A path probe of the client.
  [[nodiscard]] Bytes probe_from_client(std::span<const std::byte> probe) {
    return seal(*as_client_, false, probe, true);
  }
  [[nodiscard]] crypto::DatagramSealer& client_sealer() { return *as_client_; }

  /// A datagram of the server, opened.
  struct Opened {
    std::uint64_t number = 0;
    Bytes sections;
    bool is_probe = false;
  };
  [[nodiscard]] std::optional<Opened> open_from_server(std::span<const std::byte> datagram) {
    Bytes out(datagram.size());
    auto const opened = at_client_->open(0, 0, datagram, out);
    if (!opened) return std::nullopt;
    std::span<const std::byte> body = opened->payload;
    if (opened->flags.has_ack && !read_ack_block(body)) return std::nullopt;
    return Opened{opened->number, {body.begin(), body.end()}, opened->flags.path_probe};
  }

 private:
  void begin(const Accept& accept) {
    cipher_ = static_cast<crypto::DatagramCipher>(accept.cipher);
    connection_id_ = static_cast<std::uint32_t>(accept.session);
    as_client_ =
        std::make_unique<crypto::DatagramSealer>(cipher_, keys_->client_to_server, connection_id_, 0);
    as_server_ =
        std::make_unique<crypto::DatagramSealer>(cipher_, keys_->server_to_client, connection_id_, 0);
    at_client_ = std::make_unique<crypto::DatagramOpener>(cipher_, keys_->server_to_client, connection_id_);
    while (as_client_->next_number() < 1000) as_client_->skip_number();
    while (as_server_->next_number() < 1000) as_server_->skip_number();
  }
  static Bytes payload_of(std::span<const std::byte> sections, const std::optional<AckBlock>& acks) {
    Bytes payload;
    if (acks) write_ack_block(*acks, payload);
    payload.insert(payload.end(), sections.begin(), sections.end());
    return payload;
  }
  static Bytes seal(crypto::DatagramSealer& sealer, bool has_ack, std::span<const std::byte> payload,
                    bool is_probe = false) {
    Bytes out(payload.size() + crypto::kSealOverheadBytesMax);
    out.resize(sealer.seal(0, sealer.next_number() - 1, {is_probe, has_ack}, payload, out));
    return out;
  }

  crypto::KeyPair pair_;
  ConnectRequest request_;
  MessageReader reader_;
  std::optional<crypto::SessionKeys> keys_;
  std::uint32_t connection_id_ = 0;
  crypto::DatagramCipher cipher_ = crypto::DatagramCipher::kChaCha20Poly1305;
  std::unique_ptr<crypto::DatagramSealer> as_client_;
  std::unique_ptr<crypto::DatagramSealer> as_server_;
  std::unique_ptr<crypto::DatagramOpener> at_client_;
};

}  // namespace takt::protocol::test
