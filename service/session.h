// Session answers the requests of one client: it has the client's worlds, batches and snapshots, and calls
// functions of takt.h on them. Handles are numbers of the session, so a client cannot name things of another.
// A world with a key may move to another session (LeaseDesk). Session has no socket and no thread; one thread
// at a time calls it. It does not check tokens, which
// ServiceHost does before it makes a session. Sessions of a service share limits and usage.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/thing.h"
#include "service/wire/frame.h"
#include "takt/c/takt.h"

namespace takt::service {

class RecordedBytes;
struct RecordedSum;
struct RingSizes;

namespace wire {
struct Request;
struct NewWorlds;
}  // namespace wire

struct ServiceLimits {
  std::uint32_t worlds_max = 4096;                 ///< of all sessions, [1, 1,000,000]
  std::uint64_t memory_max_bytes = 0;              ///< of the heap of the process; 0 = no limit
  std::uint32_t threads = 1;                       ///< of a batch's step, [1, 64]
  std::uint32_t step_ticks_max = kStepTicksMax;    ///< of one request
  std::uint32_t frame_bytes_max = kFrameBytesMax;  ///< of a reply's message
  std::uint32_t things_max = 65'536;               ///< worlds, batches and snapshots of one session
  std::uint64_t hits_max = 4'000'000;              ///< possible hits of one request with queries
  std::uint64_t buffer_bytes_max = 256u << 20u;    ///< of frames of all connections, which ServiceHost keeps
  std::uint64_t ring_bytes_max = 128u << 20u;      ///< of rings of all connections
  std::uint64_t recorded_bytes_max = 32u << 20u;   ///< of recordings of one session, not taken by the client
};

/// Counters of all sessions.
struct ServiceUsage {
  std::atomic<std::uint32_t> worlds{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused{0};        ///< requests whose status is not TAKT_OK
  std::atomic<std::uint64_t> steps_stopped{0};  ///< steps that ended early
  std::atomic<std::uint64_t> turns_shared{0};   ///< slices of steps that ended for another connection
  std::atomic<std::uint64_t> buffer_bytes{0};   ///< of frames, which memory_max_bytes leaves out
  std::atomic<std::uint64_t> ring_bytes{0};     ///< of shared memory, which is not on the heap
  std::atomic<bool> is_stopping{false};         ///< the service ends
};

class LeaseDesk;

/// Ends of steps and of connections. Null: none.
struct SessionHooks {
  /// A step calls it with its handle after each tick but the last, and before each world of a batch, on any
  /// thread of the batch. It ends early at false.
  std::function<bool(std::uint32_t handle)> goes_on = nullptr;
  LeaseDesk* leases = nullptr;          ///< null: nothing has a key
  std::function<void()> end = nullptr;  ///< ends the connection; any thread
};

class Session {
 public:
  /// `limits`, `usage` and the desk of leases must outlive the session.
  Session(const ServiceLimits& limits, ServiceUsage& usage, SessionHooks hooks = {});
  /// Destroys all that the session has.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Answers one message of the client and appends the frame of the reply to `out`. False for a message that
  /// is no request: the reply has the reason, and the connection must end.
  [[nodiscard]] bool handle(std::span<const std::byte> message, std::vector<std::byte>& out);

  [[nodiscard]] std::size_t size() const noexcept { return things_.size(); }
  /// Moves a thing of another session here, and returns its new handle. No thread may use the other one.
  [[nodiscard]] std::uint32_t adopt(Session& from, std::uint32_t handle);

 private:
  using Kind = ThingKind;
  struct ReplyParts;
  struct RecordedPart {
    flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> bytes;
    std::uint64_t bytes_left = 0;
    std::uint32_t state = 0;  // Reply::recording
  };

