#include "crypto/sodium.h"

#include <sodium.h>

#include "takt/core/assert.h"

namespace takt::crypto {

void start_sodium() {
  static const bool kStarted = sodium_init() >= 0;
  TAKT_ASSERT(kStarted);
}

}  // namespace takt::crypto
