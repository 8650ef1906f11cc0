// Replaces the global operator new of a program by one that can fill each new block with another byte and
// shift blocks against each other by slack. The operators stand in a source of their own: GCC would inline a
// replaced operator delete into its callers, and warn of a free() that does not match their operator new.
#pragma once

#include <cstdint>

namespace takt::determinism {

/// Off at the program's start.
void set_garbage(bool on) noexcept;
/// Number of blocks that were filled.
[[nodiscard]] std::uint64_t garbage_block_count() noexcept;

}  // namespace takt::determinism
