// Clients of shared memory: those of takt.h, and RawRings, which writes into the memory what it likes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "service/client/futex.h"
#include "service/client/service_client.h"
#include "service/client/shared_rings.h"
#include "service/ring_desk.h"
#include "tests/unit/service/host_clients.h"

namespace takt::service::test {
namespace {

Door shared(const Door& door) { return {door.path, "", 0, true}; }

// A connection that has the memory itself.
class RawRings {
 public:
  explicit RawRings(const Door& door) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, door.path.data(), door.path.size());
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    std::vector<std::byte> frame;
    RawClient::append(
        request(1, {}, 0, [](auto& b) { return wire::CreateHello(b, kServiceVersion, 0, true); }), frame);
    EXPECT_EQ(::send(socket_, frame.data(), frame.size(), 0), static_cast<ssize_t>(frame.size()));
    FrameBuffer welcome(kFrameBytesMax);
    auto const room = welcome.room();
    ssize_t const count = receive_with(socket_, room, memory_);
    EXPECT_GT(count, 0);
    welcome.add(static_cast<std::size_t>(count));
    std::span<const std::byte> message;
    EXPECT_TRUE(welcome.next(message));
    RingSizes const sizes;
    map_ = static_cast<std::byte*>(
        ::mmap(nullptr, sizes.memory_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0));
    auto* const heads = reinterpret_cast<RingHead*>(map_);
    requests_ = heads;
    replies_ = heads + 1;
    auto rings = SharedRings::open(::dup(memory_), sizes, socket_);
    EXPECT_TRUE(rings.ok()) << rings.error().text;
    rings_ = *std::move(rings);
  }
  ~RawRings() {
    (void)::munmap(map_, RingSizes{}.memory_bytes());
    ::close(memory_);
    ::close(socket_);
  }
  RawRings(const RawRings&) = delete;
  RawRings& operator=(const RawRings&) = delete;

  template <class Make>
  bool send(std::uint64_t id, Target target, const Make& make, std::uint32_t observe = 0) {
    std::vector<std::byte> frame;
    RawClient::append(request(id, target, observe, make), frame);
    return rings_->write(frame) == frame.size();
  }
  // The status of the next reply; -1 when the connection has ended. `tick` gets that of Reply::info.
  takt_status receive(std::uint64_t* tick = nullptr) {
    std::span<const std::byte> message;
    while (!in_.next(message)) {
      auto const room = in_.room();
      std::size_t const count = rings_->read(room);
      in_.add(count);
      if (count > 0 || rings_->wait_for_bytes(std::chrono::milliseconds(20))) continue;
      char byte = 0;
      if (::recv(socket_, &byte, 1, MSG_DONTWAIT) == 0 && !rings_->has_bytes()) return -1;
    }
    EXPECT_TRUE(verify<wire::Reply>(message.data(), message.size()));
    auto const& reply = *flatbuffers::GetRoot<wire::Reply>(message.data());
    if (tick != nullptr && reply.info() != nullptr) *tick = reply.info()->tick();
    return reply.status();
  }
  // A service that spins may see a bad ring before it is woken, and close the socket.
  void wake_service() const {
    char const byte = 0;
    ssize_t const sent = ::send(socket_, &byte, 1, MSG_NOSIGNAL);
    EXPECT_TRUE(sent == 1 || errno == EPIPE || errno == ECONNRESET) << errno;
  }

  // Raw bytes, as room comes.
  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) bytes = bytes.subspan(rings_->write(bytes));
  }
  [[nodiscard]] SharedRings& rings() const { return *rings_; }
  [[nodiscard]] int memory() const { return memory_; }
  [[nodiscard]] RingHead& requests() const { return *requests_; }
  [[nodiscard]] RingHead& replies() const { return *replies_; }

 private:
  int socket_;
  int memory_ = -1;
  std::byte* map_ = nullptr;
  RingHead* requests_ = nullptr;
  RingHead* replies_ = nullptr;
  std::unique_ptr<SharedRings> rings_;
  FrameBuffer in_{kFrameBytesMax};
};

