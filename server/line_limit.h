// LineLimit decides which log lines about one kind of trouble are written, where clients decide how many
// there are: so many a second, and so many at once. It counts the lines that are left out. The caller writes
// the lines and passes the time. One thread at a time uses a LineLimit.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "protocol/link/rate_limiter.h"

namespace takt::server {

class LineLimit {
 public:
  LineLimit(std::uint32_t lines_per_s, std::uint32_t burst, std::uint64_t now_us)
      : lines_(lines_per_s, burst, now_us) {}

  /// The number of lines that were left out since the last one that was written; none = leave this one out.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t now_us) {
    if (lines_.take(now_us)) return std::exchange(left_out_, 0);
    ++left_out_;
    return std::nullopt;
  }

 private:
  protocol::TokenBucket lines_;
  std::uint64_t left_out_ = 0;
};

}  // namespace takt::server
