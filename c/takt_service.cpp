// Services of takt.h: connections, and the worlds that they make.
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>

#include "c/remote_world.h"
#include "c/takt_objects.h"
#include "service/client/service_client.h"

using namespace takt::c;  // NOLINT(google-build-using-namespace): functions of takt.h are global

namespace {

namespace wire = takt::service::wire;
using flatbuffers::FlatBufferBuilder;

constexpr std::size_t kMaxAddressBytes = 512;
constexpr std::string_view kNoKey = "only worlds and batches of a service have a key";

// `take` gets the handle of the new world or batch at the service, and allocates nothing.
template <class Take>
takt_status create(const RemoteService& service, const SceneObject* scene, const void* image,
                   std::size_t image_bytes, const takt_batch_options& options, const Take& take) {
  if (image_bytes > takt::service::kFrameBytesMax)
    return fail(TAKT_ERROR_LIMIT, "limit frame: the image is larger");
  auto answer = service.client->call({}, 0, [&](FlatBufferBuilder& b) {
    flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> scene_bytes;
    flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> image_copy;
    if (scene != nullptr) {
      auto const& binary = scene->scene->binary;
      scene_bytes = b.CreateVector(reinterpret_cast<const std::uint8_t*>(binary.data()), binary.size());
    }
    if (image != nullptr) image_copy = b.CreateVector(static_cast<const std::uint8_t*>(image), image_bytes);
    return wire::CreateNewWorlds(b, scene_bytes, image_copy, options.numbers, options.threads, options.lanes,
                                 options.world_count);
  });
  if (answer.status == TAKT_OK || answer.is_late()) take(answer.reply->handle());
  return answer.status == TAKT_OK ? TAKT_OK : fail(answer.status, answer.text);
}

takt_status create_world(const RemoteService& service, const SceneObject* scene, const void* image,
                         std::size_t image_bytes, const takt_world_options* options, takt_world** world) {
  takt_world_options read{};
  if (takt_status const bad = read_struct(options, read)) return bad;
  if (takt_status const bad = check_step(read.threads, read.lanes)) return bad;
  takt_batch_options all{};
  all.numbers = read.numbers;
  all.lanes = read.lanes;
  NewHandle<takt_world, RemoteWorld> made(std::make_unique<RemoteWorld>(service.client));
  return made.give(create(service, scene, image, image_bytes, all,
                          [&](std::uint32_t handle) noexcept { made->set_handle(handle); }),
                   *world);
}

// `kind` is that of Attach. `take` gets the reply, and allocates nothing. A connection that still has the
// thing needs a moment to end.
template <class Take>
takt_status attach(const RemoteService& service, const std::uint8_t* key, std::uint32_t kind,
                   const Take& take) {
  constexpr auto kPatience = std::chrono::seconds(5);
  auto const end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    {
      auto const answer = service.client->call({}, 0, [&](FlatBufferBuilder& b) {
        return wire::CreateAttach(b, b.CreateVector(key, takt::service::kKeyBytes), kind);
      });
      if (answer.status == TAKT_OK) return take(*answer.reply);
      if (answer.status != TAKT_ERROR_BUSY || std::chrono::steady_clock::now() > end)
        return fail(answer.status, answer.text);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

takt_status takt_connect(const char* address, size_t address_bytes, const void* token, size_t token_bytes,
                         takt_service** service) {
  return call(__func__, [&]() -> takt_status {
    if (service == nullptr) return null_argument("service");
    if (token == nullptr && token_bytes != 0) return null_argument("token");
    std::string_view text;
    if (takt_status const bad = read_text(address, address_bytes, kMaxAddressBytes, "address", text))
      return bad;
    auto client =
        takt::service::ServiceClient::connect(text, {static_cast<const std::byte*>(token), token_bytes});
    if (!client) return fail(client.error().status, client.error().text);
    auto object = std::make_unique<RemoteService>();
    object->client = *std::move(client);
    *service = make_handle<takt_service>(std::move(object));
    return TAKT_OK;
  });
}

takt_status takt_service_destroy(takt_service* service) {
  return destroy_handle<RemoteService>(__func__, service);
}

takt_status takt_service_set_stop(takt_service* service, takt_stop_function is_stopped, void* context) {
  return call(__func__, [&]() -> takt_status {
    Use<RemoteService> const use(service, Access::kShared);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), RemoteService::kName);
    return use->client->set_stop(is_stopped, context)
               ? TAKT_OK
               : fail(TAKT_ERROR_REMOTE, takt::service::ServiceClient::kForked);
  });
}

uint32_t takt_stop_on_main_thread(void* stop) {
  auto* const own = static_cast<takt_main_thread_stop*>(stop);
  if (own == nullptr || ::gettid() != ::getpid()) return 0;
  if (own->is_stopped == nullptr || own->is_stopped(own->context) == 0) return 0;
  own->was_stopped = 1;
  return 1;
}

takt_status takt_service_get_info(takt_service* service, takt_service_info* info) {
  return call(__func__, [&]() -> takt_status {
    Use<RemoteService> const use(service, Access::kShared);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), RemoteService::kName);
    if (takt_status const bad = check_output(info)) return bad;
    takt::service::ServiceWelcome const& from = use->client->welcome();
    takt_service_info out{};
    out.version = takt::service::kServiceVersion;
    out.worlds_max = from.worlds_max;
    out.step_ticks_max = from.step_ticks_max;
    out.frame_bytes_max = from.frame_bytes_max;
    out.window = from.window;
    out.threads = from.threads;
    out.memory_max = from.memory_max;
    write_struct(out, info);
    return TAKT_OK;
  });
}

