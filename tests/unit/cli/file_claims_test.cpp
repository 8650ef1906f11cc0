#include "cli/file_claims.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/folder.h"

namespace takt::cli {
namespace {

namespace fs = std::filesystem;
using test::Folder;

const std::string kRecording("TKREC1\n\0 and more", 17);

// Empty = allowed.
std::string text_of(const FileClaims& claims) {
  Result<Unit, server::FileError> const checked = claims.check();
  return checked ? std::string() : checked.error().text;
}

std::string text_of(const std::string& option, const std::string& path, OutputKind kind) {
  FileClaims claims;
  claims.add_output(option, path, kind);
  return text_of(claims);
}

TEST(FileClaims, TwoInputsMayBeOneFile) {
  Folder const here;
  FileClaims claims;
  claims.add_input("the scene", here.write("a", "text"));
  claims.add_input("--inputs", here / "a");
  EXPECT_EQ(text_of(claims), "");
}

TEST(FileClaims, AnOutputThatIsAnInputIsRefusedWithBothNames) {
  Folder const here;
  std::string const scene = here.write("p.json", "{}");
  fs::create_symlink("p.json", here / "link");
  FileClaims claims;
  claims.add_input("the scene", scene);
  claims.add_output("--csv", here / "link", OutputKind::kFile);
  EXPECT_EQ(text_of(claims), "--csv " + (here / "link") + " and the scene " + scene +
                                 " name one file; give --csv another name");
}

TEST(FileClaims, AMissingInputStillHasItsName) {
  Folder const here;
  FileClaims claims;
  claims.add_input("the scene", here / "new");
  claims.add_output("--csv", here / "./new", OutputKind::kFile);
  EXPECT_NE(text_of(claims), "");
}

TEST(FileClaims, TwoOutputsInOneFileAreRefused) {
  Folder const here;
  FileClaims claims;
  claims.add_output("--csv", here / "both", OutputKind::kFile);
  claims.add_output("--record", here / "both", OutputKind::kForcedRecording);
  EXPECT_EQ(text_of(claims), "--csv " + (here / "both") + " and --record " + (here / "both") +
                                 " name one file; give each a name of its own");
}

TEST(FileClaims, TwoOutputsShareADeviceButNotTheStandardOutput) {
  FileClaims devices;
  devices.add_output("--csv", "/dev/null", OutputKind::kFile);
  devices.add_output("--record", "/dev/null", OutputKind::kRecording);
  EXPECT_EQ(text_of(devices), "");
  FileClaims streams;
  streams.add_output("--csv", "-", OutputKind::kFile);
  streams.add_output("--record", "/dev/stdout", OutputKind::kRecording);
  EXPECT_NE(text_of(streams), "");
}

TEST(FileClaims, DirectoriesAreRefused) {
  Folder const here;
  fs::create_directory(here / "d.takt");
  for (OutputKind const kind : {OutputKind::kFile, OutputKind::kRecording, OutputKind::kForcedRecording}) {
    EXPECT_EQ(text_of("--record", here / "d.takt", kind),
              "--record " + (here / "d.takt") + ": is a directory; name a file in it");
  }
}

TEST(FileClaims, ARecordingIsReplacedByForceAlone) {
  Folder const here;
  std::string const path = here.write("a.takt", kRecording);
  EXPECT_EQ(text_of("--record", path, OutputKind::kForcedRecording), "");
  EXPECT_EQ(text_of("--record", path, OutputKind::kRecording),
            "--record " + path + ": the recording exists; add --force to replace it, or name another file");
  EXPECT_EQ(text_of("--csv", path, OutputKind::kFile),
            "--csv " + path +
                ": the file is a recording, which only --record with --force replaces; name another file");
}

TEST(FileClaims, ARecordingReplacesNoOtherFileButAnEmptyOne) {
  Folder const here;
  std::string const other = here.write("a.takt", "TKREC1, almost");
  std::string const empty = here.write("b.takt", "");
  for (OutputKind const kind : {OutputKind::kRecording, OutputKind::kForcedRecording}) {
    EXPECT_EQ(text_of("--record", other, kind),
              "--record " + other + ": the file exists and is not a recording; name another file");
    EXPECT_EQ(text_of("--record", empty, kind), "");
    EXPECT_EQ(text_of("--record", here / "new.takt", kind), "");
  }
  EXPECT_EQ(text_of("--csv", other, OutputKind::kFile), "");
}

TEST(FileClaims, FilesInAFolderOfInputsAreKeptAndNewOnesAllowed) {
  Folder const here;
  fs::create_directory(here / "scenes");
  here.write("scenes/a.json", "{}");
  here.write("scenes/a.takt", kRecording);
  auto const with_folder = [&](const std::string& path, OutputKind kind) {
    FileClaims claims;
    claims.add_input_folder("--scenes", here / "scenes");
    claims.add_output("--out", path, kind);
    return text_of(claims);
  };
  EXPECT_EQ(with_folder(here / "scenes/a.json", OutputKind::kFile),
            "--out " + (here / "scenes/a.json") + ": the file exists in the folder of --scenes " +
                (here / "scenes") + "; name another file");
  EXPECT_EQ(with_folder(here / "scenes/new", OutputKind::kFile), "");
  EXPECT_EQ(with_folder(here / "scenes/a.takt", OutputKind::kForcedRecording), "");
  EXPECT_NE(with_folder(here / "scenes", OutputKind::kFile), "");
}

}  // namespace
}  // namespace takt::cli
