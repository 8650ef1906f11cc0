#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "net/entropy.h"

namespace takt::cli {
namespace {

constexpr int kMaxAttempts = 10;  // a name of 64 random bits is taken by accident alone

std::filesystem::path folder_of(const FilePlace& place) {
  return place.path.parent_path().empty() ? std::filesystem::path(".") : place.path.parent_path();
}

// A file keeps its mode and, as far as the system allows, its owner.
void copy_permissions(int descriptor, const FilePlace& earlier) {
  bool const has_owner = ::fchown(descriptor, earlier.owner, earlier.group) == 0;
  mode_t const mode = has_owner ? earlier.mode : earlier.mode & 0777u;  // no set-user-id for another owner
  (void)::fchmod(descriptor, mode);
}

// A descriptor of the standard output. A child may write to it, so it stays open in children.
int detach_stdout() {
  std::fflush(stdout);
  int const descriptor = ::dup(STDOUT_FILENO);
  if (descriptor >= 0 && ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    ::close(descriptor);
    return -1;
  }
  return descriptor;
}

}  // namespace

void sync_folder(const std::filesystem::path& folder) {
  int const descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)::fsync(descriptor);
  ::close(descriptor);
}

void OutputFile::Remove::operator()(std::string* path) const noexcept {
  if (!path->empty()) ::unlink(path->c_str());
  delete path;
}

Result<OutputFile, server::FileError> OutputFile::create(const std::string& path, Latecomer latecomer,
                                                         Readers readers) {
  OutputFile file(path, find_output_place(path), latecomer, readers);
  switch (file.place_.kind) {
    case FilePlace::Kind::kFolder: return server::FileError{path + ": is a directory: expected a file"};
    case FilePlace::Kind::kUnreachable:
      errno = file.place_.error;
      return server::FileError{server::file_error(path, "cannot be created")};
    case FilePlace::Kind::kStream:
      if (!file.open_stream()) return server::FileError{file.failure_};
      break;
    case FilePlace::Kind::kFree:
    case FilePlace::Kind::kFile:
      if (!file.open_temporary()) return server::FileError{file.failure_};
      break;
  }
  return file;
}

bool OutputFile::open_stream() {
  // A reader that goes away fails a write; the command goes on with its other outputs.
  std::signal(SIGPIPE, SIG_IGN);
  errno = 0;
  // A descriptor of the shell may be a file that is appended to, so a stream is never truncated.
  int const descriptor =
      place_.is_stdout ? detach_stdout() : ::open(place_.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) return fail("cannot be opened");
  file_.reset(::fdopen(descriptor, "wb"));
  if (file_ != nullptr) return true;
  ::close(descriptor);
  return fail("cannot be opened");
}

bool OutputFile::open_temporary() {
  bool const replaces = place_.kind == FilePlace::Kind::kFile;
  // A rename needs no permission of the file that it replaces, so a read-only file is refused here.
  if (replaces && ::faccessat(AT_FDCWD, place_.path.c_str(), W_OK, AT_EACCESS) != 0)
    return fail("cannot be replaced");
  // Killed processes leave their temporaries, and processes of several machines have equal numbers.
  std::string const stem = (folder_of(place_) / (".takt-" + std::to_string(::getpid()) + "-")).string();
  int descriptor = -1;
  std::string name;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    name = stem + std::to_string(net::draw_nonce()) + ".tmp";
    descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        replaces || readers_ == Readers::kOwner ? 0600 : 0666);
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  if (descriptor < 0) return fail("cannot be created");
  temporary_.reset(new std::string(name));
  if (replaces && readers_ == Readers::kUmask) copy_permissions(descriptor, place_);
  file_.reset(::fdopen(descriptor, "wb"));
  if (file_ != nullptr) return true;
  ::close(descriptor);
  return fail("cannot be created");
}

bool OutputFile::fail(const char* what) {
  if (!failure_.empty()) return false;
  int const reason = errno;
  failure_ = server::file_error(path_, what);
  if (reason == EACCES || reason == EPERM || reason == EROFS)
    failure_ += "; name a file that may be written, in a folder that takes new files";
  if (temporary_ && place_.kind == FilePlace::Kind::kFile) failure_ += "; the earlier file is kept";
  return false;
}

bool OutputFile::write(std::span<const std::byte> bytes) {
  if (!failure_.empty()) return false;
  errno = 0;
  return std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size() || fail("cannot be written");
}

bool OutputFile::flush() {
  if (!failure_.empty()) return false;
  errno = 0;
  return std::fflush(file_.get()) == 0 || fail("cannot be written");
}

bool OutputFile::sync() {
  if (!flush()) return false;
  return ::fsync(::fileno(file_.get())) == 0 || errno == EINVAL || errno == EROFS ||
         fail("cannot be written");
}

bool OutputFile::rename_temporary() {
  char const* const from = temporary_->c_str();
  char const* const to = place_.path.c_str();
  bool const is_free = place_.kind == FilePlace::Kind::kFree;
  if (latecomer_ == Latecomer::kNew || (latecomer_ == Latecomer::kKeep && is_free)) {
    // link() replaces no file. Its other errors mean that the file system has no links.
    if (::link(from, to) == 0) return true;
    if (errno == EEXIST) return false;
    if (latecomer_ == Latecomer::kNew && ::access(to, F_OK) == 0) return errno = EEXIST, false;
  }
  if (::rename(from, to) != 0) return false;
  temporary_->clear();  // nothing to remove
  return true;
}

bool OutputFile::commit() {
  if (!flush()) return false;
  if (!temporary_) return true;
  errno = 0;
  if (::fsync(::fileno(file_.get())) != 0) return fail("cannot be written");
  if (!rename_temporary()) {
    (void)fail("cannot get its name");
    if (latecomer_ != Latecomer::kReplace) return false;
    // The result of a whole run stays, under the only name that it has.
    failure_ += "; the new one is " + *temporary_;
    temporary_->clear();
    return false;
  }
  temporary_.reset();
  sync_folder(folder_of(place_));
  return true;
}

bool OutputFile::close() {
  bool const committed = commit();
  errno = 0;
  bool const closed = std::fclose(file_.release()) == 0;
  return committed && (closed || fail("cannot be closed"));
}

std::string OutputFile::path_for_writer() const {
  if (temporary_) return *temporary_;
  return place_.is_stdout ? "/dev/fd/" + std::to_string(::fileno(file_.get())) : place_.path.string();
}

}  // namespace takt::cli
