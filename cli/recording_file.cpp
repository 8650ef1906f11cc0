#include "cli/recording_file.h"

#include <sys/stat.h>

#include <cerrno>

namespace takt::cli {

Result<FileSink, server::FileError> FileSink::create(const std::string& path) {
  errno = 0;
  File file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) return server::FileError{server::file_error(path, "cannot be created")};
  return FileSink(path, std::move(file));
}

bool FileSink::write(std::span<const std::byte> bytes) {
  errno = 0;
  bool const written = std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size() &&
                       std::fflush(file_.get()) == 0;
  if (!written && failure_.empty()) failure_ = server::file_error(path_, "cannot be written");
  return written;
}

bool FileSink::close() {
  errno = 0;
  bool const closed = std::fclose(file_.release()) == 0;
  if (!closed && failure_.empty()) failure_ = server::file_error(path_, "cannot be closed");
  return closed;
}

Result<FileSource, server::FileError> FileSource::open(const std::string& path) {
  errno = 0;
  File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return server::FileError{server::file_error(path, "cannot be opened")};
  struct stat status {};
  if (::fstat(::fileno(file.get()), &status) != 0)
    return server::FileError{server::file_error(path, "cannot be read")};
  if (!S_ISREG(status.st_mode)) return server::FileError{path + ":0: is not a file"};
  return FileSource(std::move(file), static_cast<std::uint64_t>(status.st_size));
}

bool FileSource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_bytes_ || out.size() > size_bytes_ - offset) return false;
  return ::fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) == 0 &&
         std::fread(out.data(), 1, out.size(), file_.get()) == out.size();
}

}  // namespace takt::cli
