#include "cli/progress_bar.h"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace takt::cli {

ProgressBar::ProgressBar(std::uint64_t total, bool wanted)
    : total_(total), enabled_(wanted && total > 0 && ::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(std::uint64_t done, double elapsed_s) {
  if (!enabled_ || elapsed_s < next_s_) return;
  next_s_ = elapsed_s + 0.1;
  visible_ = true;
  constexpr std::size_t kWidth = 30;
  double const part = static_cast<double>(done) / static_cast<double>(total_);
  auto const filled = static_cast<std::size_t>(part * kWidth);
  double const left_s =
      done > 0 ? elapsed_s * static_cast<double>(total_ - done) / static_cast<double>(done) : 0;
  std::string const bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r[%s] %3.0f %%  tick %llu of %llu  %.0f s left \x1b[K", bar.c_str(), part * 100,
               static_cast<unsigned long long>(done), static_cast<unsigned long long>(total_), left_s);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!visible_) return;
  visible_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace takt::cli
