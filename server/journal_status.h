// JournalStatus has the counters of a Journal (journal.h), the recording of a room that runs. Server copies
// it into its status about once a second. JournalStatus is plain numbers.
#pragma once

#include <cstdint>

namespace takt::server {

/// Counters of a journal since its beginning.
struct JournalStatus {
  std::uint64_t written_bytes = 0;
  std::uint64_t lost_ticks = 0;      ///< stepped while the journal was suspended
  std::uint64_t failures = 0;        ///< of the store, and of a full queue
  std::uint64_t skipped_images = 0;  ///< had no room in the queue
  bool is_suspended = false;
  bool has_ended = false;  ///< for good: the store has no further file
};

}  // namespace takt::server
