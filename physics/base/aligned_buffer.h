// AlignedBuffer: 64-byte aligned memory that grows and is reused, for the solver's constraint blocks.
// Contents are lost when it grows.
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
