// AlignedBuffer owns one block of 64-byte aligned memory, in which contact and joint solvers place their
// constraint blocks. reserve() returns at least the requested number of bytes and reuses the memory from tick
// to tick. A request above the capacity allocates new memory, half as large again as the request; the old
// contents are lost.
#pragma once

#include <cstddef>
#include <memory>

namespace takt {

class AlignedBuffer {
 public:
  /// Returns at least `bytes` bytes, valid until the next call.
  [[nodiscard]] std::byte* reserve(std::size_t bytes);

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace takt
