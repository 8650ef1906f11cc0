#include "cli/journal_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <utility>

#include "cli/output_file.h"

namespace takt::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kNumbersMax = 1'000'000;

fs::path folder_of(const std::string& path) {
  fs::path const parent = fs::path(path).parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

}  // namespace

std::string series_path(const std::string& path) {
  constexpr int kLinksMax = 40;  // as Linux
  fs::path at(path);
  std::error_code error;
  if (fs::exists(at, error) && !fs::is_regular_file(at, error)) return path;
  for (int links = 0; links < kLinksMax; ++links) {
    if (!fs::is_symlink(at, error)) return at.string();
    fs::path const target = fs::read_symlink(at, error);
    if (error) return path;
    at = folder_of(at.string()) / target;  // an absolute target replaces the folder
  }
  return path;
}

std::string numbered_path(const std::string& path, std::uint32_t number) {
  if (number == 1) return path;
  fs::path const whole(path);
  return (whole.parent_path() /
          (whole.stem().string() + '.' + std::to_string(number) + whole.extension().string()))
      .string();
}

std::vector<std::uint32_t> series_numbers(const std::string& path) {
  std::vector<std::uint32_t> numbers;
  std::error_code error;
  if (fs::exists(path, error)) numbers.push_back(1);
  std::string const stem = fs::path(path).stem().string() + '.';
  for (fs::directory_iterator at(folder_of(path), error), end; !error && at != end; at.increment(error)) {
    std::string const name = at->path().filename().string();
    if (!name.starts_with(stem)) continue;
    std::uint32_t number = 0;
    char const* const from = name.data() + stem.size();
    auto const read = std::from_chars(from, name.data() + name.size(), number);
    if (read.ec == std::errc() && number >= 2 && number <= kNumbersMax &&
        fs::path(numbered_path(path, number)).filename() == name)
      numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

Result<std::unique_ptr<JournalFiles>, server::FileError> JournalFiles::create(const std::string& path,
                                                                              OutputKind kind,
                                                                              std::uint64_t bytes_max) {
  std::unique_ptr<JournalFiles> files(new JournalFiles(path, bytes_max));
  auto first = FileSink::create(path, kind);
  if (!first) return first.error();
  files->first_ = *std::move(first);
  files->has_next_ = !files->first_->is_committed();  // a stream has its name at once, and no other
  return files;
}

Result<std::unique_ptr<JournalFiles>, server::FileError> JournalFiles::resume(const std::string& path,
                                                                              std::uint64_t bytes_max) {
  std::unique_ptr<JournalFiles> files(new JournalFiles(path, bytes_max));
  std::vector<std::uint32_t> const numbers = series_numbers(path);
  files->number_ = numbers.empty() ? 1 : numbers.back();
  if (!files->begin_next()) return server::FileError{files->failure_};
  for (std::uint32_t const number : numbers) files->bytes_ += files->size_of(number);
  return files;
}

JournalFiles::~JournalFiles() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool JournalFiles::fail(const char* what) {
  has_failed_ = true;
  std::lock_guard const lock(mutex_);
  failure_ = first_ != nullptr && !first_->failure().empty()
                 ? first_->failure()
                 : server::file_error(numbered_path(path_, number_), what);
  return false;
}

bool JournalFiles::write(std::span<const std::byte> bytes) {
  if (has_failed_) return false;
  bytes_ += bytes.size();
  if (first_ != nullptr) return first_->write(bytes) || fail("cannot be written");
  while (!bytes.empty()) {
    ssize_t const count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return fail("cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  // Earlier files are needed until the server has started and a resume can begin with this one.
  if (!std::exchange(has_image_, true) && may_remove_ && ::fsync(descriptor_) == 0) remove_oldest();
  return true;
}

bool JournalFiles::sync() {
  if (has_failed_) return false;
  if (first_ != nullptr) return first_->sync() || fail("cannot be written");
  return ::fsync(descriptor_) == 0 || fail("cannot be written");
}

bool JournalFiles::open_number(std::uint32_t number) {
  std::string const path = numbered_path(path_, number);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  std::lock_guard const lock(mutex_);
  number_ = number;
  return descriptor_ >= 0;
}

// A file that could not even take its first image is used again by the next attempt.
bool JournalFiles::begin_next() {
  if (!has_next_) return false;
  if (!has_failed_ && (first_ != nullptr || descriptor_ >= 0)) (void)sync();
  bool const is_empty = has_failed_ && descriptor_ >= 0 && !has_image_ && ::ftruncate(descriptor_, 0) == 0 &&
                        ::lseek(descriptor_, 0, SEEK_SET) == 0;
  has_failed_ = false;
  has_image_ = false;
  if (is_empty) return true;
  if (first_ != nullptr) (void)first_->close();
  first_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  for (std::uint32_t number = number_ + 1; number <= kNumbersMax; ++number) {
    if (open_number(number)) {
      sync_folder(folder_of(path_));
      return true;
    }
    if (errno != EEXIST) break;
  }
  return fail("cannot be created");
}

std::uint64_t JournalFiles::size_of(std::uint32_t number) const {
  std::error_code error;
  auto const size = fs::file_size(numbered_path(path_, number), error);
  return error ? 0 : static_cast<std::uint64_t>(size);
}

// The present file always stays.
void JournalFiles::remove_oldest() {
  if (bytes_max_ == 0) return;
  std::vector<std::uint32_t> const numbers = series_numbers(path_);
  std::uint64_t total = 0;
  for (std::uint32_t const number : numbers) total += size_of(number);
  // Room for the file that begins, which may grow to a quarter of the limit.
  for (std::uint32_t const number : numbers) {
    bytes_ = total;
    if (total + bytes_max_ / 4 <= bytes_max_ || number == number_) return;
    total -= size_of(number);
    std::error_code error;
    fs::remove(numbered_path(path_, number), error);
  }
}

void JournalFiles::discard() {
  if (descriptor_ < 0) return;
  (void)::unlink(path().c_str());
  ::close(std::exchange(descriptor_, -1));
}

bool JournalFiles::close() {
  if (first_ != nullptr) return first_->close() || fail("cannot be closed");
  if (descriptor_ < 0) return !has_failed_;
  int const descriptor = std::exchange(descriptor_, -1);
  return (::close(descriptor) == 0 || fail("cannot be closed")) && !has_failed_;
}

std::string JournalFiles::failure() const {
  std::lock_guard const lock(mutex_);
  return failure_;
}

std::string JournalFiles::path() const {
  std::lock_guard const lock(mutex_);
  return numbered_path(path_, number_);
}

Result<LastRecording, server::FileError> last_recording(const std::string& path) {
  std::vector<std::uint32_t> numbers = series_numbers(path);
  if (numbers.empty())
    return server::FileError{path + ": does not exist; --resume takes a recording of takt serve"};
  server::FileError first;
  for (std::size_t i = numbers.size(); i > 0; --i) {
    std::string const name = numbered_path(path, numbers[i - 1]);
    Result<OpenRecording, server::FileError> opened = open_recording(name);
    if (opened && JournalSpool::recover(path, name) > 0) opened = open_recording(name);
    if (opened) return LastRecording{name, *std::move(opened)};
    if (i < numbers.size()) continue;
    std::error_code error;
    auto const size = fs::file_size(name, error);
    first = opened.error();
    if (!error) first.text += "; the file ends after " + std::to_string(size) + " bytes";
  }
  return first;
}

}  // namespace takt::cli