constexpr auto kHash = [](auto& b) { return wire::CreateHash(b); };
auto const kMakeWorlds = [](std::uint32_t worlds) {
  return [worlds](auto& b) {
    auto const scene =
        b.CreateVector(reinterpret_cast<const std::uint8_t*>(kTwoBoxes.data()), kTwoBoxes.size());
    return wire::CreateNewWorlds(b, scene, 0, 0, 1, 0, worlds);
  };
};

// Makes a world whose hash takes a while.
auto many_bodies(int bodies) {
  std::string scene = R"({"title":"Many","bodies":[)";
  for (int i = 0; i < bodies; ++i)
    scene += std::string(i > 0 ? "," : "") + R"({"name":"b)" + std::to_string(i) + R"(","position":[)" +
             std::to_string(2 * i) + R"(,0.5,0],"shapes":[{"box":{}}]})";
  scene += "]}";
  return [scene](auto& b) {
    auto const text = b.CreateVector(reinterpret_cast<const std::uint8_t*>(scene.data()), scene.size());
    return wire::CreateNewWorlds(b, text, 0, 0, 1, 0, 1);
  };
}

TEST(ServiceSharedMemory, EveryEditGivesTheHashOfAWorldInThisProcess) {
  for (bool const may_wait : {true, false}) {
    ServiceOptions options;
    options.may_wait_at_rings = may_wait;
    auto const host = open_host(options);
    for (std::uint32_t const numbers : {TAKT_NUMBERS_FLOAT, TAKT_NUMBERS_FIXED}) {
      takt_world* const here = make_world(numbers);
      run_every_edit(here);
      takt_service* const service = connect(shared(host->doors()[0]));
      takt_world* const there = remote_world(service, numbers);
      EXPECT_EQ(host->counts().ring_bytes, RingSizes{}.memory_bytes());
      run_every_edit(there);
      EXPECT_EQ(hash_of(there), hash_of(here));
      EXPECT_EQ(takt_world_destroy(there), TAKT_OK);
      EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
      EXPECT_EQ(takt_world_destroy(here), TAKT_OK);
    }
    EXPECT_TRUE(wait_for([&] { return host->counts().ring_bytes == 0; }));
    EXPECT_EQ(host->counts().worlds, 0u);
  }
}

TEST(ServiceSharedMemory, FramesMayBeLargerThanTheRings) {
  ServiceOptions options;
  options.rings = {4096, 4096};
  auto const host = open_host(options);
  takt_service* const service = connect(shared(host->doors()[0]));
  takt_batch* const batch = remote_batch(service, 500);
  auto there = sized<takt_view>();
  ASSERT_EQ(takt_batch_array(batch, TAKT_POSITIONS, &there, nullptr), TAKT_OK);
  ASSERT_EQ(takt_batch_step(batch, 3, nullptr), TAKT_OK) << takt_last_error();
  takt_world* const here = make_world();
  ASSERT_EQ(takt_world_step(here, 3), TAKT_OK);
  takt_view const expected = takt::test::view_of(here, TAKT_POSITIONS);
  std::size_t const bytes = 24 * expected.shape[0];
  for (std::size_t i = 0; i < 500; ++i)
    ASSERT_EQ(std::memcmp(static_cast<const char*>(there.data) + i * bytes, expected.data, bytes), 0) << i;
  // A request of 3 MiB.
  takt_world* world = nullptr;
  std::vector<char> const image(3u << 20u);
  EXPECT_NE(takt_service_world_from_image(service, image.data(), image.size(), nullptr, nullptr, &world),
            TAKT_OK);
  EXPECT_EQ(takt_batch_step(batch, 1, nullptr), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_batch_destroy(batch), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(here), TAKT_OK);
}

