// The committed seeds of the fuzz targets service_frame and ring, as their targets read them: each request of
// the schema is among them, and each operation on a ring. A service answers each kind of request with
// success.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "service/session.h"
#include "service/wire/frame.h"
#include "service/wire/values.h"
#include "tests/unit/service/request_frames.h"

namespace takt::service::test {
namespace {

std::vector<std::vector<std::byte>> seeds(const std::string& target) {
  std::vector<std::vector<std::byte>> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(TAKT_SOURCE_DIR "/tests/fuzz/corpus/" + target)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::string const bytes{std::istreambuf_iterator<char>(file), {}};
    auto const view = std::as_bytes(std::span(bytes));
    out.emplace_back(view.begin(), view.end());
  }
  return out;
}

std::vector<std::vector<std::byte>> messages_of(std::span<const std::byte> stream) {
  FrameBuffer in(kFrameBytesMax);
  std::vector<std::vector<std::byte>> out;
  while (!stream.empty()) {
    auto const room = in.room();
    std::size_t const count = std::min(room.size(), stream.size());
    std::ranges::copy(stream.first(count), room.begin());
    in.add(count);
    stream = stream.subspan(count);
    std::span<const std::byte> message;
    while (in.next(message)) out.emplace_back(message.begin(), message.end());
  }
  return out;
}

TEST(FuzzCorpus, HasASeedOfEachRequestThatSucceeds) {
  std::set<std::string> sent, done, all;
  for (wire::RequestBody const type : wire::EnumValuesRequestBody()) {
    if (type != wire::RequestBody::NONE) all.insert(wire::EnumNameRequestBody(type));
  }
  for (const std::vector<std::byte>& seed : seeds("service_frame")) {
    ASSERT_FALSE(seed.empty());
    if ((std::to_integer<unsigned>(seed[0]) & 1u) != 0) continue;  // replies
    ServiceLimits limits;
    ServiceUsage usage;
    Session session(limits, usage);
    for (const std::vector<std::byte>& message : messages_of(std::span(seed).subspan(1))) {
      ASSERT_TRUE(verify<wire::Request>(message.data(), message.size()));
      std::string const type =
          wire::EnumNameRequestBody(flatbuffers::GetRoot<wire::Request>(message.data())->body_type());
      sent.insert(type);
      std::vector<std::byte> reply;
      (void)session.handle(message, reply);
      if (flatbuffers::GetRoot<wire::Reply>(reply.data() + kFrameHeadBytes)->status() == TAKT_OK)
        done.insert(type);
    }
  }
  EXPECT_EQ(sent, all);
  // Without a service there are no keys, and no Hello.
  std::set<std::string> failed;
  std::ranges::set_difference(all, done, std::inserter(failed, failed.begin()));
  EXPECT_EQ(failed, (std::set<std::string>{"Attach", "Hello", "Key"}));
}

// The format is that of ring_fuzz.cpp.
TEST(FuzzCorpus, HasASeedOfEachOperationOnARing) {
  std::set<unsigned> operations;  // the kind, and 8 for the writer
  for (const std::vector<std::byte>& seed : seeds("ring")) {
    ASSERT_FALSE(seed.empty());
    auto const byte = [&](std::size_t at) {
      return at < seed.size() ? std::to_integer<unsigned>(seed[at]) : 0;
    };
    unsigned const side = 8 * (byte(0) & 1u);
    for (std::size_t at = 1; at < seed.size();) {
      unsigned const kind = std::min(byte(at) & 7u, 5u);
      operations.insert(side + kind);
      constexpr std::array<std::size_t, 6> kBytes{8, 2, 3, 2, 8, 1};
      at += 1 + kBytes[kind] + (kind == 2 ? byte(at + 3) : 0);
    }
  }
  // The other side writes into a ring that this side reads.
  EXPECT_EQ(operations, (std::set<unsigned>{0, 1, 2, 3, 4, 5, 8, 9, 11, 12, 13}));
}

}  // namespace
}  // namespace takt::service::test
