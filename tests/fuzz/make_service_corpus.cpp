// Writes tests/fuzz/corpus/service_frame: streams of requests with each body, and the replies to them; and
// tests/fuzz/corpus/ring: operations of tests/fuzz/ring_fuzz.cpp.
// usage: make_service_corpus DIRECTORY_OF_FRAMES DIRECTORY_OF_RINGS
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <span>
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
    last_reply_ = replies_.size();
    (void)session_.handle(message, replies_);
  }
  [[nodiscard]] const std::vector<std::byte>& requests() const { return requests_; }
  // The bytes of the last reply.
  [[nodiscard]] std::vector<std::uint8_t> bytes() const {
    auto const* const reply =
        flatbuffers::GetRoot<wire::Reply>(replies_.data() + last_reply_ + kFrameHeadBytes);
    return {reply->bytes()->begin(), reply->bytes()->end()};
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
  std::size_t last_reply_ = 0;
};

constexpr std::uint32_t kAll = (1u << kColumnCount) - 1;
constexpr std::uint64_t kBody = (std::uint64_t{1} << 32u) | 1u;
constexpr std::uint64_t kJoint = std::uint64_t{1} << 32u;
constexpr std::uint64_t kMover = kBody + 2;  // the first new body
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
  s.add(kFirst, 0, [](auto& b) { return wire::CreateJointState(b, kJoint, 0); });
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
  s.add(kFirst, 0, [](auto& b) {
    return wire::CreateChangeJoint(b, kJoint, 4095, 1, 62, &kVector, &kTurned, &kVector, &kTurned, 3, 1, 0, 0,
                                   1e6, 1e6, 1e9, 1e9, 0, 0);
  });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateDestroyJoint(b, kJoint); });
  s.add(kFirst, 2, [](auto& b) { return wire::CreateDespawn(b, kBody); });
}

void definitions(Stream& s) {
  s.make_worlds(0);
  s.add(kFirst, 0, [](auto& b) { return wire::CreateList(b, 3, kBody); });
  s.add(kFirst, 0,
        [](auto& b) { return wire::CreateChangeShape(b, kBody, 15, 3, 5, -1, 0.25, 0.5, &kVector); });
  s.add(kFirst, 0, [](auto& b) {
    return wire::CreateCreateJoint(b, 6, kBody, kBody + 1, &kVector, &kTurned, &kVector, &kTurned, 0, 1, 1, 1,
                                   3, 1, 0, 1, 1e6, 1e6, 1e9, 1e9, 1.5, 0, 0, 3, 3, 1, &kVector, &kVector, 7);
  });
  s.add(kFirst, 0, [](auto& b) {
    auto const points = b.CreateVector(std::vector<double>{0, 3, 0, 0, 2, 0});
    return wire::CreateCreateRope(b, 2, &kVector, &kVector, 0, 0.02, 1, 0, 1, 4, 1, 1e-6, 0, 0.2, 1, 0.6, 1,
                                  0, 1, 1, 7, 0, 9, points);
  });
  s.add(kFirst, 0, [](auto& b) { return wire::CreatePinRope(b, kJoint, 1, kBody, &kVector); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateRopeLength(b, kJoint, 0.5); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateGrab(b, kBody, &kVector, &kVector, 100); });
  s.add(kFirst, 2, [](auto& b) { return wire::CreateStep(b, 2); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateMoveGrab(b, &kVector); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateUnpinRope(b, kJoint, 1); });
  s.add(kFirst, 2, [](auto& b) { return wire::CreateRelease(b); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateDestroyRope(b, kJoint); });
  s.add(kFirst, 2, [](auto& b) { return wire::CreateChangeBody(b, kBody, 63, 1, 1, 8, 0.5, 0.1, 0.2, 5); });
  s.add(kFirst, 2, [](auto& b) { return wire::CreateSetTarget(b, kBody, &kVector, &kTurned); });
  s.add(kFirst, 0, [](auto& b) {
    return wire::CreateTuneMover(b, kBody, 16, b.CreateVector(std::vector<double>(13, 1.0)));
  });
  s.add(kFirst, 2, [](auto& b) {
    auto const values = b.CreateVector(std::vector<double>(13, 1.0));
    return wire::CreateCreateMover(b, &kVector, 1, 0.4, 0.5, 0.6, 0.1, 1, 3, -1, 7, 16, values);
  });
  s.add(kFirst, 2, [](auto& b) { return wire::CreateStep(b, 2); });
}

