// ProgressBar draws the progress of a run on stderr: a bar, the number of ticks done and the estimated time
// left. It appears if stderr is a terminal and the run takes longer than a second. The caller calls show()
// after every tick; the line is redrawn at most ten times a second. clear() and the destructor erase the
// line. `takt run` and `takt replay verify` use ProgressBar.
#pragma once

#include <cstdint>

namespace takt::cli {

class ProgressBar {
 public:
  /// `total` is the number of ticks; 0, or `wanted` false, means that nothing is drawn.
  ProgressBar(std::uint64_t total, bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `done` ticks of `total`, so at most `total`, in `elapsed_s` seconds since the start.
  void show(std::uint64_t done, double elapsed_s);
  /// Erases the line. The caller calls it before other output; the next show() draws the line again.
  void clear();

 private:
  std::uint64_t total_;
  bool enabled_;
  bool visible_ = false;
  double next_s_ = 1.0;
};

}  // namespace takt::cli
