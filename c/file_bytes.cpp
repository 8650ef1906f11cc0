#include "c/file_bytes.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace takt::c {
namespace {

FileFault fault_of(const std::string& path, const char* what) {
  int const reason = errno;
  return {path + ": " + what + (reason != 0 ? std::string(": ") + std::strerror(reason) : std::string())};
}

// The system would open another file: a path of the system ends at its first zero byte.
bool has_zero_byte(const std::string& path) { return path.find('\0') != std::string::npos; }

FileFault zero_byte_fault(const std::string& path) {
  return {path.substr(0, path.find('\0')) +
          ": the path goes on with a zero byte, which no file name has: remove it"};
}

constexpr int kMaxAttempts = 1000;  // temporary names; a process that was killed leaves one

}  // namespace

Result<std::unique_ptr<FileSink>, FileFault> FileSink::create(const std::string& path) {
  if (has_zero_byte(path)) return zero_byte_fault(path);
  std::error_code code;
  std::filesystem::file_status const present = std::filesystem::status(path, code);
  std::unique_ptr<FileSink> sink(new FileSink(path));
  errno = 0;
  if (std::filesystem::exists(present)) {
    // A rename needs no permission of the file that it replaces, so a read-only file is refused here.
    bool const is_file = std::filesystem::is_regular_file(present);
    sink->file_.reset(std::fopen(path.c_str(), is_file ? "r+b" : "wb"));
    if (!sink->file_) return fault_of(path, "cannot be created");
    if (!is_file) return sink;
    sink->file_.reset();
    sink->path_ = std::filesystem::canonical(path, code).string();  // the file of a symbolic link
    if (code) return FileFault{path + ": cannot be created: " + code.message()};
  }
  for (int attempt = 0; attempt < kMaxAttempts && !sink->file_; ++attempt) {
    sink->temporary_ = sink->path_ + "." + std::to_string(attempt) + ".tmp";
    errno = 0;
    sink->file_.reset(std::fopen(sink->temporary_.c_str(), "wbx"));
    if (!sink->file_ && errno != EEXIST) break;
  }
  if (!sink->file_) return fault_of(path, "cannot be created");
  if (std::filesystem::exists(present))
    std::filesystem::permissions(sink->temporary_, present.permissions(), code);
  return sink;
}

FileSink::~FileSink() {
  if (file_ && !temporary_.empty()) (void)std::remove(temporary_.c_str());
}

Result<Unit, FileFault> FileSink::commit() {
  errno = 0;
  if (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0)
    return fault_of(path_, "cannot get its name");
  temporary_.clear();
  return Unit{};
}

bool FileSink::add_edit(std::size_t bytes) noexcept {
  if (bytes > kEditBytesMax - edit_bytes_) return false;
  edit_bytes_ += bytes;
  return true;
}

bool FileSink::write(std::span<const std::byte> bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size() &&
         std::fflush(file_.get()) == 0;
}

bool FileSink::close() { return std::fclose(file_.release()) == 0; }

Result<std::unique_ptr<FileSource>, FileFault> FileSource::open(const std::string& path) {
  if (has_zero_byte(path)) return zero_byte_fault(path);
  std::error_code code;
  if (std::filesystem::exists(path, code) && !std::filesystem::is_regular_file(path, code))
    return FileFault{path + ": is no regular file"};
  errno = 0;
  File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return fault_of(path, "cannot be opened");
  std::uintmax_t const size = std::filesystem::file_size(path, code);
  if (code) return FileFault{path + ": has no size: " + code.message()};
  return std::unique_ptr<FileSource>(new FileSource(std::move(file), size));
}

bool FileSource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_bytes_ || out.size() > size_bytes_ - offset) return false;
  return std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) == 0 &&
         std::fread(out.data(), 1, out.size(), file_.get()) == out.size();
}

Result<std::string, FileFault> read_file(const std::string& path, std::size_t max_bytes) {
  auto const source = FileSource::open(path);
  if (!source) return source.error();
  std::uint64_t const size = (*source)->size_bytes();
  if (size > max_bytes)
    return FileFault{path + ": too large: at most " + std::to_string(max_bytes) + " bytes are allowed"};
  std::string text(size, '\0');
  errno = 0;
  if (!(*source)->read(0, std::as_writable_bytes(std::span(text)))) return fault_of(path, "cannot be read");
  return text;
}

Result<std::string, sim::SceneFileError> SceneFolder::read(std::string_view name, std::size_t max) const {
  Result<std::string, FileFault> text = read_file((folder_ / name).string(), max);
  if (!text) return sim::SceneFileError{text.error().text};
  return *std::move(text);
}

}  // namespace takt::c
