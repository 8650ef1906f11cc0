#include "sim/scene/scene_files.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

class ListedFiles final : public SceneFiles {
 public:
  explicit ListedFiles(std::map<std::string, std::string, std::less<>> files) : files_(std::move(files)) {}
  Result<std::string, SceneFileError> read(std::string_view name, std::size_t max) const override {
    auto const at = files_.find(name);
    if (at == files_.end()) return SceneFileError{std::string(name) + ": no such file"};
    if (at->second.size() > max) return SceneFileError{std::string(name) + ": too large"};
    return at->second;
  }

 private:
  std::map<std::string, std::string, std::less<>> files_;
};

ListedFiles const kFiles({{"meshes/roof.obj",
                           "# \"Dach\" \xc3\xa4\\\r\nv -2 0 -2\nv -2 0 2\nv 0 1 -2\nv 0 1 2\tv\n"
                           "usemtl rough\nf 1 2 4 3\nv 2 0 -2\nv 2 0 2\nusemtl ice\nf 3 4 6 5\n"},
                          {"bare.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nusemtl ice\nf 1 2 3\n"},
                          {"broken.obj", "v 0 0 0\nf 1 2 3\n"},
                          {"large.obj", "v 0 0 0\n#" + std::string(kMaxSceneTextBytes - 20, '.')}});

std::string with_mesh(std::string_view mesh) {
  return "{\"bodies\": [\n{\"type\": \"static\", \"shapes\": [{\n\"mesh\": " + std::string(mesh) + "}]}]}";
}

std::string file_error_of(std::string_view mesh, const SceneFiles* files = &kFiles) {
  auto const scene = load_scene(with_mesh(mesh), "s.json", files);
  return scene ? "no error" : message(scene.error());
}

constexpr char kRoof[] =
    R"({"obj": "meshes/roof.obj", "materials": [{"friction": 0.02, "name": "ice"}, {"friction": 0.8, "name": "rough"}]})";

TEST(SceneFiles, AnObjFileIsTheMeshThatItDescribes) {
  auto const scene = load_scene(with_mesh(kRoof), "s.json", &kFiles);
  ASSERT_TRUE(scene) << message(scene.error());
  Scene const listed = parse_scene(
      with_mesh(R"({"vertices": [[-2, 0, -2], [-2, 0, 2], [0, 1, -2], [0, 1, 2], [2, 0, -2], [2, 0, 2]],
    "triangles": [[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]], "triangle_materials": [1, 1, 0, 0], "materials": [{"friction": 0.02}, {"friction": 0.8}]})"));
  EXPECT_EQ(scene_hash(*scene), scene_hash(listed));
  // The binary form, which recordings keep, needs the file no more.
  auto const again = load_scene(std::span<const std::byte>(scene->binary), "binary");
  ASSERT_TRUE(again) << message(again.error());
  EXPECT_EQ(scene_hash(*again), scene_hash(listed));
}

TEST(SceneFiles, TheTextOfAnObjFileMayStandInTheScene) {
  Scene const scene =
      parse_scene(with_mesh(R"({"obj_text": "v 0 0 0\nv 100 0 0\nv 0 100 0\nf 1 2 3", "obj_scale": 0.01})"));
  EXPECT_EQ(scene.bodies[0].shapes[0].mesh->vertices_m[1], (Vec3<double>{1, 0, 0}));
}

TEST(SceneFiles, FaultsNameTheFileItsLineAndTheSceneLine) {
  EXPECT_EQ(file_error_of("{\n\"obj\": \"none.obj\"}"),
            "s.json:4: bodies[0].shapes[0].mesh.obj: none.obj: no such file");
  EXPECT_EQ(file_error_of("{\n\"obj\": \"broken.obj\"}"),
            "s.json:4: bodies[0].shapes[0].mesh.obj: broken.obj:2: corner '2': there are 1 vertices so far, "
            "counted from 1");
  EXPECT_EQ(file_error_of(R"({"obj": "large.obj"})"),
            "s.json:3: bodies[0].shapes[0].mesh.obj: the scene and its files are larger than 16777216 bytes "
            "together");
  EXPECT_EQ(file_error_of(R"({"obj": "bare.obj", "materials": [{"name": "ice"}]})"),
            "s.json:3: bodies[0].shapes[0].mesh.obj: bare.obj: a face before the first usemtl has none of "
            "the named materials");
  EXPECT_EQ(file_error_of(R"({"obj": "bare.obj", "materials": [{"name": "oak"}, {}, {"name": "tin"}]})"),
            "s.json:3: bodies[0].shapes[0].mesh.obj: bare.obj:5: usemtl ice is none of the names in "
            "\"materials\": oak, tin");
  EXPECT_EQ(
      file_error_of(R"({"obj": "bare.obj", "triangle_materials": [0, 0], "materials": [{"name": "ice"}]})"),
      "s.json:3: bodies[0].shapes[0].mesh.triangle_materials: the OBJ file's usemtl lines say which "
      "triangle has which of the named materials: "
      "leave it "
      "out, or the names");
  EXPECT_EQ(
      file_error_of(R"({"obj": "bare.obj", "vertices": [[0, 0, 0]]})"),
      "s.json:3: bodies[0].shapes[0].mesh: a mesh has \"vertices\" and \"triangles\", or \"obj\", not both");
  EXPECT_EQ(file_error_of(R"({"obj": "bare.obj"})", nullptr),
            "s.json:3: bodies[0].shapes[0].mesh.obj: the text of bare.obj is not here: only a JSON scene "
            "read from disk brings it, any other needs "
            "\"obj_text\"");
  EXPECT_EQ(file_error_of(R"({"obj_scale": 0, "obj_text": ""})")
                .find("s.json:3: bodies[0].shapes[0].mesh.obj_scale"),
            0u);
  EXPECT_EQ(file_error_of("{}"),
            "s.json:3: bodies[0].shapes[0].mesh: a mesh needs \"vertices\" and \"triangles\", or \"obj\"");
}

TEST(SceneFiles, NamesDoNotLeadOutOfTheFolder) {
  for (std::string_view const name :
       {"", "/etc/passwd", "../bare.obj", "meshes/../../bare.obj", "meshes/..", "a\\\\b", "a\\u0041"}) {
    EXPECT_EQ(file_error_of("{\"obj\": \"" + std::string(name) + "\"}"),
              "s.json:3: bodies[0].shapes[0].mesh.obj: expected the name of a file in the scene's folder or "
              "below, such as \"meshes/hill.obj\"")
        << name;
  }
  EXPECT_EQ(file_error_of(R"({"obj": "..bare.obj"})"),
            "s.json:3: bodies[0].shapes[0].mesh.obj: ..bare.obj: no such file");
}

TEST(SceneFiles, OtherTextsStayAsTheyAre) {
  for (std::string_view const text : {"", "{", "{\"obj\": \"bare.obj\"}", "{\"mesh\": {\"obj\": 3}}",
                                      "// {\"mesh\": {\"obj\": \"bare.obj\"}}\n[]"}) {
    auto const same = with_files(text, kFiles);
    ASSERT_TRUE(same);
    EXPECT_EQ(*same, text);
  }
}

}  // namespace
}  // namespace takt::sim
