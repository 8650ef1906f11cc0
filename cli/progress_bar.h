// A progress bar on stderr: only on a terminal, only for runs that take longer than a second, gone without a
// trace at the end.
#pragma once

#include <cstdint>

namespace takt::cli {

class ProgressBar {
 public:
  /// `total` steps; `wanted` false keeps it silent.
  ProgressBar(std::uint64_t total, bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `elapsed_s` since the start.
  void show(std::uint64_t done, double elapsed_s);
  /// Wipes the line, before something else is printed.
  void clear();

 private:
  std::uint64_t total_;
  bool enabled_;
  bool visible_ = false;
  double next_s_ = 1.0;
};

}  // namespace takt::cli
