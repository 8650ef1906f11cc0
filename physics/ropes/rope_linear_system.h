// One linear solve over a chain of nodes: block tridiagonal, symmetric positive definite, by L D L^T in
// O(nodes), without pivots and in one written order. This is what a pass over a rope is (docs/ROPES.md): the
// segments all at once, instead of one after another.
//
// It knows nothing of worlds: rope_solver.cpp fills it.
#pragma once

#include <cstddef>
#include <vector>

#include "physics/constraints/constraint_row.h"

namespace takt {

/// The inverse of a symmetric positive definite matrix, by its own L D L^T.
[[nodiscard]] SymMat64 inverse_of(const SymMat64& matrix) noexcept;

/// A node's row: diagonal, right-hand side; `held` nodes do not move. The solution takes the place of the
/// right-hand side.
struct ChainNode {
  SymMat64 diagonal{};
  Vec3<double> value;
  bool held = false;
};

/// What couples a node with the next: axial n n^T + lateral (I - n n^T) in both diagonals (added here), its
/// negative beside them.
struct ChainLink {
  Vec3<double> normal;  ///< unit
  double axial = 0.0;
  double lateral = 0.0;
};

class RopeChain {
 public:
  std::vector<ChainNode> nodes;
  std::vector<ChainLink> links;  ///< one less than nodes

  /// Puts the solution into nodes[i].value.
  void solve();

 private:
  std::vector<SymMat64> inverses_;
};

}  // namespace takt
