// ContactBodies describes one contact in 12 bytes: the bodies that its impulses move, and two flags. The
// flags are `special` (its constraint block needs ContactExtras) and `bounces` (restitution above 0).
// ContactLinks lists the contacts of each such body. Solvers scan these small arrays several times a tick; a
// PreparedContact has hundreds of bytes. ContactDetection fills one ContactBodies for each prepared contact.
// RestitutionSolver and ContactLoads each connect a ContactLinks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/graph_colouring.h"
#include "physics/contacts/prepared_contact.h"
#include "takt/core/assert.h"

namespace takt {

/// One contact in short; parallel to the prepared contacts.
struct ContactBodies {
  ColouredPair pushed{kNoBody, kNoBody};  ///< kNoBody for a static or kinematic body
  bool special = false;                   ///< PreparedContact::special
  bool bounces = false;                   ///< restitution above 0

  [[nodiscard]] bool moves_both() const noexcept {
    return pushed.body_a != kNoBody && pushed.body_b != kNoBody;
  }
};

/// The ContactBodies of a contact whose bodies, dynamic flags, `special` and restitution are set.
template <class Real>
[[nodiscard]] ContactBodies contact_bodies_of(const PreparedContact<Real>& contact) noexcept {
  return {{contact.dynamic_a ? contact.body_a : kNoBody, contact.dynamic_b ? contact.body_b : kNoBody},
          contact.special,
          contact.restitution > Real(0)};
}

/// The contacts of each dynamic body, ascending by key. connect() replaces all lists and reuses their memory.
class ContactLinks {
 public:
  /// `contacts` ascend by key; their solver indices are below `body_count`.
  void connect(std::span<const ContactBodies> contacts, std::size_t body_count) {
    starts_.assign(body_count + 1, 0);
    for (const ContactBodies& contact : contacts) {
      if (contact.pushed.body_a != kNoBody) ++starts_[contact.pushed.body_a + 1];
      if (contact.pushed.body_b != kNoBody) ++starts_[contact.pushed.body_b + 1];
    }
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    TAKT_ASSERT(starts_.back() <= 2 * contacts.size());
    indices_.resize(starts_.back());
    ends_.assign(starts_.begin(), starts_.end() - 1);
    for (std::uint32_t i = 0; i < contacts.size(); ++i) {
      ColouredPair const pushed = contacts[i].pushed;
      if (pushed.body_a != kNoBody) indices_[ends_[pushed.body_a]++] = i;
      if (pushed.body_b != kNoBody) indices_[ends_[pushed.body_b]++] = i;
    }
  }

  /// The contacts of a body, as indices in the span that connect() got, valid until the next connect().
  /// `body` is a solver index.
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t body) const noexcept {
    TAKT_VALIDATE(body + std::size_t{1} < starts_.size());
    return {indices_.data() + starts_[body], indices_.data() + starts_[body + 1]};
  }

 private:
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace takt
