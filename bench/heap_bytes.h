// Heap memory of this program: heap_bytes.cpp replaces operator new by one that counts what malloc really
// returned. Memory that a library takes by malloc itself is not counted, unless the library uses
// counted_alloc.
#pragma once

#include <cstddef>

namespace takt::bench {

[[nodiscard]] std::size_t live_heap_bytes() noexcept;

/// For libraries that take an allocator.
[[nodiscard]] void* counted_alloc(std::size_t bytes);
void counted_free(void* memory) noexcept;

}  // namespace takt::bench
