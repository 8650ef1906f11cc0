#include "physics/ropes/rope_linear_system.h"

#include "takt/core/assert.h"

namespace takt {
namespace {

/// A pivot below this fraction of its diagonal entry is what cancellation left of it: 2^-50, 4 roundings.
constexpr double kPivotRounding = 0x1p-50;
/// No pivot of a node is below its mass but for rounding. Below this fraction of it rounding has won.
constexpr double kMassFraction = 0.5;

/// The pivot, or its rounding error where the pivot is smaller. The factor is positive definite thus.
double pivot_of(double pivot, double diagonal) noexcept {
  double const floor = kPivotRounding * diagonal;
  return pivot > floor ? pivot : floor;
}

/// Inverts m by L D L^T. Returns false when a pivot is below `min`.
bool invert(const SymMat64& m, double min, SymMat64& inverse) noexcept {
  double const d0 = 1.0 / m[0];
  double const l1 = m[3] * d0;
  double const l2 = m[4] * d0;
  double const pivot1 = m[1] - l1 * m[3];
  double const d1 = 1.0 / pivot_of(pivot1, m[1]);
  double const rest = m[5] - l2 * m[3];
  double const l3 = rest * d1;
  double const pivot2 = m[2] - l2 * m[4] - l3 * rest;
  double const d2 = 1.0 / pivot_of(pivot2, m[2]);
  // Rows of the inverse of L: (1), (-l1, 1), (k, -l3, 1).
  double const k = l1 * l3 - l2;
  inverse = {d0 + l1 * l1 * d1 + k * k * d2, d1 + l3 * l3 * d2, d2, -l1 * d1 - k * l3 * d2, k * d2, -l3 * d2};
  return m[0] >= min && pivot1 >= min && pivot2 >= min;
}

/// (lateral I + (axial - lateral) n n^T) v.
Vec3<double> coupled(const ChainLink& link, Vec3<double> v) noexcept {
  return v * link.lateral + link.normal * ((link.axial - link.lateral) * dot(link.normal, v));
}

void add(SymMat64& to, const ChainLink& link) noexcept {
  double const c = link.axial - link.lateral;
  Vec3<double> const n = link.normal;
  to[0] += link.lateral + c * n.x * n.x;
  to[1] += link.lateral + c * n.y * n.y;
  to[2] += link.lateral + c * n.z * n.z;
  to[3] += c * n.x * n.y;
  to[4] += c * n.x * n.z;
  to[5] += c * n.y * n.z;
}

/// Subtracts S G S, with S the coupling and G symmetric. With u = G n and e = n . u it is b^2 G + b c (n u^T
/// + u n^T) + c^2 e n n^T.
void reduce(SymMat64& from, const ChainLink& link, const SymMat64& g) noexcept {
  double const b = link.lateral;
  double const c = link.axial - link.lateral;
  Vec3<double> const n = link.normal;
  Vec3<double> const u = multiply(g, n);
  double const bb = b * b;
  double const bc = b * c;
  double const cce = c * c * dot(n, u);
  from[0] -= bb * g[0] + 2.0 * bc * n.x * u.x + cce * n.x * n.x;
  from[1] -= bb * g[1] + 2.0 * bc * n.y * u.y + cce * n.y * n.y;
  from[2] -= bb * g[2] + 2.0 * bc * n.z * u.z + cce * n.z * n.z;
  from[3] -= bb * g[3] + bc * (n.x * u.y + n.y * u.x) + cce * n.x * n.y;
  from[4] -= bb * g[4] + bc * (n.x * u.z + n.z * u.x) + cce * n.x * n.z;
  from[5] -= bb * g[5] + bc * (n.y * u.z + n.z * u.y) + cce * n.y * n.z;
}

}  // namespace

SymMat64 inverse_of(const SymMat64& m) noexcept {
  TAKT_VALIDATE(!(m[0] <= 0.0));
  SymMat64 inverse;
  (void)invert(m, 0.0, inverse);
  return inverse;
}

void RopeLinearSystem::solve() {
  std::size_t const count = nodes.size();
  TAKT_ASSERT(count >= 1 && links.size() + 1 == count);
  inverses_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    ChainNode& node = nodes[i];
    if (node.held) {
      inverses_[i] = {};
      node.value = {};
      continue;
    }
    SymMat64 diagonal = node.diagonal;
    if (i + 1 < count) add(diagonal, links[i]);
    SymMat64 const alone = diagonal;
    if (i > 0) {
      add(diagonal, links[i - 1]);
      reduce(diagonal, links[i - 1], inverses_[i - 1]);
      node.value += coupled(links[i - 1], multiply(inverses_[i - 1], nodes[i - 1].value));
    }
    // The nodes before only stiffen a node. Where rounding makes more of it than the node's mass, the node
    // goes without them: it yields more, and by no more than its mass allows.
    if (!invert(diagonal, kMassFraction * mass, inverses_[i])) (void)invert(alone, 0.0, inverses_[i]);
  }
  for (std::size_t i = count; i-- > 0;) {
    if (i + 1 < count) nodes[i].value += coupled(links[i], nodes[i + 1].value);
    nodes[i].value = multiply(inverses_[i], nodes[i].value);
  }
}

}  // namespace takt
