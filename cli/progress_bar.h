// ProgressBar draws the progress of a run on stderr: a bar, the tick and the time left. It appears if stderr
// is a terminal and the run takes longer than a second. The caller calls show() after every tick; the line is
// redrawn at most ten times a second. clear() and the destructor wipe the line. `takt run` and `takt replay
// verify` use ProgressBar.
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