takt_status takt_service_world(takt_service* service, takt_scene* scene, const takt_world_options* options,
                               takt_world** world) {
  return call(__func__, [&]() -> takt_status {
    if (world == nullptr) return null_argument("world");
    Use<RemoteService> const use(service, Access::kShared);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), RemoteService::kName);
    Use<SceneObject> const of(scene, Access::kShared);
    if (of.fault() != AcquireFault::kNone) return fail(of.fault(), SceneObject::kName);
    return create_world(*use, &*of, nullptr, 0, options, world);
  });
}

takt_status takt_service_world_from_image(takt_service* service, const void* image, size_t image_bytes,
                                          takt_scene* scene, const takt_world_options* options,
                                          takt_world** world) {
  return call(__func__, [&]() -> takt_status {
    if (world == nullptr) return null_argument("world");
    if (image == nullptr) return null_argument("image");
    Use<RemoteService> const use(service, Access::kShared);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), RemoteService::kName);
    if (scene == nullptr) return create_world(*use, nullptr, image, image_bytes, options, world);
    Use<SceneObject> const of(scene, Access::kShared);
    if (of.fault() != AcquireFault::kNone) return fail(of.fault(), SceneObject::kName);
    return create_world(*use, &*of, image, image_bytes, options, world);
  });
}

takt_status takt_service_batch(takt_service* service, takt_scene* scene, const takt_batch_options* options,
                               takt_batch** batch) {
  return call(__func__, [&]() -> takt_status {
    if (batch == nullptr) return null_argument("batch");
    if (options == nullptr) return null_argument("options");
    takt_batch_options read{};
    if (takt_status const bad = read_struct(options, read)) return bad;
    if (read.world_count < 1 || read.world_count > BatchObject::kMaxWorlds)
      return fail(TAKT_ERROR_RANGE, "world_count is not within [1, 65536]");
    if (takt_status const bad = check_step(read.threads, read.lanes)) return bad;
    Use<RemoteService> const use(service, Access::kShared);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), RemoteService::kName);
    Use<SceneObject> const of(scene, Access::kShared);
    if (of.fault() != AcquireFault::kNone) return fail(of.fault(), SceneObject::kName);
    NewHandle<takt_batch, RemoteBatch> made(std::make_unique<RemoteBatch>(use->client));
    auto const take = [&](std::uint32_t handle) noexcept { made->set_handle(handle, read.world_count); };
    return made.give(create(*use, &*of, nullptr, 0, read, take), *batch);
  });
}

takt_status takt_world_key(takt_world* world, uint8_t key[24]) {
  return call_world(
      __func__, world,
      [&](WorldObject&) {
        return key == nullptr ? null_argument("key") : fail(TAKT_ERROR_UNSUPPORTED, kNoKey);
      },
      [&](RemoteWorld& r) { return r.key(key); });
}

takt_status takt_batch_key(takt_batch* batch, uint8_t key[24]) {
  if (kind_of(batch) == HandleKind::kRemoteBatch)
    return call_with<RemoteBatch>(__func__, batch, [&](RemoteBatch& r) { return r.key(key); });
  return call_with<BatchObject>(__func__, batch, [&](BatchObject&) {
    return key == nullptr ? null_argument("key") : fail(TAKT_ERROR_UNSUPPORTED, kNoKey);
  });
}

takt_status takt_service_attach_world(takt_service* service, const uint8_t key[24], takt_world** world) {
  return call(__func__, [&]() -> takt_status {
    if (world == nullptr) return null_argument("world");
    if (key == nullptr) return null_argument("key");
    Use<RemoteService> const use(service, Access::kShared);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), RemoteService::kName);
    NewHandle<takt_world, RemoteWorld> made(std::make_unique<RemoteWorld>(use->client));
    return made.give(attach(*use, key, 0,
                            [&](const wire::Reply& reply) -> takt_status {
                              made->set_handle(reply.handle());
                              return TAKT_OK;
                            }),
                     *world);
  });
}

takt_status takt_service_attach_batch(takt_service* service, const uint8_t key[24], takt_batch** batch) {
  return call(__func__, [&]() -> takt_status {
    if (batch == nullptr) return null_argument("batch");
    if (key == nullptr) return null_argument("key");
    Use<RemoteService> const use(service, Access::kShared);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), RemoteService::kName);
    NewHandle<takt_batch, RemoteBatch> made(std::make_unique<RemoteBatch>(use->client));
    return made.give(attach(*use, key, 1,
                            [&](const wire::Reply& reply) -> takt_status {
                              if (reply.worlds() < 1 || reply.worlds() > BatchObject::kMaxWorlds)
                                return fail(TAKT_ERROR_REMOTE, "the service sent a reply of another kind");
                              made->set_handle(reply.handle(), reply.worlds());
                              return TAKT_OK;
                            }),
                     *batch);
  });
}
