// JournalStatus has the counters of a Journal (journal.h), the recording of a room that runs. Server copies
// it into its status about once a second. JournalStatus is plain data.
#pragma once

#include <cstdint>

namespace takt::server {

/// Counters of a journal since its beginning.
struct JournalStatus {
  std::uint64_t written_bytes = 0;
  std::uint64_t lost_ticks = 0;       ///< ticks whose inputs are in no file, because of a failure
  std::uint64_t failures = 0;         ///< times that it was suspended or ended: by the store or a full queue
  std::uint64_t skipped_images = 0;   ///< images that had no room in the queue
  std::uint64_t store_bytes = 0;      ///< of all its files together, with earlier ones
  std::uint64_t store_bytes_max = 0;  ///< the limit above which the oldest files go; 0 = no limit
  bool is_suspended = false;          ///< from a failure until the first image of the next file
  bool has_ended = false;             ///< for good: after close(), or a failure without a next file
};

}  // namespace takt::server
