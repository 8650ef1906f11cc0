#include "cli/file_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace takt::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // Linux follows as many; a ring of links then fails in stat()

fs::path folder_of(const fs::path& path) {
  return path.parent_path().empty() ? fs::path(".") : path.parent_path();
}

// The folder of a process's open descriptors: /dev/fd and /proc/self/fd lead to /proc/<pid>/fd.
std::string descriptor_folder(const fs::path& path) {
  std::error_code code;
  std::string const folder = fs::canonical(folder_of(path), code).string();
  return !code && folder.starts_with("/proc/") && folder.ends_with("/fd") ? folder : std::string();
}

bool is_descriptor_of_stdout(const fs::path& path, const std::string& folder) {
  return folder == "/proc/" + std::to_string(::getpid()) + "/fd" && path.filename() == "1";
}

FilePlace place_of(const fs::path& path, const struct stat& status) {
  FilePlace place;
  place.kind = S_ISDIR(status.st_mode)   ? FilePlace::Kind::kFolder
               : S_ISREG(status.st_mode) ? FilePlace::Kind::kFile
                                         : FilePlace::Kind::kStream;
  place.path = path;
  place.is_character_device = S_ISCHR(status.st_mode);
  place.mode = status.st_mode & 07777u;
  place.owner = status.st_uid;
  place.group = status.st_gid;
  place.size_bytes = status.st_size;
  place.device = status.st_dev;
  place.inode = status.st_ino;
  return place;
}

// A name that no file has, or that the system refuses.
FilePlace place_without_file(const fs::path& path, int error) {
  FilePlace place;
  place.kind = error == ENOENT ? FilePlace::Kind::kFree : FilePlace::Kind::kUnreachable;
  place.error = error;
  place.path = path;
  struct stat folder {};
  if (::stat(folder_of(path).c_str(), &folder) == 0) {
    place.device = folder.st_dev;
    place.inode = folder.st_ino;
    place.new_name = path.filename().string();
  } else {
    std::error_code code;
    place.new_name = fs::absolute(path, code).lexically_normal().string();
  }
  return place;
}

}  // namespace

FilePlace find_place(const std::string& text) {
  fs::path path = text;
  std::string descriptors = descriptor_folder(path);
  for (int links = 0; links < kMaxLinks && descriptors.empty(); ++links) {
    std::error_code code;
    fs::path const target = fs::read_symlink(path, code);
    if (code) break;
    path = path.parent_path() / target;  // an absolute target replaces the folder
    descriptors = descriptor_folder(path);
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return place_without_file(path, errno);
  FilePlace place = place_of(path, status);
  if (!descriptors.empty()) place.kind = FilePlace::Kind::kStream;
  struct stat out {};
  bool const is_unique = S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode);
  place.is_stdout = is_descriptor_of_stdout(path, descriptors) ||
                    (is_unique && ::fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == status.st_dev &&
                     out.st_ino == status.st_ino);
  if (place.is_stdout) place.kind = FilePlace::Kind::kStream;
  return place;
}

FilePlace find_output_place(const std::string& path) {
  if (path != "-") return find_place(path);
  struct stat status {};
  if (::fstat(STDOUT_FILENO, &status) != 0) return place_without_file("/dev/stdout", errno);
  FilePlace place = place_of("/dev/stdout", status);
  place.kind = FilePlace::Kind::kStream;
  place.is_stdout = true;
  return place;
}

bool same_file(const FilePlace& a, const FilePlace& b) {
  if (a.is_stdout && b.is_stdout) return true;
  if (a.is_character_device || b.is_character_device) return false;
  return a.device == b.device && a.inode == b.inode && a.new_name == b.new_name;
}

bool lies_in(const FilePlace& place, const FilePlace& folder) {
  std::error_code code;
  fs::path const outer = fs::weakly_canonical(folder.path, code);
  fs::path const inner = fs::weakly_canonical(place.path, code);
  if (code || folder.kind != FilePlace::Kind::kFolder) return false;
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace takt::cli
