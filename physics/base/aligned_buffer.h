// AlignedBuffer owns one block of 64-byte aligned memory, in which the solvers of contacts, point joints and
// tree batches place their constraint blocks. reserve() returns at least the requested number of bytes and
// reuses the memory from tick to tick. A request above the capacity allocates one and a half times the
// requested bytes; the old contents are lost.
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
