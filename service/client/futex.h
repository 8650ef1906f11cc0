// Waits and wakes of threads at words of memory: futex(2) of Linux. Words of shared memory have the same name
// in each program that maps them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace takt::service {

/// Wakes the threads of all programs that wait at the word.
void wake_at(std::atomic<std::uint32_t>& word) noexcept;
/// Waits while the word has the value: until wake_at(), the limit, or a signal.
void wait_at(std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::nanoseconds limit) noexcept;
/// Waits while both words have their values: until wake_at() of one, or a signal.
void wait_at_either(std::atomic<std::uint32_t>& a, std::uint32_t value_a, std::atomic<std::uint32_t>& b,
                    std::uint32_t value_b) noexcept;
/// True when the system has wait_at_either(): Linux 5.16, unless a sandbox forbids it.
[[nodiscard]] bool can_wait_at_either() noexcept;

}  // namespace takt::service
