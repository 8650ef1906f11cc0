// BlockAssignment gives each contact of a tick a lane in a constraint block (ContactBlock). graph_colouring.h
// first gives the contacts graph colours, so that contacts of one colour share no moving body. The lanes of a
// block then hold contacts of one colour; a contact without a free colour has a block of its own.
// ContactSolver calls assign() once a tick. The result is a pure function of the contacts in key order (pair
// of shapes) and of the lane count.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/graph_colouring.h"
#include "physics/contacts/contact_graph.h"

namespace takt {

class BlockAssignment {
 public:
  /// Special contacts get blocks behind all others.
  void assign(std::span<const ContactBodies> contacts, std::size_t solver_body_count, std::uint32_t lanes);

  /// Contact order[i] has lane i % lanes of block i / lanes.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return order_; }
  /// Blocks of one range share no moving body. Ranges are solved in order of their colours.
  [[nodiscard]] std::span<const BlockRange> ranges() const noexcept { return ranges_; }
  [[nodiscard]] const BlockLayout& layout() const noexcept { return layout_; }

 private:
  [[nodiscard]] bool are_disjoint(std::span<const ContactBodies> contacts, std::size_t solver_body_count,
                                  std::uint32_t lanes);

  std::vector<std::uint64_t> colour_masks_;  ///< by solver body: bits of the colours that it has
  std::vector<std::uint8_t> colours_;        ///< by contact
  std::vector<std::uint32_t> order_;
  std::vector<BlockRange> ranges_;
  std::vector<std::size_t> range_of_body_;  ///< scratch of are_disjoint()
  BlockLayout layout_;
};

}  // namespace takt
