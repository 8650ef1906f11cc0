// Requests of a client and replies of a Session, without sockets, for tests and fuzz targets.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/session.h"
#include "service/wire/values.h"

namespace takt::service::test {

inline constexpr std::string_view kTwoBoxes = R"({
  "title": "Two boxes",
  "bodies": [
    { "name": "ground", "type": "static", "shapes": [{ "half_space": {} }] },
    { "name": "low", "position": [0, 0.5, 0], "shapes": [{ "box": {} }] },
    { "name": "high", "position": [0.2, 1.6, 0], "shapes": [{ "box": {} }] }
  ]
})";

/// The message of a request, aligned to 8 bytes.
template <class Make>
std::vector<std::uint64_t> request(std::uint64_t id, Target target, std::uint32_t observe, const Make& make) {
  flatbuffers::FlatBufferBuilder builder;
  auto const body = make(builder);
  auto const type = []<class T>(flatbuffers::Offset<T>) {
    return wire::RequestBodyTraits<T>::enum_value;
  }(body);
  builder.Finish(
      wire::CreateRequest(builder, id, target.handle, target.world_index, observe, type, body.Union()),
      kIdentifier);
  std::vector<std::uint64_t> words((builder.GetSize() + 7) / 8);  // even without an id
  std::memcpy(words.data(), builder.GetBufferPointer(), builder.GetSize());
  return words;
}

/// A reply, which keeps its bytes.
struct Reply {
  bool goes_on = false;
  std::vector<std::byte> frame;

  const wire::Reply* operator->() const {
    EXPECT_TRUE(verify<wire::Reply>(frame.data() + kFrameHeadBytes, frame.size() - kFrameHeadBytes));
    return flatbuffers::GetRoot<wire::Reply>(frame.data() + kFrameHeadBytes);
  }
  [[nodiscard]] std::string text() const {
    return (*this)->text() == nullptr ? std::string() : (*this)->text()->str();
  }
};

inline Reply answer(Session& session, const std::vector<std::uint64_t>& message) {
  Reply reply;
  reply.goes_on = session.handle(std::as_bytes(std::span(message)), reply.frame);
  return reply;
}

template <class Make>
Reply ask(Session& session, Target target, const Make& make, std::uint32_t observe = 0) {
  return answer(session, request(7, target, observe, make));
}

/// A world, or a batch of `worlds`.
inline Reply make_worlds(Session& session, std::uint32_t worlds, std::uint32_t numbers = TAKT_NUMBERS_FLOAT) {
  return ask(session, {}, [&](auto& b) {
    auto const scene =
        b.CreateVector(reinterpret_cast<const std::uint8_t*>(kTwoBoxes.data()), kTwoBoxes.size());
    return wire::CreateNewWorlds(b, scene, 0, numbers, 1, 0, worlds);
  });
}

}  // namespace takt::service::test