// Edits that need other edits before them: of a kinematic body, a new character and a new rope.
void movers(Stream& s) {
  wire::Vec3 const near(0, 0.6, 0);
  wire::Quat const upright(0, 0, 0, 1);
  s.make_worlds(0);
  s.add(kFirst, 0, [](auto& b) {
    return wire::CreateChangeJoint(b, kJoint, TAKT_JOINT_MAX_FORCE, 0, 0, nullptr, nullptr, nullptr, nullptr,
                                   0, 0, 0, 0, 1e6);
  });
  s.add(kFirst, 0,
        [](auto& b) { return wire::CreateChangeBody(b, kBody, TAKT_BODY_TYPE, TAKT_BODY_KINEMATIC); });
  s.add(kFirst, 2, [&](auto& b) { return wire::CreateSetTarget(b, kBody, &near, &upright); });
  s.add(kFirst, 0, [](auto& b) {
    auto const values = b.CreateVector(std::vector<double>(13, 1.0));
    return wire::CreateCreateMover(b, &kVector, 1, 0.4, 0.5, 0.6, 0.1, 1, 3, -1, 7, 16, values);
  });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateMove(b, kMover, &kVector, 1, 1, 1); });
  s.add(kFirst, 0, [](auto& b) {
    return wire::CreateTuneMover(b, kMover, 16, b.CreateVector(std::vector<double>(13, 1.0)));
  });
  s.add(kFirst, 0, [](auto& b) {
    auto const points = b.CreateVector(std::vector<double>{0, 3, 0, 0, 2, 0, 0, 1, 0});
    return wire::CreateCreateRope(b, 3, &kVector, &kVector, 0, 0.02, 1, 0, 0, 4, 1, 1e-6, 0, 0.2, 1, 0.6, 1,
                                  0, 1, 1, 7, 0, 9, points);
  });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateCutRope(b, kJoint, 0); });
  s.add(kFirst, 2, [&](auto& b) {
    return wire::CreateSpawn(b, TAKT_SHAPE_SPHERE, &kVector, &near, &upright, &kVector, &kVector, 1000, 0.5,
                             0.1, 7);
  });
  s.add(kFirst, kAll, [](auto& b) { return wire::CreateStep(b, 3); });
  s.add(kFirst, 2, [](auto& b) { return wire::CreateDespawn(b, kMover); });
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
  std::vector<std::uint8_t> const image = s.bytes();
  s.add(kFirst, 2, [&](auto& b) { return wire::CreateRestore(b, b.CreateVector(image)); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateRestore(b); });
  s.add({2, kNoWorldIndex}, 0, [](auto& b) { return wire::CreateDestroy(b); });
  s.add({3, kNoWorldIndex}, 0, [](auto& b) { return wire::CreateDestroy(b); });
  s.add({}, 0, [](auto& b) { return wire::CreateHello(b, 1); });
}

// The target fuzz_service_frame takes a Hello as the end of a connection, and zeros as the last key.
void leases(Stream& s) {
  auto const attach = [](std::uint32_t kind) {
    return [kind](auto& b) {
      return wire::CreateAttach(b, b.CreateVector(std::vector<std::uint8_t>(kKeyBytes)), kind);
    };
  };
  for (std::uint32_t const worlds : {0u, 2u}) {
    s.make_worlds(worlds);
    s.add(kFirst, 0, [](auto& b) { return wire::CreateKey(b); });
    s.add({}, 0, attach(worlds == 0 ? 0 : 1));  // of its own
    s.add(kFirst, 0, [](auto& b) { return wire::CreateCapture(b); });
    s.add({}, 0, [](auto& b) { return wire::CreateHello(b, 1); });
    s.add({}, 0, attach(worlds == 0 ? 1 : 0));  // of the other kind
    s.add({}, 0, attach(worlds == 0 ? 0 : 1));
    s.add(kFirst, 2, [](auto& b) { return wire::CreateStep(b, 2); });
    s.add(kFirst, 0, [](auto& b) { return wire::CreateDestroy(b); });
    s.add({}, 0, attach(0));  // of nothing
  }
  s.add({}, 0, [](auto& b) {
    return wire::CreateHello(b, 1, b.CreateVector(std::vector<std::uint8_t>(kTokenBytesMin, 'a')), true);
  });
}

void ends(Stream& s) {
  s.make_worlds(2);
  std::vector<std::uint8_t> const mask{0, 1};
  s.add(kFirst, kAll, [&](auto& b) { return wire::CreateStep(b, 3, b.CreateVector(mask)); });
  s.add({9, kNoWorldIndex}, 0, [](auto& b) { return wire::CreateStop(b); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateHash(b); });
  s.add({1, 0}, 0, [](auto& b) { return wire::CreateDestroy(b); });
  s.add(kFirst, 2, [](auto& b) { return wire::CreateStop(b); });
  s.add({1, 1}, 0, [](auto& b) { return wire::CreateStop(b); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateDestroy(b); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateStop(b); });
}

