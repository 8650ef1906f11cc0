#include "protocol/session/client_handshake.h"

#include <span>
#include <variant>

#include "protocol/wire/datagram.h"

namespace takt::protocol {

ConnectRequest ClientHandshake::request() const {
  ConnectRequest request;
  request.protocol_version = options_->protocol_version;
  request.scene_hash = options_->scene_hash;
  request.numbers_mode = options_->numbers_mode;
  request.mode = options_->mode;
  if (options_->token.empty()) request.player_name = options_->player_name;
  request.token = options_->token;
  request.nonce = options_->nonce;
  request.role = options_->role;
  return request;
}

bool ClientHandshake::poll_datagram(std::uint64_t now_us, MessageWriter& writer,
                                    std::vector<std::byte>& out) {
  if (now_us < next_us_) return false;
  next_us_ = now_us + kHandshakeRetry;
  out.assign(kDatagramHeaderBytes, std::byte{0});
  DatagramHeader header;
  header.type = DatagramType::kHandshake;
  write_header(header, std::span<std::byte, kDatagramHeaderBytes>(out.data(), kDatagramHeaderBytes));
  auto const message = is_challenged_
                           ? writer.write(ChallengeResponse{cookie_, request()})
                           : writer.write_padded(request(), kConnectRequestBytes - kDatagramHeaderBytes);
  out.insert(out.end(), message.begin(), message.end());
  return true;
}

HandshakeStep ClientHandshake::handle(std::uint64_t now_us, const Message& message) {
  // The nonce is known to both ends only: without it a stranger's guess could refuse or accept for the
  // server.
  auto const is_ours = [&](const auto* answer) {
    return answer != nullptr && answer->nonce == options_->nonce;
  };
  bool const over_stream = options_->transport == TransportKind::kStream;
  if (auto const* challenge = std::get_if<Challenge>(&message); is_ours(challenge) && !over_stream) {
    if (is_challenged_) return HandshakeStep::kRepeated;  // the first cookie is as good
    cookie_ = challenge->cookie;
    is_challenged_ = true;
    next_us_ = now_us;
    return HandshakeStep::kChallenged;
  }
  if (auto const* accept = std::get_if<Accept>(&message);
      is_ours(accept) && (over_stream || accept->session != 0))
    return HandshakeStep::kAccepted;
  if (is_ours(std::get_if<Refuse>(&message))) return HandshakeStep::kRefused;
  return HandshakeStep::kUnexpected;
}

}  // namespace takt::protocol
