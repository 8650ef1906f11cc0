// BlockAssignment gives each contact of a tick a lane in a constraint block (ContactBlock). graph_colouring.h
// first gives the contacts graph colours, so that contacts of one colour have no body in common that impulses
// move. The lanes of a block then hold contacts of one colour; a contact without a free colour has a block of
// its own. ContactSolver calls assign() once a tick. The result is a pure function of the contacts in key
// order (pair of shapes) and of the lane count.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/graph_colouring.h"
#include "physics/contacts/contact_graph.h"

namespace takt {

class BlockAssignment {
 public:
  /// Assigns all contacts, in key order, and replaces the last result. Special contacts
  /// (ContactBodies::special) get blocks after all others. `lanes` is the width of a block, above 0.
  void assign(std::span<const ContactBodies> contacts, std::size_t solver_body_count, std::uint32_t lanes);

  /// Lane i % lanes of block i / lanes has contact order[i], or none if that is kEmptyLane.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return order_; }
  /// Ranges of blocks, to be solved one after the other. Blocks of one range have no body in common that
  /// impulses move.
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
