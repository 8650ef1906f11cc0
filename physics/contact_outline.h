// What is asked of all contacts again and again within a tick: which bodies they move. A few bytes each, where a prepared contact takes hundreds.
#pragma once

#include "physics/colouring.h"
#include "physics/contact_block.h"

namespace takt {

/// Parallel to the prepared contacts.
struct ContactOutline {
  ColouredPair pushed{kNoBody, kNoBody};
  bool special = false;
  bool bounces = false;

  [[nodiscard]] bool moves_both() const noexcept { return pushed.body_a != kNoBody && pushed.body_b != kNoBody; }
};

template <class Real>
[[nodiscard]] ContactOutline outline_of(const PreparedContact<Real>& contact) noexcept {
  return {
      {contact.dynamic_a ? contact.body_a : kNoBody, contact.dynamic_b ? contact.body_b : kNoBody}, contact.special, contact.restitution > Real(0)};
}

}  // namespace takt
