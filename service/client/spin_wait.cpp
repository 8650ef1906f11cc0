#include "service/client/spin_wait.h"

#include <sched.h>

namespace takt::service {

std::uint32_t processor_count() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return CPU_SETSIZE;  // it has more than 1,024
  return static_cast<std::uint32_t>(std::max(CPU_COUNT(&set), 1));
}

}  // namespace takt::service
