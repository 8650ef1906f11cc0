#include "physics/contact_solver/direct_contact_rows.h"

#include "takt/core/assert.h"

namespace takt {
namespace {

template <class R>
Vec3<double> only_lane(const R (&v)[3][1]) noexcept {
  return {to_double(v[0][0]), to_double(v[1][0]), to_double(v[2][0])};
}

FloatSymMat matrix_of(const InertiaLanes<float, 1>& inertia) noexcept {
  FloatSymMat m;
  for (std::size_t i = 0; i < 6; ++i) m.m[i] = inertia.m[i][0];
  return m;
}
const FixedSymMat& matrix_of(const InertiaLanes<Fixed, 1>& inertia) noexcept { return inertia.m[0]; }

template <class Real>
RowBody row_body(std::uint32_t body, bool moves, Mass<Real> inverse_mass,
                 const InertiaLanes<Real, 1>& inertia) noexcept {
  double const m = to_double(inverse_mass);
  return {body, moves, {m, m, m}, to_sym_mat64(matrix_of(inertia))};
}

}  // namespace

template <class Real>
void append_direct_rows(const ContactBlock<Real, 1>& block, std::uint32_t contact,
                        std::vector<DirectRow>& rows) {
  TAKT_ASSERT(block.row_count >= 1 && block.row_count <= 4);
  RowBody const a =
      row_body<Real>(block.body_a[0], block.writes_a != 0, block.inverse_mass_a[0], block.inverse_inertia_a);
  RowBody const b =
      row_body<Real>(block.body_b[0], block.writes_b != 0, block.inverse_mass_b[0], block.inverse_inertia_b);
  // The row whose velocity is linear . (v_b - v_a) + rb_cross_n . w_b - ra_cross_n . w_a.
  auto const append = [&](DirectRowKind kind, std::uint32_t part, Vec3<double> linear,
                          Vec3<double> ra_cross_n, Vec3<double> rb_cross_n) {
    rows.push_back({contact, part, kind, a.side(-linear, -ra_cross_n), b.side(linear, rb_cross_n)});
  };
  Vec3<double> const n = only_lane(block.normal);
  for (std::uint32_t r = 0; r < block.row_count; ++r) {
    append(DirectRowKind::kNormal, r, n, only_lane(block.rows[r].ra_cross_n),
           only_lane(block.rows[r].rb_cross_n));
  }
  Vec3<double> const r_a = only_lane(block.r_a);
  Vec3<double> const r_b = only_lane(block.r_b);
  Vec3<double> const t1 = only_lane(block.tangent);
  Vec3<double> const t2 = cross(n, t1);
  append(DirectRowKind::kTangent, 0, t1, cross(r_a, t1), cross(r_b, t1));
  append(DirectRowKind::kTangent, 1, t2, cross(r_a, t2), cross(r_b, t2));
  if (block.twist_radius[0] > Real(0)) append(DirectRowKind::kTwist, 0, {}, n, n);
}

double coupling(const DirectRow& effect, const DirectRow& cause) noexcept {
  return side_coupling(effect.a, cause.a) + side_coupling(effect.a, cause.b) +
         side_coupling(effect.b, cause.a) + side_coupling(effect.b, cause.b);
}

bool share_a_body(const DirectRow& first, const DirectRow& second) noexcept {
  auto const same = [](const RowSide& x, const RowSide& y) { return x.moves && y.moves && x.body == y.body; };
  return same(first.a, second.a) || same(first.a, second.b) || same(first.b, second.a) ||
         same(first.b, second.b);
}

template <class Real>
double row_velocity(const DirectRow& row, const SolverBody<Real>* bodies) noexcept {
  return side_velocity(row.a, bodies) + side_velocity(row.b, bodies);
}
template <class Real>
double row_displacement(const DirectRow& row, const SolverBody<Real>* bodies) noexcept {
  return side_displacement(row.a, bodies) + side_displacement(row.b, bodies);
}

#define TAKT_INSTANTIATE(Real)                                                                            \
  template void append_direct_rows(const ContactBlock<Real, 1>&, std::uint32_t, std::vector<DirectRow>&); \
  template double row_velocity(const DirectRow&, const SolverBody<Real>*) noexcept;                       \
  template double row_displacement(const DirectRow&, const SolverBody<Real>*) noexcept;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
