// AlignedBuffer owns one block of 64-byte aligned memory, in which the solvers of contacts, point joints and
// tree batches place their constraint blocks. reserve() reuses the memory from tick to tick. A request above
// the capacity allocates one and a half times the requested bytes and frees the old block with its contents.
#pragma once

#include <cstddef>
#include <memory>

namespace takt {

class AlignedBuffer {
 public:
  /// Returns the start of at least `bytes` bytes of unspecified contents, valid until the next call. The
  /// pointer is null before the first request above 0.
  [[nodiscard]] std::byte* reserve(std::size_t bytes);

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace takt
