#include "server/scene_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace takt::server {
namespace {

class SceneDirectoryTest : public testing::Test {
 protected:
  SceneDirectoryTest()
      : root(std::filesystem::path(testing::TempDir()) / ("takt_scenes_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(root / "folder.json");
  }
  ~SceneDirectoryTest() override { std::filesystem::remove_all(root); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root / name, std::ios::binary) << text;
  }
  SceneDirectory open() const {
    auto provider = SceneDirectory::open(root);
    EXPECT_TRUE(provider.ok());
    return *std::move(provider);
  }
  std::filesystem::path root;
};

constexpr char kSceneFile[] =
    R"({ "title": "One ball", "bodies": [{ "position": [0, 1, 0], "shapes": [{ "sphere": { "radius": 0.5 } }] }] })";

TEST_F(SceneDirectoryTest, HoldsFilesWithPlainNamesInOrder) {
  for (auto const* name :
       {"b.json", "a-1.json", "Z_9.tksc", "no.txt", "two words.json", "dot.dot.json", ".json"})
    write(name, kSceneFile);
  write(std::string(64, 'x') + ".json", kSceneFile);
  write(std::string(65, 'y') + ".json", kSceneFile);
  EXPECT_EQ(open().names(), (std::vector<std::string>{"Z_9", "a-1", "b", std::string(64, 'x')}));
}

TEST_F(SceneDirectoryTest, ReadsTheFileAnewEachTimeAndSaysWhatIsWrong) {
  write("ball.json", kSceneFile);
  auto const provider = open();
  auto const scene = provider.load("ball");
  ASSERT_TRUE(scene.ok());
  EXPECT_EQ(scene->title, "One ball");
  write("ball.json", "{\n  \"bodies\": [{ \"shapes\": [{ \"cube\": {} }] }]\n}");
  auto const broken = provider.load("ball");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().rfind("ball.json:2: ", 0), 0u) << broken.error();
  std::filesystem::remove(root / "ball.json");
  EXPECT_FALSE(provider.load("ball").ok());
}

TEST_F(SceneDirectoryTest, ReadsMeshesFromItsFolder) {
  std::filesystem::create_directories(root / "meshes");
  write("hill.json",
        R"({ "bodies": [{ "type": "static", "shapes": [{ "mesh": { "obj": "meshes/hill.obj" } }] }] })");
  auto const provider = open();
  auto const missing = provider.load("hill");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error(),
            "hill.json:1: bodies[0].shapes[0].mesh.obj: meshes/hill.obj: cannot be opened: No such file or "
            "directory");
  write("meshes/hill.obj", "v 0 0 0\nv 0 0 1\nv 1 0 0\nf 1 2 3\n");
  auto const scene = provider.load("hill");
  ASSERT_TRUE(scene.ok()) << scene.error();
  EXPECT_EQ(scene->bodies.at(0).shapes.at(0).mesh->triangles.size(), 1u);
}

TEST_F(SceneDirectoryTest, KnowsNoOtherNames) {
  write("ball.json", kSceneFile);
  auto const provider = open();
  for (auto const* name : {"", "Ball", "../ball", "ball.json", "folder", "/etc/passwd"})
    EXPECT_FALSE(provider.load(name).ok()) << name;
}

TEST(SceneDirectory, AMissingFolderIsAnErrorThatNamesIt) {
  auto const provider = SceneDirectory::open("/no/such/folder");
  ASSERT_FALSE(provider.ok());
  EXPECT_NE(provider.error().find("/no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace takt::server
