// Fuzz target: bytes of a stream against a service's session, and against a client. The first byte says who
// gets them and how they are split: bit 0: 0 = the session, 1 = the client; bits 1-7: the size of a split, 0
// = all at once. The rest is the stream. A scene of a NewWorlds request is replaced by one of two boxes: the
// target scene has other scenes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "c/remote_arrays.h"
#include "service/connection.h"
#include "service/lease_desk.h"
#include "service/session.h"
#include "service/wire/values.h"
#include "takt/core/assert.h"
#include "tests/fuzz/service_scene.h"

namespace {

using namespace takt::service;

class Side {
 public:
  explicit Side(bool is_client) : is_client_(is_client) {
    limits_.worlds_max = 6;
    limits_.things_max = 12;
    limits_.step_ticks_max = 3;
    limits_.hits_max = 1000;
    limits_.recorded_bytes_max = 8192;  // two or three recordings of the scene
    arrays_.want(0);
    arrays_.want(6);
    behind_step_.stepping = 1;
  }
  // False when the connection ends.
  bool take(std::span<const std::byte> message) {
    return is_client_ ? take_reply(message) : take_request(message);
  }

 private:
  bool take_request(std::span<const std::byte> from) {
    std::vector<std::byte> const message = with_key(from);
    behind_step_.look_behind_step(message);
    bool is_key = false;
    if (verify<wire::Request>(message.data(), message.size())) {
      auto const& request = *wire::GetRequest(message.data());
      if (request.body_type() == wire::RequestBody::NewWorlds && request.body() != nullptr) {
        auto const* const scene = request.body_as_NewWorlds()->scene();
        std::string_view const text =
            scene == nullptr ? std::string_view{}
                             : std::string_view(reinterpret_cast<const char*>(scene->data()), scene->size());
        if (!text.empty() && text != takt::fuzz::kServiceScene) return true;
      }
      if (request.body_type() == wire::RequestBody::Hello) {
        desk_.keep(std::move(session_), LeaseDesk::Clock::time_point{});
        session_ = open_session();
      }
      is_key = request.body_type() == wire::RequestBody::Key;
    }
    std::vector<std::byte> reply;
    bool const goes_on = session_->handle(message, reply);
    TAKT_ASSERT(reply.size() > kFrameHeadBytes);
    std::span<const std::byte> const answer = std::span(reply).subspan(kFrameHeadBytes);
    TAKT_ASSERT(verify<wire::Reply>(answer.data(), answer.size()));
    auto const* const key = flatbuffers::GetRoot<wire::Reply>(answer.data())->bytes();
    if (is_key && key != nullptr) {
      TAKT_ASSERT(key->size() == kKeyBytes);
      std::ranges::copy(std::as_bytes(std::span(key->data(), kKeyBytes)), key_.begin());
    }
    return goes_on;
  }
  // Keys are random, so no input has one.
  [[nodiscard]] std::vector<std::byte> with_key(std::span<const std::byte> from) const {
    std::vector<std::byte> message(from.begin(), from.end());
    if (!verify<wire::Request>(message.data(), message.size())) return message;
    const wire::Attach* const attach = wire::GetRequest(message.data())->body_as_Attach();
    if (attach == nullptr || attach->key() == nullptr || attach->key()->size() != kKeyBytes) return message;
    auto const key = std::as_bytes(std::span(attach->key()->data(), kKeyBytes));
    if (std::ranges::all_of(key, [](std::byte b) { return b == std::byte{0}; }))
      std::ranges::copy(key_, message.begin() + (key.data() - message.data()));
    return message;
  }
  std::unique_ptr<Session> open_session() {
    SessionHooks hooks;
    hooks.goes_on = [this](std::uint32_t) { return ++ticks_ % 3 != 0; };
    hooks.leases = &desk_;
    hooks.end = [] {};
    return std::make_unique<Session>(limits_, usage_, std::move(hooks));
  }
  bool take_reply(std::span<const std::byte> message) {
    if (!verify<wire::Reply>(message.data(), message.size())) return false;
    auto const* const reply = flatbuffers::GetRoot<wire::Reply>(message.data());
    (void)arrays_.apply(reply->observation());
    (void)arrays_.view(6);
    return true;
  }

  bool is_client_;
  ServiceLimits limits_;
  ServiceUsage usage_;
  LeaseDesk desk_{60};
  std::unique_ptr<Session> session_ = open_session();
  Connection behind_step_{-1, usage_.buffer_bytes};
  std::array<std::byte, kKeyBytes> key_{};  // the last that the service gave
  std::uint32_t ticks_ = 0;
  takt::c::RemoteArrays arrays_{2, true};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::size_t const split = data[0] >> 1u;
  auto rest = std::as_bytes(std::span(data + 1, size - 1));
  Side side((data[0] & 1u) != 0);
  FrameBuffer stream(1u << 16u);
  while (!rest.empty()) {
    std::span<std::byte> const room = stream.room();
    std::size_t const count = std::min({split == 0 ? rest.size() : split, rest.size(), room.size()});
    std::ranges::copy(rest.first(count), room.begin());
    stream.add(count);
    rest = rest.subspan(count);
    std::span<const std::byte> message;
    while (stream.next(message)) {
      if (!side.take(message)) return 0;
    }
    if (stream.fault() != FrameFault::kNone) return 0;
  }
  return 0;
}
