// Which contacts a body has: for solvers that go from body to body.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/contact_block.h"

namespace takt {

/// The contacts of each body that impulses move, in order of their keys. Memory is reused.
class ContactLinks {
 public:
  template <class Real>
  void connect(std::span<const PreparedContact<Real>> contacts, std::size_t body_count) {
    starts_.assign(body_count + 1, 0);
    for (const PreparedContact<Real>& contact : contacts) {
      if (contact.dynamic_a) ++starts_[contact.body_a + 1];
      if (contact.dynamic_b) ++starts_[contact.body_b + 1];
    }
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    places_.resize(starts_.back());
    ends_.assign(starts_.begin(), starts_.end() - 1);
    for (std::uint32_t i = 0; i < contacts.size(); ++i) {
      if (contacts[i].dynamic_a) places_[ends_[contacts[i].body_a]++] = i;
      if (contacts[i].dynamic_b) places_[ends_[contacts[i].body_b]++] = i;
    }
  }

  /// Places in the contacts given to connect(). `body`: the solver's place.
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t body) const noexcept {
    return {places_.data() + starts_[body], places_.data() + starts_[body + 1]};
  }

 private:
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> places_;
};

}  // namespace takt
