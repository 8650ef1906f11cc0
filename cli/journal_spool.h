// JournalSpool keeps the newest chunks of a server's recording in shared memory, which outlives a crash of
// the process. A chunk is stored when keep() returns, so a crash in the step that follows loses no input.
// recover() appends chunks to the file of the recording that lacks them. The memory is a file of /dev/shm,
// named after the recording's path. A restart of the machine or the container erases it, but not what the
// journal has synced to disk. Chunks are written and not mapped: a full /dev/shm, or a file that somebody
// truncates, loses chunks, where a mapped page would end the process by a signal (SIGBUS). Without /dev/shm
// nothing is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace takt::cli {

class JournalSpool {
 public:
  static constexpr std::size_t kSlots = 64;
  static constexpr std::size_t kSlotBytes = 64 * 1024;  ///< keep() ignores a longer chunk

  /// Creates the spool of that recording, or empties an existing one.
  explicit JournalSpool(const std::string& recording_path);
  ~JournalSpool();  ///< removes the spool, which an orderly end does not need
  JournalSpool(const JournalSpool&) = delete;
  JournalSpool& operator=(const JournalSpool&) = delete;

  /// Stores a chunk in place of the oldest one. keep() waits for no disk. A chunk that finds no memory is
  /// lost.
  void keep(std::span<const std::byte> chunk) noexcept;

  /// The file of /dev/shm for that recording.
  [[nodiscard]] static std::string memory_path(const std::string& recording_path);

  /// Appends to `file_path`, a file of the recording, those chunks of the spool of `recording_path` that
  /// continue it. A damaged end of the file is cut off first, if a chunk continues what is before it. Returns
  /// the number of appended chunks; 0 for a closed recording and for the spool of another user.
  static std::size_t recover(const std::string& recording_path, const std::string& file_path);

 private:
  std::string name_;
  int descriptor_ = -1;  // -1 = there is no shared memory
  std::size_t next_slot_ = 0;
};

}  // namespace takt::cli