// Recordings of a world, of worlds of a batch, and of a batch that a new connection takes over.
void records(Stream& s) {
  auto const record = [](auto& b) { return wire::CreateRecord(b); };
  auto const more = [](auto& b) { return wire::CreateRecordBytes(b); };
  auto const stop = [](auto& b) { return wire::CreateRecordStop(b); };
  auto const step = [](auto& b) { return wire::CreateStep(b, 2); };
  s.make_worlds(0);
  s.add(kFirst, 0, stop);  // of none
  s.add(kFirst, 2, record);
  s.add(kFirst, 0, record);  // of one that is recording
  s.add(kFirst, 0, [](auto& b) { return wire::CreateImpulse(b, kBody, &kVector, &kVector); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateDespawn(b, 99); });  // refused, and recorded
  s.add(kFirst, 2, step);
  s.add(kFirst, 0, more);
  s.add(kFirst, 0, [](auto& b) { return wire::CreateCapture(b); });
  s.add(kFirst, 0, [](auto& b) { return wire::CreateRollback(b, 2); });
  s.add(kFirst, 0, step);
  s.add(kFirst, 0, stop);
  s.add(kFirst, 0, more);  // of an ended one
  s.add(kFirst, 0, record);
  s.add({2, kNoWorldIndex}, 0, record);  // of a snapshot
  s.add(kFirst, 0, [](auto& b) { return wire::CreateDestroy(b); });
  s.make_worlds(2);
  Target const batch{3, kNoWorldIndex};
  s.add(batch, 0, record);
  for (std::uint32_t const world : {0u, 1u}) s.add({3, world}, 0, record);
  s.add(batch, 0, [](auto& b) {
    auto const ids = b.CreateVector(std::vector<std::uint64_t>(2, kBody));
    auto const forces = b.CreateVector(std::vector<double>{1, 2, 3, 4, 5, 6});
    return wire::CreateBatchForce(b, ids, forces, 0, 2);
  });
  s.add(batch, 2, step);
  s.add({3, 1}, 0, more);
  s.add({3, 0}, 0, stop);
  s.add(batch, 0, [](auto& b) { return wire::CreateKey(b); });
  s.add({}, 0, [](auto& b) { return wire::CreateHello(b, 1); });
  s.add({}, 0, [](auto& b) {
    return wire::CreateAttach(b, b.CreateVector(std::vector<std::uint8_t>(kKeyBytes)), 1);
  });
  s.add({1, 1}, 0, more);  // ended by the move
  s.add({1, 1}, 0, record);
  s.add({1, 1}, 0, step);
  s.add({1, 1}, 0, stop);
}

// Operations on a ring.
class RingScript {
 public:
  explicit RingScript(bool is_writer) { put(is_writer ? 1 : 0, 1); }
  void put(std::uint64_t number, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes_.push_back(static_cast<char>(number >> (8 * i) & 255u));
  }
  void set_position(std::uint64_t position) { put(0, 1), put(position, 8); }
  void move_position(std::uint64_t by) { put(1, 1), put(by, 2); }
  void set_bytes(std::size_t offset, std::span<const std::byte> from) {
    put(2, 1), put(offset, 2), put(from.size(), 1);
    for (std::byte const byte : from) bytes_.push_back(static_cast<char>(byte));
  }
  void pass(std::size_t count) { put(3, 1), put(count, 2); }
  void wait(std::uint64_t how) { put(5, 1), put(how, 1); }
  void set_waits(std::uint64_t reader, std::uint64_t writer) { put(4, 1), put(reader, 4), put(writer, 4); }
  [[nodiscard]] bool write(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    return static_cast<bool>(file.flush());
  }

 private:
  std::vector<char> bytes_;
};

bool write_rings(const std::string& directory, std::span<const std::byte> requests) {
  RingScript frames(false);
  for (std::size_t at = 0; at < std::min<std::size_t>(requests.size(), 4000);) {
    std::size_t const count = std::min<std::size_t>(250, requests.size() - at);
    frames.set_bytes(at, requests.subspan(at, count));
    frames.move_position(count);
    if (at % 500 == 0) frames.wait(1);
    frames.pass(at % 3 == 0 ? 100 : 400);
    at += count;
  }
  RingScript around(false);  // the end of the ring
  for (int i = 0; i < 4; ++i) around.move_position(3000), around.pass(3000), around.wait(2);
  around.set_waits(1, 2);
  RingScript lies(false);
  lies.move_position(100);
  lies.pass(50);
  lies.set_position(20);  // back, within what was read
  lies.pass(100);
  lies.set_position(std::uint64_t{1} << 63u);
  lies.pass(100);
  lies.wait(1);
  RingScript writer(true);
  for (int i = 0; i < 4; ++i) writer.pass(3000), writer.wait(2), writer.move_position(2500);
  writer.set_waits(2, 1);
  writer.set_position(~std::uint64_t{0});
  for (int i = 0; i < 3; ++i) writer.pass(5000);
  return frames.write(directory + "/frames") && around.write(directory + "/around") &&
         lies.write(directory + "/lies") && writer.write(directory + "/writer");
}

}  // namespace

int main(int argc, char** argv) {
  std::string const directory = argc > 1 ? argv[1] : ".";
  struct Part {
    const char* name;
    void (*make)(Stream&);
  };
  for (auto const& [name, make] : {Part{"reads", reads},
                                   {"edits", edits},
                                   {"definitions", definitions},
                                   {"movers", movers},
                                   {"batches", batches},
                                   {"states", states},
                                   {"leases", leases},
                                   {"records", records},
                                   {"ends", ends}}) {
    Stream stream;
    make(stream);
    if (stream.write(directory + '/' + name) &&
        (make != edits || write_rings(argc > 2 ? argv[2] : ".", stream.requests())))
      continue;
    std::fprintf(stderr, "%s: cannot be written\n", directory.c_str());
    return 1;
  }
  return 0;
}
