#include "physics/base/aligned_buffer.h"

#include <cstdint>
#include <new>

#include "takt/core/assert.h"

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
  TAKT_VALIDATE(reinterpret_cast<std::uintptr_t>(memory_.get()) % 64 == 0);
  return memory_.get();
}

}  // namespace takt
