// Writes tests/fuzz/corpus/service_frame: streams of requests with each body, and the replies to them.
// usage: make_service_corpus DIRECTORY
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "service/session.h"
#include "service/wire/values.h"
#include "tests/fuzz/service_scene.h"

namespace {

using namespace takt::service;
using flatbuffers::FlatBufferBuilder;

class Stream {
 public:
  template <class Make>
  void add(Target target, std::uint32_t observe, const Make& make) {
    FlatBufferBuilder builder;
    auto const body = make(builder);
    auto const type = []<class T>(flatbuffers::Offset<T>) {
      return wire::RequestBodyTraits<T>::enum_value;
    }(body);
    builder.Finish(
        wire::CreateRequest(builder, ++id_, target.handle, target.world_index, observe, type, body.Union()),
        kIdentifier);
    append_frame(builder, requests_);
    std::vector<std::byte> message(builder.GetSize());
    std::memcpy(message.data(), builder.GetBufferPointer(), message.size());
    (void)session_.handle(message, replies_);
  }
  void make_worlds(std::uint32_t worlds) {
    add({}, 0, [&](FlatBufferBuilder& b) {
      auto const& scene = takt::fuzz::kServiceScene;
      return wire::CreateNewWorlds(
          b, b.CreateVector(reinterpret_cast<const std::uint8_t*>(scene.data()), scene.size()), 0, 1, 1, 0,
          worlds);
    });
  }
  [[nodiscard]] bool write(const std::string& path) const {
    for (bool const is_client : {false, true}) {
      std::ofstream file(path + (is_client ? "_reply" : ""), std::ios::binary);
      file.put(is_client ? '\1' : '\0');
      auto const& bytes = is_client ? replies_ : requests_;
      file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      if (!file.flush()) return false;
    }
    return true;
  }

 private:
  ServiceLimits limits_;
  ServiceUsage usage_;
  Session session_{limits_, usage_};
  std::uint64_t id_ = 0;
  std::vector<std::byte> requests_;
  std::vector<std::byte> replies_;
};

constexpr std::uint32_t kAll = (1u << kColumnCount) - 1;
constexpr std::uint64_t kBody = (std::uint64_t{1} << 32u) | 1u;
constexpr std::uint64_t kJoint = std::uint64_t{1} << 32u;
constexpr Target kFirst{1, kNoWorldIndex};
const wire::Vec3 kVector(0.1, 0.2, -0.3);
const wire::Quat kTurned(0, 0.6, 0, 0.8);

void reads(Stream& s) {
  s.make_worlds(0);
  s.add(kFirst, kAll, [](auto& b) { return wire::CreateStep(b, 3); });
  s.add(kFirst, 2, [](auto& b) { return wire::CreateObserve(b); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateHash(b); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateInfo(b); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateFind(b, 0, b.CreateString("low")); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateFind(b, 1, b.CreateString("slide")); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateList(b, 1); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateJointState(b, 1, 0); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateContacts(b); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateEvents(b); });
  s.add(kFirst, 0, [](auto& b) {
    std::vector<wire::QueryItem> const items{{1, 2, 0, 0, {0, 5, 0}, {0, -9, 0}, kTurned, kVector, 1, 0},
                                             {3, 2, 1, 1, {0, 1, 0}, {0, 0, 0}, kTurned, {1, 0, 0}, 1, 0},
                                             {4, 1, 0, 0, {0, 1, 0}, {0, 0, 0}, kTurned, kVector, 2, 0}};
    return wire::CreateQuery(b, b.CreateVectorOfStructs(items));
  });
}

void edits(Stream& s) {
  s.make_worlds(0);
  s.add(kFirst, 2, [](auto& b) { return wire::CreateImpulse(b, kBody, &kVector, &kVector); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateForce(b, kBody, &kVector, &kVector, 3); });
  s.add(kFirst, 2,
        [](auto& b) { return wire::CreateTeleport(b, kBody, &kVector, &kTurned, nullptr, &kVector); });
  s.add(kFirst, 2, [](auto& b) {
    return wire::CreateSpawn(b, 3, &kVector, &kVector, &kTurned, &kVector, &kVector, 1000, 0.5, 0.1, 7);
  });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateMove(b, kBody, &kVector, 1, 1, 1); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateCutRope(b, 1, 2); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateJointMotor(b, kJoint, 0, 1, 100); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateJointDrive(b, kJoint, 0, 1, 0.5, 2, 1, 100); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateJointLimit(b, kJoint, 0, -1, 1); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateJointFriction(b, kJoint, 0, 1); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateJointEnable(b, kJoint, 0); });
  s.add(kFirst, 2, [](auto& b) { return wire::CreateStep(b, 2); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateDestroyJoint(b, kJoint); });
  s.add(kFirst, 2, [](auto& b) { return wire::CreateDespawn(b, kBody); });
}

void batches(Stream& s) {
  s.make_worlds(2);
  std::vector<std::uint8_t> const mask{1, 0};
  std::vector<std::uint64_t> const bodies(2, kBody);
  std::vector<double> const numbers{1, 2, 3, 4, 5, 6};
  s.add(kFirst, kAll, [&](auto& b) { return wire::CreateStep(b, 1, b.CreateVector(mask)); });
  s.add(kFirst, 0, [&](auto& b) { return wire::CreateCapture(b); });
  s.add(kFirst, 2, [&](auto& b) {
    auto const ids = b.CreateVector(bodies);
    auto const forces = b.CreateVector(numbers);
    return wire::CreateBatchForce(b, ids, forces, forces, 2, b.CreateVector(mask));
  });
  s.add(kFirst, 65, [&](auto& b) {
    auto const ids = b.CreateVector(bodies);
    auto const rows = b.CreateVector(numbers);
    return wire::CreateBatchTeleport(b, ids, rows, 0, rows, rows, b.CreateVector(mask));
  });
  s.add(kFirst, 0, [&](auto& b) { return wire::CreateRollback(b, 2, b.CreateVector(mask)); });
  s.add({1, 1}, 2, [&](auto& b) { return wire::CreateStep(b, 1); });
  s.add(kFirst, 65, [&](auto& b) { return wire::CreateObserve(b); });
  s.add(kFirst, 0, [&](auto& b) { return wire::CreateHash(b); });
}

void states(Stream& s) {
  s.make_worlds(0);
  s.add(kFirst, 0, [](auto& b) { return wire::CreateCapture(b); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateFork(b); });
  s.add({3, kNoWorldIndex}, 2, [](auto& b) { return wire::CreateStep(b, 1); });
  s.add({3, kNoWorldIndex}, 2, [](auto& b) { return wire::CreateRollback(b, 2); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateCapture(b, 2); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateSave(b); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateRestore(b); });
  s.add({2, kNoWorldIndex}, 0, [](auto& b) { return wire::CreateDestroy(b); });
  s.add({3, kNoWorldIndex}, 0, [](auto& b) { return wire::CreateDestroy(b); });
  s.add({}, 0, [](auto& b) { return wire::CreateHello(b, 1); });
}

}  // namespace

int main(int argc, char** argv) {
  std::string const directory = argc > 1 ? argv[1] : ".";
  struct Part {
    const char* name;
    void (*make)(Stream&);
  };
  for (auto const& [name, make] :
       {Part{"reads", reads}, {"edits", edits}, {"batches", batches}, {"states", states}}) {
    Stream stream;
    make(stream);
    if (stream.write(directory + '/' + name)) continue;
    std::fprintf(stderr, "%s: cannot be written\n", directory.c_str());
    return 1;
  }
  return 0;
}
