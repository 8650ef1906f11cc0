// How often this program has asked the heap for memory: allocation_count.cpp replaces operator new with one
// that counts. It does not see malloc.
#pragma once

#include <cstdint>

namespace takt::test {

[[nodiscard]] std::uint64_t allocation_count() noexcept;

}  // namespace takt::test
