#include "physics/base/aligned_buffer.h"

#include <new>

namespace takt {

void AlignedBuffer::Free::operator()(std::byte* memory) const noexcept {
  ::operator delete (memory, std::align_val_t{64});
}

std::byte* AlignedBuffer::reserve(std::size_t bytes) {
  if (bytes > capacity_) {
    std::size_t const grown = bytes + bytes / 2;
    memory_.reset(static_cast<std::byte*>(::operator new (grown, std::align_val_t{64})));
    capacity_ = grown;
  }
  return memory_.get();
}

}  // namespace takt
