#include "service/session.h"

#include <malloc.h>

#include <algorithm>
#include <array>

#include "service/client/shared_rings.h"
#include "service/lease_desk.h"
#include "service/recorded_bytes.h"
#include "service/session_parts.h"
#include "service/wire/values.h"
#include "service/wire/world_calls.h"
#include "takt/core/assert.h"

namespace takt::service {
namespace {

using flatbuffers::Offset;
using flatbuffers::Vector;

template <class To, class From>
Offset<Vector<const To*>> structs_of(flatbuffers::FlatBufferBuilder& builder, const std::vector<From>& from) {
  To* out = nullptr;
  auto const offset = builder.CreateUninitializedVectorOfStructs<To>(from.size(), &out);
  for (std::size_t i = 0; i < from.size(); ++i) out[i] = to_wire(from[i]);
  return offset;
}

}  // namespace

std::uint64_t heap_bytes() noexcept {
  struct mallinfo2 const info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

void append_frame(const flatbuffers::FlatBufferBuilder& builder, std::vector<std::byte>& out) {
  std::size_t const at = out.size();
  std::size_t const bytes = builder.GetSize();
  out.resize(at + kFrameHeadBytes + bytes);
  put_frame_head(std::span(out).subspan(at).first<kFrameHeadBytes>(), static_cast<std::uint32_t>(bytes));
  std::memcpy(out.data() + at + kFrameHeadBytes, builder.GetBufferPointer(), bytes);
}

void append_failure(std::uint64_t id, takt_status status, std::string_view text,
                    std::vector<std::byte>& out) {
  flatbuffers::FlatBufferBuilder builder;
  auto const words = builder.CreateString(text.data(), text.size());
  wire::ReplyBuilder reply(builder);
  reply.add_id(id);
  reply.add_text(words);
  reply.add_status(status);
  builder.Finish(reply.Finish(), kIdentifier);
  append_frame(builder, out);
}

void append_welcome(std::uint64_t id, const ServiceLimits& limits, std::string_view program,
                    const RingSizes* rings, std::vector<std::byte>& out) {
  flatbuffers::FlatBufferBuilder builder;
  auto const name = builder.CreateString(program.data(), program.size());
  auto const welcome = wire::CreateWelcome(
      builder, kServiceVersion, kFrameBytesMax, kWindow, limits.worlds_max, kStepTicksMax, limits.threads,
      limits.memory_max_bytes, name, rings != nullptr ? rings->request_bytes : 0,
      rings != nullptr ? rings->reply_bytes : 0);
  wire::ReplyBuilder reply(builder);
  reply.add_id(id);
  reply.add_welcome(welcome);
  builder.Finish(reply.Finish(), kIdentifier);
  append_frame(builder, out);
}

// Takes as long for a wrong token as for the right one.
bool is_token(std::string_view token, const flatbuffers::Vector<std::uint8_t>* given) {
  unsigned difference = given == nullptr || given->size() != token.size() ? 1 : 0;
  for (std::size_t i = 0; i < kTokenBytesMax; ++i) {
    unsigned const own = i < token.size() ? static_cast<unsigned char>(token[i]) : 0u;
    unsigned const other =
        given != nullptr && i < given->size() ? given->Get(static_cast<flatbuffers::uoffset_t>(i)) : 0u;
    difference |= own ^ other;
  }
  return difference == 0;
}

HelloFault check_hello(std::span<const std::byte> message, std::string_view token) {
  if (!verify<wire::Request>(message.data(), message.size()))
    return HelloFault{TAKT_ERROR_REMOTE, "the message is no request of schemas/service.fbs"};
  auto const& request = *wire::GetRequest(message.data());
  const wire::Hello* const hello = request.body_as_Hello();
  if (hello == nullptr) return HelloFault{TAKT_ERROR_REMOTE, "the first request of a connection is Hello"};
  if (hello->version() != kServiceVersion)
    return HelloFault{TAKT_ERROR_REMOTE, "the service has version " + std::to_string(kServiceVersion) +
                                             " of the wire, the client " + std::to_string(hello->version()) +
                                             ": install equal versions of takt"};
  if (!token.empty() && !is_token(token, hello->token()))
    return HelloFault{TAKT_ERROR_TOKEN,
                      hello->token() == nullptr || hello->token()->size() == 0
                          ? "the service wants a token: pass the line of its token file"
                          : "the token is wrong: pass the line of the service's token file"};
  return {};
}

Session::Session(const ServiceLimits& limits, ServiceUsage& usage, SessionHooks hooks)
    : limits_(&limits),
      usage_(&usage),
      hooks_(std::move(hooks)),
      recorded_sum_(std::make_shared<RecordedSum>(limits.recorded_bytes_max)) {
  if (hooks_.leases != nullptr) hooks_.leases->open(*this, hooks_.end);
}

Session::~Session() {
  if (hooks_.leases != nullptr) hooks_.leases->close(*this);
  for (const auto& [number, thing] : things_) destroy(thing);
}

takt_status Session::fail(takt_status status, std::string_view text) {
  text_ = text;
  return status;
}

const Thing* Session::find(std::uint32_t handle) const {
  auto const found = things_.find(handle);
  return found == things_.end() ? nullptr : &found->second;
}

takt_status Session::find_snapshot(std::uint32_t handle, takt_snapshot*& snapshot) {
  const Thing* const thing = find(handle);
  if (thing == nullptr || thing->kind != Kind::kSnapshot)
    return fail(TAKT_ERROR_HANDLE, "this connection has no such snapshot");
  snapshot = static_cast<takt_snapshot*>(thing->handle);
  return TAKT_OK;
}

std::uint32_t Session::insert(const Thing& thing) {
  while (next_handle_ == 0 || things_.contains(next_handle_)) ++next_handle_;
  things_.emplace(next_handle_, thing);
  return next_handle_++;
}

std::uint32_t Session::adopt(Session& from, std::uint32_t handle) {
  auto const found = from.things_.find(handle);
  TAKT_ASSERT(found != from.things_.end());
  from.end_recordings(handle, found->second);  // the client that has the first bytes is gone
  std::uint32_t const own = insert(found->second);
  from.things_.erase(found);
  return own;
}

// The worlds of `thing` are counted already, by allow().
takt_status Session::add(Kind kind, void* handle, std::uint32_t worlds, ReplyParts& parts) {
  parts.handle = insert({kind, handle, worlds});
  parts.worlds = worlds;
  return TAKT_OK;
}

takt_status Session::give_key(const wire::Request& request, ReplyParts& parts) {
  if (hooks_.leases == nullptr || !hooks_.leases->has_leases())
    return fail(TAKT_ERROR_UNSUPPORTED, "the service keeps no worlds of lost connections: --idle-lease S");
  Thing& thing = things_.at(request.handle());
  if (request.world_index() != kNoWorldIndex)
    return fail(TAKT_ERROR_BORROWED, "the world belongs to a batch, which has the key");
  if (!thing.key) thing.key = hooks_.leases->issue(*this, request.handle(), thing.kind);
  if (!thing.key) return fail(TAKT_ERROR_SYSTEM, "the system has no random numbers: try again");
  parts.bytes = builder_.CreateVector(reinterpret_cast<const std::uint8_t*>(thing.key->data()), kKeyBytes);
  return TAKT_OK;
}

takt_status Session::attach(const wire::Request& request, ReplyParts& parts) {
  if (hooks_.leases == nullptr || !hooks_.leases->has_leases())
    return fail(TAKT_ERROR_UNSUPPORTED, "the service keeps no worlds of lost connections: --idle-lease S");
  auto const& body = *request.body_as_Attach();
  if (things_.size() >= limits_->things_max) return allow(0, 0);  // fails
  auto const* const key = reinterpret_cast<const std::byte*>(text_of(body.key()));
  switch (hooks_.leases->attach({key, size_of(body.key())},
                                body.kind() == 0 ? ThingKind::kWorld : ThingKind::kBatch, *this,
                                parts.handle)) {
    case LeaseDesk::Find::kFound: parts.worlds = find(parts.handle)->worlds; return TAKT_OK;
    case LeaseDesk::Find::kOtherKind:
      return fail(TAKT_ERROR_MISMATCH, "the key is of a batch and not of a world, or the other way round");
    case LeaseDesk::Find::kOwn: return fail(TAKT_ERROR_BORROWED, "this connection has the world or batch");
    case LeaseDesk::Find::kOpen:
      return fail(TAKT_ERROR_BUSY, "the connection that had the world or batch ends now: try again");
    case LeaseDesk::Find::kUnknown: break;
  }
  return fail(TAKT_ERROR_HANDLE, "no world or batch has the key: it was destroyed, or its lease has ended");
}

void Session::destroy(const Thing& thing) noexcept {
  if (thing.key && hooks_.leases != nullptr) hooks_.leases->forget(*thing.key);
  switch (thing.kind) {
    case Kind::kWorld:
      (void)takt_world_destroy(static_cast<takt_world*>(thing.handle));
      usage_->worlds.fetch_sub(1, std::memory_order_relaxed);
      break;
    case Kind::kBatch:
      (void)takt_batch_destroy(static_cast<takt_batch*>(thing.handle));
      usage_->worlds.fetch_sub(thing.worlds, std::memory_order_relaxed);
      break;
    case Kind::kSnapshot: (void)takt_snapshot_destroy(static_cast<takt_snapshot*>(thing.handle)); break;
  }
}

// Counts the worlds when it returns TAKT_OK; the caller takes them back if it makes none.
takt_status Session::allow(std::uint32_t worlds, std::uint64_t bytes) {
  if (things_.size() >= limits_->things_max)
    return fail(TAKT_ERROR_LIMIT, "limit things: this connection has " + std::to_string(things_.size()) +
                                      " worlds, batches and snapshots; destroy some");
  // A client destroys worlds, but it has no say over the frames of others.
  std::uint64_t const heap = limits_->memory_max_bytes != 0 ? heap_bytes() : 0;
  std::uint64_t const frames = std::min(heap, usage_->buffer_bytes.load(std::memory_order_relaxed));
  if (limits_->memory_max_bytes != 0 && heap - frames + bytes > limits_->memory_max_bytes)
    return fail(TAKT_ERROR_LIMIT, "limit memory-max: the service may use " +
                                      std::to_string(limits_->memory_max_bytes >> 20u) +
                                      " MiB; destroy worlds and snapshots");
  std::uint32_t present = usage_->worlds.load(std::memory_order_relaxed);
  do {
    if (worlds > limits_->worlds_max || present > limits_->worlds_max - worlds)
      return fail(TAKT_ERROR_LIMIT, "limit worlds-max: the service has " + std::to_string(present) + " of " +
                                        std::to_string(limits_->worlds_max) + " worlds; destroy some");
  } while (!usage_->worlds.compare_exchange_weak(present, present + worlds, std::memory_order_relaxed));
  return TAKT_OK;
}

takt_status Session::allow_reply(std::uint64_t bytes) {
  constexpr std::uint64_t kRestBytes = 4096;  // of all else in a reply
  if (bytes + kRestBytes <= limits_->frame_bytes_max) return TAKT_OK;
  return fail(TAKT_ERROR_LIMIT, "limit frame: the reply would have " + std::to_string(bytes) + " bytes of " +
                                    std::to_string(limits_->frame_bytes_max));
}

takt_status Session::create(const wire::NewWorlds& body, ReplyParts& parts) {
  std::uint32_t const worlds = std::max(body.batch_worlds(), 1u);
  constexpr std::uint64_t kStateFactor = 4;  // memory of a world, in bytes of its scene or image
  std::uint64_t const bytes = kStateFactor * (size_of(body.scene()) + size_of(body.image()));
  if (takt_status const bad = allow(worlds, bytes * worlds)) return bad;
  takt_scene* scene = nullptr;
  takt_status status = TAKT_OK;
  if (size_of(body.scene()) != 0)
    status = takt_scene_parse(text_of(body.scene()), size_of(body.scene()), "scene", 5, &scene);
  takt_world* world = nullptr;
  takt_batch* batch = nullptr;
  if (status == TAKT_OK && body.batch_worlds() != 0) {
    status = create_batch(body, scene, &batch);
  } else if (status == TAKT_OK) {
    takt_world_options options{};
    options.size = sizeof options;
    options.numbers = body.numbers();
    options.lanes = body.lanes();
    status = size_of(body.image()) != 0
                 ? takt_world_from_image(body.image()->data(), size_of(body.image()), scene, &options, &world)
                 : takt_world_create(scene, &options, &world);
  }
  if (status != TAKT_OK && text_.empty()) text_ = takt_last_error();
  (void)takt_scene_destroy(scene);
  if (status != TAKT_OK) {
    usage_->worlds.fetch_sub(worlds, std::memory_order_relaxed);
    return status;
  }
  return batch != nullptr ? add(Kind::kBatch, batch, worlds, parts) : add(Kind::kWorld, world, 1, parts);
}

// With a limit of memory, a first world shows what each world needs: a scene of a few bytes may have many
// bodies.
takt_status Session::create_batch(const wire::NewWorlds& body, takt_scene* scene, takt_batch** batch) {
  takt_batch_options options{};
  options.size = sizeof options;
  options.numbers = body.numbers();
  options.world_count = body.batch_worlds();
  options.threads = body.threads() > 64 ? body.threads() : std::min(body.threads(), limits_->threads);
  options.lanes = body.lanes();
  if (limits_->memory_max_bytes != 0) {
    std::uint64_t const before = heap_bytes();
    takt_batch_options one = options;
    one.world_count = 1;
    one.threads = 1;
    takt_batch* probe = nullptr;
    if (takt_status const bad = takt_batch_create(scene, &one, &probe)) return bad;
    std::uint64_t const after = heap_bytes();
    (void)takt_batch_destroy(probe);
    if (takt_status const bad = allow(0, (std::max(after, before) - before) * options.world_count))
      return bad;
  }
  return takt_batch_create(scene, &options, batch);
}

takt_status Session::step(const wire::Request& request, const Thing& thing, takt_world* world) {
  auto const& body = *request.body_as_Step();
  if (body.ticks() > limits_->step_ticks_max)
    return fail(TAKT_ERROR_LIMIT,
                "limit step_ticks_max: a request steps at most 100,000 ticks; send several");
  if (world == nullptr && size_of(body.where()) != 0 && size_of(body.where()) != thing.worlds)
    return fail(TAKT_ERROR_RANGE, "where has another number of bytes than the batch has worlds");
  struct Watch {
    const std::function<bool(std::uint32_t)>* goes_on;
    std::uint32_t handle;
    static std::uint32_t is_stopped(void* context) {
      auto const& watch = *static_cast<const Watch*>(context);
      return (*watch.goes_on)(watch.handle) ? 0 : 1;
    }
  } watch{&hooks_.goes_on, request.handle()};
  StepPart part;
  part.ticks = body.ticks();
  part.where = size_of(body.where()) != 0 ? body.where()->data() : nullptr;
  part.is_stopped = hooks_.goes_on != nullptr ? &Watch::is_stopped : nullptr;
  part.context = &watch;
  part.keeps_events = body.keeps_events();
  bool has_stopped = false;
  takt_status status = world != nullptr
                           ? step_part(world, part, has_stopped)
                           : step_part(static_cast<takt_batch*>(thing.handle), part, has_stopped);
  // The limit has cut a recording, which its next bytes tell.
  if (status == TAKT_ERROR_FILE) status = has_stopped ? TAKT_ERROR_STOPPED : TAKT_OK;
  if (status != TAKT_ERROR_STOPPED) return status;
  usage_->steps_stopped.fetch_add(1, std::memory_order_relaxed);
  // The client asked for no end.
  if (usage_->is_stopping.load(std::memory_order_relaxed))
    return fail(TAKT_ERROR_REMOTE, "the service ends, and has ended the step");
  return status;
}

takt_status Session::capture(const wire::Request& request, const Thing& thing, takt_world* world,
                             ReplyParts& parts) {
  std::uint32_t const into = request.body_as_Capture()->into();
  takt_snapshot* snapshot = nullptr;
  if (into != 0) {
    if (world == nullptr) return fail(TAKT_ERROR_RANGE, "into: a batch captures into a new snapshot");
    if (takt_status const bad = find_snapshot(into, snapshot)) return bad;
    if (takt_status const bad = takt_world_capture_into(world, snapshot)) return bad;
    parts.handle = into;
    parts.worlds = 1;
    return takt_snapshot_info(snapshot, &parts.tick, nullptr);
  }
  if (takt_status const bad = allow(0, 0)) return bad;
  takt_status const status = world != nullptr
                                 ? takt_world_capture(world, &snapshot)
                                 : takt_batch_capture(static_cast<takt_batch*>(thing.handle), &snapshot);
  if (status != TAKT_OK) return status;
  (void)takt_snapshot_info(snapshot, &parts.tick, nullptr);
  return add(Kind::kSnapshot, snapshot, world != nullptr ? 1 : thing.worlds, parts);
}

takt_status Session::rollback(const wire::Request& request, const Thing& thing, takt_world* world) {
  auto const& body = *request.body_as_Rollback();
  takt_snapshot* snapshot = nullptr;
  if (takt_status const bad = find_snapshot(body.snapshot(), snapshot)) return bad;
  if (world != nullptr) return takt_world_rollback(world, snapshot);
  if (size_of(body.where()) != 0 && size_of(body.where()) != thing.worlds)
    return fail(TAKT_ERROR_RANGE, "where has another number of bytes than the batch has worlds");
  return takt_batch_rollback(static_cast<takt_batch*>(thing.handle), snapshot,
                             size_of(body.where()) != 0 ? body.where()->data() : nullptr);
}

takt_status Session::query(const wire::Request& request, takt_world* world, ReplyParts& parts) {
  auto const* const from = request.body_as_Query()->queries();
  queries_.clear();
  if (from != nullptr) {
    for (const wire::QueryItem* const item : *from) queries_.push_back(from_wire(*item));
  }
  takt_world_info info{};
  info.size = sizeof info;
  if (takt_status const bad = takt_world_get_info(world, &info)) return bad;
  auto const many = static_cast<std::uint64_t>(
      std::ranges::count_if(queries_, [](const takt_query& q) { return q.mode != TAKT_MODE_CLOSEST; }));
  if (many * std::max(info.body_count, 1u) > limits_->hits_max)
    return fail(TAKT_ERROR_LIMIT,
                "limit hits: fewer queries of the mode all, or of another mode, in a request");
  answers_.resize(queries_.size());
  std::size_t count = 0;
  if (hits_.size() < queries_.size() + 16) hits_.resize(queries_.size() + 16);
  while (true) {
    if (takt_status const bad = takt_world_query(world, queries_.data(), queries_.size(), answers_.data(),
                                                 hits_.data(), hits_.size(), &count))
      return bad;
    if (count <= hits_.size()) break;
    if (takt_status const bad = allow_reply(count * sizeof(takt_hit))) return bad;
    hits_.resize(count);
  }
  if (takt_status const bad = allow_reply(count * sizeof(takt_hit) + answers_.size() * sizeof(takt_answer)))
    return bad;
  hits_.resize(count);
  parts.answers = structs_of<wire::AnswerItem>(builder_, answers_);
  parts.hits = structs_of<wire::HitItem>(builder_, hits_);
  return TAKT_OK;
}

// Reads the rows of a list of takt.h: contacts or events.
template <class Item, class Row>
takt_status Session::list_rows(takt_status (*list)(takt_world*, Row*, std::size_t, std::size_t*),
                               takt_world* world, std::vector<Row>& rows, Offset<Vector<const Item*>>& out) {
  std::size_t count = 0;
  if (takt_status const bad = list(world, nullptr, 0, &count)) return bad;
  if (takt_status const bad = allow_reply(count * sizeof(Row))) return bad;
  rows.resize(count);
  if (takt_status const bad = list(world, rows.data(), count, &count)) return bad;
  out = structs_of<Item>(builder_, rows);
  return TAKT_OK;
}

takt_status Session::observe(std::uint32_t columns, const Thing& thing, takt_world* world,
                             ReplyParts& parts) {
  if (columns == 0) return TAKT_OK;
  if (thing.kind == Kind::kSnapshot || columns >= 1u << kColumnCount)
    return fail(TAKT_ERROR_RANGE, "observe: only worlds and batches have columns, bits 0 to 6");
  std::array<takt_view, kColumnCount> views{};
  std::array<std::size_t, kColumnCount> bytes{};
  std::uint64_t words = 0;
  std::uint64_t rows = 0;
  for (std::uint32_t column = 0; column < kColumnCount; ++column) {
    if ((columns >> column & 1u) == 0) continue;
    takt_view& view = views[column];
    view.size = sizeof view;
    takt_status const status =
        world != nullptr ? takt_world_array(world, column, &view, nullptr)
                         : takt_batch_array(static_cast<takt_batch*>(thing.handle), column, &view, nullptr);
    if (status != TAKT_OK) return status;
    bytes[column] = view.type == TAKT_TYPE_U8 ? 1 : 8;
    for (std::uint32_t axis = 0; axis < view.dimensions; ++axis) bytes[column] *= view.shape[axis];
    words += words_of(bytes[column]);
    rows = view.shape[world != nullptr ? 0 : 1];
  }
  if (takt_status const bad = allow_reply(8 * words)) return bad;
  std::uint64_t* out = nullptr;
  auto const data = builder_.CreateUninitializedVector<std::uint64_t>(words, &out);
  for (std::uint32_t column = 0; column < kColumnCount; ++column) {
    if (bytes[column] == 0) continue;
    std::uint64_t const count = words_of(bytes[column]);
    out[count - 1] = 0;  // padding
    copy_column(out, views[column].data, bytes[column], views[column].type == TAKT_TYPE_U8 ? 1 : 8);
    out += count;
  }
  parts.observation = wire::CreateObservation(builder_, columns, world != nullptr ? 0 : thing.worlds,
                                              static_cast<std::uint32_t>(rows), data);
  return TAKT_OK;
}

takt_status Session::run_world(const wire::Request& request, takt_world* world, ReplyParts& parts) {
  switch (request.body_type()) {
    case wire::RequestBody::Hash: {
      std::uint64_t hash = 0;
      takt_status const status = takt_world_hash(world, &hash);
      if (status == TAKT_OK) parts.ids = builder_.CreateVector(&hash, 1);
      return status;
    }
    case wire::RequestBody::Info: {
      takt_world_info info{};
      info.size = sizeof info;
      if (takt_status const bad = takt_world_get_info(world, &info)) return bad;
      wire::Vec3 const gravity = to_wire(info.gravity);
      parts.info = wire::CreateWorldInfo(builder_, info.numbers, info.tick, info.scene_hash, info.body_count,
                                         info.rope_count, info.tick_rate_hz, info.substeps, &gravity);
      return TAKT_OK;
    }
    case wire::RequestBody::Find: {
      auto const& body = *request.body_as_Find();
      std::uint64_t id = 0;
      const char* const name = body.name() != nullptr ? body.name()->c_str() : "";
      std::size_t const bytes = body.name() != nullptr ? body.name()->size() : 0;
      takt_status const status = body.kind() == 0 ? takt_world_find_body(world, name, bytes, &id)
                                                  : takt_world_find_joint(world, name, bytes, &id);
      if (status == TAKT_OK) parts.ids = builder_.CreateVector(&id, 1);
      return status;
    }
    case wire::RequestBody::List: {
      auto const& body = *request.body_as_List();
      auto const list = [&](std::uint64_t* ids, std::size_t capacity, std::size_t* count) {
        if (body.kind() == 1) return takt_world_list_joints(world, ids, capacity, count);
        if (body.kind() == 3) return takt_world_list_shapes(world, body.body(), ids, capacity, count);
        return takt_world_list_ropes(world, ids, capacity, count);
      };
      std::size_t count = 0;
      if (takt_status const bad = list(nullptr, 0, &count)) return bad;
      if (takt_status const bad = allow_reply(8 * count)) return bad;
      std::vector<std::uint64_t> ids(count);
      if (takt_status const bad = list(ids.data(), count, &count)) return bad;
      parts.ids = builder_.CreateVector(ids);
      return TAKT_OK;
    }
    case wire::RequestBody::JointState: {
      auto const& body = *request.body_as_JointState();
      return takt_world_joint_state(world, body.joint(), body.axis(), &parts.value, &parts.rate);
    }
    case wire::RequestBody::Save: {
      const void* image = nullptr;
      std::size_t bytes = 0;
      if (takt_status const bad = takt_world_save(world, &image, &bytes)) return bad;
      if (takt_status const bad = allow_reply(bytes)) return bad;
      parts.bytes = builder_.CreateVector(static_cast<const std::uint8_t*>(image), bytes);
      return TAKT_OK;
    }
    case wire::RequestBody::Restore: {
      auto const* const image = request.body_as_Restore()->image();
      return takt_world_restore(world, text_of(image), size_of(image));
    }
    case wire::RequestBody::Query: return query(request, world, parts);
    case wire::RequestBody::Contacts:
      return list_rows(&takt_world_contacts, world, contacts_, parts.contacts);
    case wire::RequestBody::Events: return list_rows(&takt_world_events, world, events_, parts.events);
    case wire::RequestBody::Fork: {
      if (takt_status const bad = allow(1, 0)) return bad;
      takt_world* fork = nullptr;
      takt_status const status = takt_world_fork(world, &fork);
      if (status != TAKT_OK) {
        usage_->worlds.fetch_sub(1, std::memory_order_relaxed);
        return status;
      }
      return add(Kind::kWorld, fork, 1, parts);
    }
    case wire::RequestBody::Record:
    case wire::RequestBody::RecordBytes:
    case wire::RequestBody::RecordStop: return record(request, world, parts.recorded);
    default: return run_edit(request, world, parts);
  }
}

takt_status Session::run_batch(const wire::Request& request, const Thing& thing, ReplyParts& parts) {
  auto* const batch = static_cast<takt_batch*>(thing.handle);
  auto const has_rows = [&](std::size_t size, std::size_t columns, bool may_be_empty) {
    return size == thing.worlds * columns || (may_be_empty && size == 0);
  };
  auto const uneven = [&] {
    return fail(TAKT_ERROR_RANGE,
                "a list of the request has another number of rows than the batch has worlds");
  };
  switch (request.body_type()) {
    case wire::RequestBody::Hash: {
      if (takt_status const bad = allow_reply(8 * std::uint64_t{thing.worlds})) return bad;
      std::vector<std::uint64_t> hashes(thing.worlds);
      takt_status const status = takt_batch_hashes(batch, hashes.data());
      if (status == TAKT_OK) parts.ids = builder_.CreateVector(hashes);
      return status;
    }
    case wire::RequestBody::BatchForce: {
      auto const& e = *request.body_as_BatchForce();
      std::vector<std::uint64_t> const bodies = copied(e.bodies());
      std::vector<double> const forces = copied(e.forces());
      std::vector<double> const torques = copied(e.torques());
      if (!has_rows(bodies.size(), 1, false) || !has_rows(forces.size(), 3, false) ||
          !has_rows(torques.size(), 3, true) || !has_rows(size_of(e.where()), 1, true))
        return uneven();
      return takt_batch_force(batch, bodies.data(), forces.data(), data_of(torques), e.ticks(),
                              size_of(e.where()) != 0 ? e.where()->data() : nullptr);
    }
    case wire::RequestBody::BatchTeleport: {
      auto const& e = *request.body_as_BatchTeleport();
      std::vector<std::uint64_t> const bodies = copied(e.bodies());
      std::vector<double> const positions = copied(e.positions());
      std::vector<double> const rotations = copied(e.rotations());
      std::vector<double> const linear = copied(e.linear_velocities());
      std::vector<double> const angular = copied(e.angular_velocities());
      if (!has_rows(bodies.size(), 1, false) || !has_rows(positions.size(), 3, true) ||
          !has_rows(rotations.size(), 4, true) || !has_rows(linear.size(), 3, true) ||
          !has_rows(angular.size(), 3, true) || !has_rows(size_of(e.where()), 1, true))
        return uneven();
      return takt_batch_teleport(batch, bodies.data(), data_of(positions), data_of(rotations),
                                 data_of(linear), data_of(angular),
                                 size_of(e.where()) != 0 ? e.where()->data() : nullptr);
    }
    default: return fail(TAKT_ERROR_UNSUPPORTED, "the service has no such request for a batch");
  }
}

// Requests for worlds and batches alike.
takt_status Session::run_whole(const wire::Request& request, const Thing& thing, ReplyParts& parts) {
  takt_world* world = thing.kind == Kind::kWorld ? static_cast<takt_world*>(thing.handle) : nullptr;
  if (request.world_index() != kNoWorldIndex) {
    if (thing.kind != Kind::kBatch)
      return fail(TAKT_ERROR_HANDLE, "world_index is of batches, and the handle is of none");
    if (takt_status const bad =
            takt_batch_world(static_cast<takt_batch*>(thing.handle), request.world_index(), &world))
      return bad;
  }
  takt_status status = TAKT_OK;
  switch (request.body_type()) {
    case wire::RequestBody::Observe:
    case wire::RequestBody::Stop: break;  // the host has seen it
    case wire::RequestBody::Step: status = step(request, thing, world); break;
    case wire::RequestBody::Capture: status = capture(request, thing, world, parts); break;
    case wire::RequestBody::Rollback: status = rollback(request, thing, world); break;
    default: status = world != nullptr ? run_world(request, world, parts) : run_batch(request, thing, parts);
  }
  return status != TAKT_OK ? status : observe(request.observe(), thing, world, parts);
}

takt_status Session::run(const wire::Request& request, ReplyParts& parts) {
  if (request.body_type() == wire::RequestBody::NewWorlds) return create(*request.body_as_NewWorlds(), parts);
  if (request.body_type() == wire::RequestBody::Attach) return attach(request, parts);
  auto const found = things_.find(request.handle());
  if (found == things_.end()) return fail(TAKT_ERROR_HANDLE, "this connection has no such handle");
  Thing const thing = found->second;
  if (request.body_type() == wire::RequestBody::Destroy) {
    if (request.world_index() != kNoWorldIndex)
      return fail(TAKT_ERROR_BORROWED, "the world belongs to a batch: destroy the batch");
    things_.erase(found);
    end_recordings(request.handle(), thing);
    destroy(thing);
    return TAKT_OK;
  }
  if (thing.kind == Kind::kSnapshot)
    return fail(TAKT_ERROR_HANDLE, "the handle is of a snapshot: expected a world or a batch");
  if (request.body_type() == wire::RequestBody::Key) return give_key(request, parts);
  return run_whole(request, thing, parts);
}

bool Session::handle(std::span<const std::byte> message, std::vector<std::byte>& out) {
  if (!verify<wire::Request>(message.data(), message.size())) {
    append_failure(kNoRequest, TAKT_ERROR_REMOTE, "the message is no request of schemas/service.fbs", out);
    return false;
  }
  auto const& request = *wire::GetRequest(message.data());
  usage_->requests.fetch_add(1, std::memory_order_relaxed);
  if (request.id() == 0 || request.id() == kNoRequest || request.body() == nullptr) {
    append_failure(kNoRequest, TAKT_ERROR_REMOTE, "the request has no id or no body", out);
    return false;
  }
  builder_.Clear();
  text_.clear();
  ReplyParts parts;
  takt_status const status = run(request, parts);
  if (status != TAKT_OK) {
    usage_->refused.fetch_add(1, std::memory_order_relaxed);
    std::string_view text = text_.empty() ? std::string_view(takt_last_error()) : text_;
    std::size_t const end = text.find(": ");
    if (text.starts_with("takt_") && end != std::string_view::npos) text.remove_prefix(end + 2);
    append_failure(request.id(), status, text, out);
    return true;
  }
  wire::ReplyBuilder reply(builder_);
  reply.add_id(request.id());
  reply.add_tick(parts.tick);
  reply.add_value(parts.value);
  reply.add_rate(parts.rate);
  reply.add_ids(parts.ids);
  reply.add_bytes(parts.bytes.IsNull() ? parts.recorded.bytes : parts.bytes);
  reply.add_bytes_left(parts.recorded.bytes_left);
  reply.add_recording(parts.recorded.state);
  reply.add_info(parts.info);
  reply.add_observation(parts.observation);
  reply.add_answers(parts.answers);
  reply.add_hits(parts.hits);
  reply.add_contacts(parts.contacts);
  reply.add_events(parts.events);
  reply.add_handle(parts.handle);
  reply.add_worlds(parts.worlds);
  builder_.Finish(reply.Finish(), kIdentifier);
  append_frame(builder_, out);
  return true;
}

}  // namespace takt::service