TEST(ServiceSharedMemory, TheSizeOfTheMemoryIsSealed) {
  auto const host = open_host({});
  RawRings client(host->doors()[0]);
  auto const bytes = static_cast<off_t>(RingSizes{}.memory_bytes());
  EXPECT_EQ(::lseek(client.memory(), 0, SEEK_END), bytes);
  EXPECT_NE(::ftruncate(client.memory(), 0), 0);
  EXPECT_NE(::ftruncate(client.memory(), bytes + 1), 0);
  EXPECT_TRUE(client.send(2, {1}, kHash));
  EXPECT_EQ(client.receive(), TAKT_ERROR_HANDLE);
}

std::int64_t blocks_of(int memory) {
  struct stat status {};
  EXPECT_EQ(::fstat(memory, &status), 0);
  return status.st_blocks;
}

// The client keeps the descriptor, or a mapping, of each memory.
TEST(ServiceSharedMemory, AClientThatHasLeftKeepsNoMemoryOfTheService) {
  for (bool const may_wait : {true, false}) {
    ServiceOptions options;
    options.may_wait_at_rings = may_wait;
    auto const host = open_host(options);
    std::vector<int> kept;
    for (int i = 0; i < 8; ++i) {
      RawRings client(host->doors()[0]);
      EXPECT_TRUE(client.send(2, {1}, kHash));
      EXPECT_EQ(client.receive(), TAKT_ERROR_HANDLE);
      kept.push_back(::dup(client.memory()));
      EXPECT_GT(blocks_of(kept.back()), 0);
    }
    EXPECT_TRUE(wait_for([&] { return host->counts().ring_bytes == 0; }));
    for (int const memory : kept) {
      EXPECT_EQ(blocks_of(memory), 0);
      ::close(memory);
    }
  }
}

// The service ends the connection: the last reply waits for the client, until another one needs the memory.
TEST(ServiceSharedMemory, TheMemoryOfAnEndedConnectionCountsUntilItIsGivenBack) {
  ServiceOptions options;
  options.limits.ring_bytes_max = RingSizes{}.memory_bytes();
  auto const host = open_host(options);
  RawRings client(host->doors()[0]);
  client.requests().written.store(~std::uint64_t{0});
  wake_at(client.requests().reader_wait);
  client.wake_service();
  EXPECT_TRUE(wait_for([&] { return host->counts().clients == 0; }));
  EXPECT_EQ(host->counts().ring_bytes, RingSizes{}.memory_bytes());
  EXPECT_GT(blocks_of(client.memory()), 0);
  EXPECT_EQ(client.receive(), TAKT_ERROR_REMOTE);
  EXPECT_EQ(client.receive(), -1);
  takt_service* const service = connect(shared(host->doors()[0]));
  EXPECT_EQ(blocks_of(client.memory()), 0);
  EXPECT_EQ(host->counts().ring_bytes, RingSizes{}.memory_bytes());
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

TEST(ServiceSharedMemory, AReaderOfMemoryThatIsGoneFindsItBroken) {
  RingSizes const sizes;
  auto const host = SharedRings::create(sizes);
  ASSERT_TRUE(host.ok()) << host.error().text;
  auto const client = SharedRings::open(::dup((*host)->memory()), sizes, 0);
  ASSERT_TRUE(client.ok()) << client.error().text;
  std::array<std::byte, 100> const bytes{std::byte{1}};
  ASSERT_EQ((*host)->write(bytes), 100u);
  std::array<std::byte, 50> room{};
  ASSERT_EQ((*client)->read(room), 50u);
  (*host)->remove_memory();
  EXPECT_EQ((*client)->read(room), 0u);  // 50 zeros are no reply
  EXPECT_TRUE((*client)->is_broken());
}

TEST(ServiceSharedMemory, MemoryComesBackWhenThePatienceIsOver) {
  std::atomic<std::uint64_t> sum = 0;
  RingDesk desk(sum);
  RingSizes const sizes;
  std::array<int, 2> kept{};
  auto const start = RingDesk::Clock::now();
  for (std::size_t i = 0; i < 2; ++i) {
    auto rings = desk.open(sizes, 2 * sizes.memory_bytes());
    ASSERT_TRUE(rings.ok()) << rings.error().text;
    kept[i] = ::dup((*rings)->memory());
    desk.close(*std::move(rings), false, start + std::chrono::seconds(i));
  }
  desk.free_ended(start + RingDesk::kPatience - std::chrono::milliseconds(1));
  EXPECT_EQ(sum, 2 * sizes.memory_bytes());
  desk.free_ended(start + RingDesk::kPatience);
  EXPECT_EQ(sum, sizes.memory_bytes());
  EXPECT_EQ(blocks_of(kept[0]), 0);
  EXPECT_GT(blocks_of(kept[1]), 0);
  auto const open = desk.open(sizes, 2 * sizes.memory_bytes());
  EXPECT_GT(blocks_of(kept[1]), 0);  // there was room
  EXPECT_TRUE(desk.open(sizes, 2 * sizes.memory_bytes()).ok());
  EXPECT_EQ(blocks_of(kept[1]), 0);
  auto const none = desk.open(sizes, sizes.memory_bytes());
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().error, EDQUOT);
  for (int const memory : kept) ::close(memory);
}

