// Linear system of a chain of nodes: block tridiagonal, symmetric positive definite. It is solved by L D L^T
// in O(nodes), without pivoting and in one written order. One solve is one pass over a rope (docs/ROPES.md):
// all segments at once instead of one after another.
//
// rope_solver.cpp fills the system; worlds are unknown here.
#pragma once

#include <cstddef>
#include <vector>

#include "physics/constraints/constraint_row.h"

namespace takt {

/// The inverse of a symmetric positive definite matrix, by its own L D L^T.
[[nodiscard]] SymMat64 inverse_of(const SymMat64& matrix) noexcept;

/// One row of the system: diagonal block and right-hand side, which the solution replaces. Nodes that are
/// `held` do not move.
struct ChainNode {
  SymMat64 diagonal{};
  Vec3<double> value;
  bool held = false;
};

/// Coupling of a node with the next. axial n n^T + lateral (I - n n^T) is added to both diagonals; its
/// negative is the off-diagonal block.
struct ChainLink {
  Vec3<double> normal;  ///< unit
  double axial = 0.0;
  double lateral = 0.0;
};

class RopeChain {
 public:
  std::vector<ChainNode> nodes;
  std::vector<ChainLink> links;  ///< one less than nodes

  /// Replaces nodes[i].value by the solution.
  void solve();

 private:
  std::vector<SymMat64> inverses_;
};

}  // namespace takt
