// What is asked of all contacts again and again within a tick: which bodies they move. A few bytes each,
// where a prepared contact takes hundreds.
//
// Which contacts a body has: for solvers that go from body to body.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/graph_colouring.h"
#include "physics/contacts/prepared_contact.h"

namespace takt {

/// Parallel to the prepared contacts.
struct ContactBodies {
  ColouredPair pushed{kNoBody, kNoBody};
  bool special = false;
  bool bounces = false;

  [[nodiscard]] bool moves_both() const noexcept {
    return pushed.body_a != kNoBody && pushed.body_b != kNoBody;
  }
};

template <class Real>
[[nodiscard]] ContactBodies contact_bodies_of(const PreparedContact<Real>& contact) noexcept {
  return {{contact.dynamic_a ? contact.body_a : kNoBody, contact.dynamic_b ? contact.body_b : kNoBody},
          contact.special,
          contact.restitution > Real(0)};
}

/// The contacts of each body that impulses move, in order of their keys. Memory is reused.
class ContactLinks {
 public:
  void connect(std::span<const ContactBodies> contacts, std::size_t body_count) {
    starts_.assign(body_count + 1, 0);
    for (const ContactBodies& contact : contacts) {
      if (contact.pushed.body_a != kNoBody) ++starts_[contact.pushed.body_a + 1];
      if (contact.pushed.body_b != kNoBody) ++starts_[contact.pushed.body_b + 1];
    }
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    indices_.resize(starts_.back());
    ends_.assign(starts_.begin(), starts_.end() - 1);
    for (std::uint32_t i = 0; i < contacts.size(); ++i) {
      ColouredPair const pushed = contacts[i].pushed;
      if (pushed.body_a != kNoBody) indices_[ends_[pushed.body_a]++] = i;
      if (pushed.body_b != kNoBody) indices_[ends_[pushed.body_b]++] = i;
    }
  }

  /// Places in the contacts given to connect(). `body`: the solver's place.
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t body) const noexcept {
    return {indices_.data() + starts_[body], indices_.data() + starts_[body + 1]};
  }

 private:
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace takt
