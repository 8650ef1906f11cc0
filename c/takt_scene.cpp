// Scenes of takt.h, and the functions without a handle.
#include <utility>

#include "c/takt_objects.h"

namespace takt::c {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;

takt_status give_scene(Result<sim::Scene, sim::SceneError> scene, takt_scene** out) {
  if (!scene) return fail(TAKT_ERROR_SCENE, message(scene.error()));
  auto object = std::make_unique<SceneObject>();
  object->scene = std::make_shared<const sim::Scene>(*std::move(scene));
  *out = make_handle<takt_scene>(std::move(object));
  return TAKT_OK;
}

}  // namespace
}  // namespace takt::c

using namespace takt::c;  // NOLINT(google-build-using-namespace): functions of takt.h are global

uint32_t takt_abi_version() { return TAKT_ABI_VERSION; }
const char* takt_version() { return TAKT_VERSION; }
const char* takt_last_error() { return last_error_text(); }

takt_status takt_scene_parse(const char* text, size_t text_bytes, const char* name, size_t name_bytes,
                             takt_scene** scene) {
  return call(__func__, [&]() -> takt_status {
    std::string_view json;
    std::string_view file;
    if (scene == nullptr) return null_argument("scene");
    if (takt_status const bad = read_text(text, text_bytes, takt::sim::kMaxSceneTextBytes, "text", json))
      return bad;
    if (takt_status const bad = read_text(name, name_bytes, kMaxPathBytes, "name", file)) return bad;
    return give_scene(takt::sim::load_scene(json, file), scene);
  });
}

takt_status takt_scene_load(const char* path, size_t path_bytes, takt_scene** scene) {
  return call(__func__, [&]() -> takt_status {
    std::string_view name;
    if (scene == nullptr) return null_argument("scene");
    if (takt_status const bad = read_text(path, path_bytes, kMaxPathBytes, "path", name)) return bad;
    auto const text = read_file(std::string(name), takt::sim::kMaxSceneTextBytes);
    if (!text) return fail(TAKT_ERROR_FILE, text.error().text);
    SceneFolder const folder(std::filesystem::path(name).parent_path());
    return give_scene(takt::sim::load_scene(*text, name, &folder), scene);
  });
}

takt_status takt_scene_destroy(takt_scene* scene) { return destroy_handle<SceneObject>(__func__, scene); }