  takt_status run(const wire::Request& request, ReplyParts& parts);
  takt_status run_whole(const wire::Request& request, const Thing& thing, ReplyParts& parts);
  takt_status run_world(const wire::Request& request, takt_world* world, ReplyParts& parts);
  takt_status run_edit(const wire::Request& request, takt_world* world, ReplyParts& parts);
  takt_status run_definition(const wire::Request& request, takt_world* world, ReplyParts& parts);
  takt_status run_batch(const wire::Request& request, const Thing& thing, ReplyParts& parts);
  takt_status create(const wire::NewWorlds& body, ReplyParts& parts);
  takt_status create_batch(const wire::NewWorlds& body, takt_scene* scene, takt_batch** batch);
  takt_status step(const wire::Request& request, const Thing& thing, takt_world* world);
  takt_status capture(const wire::Request& request, const Thing& thing, takt_world* world, ReplyParts& parts);
  takt_status rollback(const wire::Request& request, const Thing& thing, takt_world* world);
  takt_status query(const wire::Request& request, takt_world* world, ReplyParts& parts);
  template <class Item, class Row>
  takt_status list_rows(takt_status (*list)(takt_world*, Row*, std::size_t, std::size_t*), takt_world* world,
                        std::vector<Row>& rows, flatbuffers::Offset<flatbuffers::Vector<const Item*>>& out);
  takt_status record(const wire::Request& request, takt_world* world, RecordedPart& part);
  void end_recordings(std::uint32_t handle, const Thing& thing);
  takt_status give_key(const wire::Request& request, ReplyParts& parts);
  takt_status attach(const wire::Request& request, ReplyParts& parts);
  takt_status observe(std::uint32_t columns, const Thing& thing, takt_world* world, ReplyParts& parts);

  [[nodiscard]] const Thing* find(std::uint32_t handle) const;
  [[nodiscard]] takt_status find_snapshot(std::uint32_t handle, takt_snapshot*& snapshot);
  [[nodiscard]] std::uint32_t insert(const Thing& thing);
  takt_status add(Kind kind, void* handle, std::uint32_t worlds, ReplyParts& parts);
  void destroy(const Thing& thing) noexcept;
  [[nodiscard]] takt_status allow(std::uint32_t worlds, std::uint64_t bytes);
  [[nodiscard]] takt_status allow_reply(std::uint64_t bytes);
  takt_status fail(takt_status status, std::string_view text);

  const ServiceLimits* limits_;
  ServiceUsage* usage_;
  SessionHooks hooks_;
  std::map<std::uint32_t, Thing> things_;
  std::uint32_t next_handle_ = 1;
  std::string text_;  // of a failure that is not of takt.h
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<takt_query> queries_;
  std::vector<takt_answer> answers_;
  std::vector<takt_hit> hits_;
  std::vector<takt_contact> contacts_;
  std::vector<takt_event> events_;
  std::shared_ptr<RecordedSum> recorded_sum_;
  // By handle and world_index, until they have ended and the client has all bytes.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::shared_ptr<RecordedBytes>> recordings_;
};

/// Bytes of the heap that the process has allocated.
[[nodiscard]] std::uint64_t heap_bytes() noexcept;

/// Appends the builder's message to `out` as a frame.
void append_frame(const flatbuffers::FlatBufferBuilder& builder, std::vector<std::byte>& out);
/// Appends a reply with a failure. `id` UINT64_MAX: the reply answers no request.
void append_failure(std::uint64_t id, takt_status status, std::string_view text, std::vector<std::byte>& out);

/// Appends the reply to a good Hello. `rings` are the sizes of those that come with it; null = none.
void append_welcome(std::uint64_t id, const ServiceLimits& limits, std::string_view program,
                    const RingSizes* rings, std::vector<std::byte>& out);
/// Why the first message of a connection is no good Hello; TAKT_OK: it is one. `token` empty = none.
struct HelloFault {
  takt_status status = TAKT_OK;
  std::string text;
};
[[nodiscard]] HelloFault check_hello(std::span<const std::byte> message, std::string_view token);
/// Compares the token of a Hello with that of the service in constant time: as long for a wrong one.
[[nodiscard]] bool is_token(std::string_view token, const flatbuffers::Vector<std::uint8_t>* given);

inline constexpr std::uint64_t kNoRequest = UINT64_MAX;

}  // namespace takt::service
