// JournalSpool keeps the newest chunks of a server's recording in shared memory, where they outlive the
// process. A chunk is there as soon as keep() returns, without a call of the system, so a crash in the step
// that follows loses no input. recover() appends chunks to the file of the recording that lacks them. The
// memory is a file of /dev/shm, named after the recording's path. It ends with the machine or the container;
// what was synced is on the disk by then. Where there is no /dev/shm, nothing is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace takt::cli {

class JournalSpool {
 public:
  static constexpr std::size_t kSlots = 64;
  static constexpr std::size_t kSlotBytes = 64 * 1024;  ///< a longer chunk is not kept; pages come with use

  /// Empties the spool of that recording, or makes it.
  explicit JournalSpool(const std::string& recording_path);
  ~JournalSpool();  ///< removes it: the process ends as it should
  JournalSpool(const JournalSpool&) = delete;
  JournalSpool& operator=(const JournalSpool&) = delete;

  /// Replaces the oldest chunk. Neither waits nor fails.
  void keep(std::span<const std::byte> chunk) noexcept;

  /// Appends to the file those chunks of `recording_path`'s spool that continue it, and cuts a damaged end
  /// before. Returns the number of chunks.
  static std::size_t recover(const std::string& recording_path, const std::string& file_path);

 private:
  std::string name_;
  std::byte* memory_ = nullptr;  // null = there is no shared memory
  std::size_t next_slot_ = 0;
};

}  // namespace takt::cli