// The service waits in the ring, at the socket, or computes: each time the connection ends, and no other.
TEST(ServiceSharedMemory, APositionThatCannotBeEndsItsConnectionAlone) {
  for (bool const may_wait : {true, false}) {
    ServiceOptions options;
    options.may_wait_at_rings = may_wait;
    auto const host = open_host(options);
    takt_service* const service = connect(shared(host->doors()[0]));
    takt_world* const world = remote_world(service);
    for (std::uint64_t const wrong : {std::uint64_t{1} << 40u, std::uint64_t{0}, ~std::uint64_t{0}}) {
      std::uint64_t const refused = host->counts().refused;
      RawRings client(host->doors()[0]);
      EXPECT_TRUE(client.send(2, {}, kMakeWorlds(3)));
      EXPECT_EQ(client.receive(), TAKT_OK);
      client.requests().written.store(wrong);
      wake_at(client.requests().reader_wait);
      client.wake_service();
      EXPECT_EQ(client.receive(), TAKT_ERROR_REMOTE);
      EXPECT_EQ(client.receive(), -1);
      EXPECT_GT(host->counts().refused, refused);
      EXPECT_TRUE(wait_for([&] { return host->counts().worlds == 1; }));
      EXPECT_EQ(takt_world_step(world, 1), TAKT_OK) << takt_last_error();
    }
    {
      RawRings client(host->doors()[0]);
      EXPECT_TRUE(client.send(2, {}, kMakeWorlds(1)));
      EXPECT_EQ(client.receive(), TAKT_OK);
      std::uint64_t const refused = host->counts().refused;
      // The service looks at the position once its own count of room is used up.
      takt_status status = TAKT_OK;
      for (std::uint64_t id = 3; id < 10'000 && status != -1; ++id) {
        client.replies().read.store(std::uint64_t{1} << 50u);
        EXPECT_TRUE(client.send(id, {1, 0}, kHash));
        status = client.receive();
        EXPECT_TRUE(status == TAKT_OK || status == -1) << status;
      }
      EXPECT_EQ(status, -1);
      EXPECT_TRUE(wait_for([&] { return host->counts().clients == 1 && host->counts().refused > refused; }));
    }
    EXPECT_EQ(takt_world_step(world, 1), TAKT_OK) << takt_last_error();
    EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
    EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  }
}

