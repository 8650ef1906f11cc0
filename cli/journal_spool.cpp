#include "cli/journal_spool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <map>
#include <vector>

#include "cli/recording_file.h"
#include "sim/recording/journal_chunks.h"
#include "takt/core/hash.h"

namespace takt::cli {
namespace {

constexpr std::size_t kBytes = JournalSpool::kSlots * JournalSpool::kSlotBytes;

std::string name_of(const std::string& recording_path) {
  std::error_code error;
  std::string const path =
      std::filesystem::weakly_canonical(std::filesystem::absolute(recording_path, error), error).string();
  char name[64];
  std::snprintf(name, sizeof name, "/takt-%016" PRIx64 ".spool", hash_bytes(std::as_bytes(std::span(path))));
  return name;
}

// Another user's file of that name is not used.
int open_own(const std::string& name, int flags) {
  int const descriptor = ::shm_open(name.c_str(), flags | O_CLOEXEC, 0600);
  if (descriptor < 0) return -1;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid())
    return descriptor;
  ::close(descriptor);
  return -1;
}

}  // namespace

JournalSpool::JournalSpool(const std::string& recording_path) : name_(name_of(recording_path)) {
  // A stream is resumed by nobody.
  std::error_code error;
  auto const type = std::filesystem::status(recording_path, error).type();
  if (recording_path == "-" ||
      (type != std::filesystem::file_type::regular && type != std::filesystem::file_type::not_found))
    return;
  int const descriptor = open_own(name_, O_RDWR | O_CREAT);
  if (descriptor < 0) return;
  // Chunks of an earlier process would continue the wrong file. All memory is allocated now, so that other
  // users of /dev/shm cannot take it later.
  if (::ftruncate(descriptor, 0) != 0 || ::posix_fallocate(descriptor, 0, kBytes) != 0) {
    ::close(descriptor);
    ::shm_unlink(name_.c_str());
    return;
  }
  descriptor_ = descriptor;
}

JournalSpool::~JournalSpool() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::shm_unlink(name_.c_str());
}

void JournalSpool::keep(std::span<const std::byte> chunk) noexcept {
  if (descriptor_ < 0 || chunk.size() > kSlotBytes) return;
  auto const offset = static_cast<off_t>(next_slot_ * kSlotBytes);
  // A chunk that is not whole fails its checksum.
  (void)!::pwrite(descriptor_, chunk.data(), chunk.size(), offset);
  next_slot_ = (next_slot_ + 1) % kSlots;
}

std::string JournalSpool::memory_path(const std::string& recording_path) {
  return "/dev/shm" + name_of(recording_path);
}

std::size_t JournalSpool::recover(const std::string& recording_path, const std::string& file_path) {
  int const descriptor = open_own(name_of(recording_path), O_RDONLY);
  if (descriptor < 0) return 0;
  // Bytes behind the end of a truncated file stay zero: the last chunk in it is whole, but not its slot.
  std::vector<std::byte> bytes(kBytes);
  for (std::size_t at = 0; at < kBytes;) {
    ssize_t const count = ::pread(descriptor, bytes.data() + at, kBytes - at, static_cast<off_t>(at));
    if (count <= 0) break;
    at += static_cast<std::size_t>(count);
  }
  ::close(descriptor);
  // Whole chunks of inputs by their first tick. A torn one fails its checksum.
  std::map<std::uint64_t, std::span<const std::byte>> chunks;
  for (std::size_t at = 0; at < kBytes; at += kSlotBytes) {
    std::span<const std::byte> const slot = std::span(bytes).subspan(at, kSlotBytes);
    auto const chunk = sim::find_inputs(slot);
    if (chunk) chunks[chunk->first_tick] = slot.first(chunk->size_bytes);
  }
  std::size_t appended = 0;
  for (;;) {
    auto opened = open_recording(file_path);
    if (!opened || opened->reader.info().closed) return appended;
    auto const next = chunks.find(opened->reader.info().end_tick);
    if (next == chunks.end()) return appended;
    std::error_code error;
    std::filesystem::resize_file(file_path, opened->reader.info().cut_at_bytes, error);
    std::FILE* const file = error ? nullptr : std::fopen(file_path.c_str(), "ab");
    if (file == nullptr) return appended;
    bool const is_written =
        std::fwrite(next->second.data(), 1, next->second.size(), file) == next->second.size();
    if (std::fclose(file) != 0 || !is_written) return appended;
    ++appended;
  }
}

}  // namespace takt::cli
