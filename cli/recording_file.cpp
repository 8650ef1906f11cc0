#include "cli/recording_file.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>

#include "takt/core/bytes.h"

namespace takt::cli {

Result<std::unique_ptr<FileSink>, server::FileError> FileSink::create(const std::string& path,
                                                                      OutputKind kind) {
  Latecomer const latecomer = kind == OutputKind::kForcedRecording ? Latecomer::kReplace : Latecomer::kKeep;
  Result<OutputFile, server::FileError> file = OutputFile::create(path, latecomer);
  if (!file) return file.error();
  return std::unique_ptr<FileSink>(new FileSink(*std::move(file)));
}

bool FileSink::write(std::span<const std::byte> bytes) {
  std::lock_guard const lock(mutex_);
  return file_.write(bytes) && file_.flush();
}

bool FileSink::sync() {
  std::lock_guard const lock(mutex_);
  return file_.sync();
}

bool FileSink::commit() {
  std::lock_guard const lock(mutex_);
  return file_.commit();
}

bool FileSink::close() {
  std::lock_guard const lock(mutex_);
  return file_.close();
}

Result<FileSource, server::FileError> FileSource::open(const std::string& path) {
  errno = 0;
  File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return server::FileError{server::file_error(path, "cannot be opened")};
  struct stat status {};
  if (::fstat(::fileno(file.get()), &status) != 0)
    return server::FileError{server::file_error(path, "cannot be read")};
  if (!S_ISREG(status.st_mode)) return server::FileError{path + ": is not a file"};
  return FileSource(std::move(file), static_cast<std::uint64_t>(status.st_size));
}

bool FileSource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_bytes_ || out.size() > size_bytes_ - offset) return false;
  return ::fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) == 0 &&
         std::fread(out.data(), 1, out.size(), file_.get()) == out.size();
}

Result<OpenRecording, server::FileError> open_recording(const std::string& path) {
  Result<FileSource, server::FileError> source = FileSource::open(path);
  if (!source) return source.error();
  auto held = std::make_unique<FileSource>(*std::move(source));
  Result<sim::RecordingReader, sim::SimError> reader = sim::RecordingReader::open(*held);
  if (!reader) return server::FileError{path + ": " + std::string(message(reader.error()))};
  return OpenRecording{std::move(held), *std::move(reader)};
}

bool is_recording(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  Result<FileSource, server::FileError> const source = FileSource::open(path);
  std::array<std::byte, 8> head{};
  return source && source->read(0, head) &&
         load_little_endian<std::uint64_t>(head.data()) == sim::kRecordingMagic;
}

}  // namespace takt::cli
