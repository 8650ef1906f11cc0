// 64-byte aligned memory that grows and is reused: the solver's blocks. Its contents do not survive a growth.
#pragma once

#include <cstddef>
#include <memory>

namespace takt {

class AlignedBuffer {
 public:
  /// At least `bytes` long, valid until the next call.
  [[nodiscard]] std::byte* reserve(std::size_t bytes);

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace takt
