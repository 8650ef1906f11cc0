// Which contacts a body has: for solvers that go from body to body.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/contact_outline.h"

namespace takt {

/// The contacts of each body that impulses move, in order of their keys. Memory is reused.
class ContactLinks {
 public:
  void connect(std::span<const ContactOutline> contacts, std::size_t body_count) {
    starts_.assign(body_count + 1, 0);
    for (const ContactOutline& contact : contacts) {
      if (contact.pushed.body_a != kNoBody) ++starts_[contact.pushed.body_a + 1];
      if (contact.pushed.body_b != kNoBody) ++starts_[contact.pushed.body_b + 1];
    }
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    places_.resize(starts_.back());
    ends_.assign(starts_.begin(), starts_.end() - 1);
    for (std::uint32_t i = 0; i < contacts.size(); ++i) {
      ColouredPair const pushed = contacts[i].pushed;
      if (pushed.body_a != kNoBody) places_[ends_[pushed.body_a]++] = i;
      if (pushed.body_b != kNoBody) places_[ends_[pushed.body_b]++] = i;
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
