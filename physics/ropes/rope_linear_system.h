// RopeLinearSystem is the linear system of one rope: block tridiagonal and symmetric positive definite. It
// has a 3 x 3 block per node (ChainNode) and a coupling per segment (ChainLink). solve() factorises the
// system as L D L^T in O(nodes), without pivoting and always in the same order of operations. RopeSolver
// fills the system from segments, pins and contacts before each solve, and solves it up to six times in a
// pass (docs/ROPES.md). A pass thus treats all segments of a rope at once instead of one after another.
// Matrices are in kg, right-hand sides in kg m, solutions (displacements) in m. RopeScratch has one
// RopeLinearSystem, which the ropes of a world use in turn.
#pragma once

#include <cstddef>
#include <vector>

#include "physics/constraints/constraint_row.h"

namespace takt {

/// The inverse of a symmetric positive definite matrix, by L D L^T. The first entry must be positive
/// (validated). Where cancellation leaves nothing of a pivot (a matrix that is singular but for rounding),
/// the pivot's rounding error takes its place: the inverse is large there, but positive definite.
[[nodiscard]] SymMat64 inverse_of(const SymMat64& matrix) noexcept;

/// One row of the system: diagonal block without the parts of links, and right-hand side, which the solution
/// replaces. Nodes that are `held` do not move: their solution is 0.
struct ChainNode {
  SymMat64 diagonal{};
  Vec3<double> value;
  bool held = false;
};

/// Coupling of a node with the next. solve() adds axial n n^T + lateral (I - n n^T) to both diagonals; its
/// negative is the off-diagonal block.
struct ChainLink {
  Vec3<double> normal;  ///< unit
  double axial = 0.0;
  double lateral = 0.0;
};

class RopeLinearSystem {
 public:
  std::vector<ChainNode> nodes;
  std::vector<ChainLink> links;  ///< one less than nodes
  double mass = 0.0;             ///< of a node, kg: no diagonal has a smaller eigenvalue

  /// Replaces nodes[i].value by the solution. There is at least one node (asserted). `nodes` and `links` keep
  /// all else.
  void solve();

 private:
  std::vector<SymMat64> inverses_;
};

}  // namespace takt