TEST(ServiceSharedMemory, WordsOfWaitsThatAClientWritesHurtNobody) {
  auto const host = open_host({});  // one thread
  RawRings hostile(host->doors()[0]);
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    std::uint32_t value = 0;
    while (!is_over) {
      for (RingHead* const head : {&hostile.requests(), &hostile.replies()}) {
        head->reader_wait.store(++value % 5);
        head->writer_wait.store(value % 7);
      }
    }
  });
  takt_service* const service = connect(host->doors()[0]);
  takt_world* const world = remote_world(service);
  std::uint64_t sent = 0;
  for (int i = 0; i < 200; ++i) {
    sent += hostile.send(static_cast<std::uint64_t>(i) + 2, {1}, kHash) ? 1 : 0;
    hostile.wake_service();
    ASSERT_EQ(takt_world_step(world, 1), TAKT_OK) << takt_last_error();
  }
  is_over = true;
  writer.join();
  // The client may have hidden its last requests from the service, which one more wake shows.
  wake_at(hostile.requests().reader_wait);
  hostile.wake_service();
  for (std::uint64_t i = 0; i < sent; ++i)
    ASSERT_EQ(hostile.receive(), TAKT_ERROR_HANDLE) << i << " of " << sent;
  EXPECT_GT(sent, 0u);
  EXPECT_EQ(host->counts().clients, 2u);
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

TEST(ServiceSharedMemory, AClientThatDoesNotReadHurtsNobody) {
  auto const host = open_host({});  // one thread
  RawRings slow(host->doors()[0]);
  EXPECT_TRUE(slow.send(2, {}, kMakeWorlds(1000)));
  EXPECT_EQ(slow.receive(), TAKT_OK);
  // Each reply has 72,000 bytes, which nobody reads.
  std::uint64_t sent = 0;
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (std::chrono::steady_clock::now() < end) {
    if (slow.send(
            3 + sent, {1}, [](auto& b) { return wire::CreateObserve(b); }, 1u << TAKT_POSITIONS)) {
      ++sent;
      end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    } else {
      break;
    }
  }
  EXPECT_LT(host->counts().buffer_bytes, 4u << 20u);
  takt_service* const service = connect(shared(host->doors()[0]));
  takt_world* const world = remote_world(service);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(takt_world_step(world, 1), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  EXPECT_GT(sent, 20u);
  for (std::uint64_t i = 0; i < sent; ++i) ASSERT_EQ(slow.receive(), TAKT_OK) << i << " of " << sent;
}

TEST(ServiceSharedMemory, AKilledClientFreesItsWorldsAndItsMemory) {
  auto const host = open_host({});
  std::string const address = text_of(shared(host->doors()[0]));
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {  // the client does without the heap's locks of other threads: it made none
    auto const client = ServiceClient::connect(address, {});
    bool const is_made = client.ok() && (*client)->call({}, 0, kMakeWorlds(7)).status == TAKT_OK &&
                         ::write(pipe[1], "x", 1) == 1;
    while (is_made) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(pipe[0], &byte, 1), 1);
  EXPECT_EQ(host->counts().worlds, 7u);
  EXPECT_GT(host->counts().ring_bytes, 0u);
  ::kill(child, SIGKILL);
  EXPECT_TRUE(wait_for([&] { return host->counts().worlds == 0 && host->counts().ring_bytes == 0; }));
  ::waitpid(child, nullptr, 0);
  for (int const end : pipe) ::close(end);
}

TEST(ServiceSharedMemory, TheEndOfTheServiceEndsAWaitAtOnce) {
  auto host = open_host({});
  takt_service* const service = connect(shared(host->doors()[0]));
  takt_batch* const batch = remote_batch(service, 4000);
  takt_status status = TAKT_OK;
  std::thread waits([&] { status = takt_batch_step(batch, kStepTicksMax, nullptr); });
  EXPECT_TRUE(wait_for([&] { return host->counts().requests == 2; }));
  host.reset();
  waits.join();
  EXPECT_EQ(status, TAKT_ERROR_REMOTE);
  EXPECT_EQ(takt_batch_step(batch, 1, nullptr), TAKT_ERROR_REMOTE);
  EXPECT_EQ(takt_batch_destroy(batch), TAKT_OK);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
}

// The client waits for 10 s, and does not look at the socket meanwhile.
TEST(ServiceSharedMemory, TheEndOfTheServiceWakesAWaitInTheRing) {
  auto host = open_host({});
  RawRings client(host->doors()[0]);
  bool has_bytes = true;
  auto const start = std::chrono::steady_clock::now();
  std::thread waits([&] { has_bytes = client.rings().wait_for_bytes(std::chrono::seconds(10)); });
  EXPECT_TRUE(wait_for([&] { return client.replies().reader_wait == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // from the word to the system
  host.reset();
  waits.join();
  EXPECT_FALSE(has_bytes);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

// A worker keeps the connection, and computes what the client sent behind its first request: the rest of the
// first reply, which is larger than the ring, does not wait for it.
TEST(ServiceSharedMemory, ALargeReplyComesWhileItsConnectionIsKept) {
  auto const host = open_host({});
  RawRings client(host->doors()[0]);
  std::vector<std::byte> frames;
  RawClient::append(request(2, {}, 0, kMakeWorlds(4000)), frames);
  RawClient::append(request(3, {}, 0, many_bodies(2000)), frames);
  client.write(frames);
  ASSERT_EQ(client.receive(), TAKT_OK);
  ASSERT_EQ(client.receive(), TAKT_OK);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until a worker may keep it again
  ASSERT_TRUE(client.send(4, {1, 0}, kHash));
  ASSERT_EQ(client.receive(), TAKT_OK);
  std::uint64_t const before = host->counts().requests;
  constexpr std::uint64_t kBehind = 250;
  frames.clear();
  RawClient::append(request(5, {1}, (1u << TAKT_POSITIONS) | (1u << TAKT_POSITIONS_RAW),
                            [](auto& b) { return wire::CreateObserve(b); }),
                    frames);
  for (std::uint64_t i = 0; i < kBehind; ++i) RawClient::append(request(6 + i, {2, 0}, 0, kHash), frames);
  client.write(frames);
  ASSERT_EQ(client.receive(), TAKT_OK);
  EXPECT_LT(host->counts().requests, before + 1 + kBehind);
  for (std::uint64_t i = 0; i < kBehind; ++i) ASSERT_EQ(client.receive(), TAKT_OK) << i;
}

TEST(ServiceSharedMemory, StopEndsAStepThatIsComputed) {
  for (bool const may_wait : {true, false}) {
    ServiceOptions options;
    options.may_wait_at_rings = may_wait;
    auto const host = open_host(options);
    RawRings client(host->doors()[0]);
    EXPECT_TRUE(client.send(2, {}, kMakeWorlds(4000)));
    EXPECT_EQ(client.receive(), TAKT_OK);
    for (std::uint64_t id = 3; id < 9; id += 2) {
      std::uint64_t const before = host->counts().requests;
      EXPECT_TRUE(client.send(id, {1}, [](auto& b) { return wire::CreateStep(b, kStepTicksMax); }));
      EXPECT_TRUE(wait_for([&] { return host->counts().requests == before + 1; }));
      EXPECT_TRUE(client.send(id + 1, {1}, [](auto& b) { return wire::CreateStop(b); }));
      EXPECT_EQ(client.receive(), TAKT_ERROR_STOPPED);
      EXPECT_EQ(client.receive(), TAKT_OK);
    }
    // No world began after the stop.
    std::uint64_t tick = 7;
    EXPECT_TRUE(client.send(9, {1, 3999}, [](auto& b) { return wire::CreateInfo(b); }));
    EXPECT_EQ(client.receive(&tick), TAKT_OK);
    EXPECT_EQ(tick, 0u);
  }
}

// A step of each in turn: more clients than threads, and other kinds of them.
TEST(ServiceSharedMemory, ClientsOfAllKindsShareOneThread) {
  auto const host = open_host({});
  takt_world* const here = make_world();
  std::vector<takt_service*> services;
  std::vector<takt_world*> worlds;
  for (int i = 0; i < 6; ++i) {
    Door const door = host->doors()[static_cast<std::size_t>(i % 2)];
    services.push_back(connect(i % 2 == 0 ? shared(door) : door));
    worlds.push_back(remote_world(services.back()));
  }
  for (int i = 0; i < 300; ++i) {
    for (std::size_t k = 0; k < (i % 8 == 0 ? worlds.size() : 2); ++k)
      ASSERT_EQ(takt_world_step(worlds[k], 1), TAKT_OK) << takt_last_error();
  }
  ASSERT_EQ(takt_world_step(here, 300), TAKT_OK);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(hash_of(worlds[k]), hash_of(here));
  EXPECT_EQ(hash_of(worlds[2]), hash_of(worlds[5]));
  for (takt_world* const world : worlds) EXPECT_EQ(takt_world_destroy(world), TAKT_OK);
  for (takt_service* const service : services) EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  EXPECT_EQ(takt_world_destroy(here), TAKT_OK);
}

TEST(ServiceSharedMemory, ItHasALimitAndARemedy) {
  ServiceOptions options;
  options.limits.ring_bytes_max = RingSizes{}.memory_bytes();
  auto const host = open_host(options);
  takt_service* const service = connect(shared(host->doors()[0]));
  takt_service* second = nullptr;
  EXPECT_EQ(try_connect(shared(host->doors()[0]), "", second), TAKT_ERROR_LIMIT);
  EXPECT_NE(std::string_view(takt_last_error()).find("limit rings: "), std::string_view::npos);
  EXPECT_NE(std::string_view(takt_last_error()).find("unix:PATH"), std::string_view::npos);
  EXPECT_EQ(takt_service_destroy(service), TAKT_OK);
  EXPECT_TRUE(wait_for([&] { return host->counts().ring_bytes == 0; }));
  EXPECT_EQ(try_connect(shared(host->doors()[0]), "", second), TAKT_OK) << takt_last_error();
  EXPECT_EQ(takt_service_destroy(second), TAKT_OK);
}

TEST(ServiceSharedMemory, ATcpSocketHasNone) {
  auto const host = open_host({});
  int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(host->doors()[1].port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  std::vector<std::byte> frame;
  RawClient::append(request(1, {}, 0, [](auto& b) { return wire::CreateHello(b, kServiceVersion, 0, true); }),
                    frame);
  ASSERT_EQ(::send(socket, frame.data(), frame.size(), 0), static_cast<ssize_t>(frame.size()));
  FrameBuffer in(kFrameBytesMax);
  std::span<const std::byte> message;
  while (!in.next(message)) {
    auto const room = in.room();
    ssize_t const count = ::recv(socket, room.data(), room.size(), 0);
    ASSERT_GT(count, 0);
    in.add(static_cast<std::size_t>(count));
  }
  EXPECT_EQ(flatbuffers::GetRoot<wire::Reply>(message.data())->status(), TAKT_ERROR_UNSUPPORTED);
  ::close(socket);
  auto const listener = Listener::open(shared({socket_path("none"), "", 0}), false);
  ASSERT_FALSE(listener.ok());
  EXPECT_NE(listener.error().text.find("listen at unix:"), std::string::npos) << listener.error().text;
}

TEST(ServiceSharedMemory, MemoryThatMayShrinkIsRefused) {
  RingSizes const sizes;
  int const unsealed = ::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(::ftruncate(unsealed, static_cast<off_t>(sizes.memory_bytes())), 0);
  EXPECT_FALSE(SharedRings::open(unsealed, sizes, 0).ok());  // closes it
  int const small = ::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(::ftruncate(small, 4096), 0);
  ASSERT_EQ(::fcntl(small, F_ADD_SEALS, F_SEAL_SHRINK), 0);
  EXPECT_FALSE(SharedRings::open(small, sizes, 0).ok());
  EXPECT_FALSE(SharedRings::open(-1, sizes, 0).ok());
  EXPECT_FALSE(SharedRings::open(::memfd_create("test", MFD_CLOEXEC), {4097, 4096}, 0).ok());
}

}  // namespace
}  // namespace takt::service::test
