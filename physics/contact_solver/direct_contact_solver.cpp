#include "physics/contact_solver/direct_contact_solver.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "physics/base/parallel_for.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Regularisation of redundant rows (four corners of one face): each impulse change costs this fraction of the
// row's diagonal, so that the minimum is unique. It is not softness: it weighs changes, not impulses, and
// repeated passes leave no error.
constexpr double kChangeCost = 1e-6;
// A normal row becomes active below this velocity error, m/s; smaller errors are rounding.
constexpr double kClosingMS = -1e-9;
// Velocity error of a row that the restitution solver handles: never active.
constexpr double kNotClosingMS = 1e6;
// Rounds of the active set, each with a factorisation.
constexpr int kMaxRounds = 24;

template <class Real>
ContactBlock<Real, 1>& block_at(const BlockMemory& memory, std::size_t index) noexcept {
  using Block = ContactBlock<Real, 1>;
  return *std::launder(reinterpret_cast<Block*>(memory.blocks + index * sizeof(Block)));
}
template <class Real>
const ContactExtras<Real, 1>& extras_at(const BlockMemory& memory, std::size_t index) noexcept {
  using Extras = ContactExtras<Real, 1>;
  return *std::launder(reinterpret_cast<const Extras*>(memory.extras + index * sizeof(Extras)));
}

template <class Real>
Real& impulse_of(ContactBlock<Real, 1>& block, const DirectRow& row) noexcept {
  switch (row.kind) {
    case DirectRowKind::kNormal: return block.rows[row.part].impulse[0];
    case DirectRowKind::kTangent: return block.tangent_impulse[row.part][0];
    default: return block.twist_impulse[0];
  }
}

/// Velocity bias of a normal row: that of the contact kernels for a rigid row, m/s.
template <class Real>
double bias_of(const ContactBlock<Real, 1>& block, const DirectRow& row, const SolverBody<Real>* bodies,
               const ContactParameters<Real>& parameters, bool use_bias) noexcept {
  const ContactRows<Real, 1>& normal = block.rows[row.part];
  double const separation = to_double(normal.separation[0]) + row_displacement(row, bodies);
  if (separation > to_double(normal.slop[0])) return separation * to_double(parameters.inverse_substep);
  return use_bias ? std::max(to_double(block.bias_rate[0]) * separation, -to_double(parameters.push_max))
                  : 0.0;
}

/// The friction limit of a contact and its change over a full step of the round, N s.
struct Limit {
  double value = 0.0;
  double change = 0.0;
};

/// The step fraction s >= 0 at which |p + s d| reaches the limit; above 1 if it does not within the step.
double reach_in_cone(double p1, double p2, double d1, double d2, Limit limit) noexcept {
  double const a = d1 * d1 + d2 * d2 - limit.change * limit.change;
  double const b = p1 * d1 + p2 * d2 - limit.value * limit.change;
  double const c = p1 * p1 + p2 * p2 - limit.value * limit.value;
  if (c >= 0.0) return 0.0;
  double const root = b * b - a * c;
  if (root < 0.0) return 2.0;
  double const denominator = b + std::sqrt(root);
  return denominator > 0.0 ? -c / denominator : 2.0;
}

/// One pass over one group.
template <class Real>
class DirectPass {
 public:
  DirectPass(DirectProblem& problem, const DirectRow* rows, const double* matrix, const BlockMemory& memory,
             DirectScratch& scratch)
      : problem_(problem),
        profile_(problem.profile),
        rows_(rows),
        matrix_(matrix),
        memory_(memory),
        s_(scratch),
        count_(problem.end_row - problem.first_row) {}

  void begin(const SolverBody<Real>* bodies, const ContactParameters<Real>& parameters, bool use_bias) {
    s_.regularization.resize(count_);
    s_.impulses.resize(count_);
    s_.errors.resize(count_);
    s_.changes.assign(count_, 0.0);
    s_.taken.assign(count_, 0);
    for (std::uint32_t i = 0; i < count_; ++i) {
      ContactBlock<Real, 1>& block = block_of(i);
      s_.impulses[i] = to_double(impulse_of(block, rows_[i]));
      TAKT_VALIDATE(rows_[i].a.moves || rows_[i].b.moves);
      s_.errors[i] = row_velocity(rows_[i], bodies);
      if (rows_[i].kind == DirectRowKind::kTangent)
        s_.errors[i] += to_double(extras_at<Real>(memory_, rows_[i].contact).slide[rows_[i].part][0]);
      if (rows_[i].kind == DirectRowKind::kNormal) {
        bool const bounces = s_.errors[i] < to_double(block.restitution_speed[0]);
        s_.errors[i] =
            bounces ? kNotClosingMS : s_.errors[i] + bias_of(block, rows_[i], bodies, parameters, use_bias);
      }
      s_.regularization[i] = kChangeCost * matrix_[profile_.at(i, i)];
      TAKT_VALIDATE(!(s_.regularization[i] <= 0.0));  // pivots are at least half of the shift
    }
    s_.start = s_.impulses;
    TAKT_VALIDATE(is_feasible());
    // Active: normal rows with an impulse or a closing velocity, and sticking friction. Sliding friction is
    // left to the Gauss-Seidel pass.
    for (std::uint32_t i = 0; i < count_; ++i) s_.taken[i] = is_active(i) ? 1 : 0;
  }

  void run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      for (std::uint32_t i = 0; i < count_; ++i) s_.changes[i] = s_.taken[i] != 0 ? -s_.errors[i] : 0.0;
      if (problem_.factored) {
        problem_.factor.update(profile_, matrix_, s_.regularization.data(), s_.taken.data());
      } else {
        problem_.factor.factor(profile_, matrix_, s_.regularization.data(), s_.taken.data());
        problem_.factored = true;
      }
      problem_.factor.solve(s_.changes.data());
      std::uint32_t const blocking = advance();
      if (blocking < count_) {
        deactivate(blocking);
      } else if (!activate_fastest()) {
        return;
      }
    }
  }

  /// Stores impulses in the blocks and velocities in the bodies.
  void store(SolverBody<Real>* bodies, std::span<const std::uint32_t> indices) {
    // Summed before rounding: the impulses on both sides of a light body nearly cancel.
    s_.velocity_changes.assign(2 * indices.size(), {});
    for (std::uint32_t i = 0; i < count_; ++i) {
      double const change = s_.impulses[i] - s_.start[i];
      if (change == 0.0) continue;
      ContactBlock<Real, 1>& block = block_of(i);
      Real& impulse = impulse_of(block, rows_[i]);
      impulse = to_real<Real>(s_.impulses[i]);
      for (const RowSide* side : {&rows_[i].a, &rows_[i].b}) {
        if (!side->moves) continue;
        s_.velocity_changes[2 * side->local] += side->linear_change * change;
        s_.velocity_changes[2 * side->local + 1] += side->angular_change * change;
      }
    }
    TAKT_VALIDATE(is_feasible());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      TAKT_ASSERT(indices[i] != 0);
      add(bodies[indices[i]].linear_velocity, s_.velocity_changes[2 * i]);
      add(bodies[indices[i]].angular_velocity, s_.velocity_changes[2 * i + 1]);
    }
  }

 private:
  static void add(Real (&to)[4], Vec3<double> change) noexcept {
    to[0] = to_real<Real>(to_double(to[0]) + change.x);
    to[1] = to_real<Real>(to_double(to[1]) + change.y);
    to[2] = to_real<Real>(to_double(to[2]) + change.z);
  }

  [[nodiscard]] ContactBlock<Real, 1>& block_of(std::uint32_t row) const noexcept {
    return block_at<Real>(memory_, rows_[row].contact);
  }

  /// True if no normal impulse is below 0. NaN passes: its body is quarantined.
  [[nodiscard]] bool is_feasible() const noexcept {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (rows_[i].kind == DirectRowKind::kNormal && s_.impulses[i] < 0.0) return false;
    }
    return true;
  }

  /// mu x the sum of the normal impulses of the row's contact.
  [[nodiscard]] Limit limit_of(std::uint32_t row) const noexcept {
    std::uint32_t first = row;
    while (first > 0 && rows_[first - 1].contact == rows_[row].contact) --first;
    Limit sum;
    for (std::uint32_t i = first; rows_[i].kind == DirectRowKind::kNormal; ++i) {
      sum.value += s_.impulses[i];
      sum.change += s_.changes[i];
    }
    double const friction = to_double(block_of(row).friction[0]);
    return {friction * sum.value, friction * sum.change};
  }
  [[nodiscard]] Limit twist_limit_of(std::uint32_t row) const noexcept {
    Limit const limit = limit_of(row);
    double const radius = to_double(block_of(row).twist_radius[0]);
    return {radius * limit.value, radius * limit.change};
  }

  [[nodiscard]] bool is_active(std::uint32_t i) const noexcept {
    if (rows_[i].kind == DirectRowKind::kNormal) return s_.impulses[i] > 0.0 || s_.errors[i] < kClosingMS;
    if (rows_[i].kind == DirectRowKind::kTwist) return std::abs(s_.impulses[i]) < twist_limit_of(i).value;
    std::uint32_t const first = i - rows_[i].part;
    double const limit = limit_of(i).value;
    return s_.impulses[first] * s_.impulses[first] + s_.impulses[first + 1] * s_.impulses[first + 1] <
           limit * limit;
  }

  /// The step fraction at which a row reaches its bound.
  [[nodiscard]] double reach_of(std::uint32_t i) const noexcept {
    double const impulse = s_.impulses[i];
    double const change = s_.changes[i];
    if (rows_[i].kind == DirectRowKind::kNormal) return change < 0.0 ? impulse / -change : 2.0;
    if (rows_[i].kind == DirectRowKind::kTwist)
      return reach_in_cone(impulse, 0.0, change, 0.0, twist_limit_of(i));
    return rows_[i].part == 0
               ? reach_in_cone(impulse, s_.impulses[i + 1], change, s_.changes[i + 1], limit_of(i))
               : 2.0;
  }

  /// Steps along the changes to their end or to the first bound. Returns the row of that bound, or the row
  /// count.
  std::uint32_t advance() {
    double reach = 1.0;
    std::uint32_t blocking = count_;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (s_.taken[i] == 0) continue;
      double const at = reach_of(i);
      if (at >= reach) continue;
      reach = at;
      blocking = i;
    }
    for (std::uint32_t i = 0; i < count_; ++i) {
      s_.changes[i] *= reach;
      s_.impulses[i] += s_.changes[i];
    }
    const double* const changes = s_.changes.data();
    double* const errors = s_.errors.data();
    for (std::uint32_t i = 0; i < count_; ++i) {
      std::uint32_t const first = profile_.first(i);
      const double* const entries = matrix_ + profile_.at(i, first);
      double const change = changes[i];
      double error = errors[i];
      for (std::uint32_t j = first; j < i; ++j) {
        error += entries[j - first] * changes[j];
        errors[j] += entries[j - first] * change;
      }
      errors[i] = error + entries[i - first] * change;
    }
    return blocking;
  }

  /// A row on its bound stays inactive for the rest of the pass, unless it is a normal row that closes again.
  void deactivate(std::uint32_t row) noexcept {
    s_.taken[row] = 0;
    if (rows_[row].kind == DirectRowKind::kNormal) s_.impulses[row] = 0.0;
    if (rows_[row].kind == DirectRowKind::kTangent) s_.taken[row + 1] = 0;
  }

  bool activate_fastest() noexcept {
    std::uint32_t fastest = count_;
    double min = kClosingMS;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (s_.taken[i] != 0 || rows_[i].kind != DirectRowKind::kNormal || s_.errors[i] >= min) continue;
      min = s_.errors[i];
      fastest = i;
    }
    if (fastest == count_) return false;
    s_.taken[fastest] = 1;
    return true;
  }

  DirectProblem& problem_;
  const Profile& profile_;
  const DirectRow* rows_;
  const double* matrix_;
  const BlockMemory& memory_;
  DirectScratch& s_;
  std::uint32_t count_;
};

}  // namespace

template <class Real>
GroupBodies DirectContactSolver<Real>::number_bodies(const DirectProblem& problem) {
  auto const first = static_cast<std::uint32_t>(bodies_.size());
  auto const number = [&](RowSide& side) {
    if (!side.moves) return;
    auto const begin = bodies_.begin() + first;
    auto const slot = std::find(begin, bodies_.end(), side.body);
    side.local = static_cast<std::uint32_t>(slot - begin);
    if (slot == bodies_.end()) bodies_.push_back(side.body);
  };
  for (std::uint32_t i = problem.first_row; i < problem.end_row; ++i) {
    number(rows_[i].a);
    number(rows_[i].b);
  }
  return {first, static_cast<std::uint32_t>(bodies_.size())};
}

template <class Real>
void DirectContactSolver<Real>::build_matrix(DirectProblem& problem) {
  problem.profile.clear();
  problem.factored = false;
  problem.matrix = matrix_.size();
  std::uint32_t const count = problem.end_row - problem.first_row;
  for (std::uint32_t i = 0; i < count; ++i) {
    const DirectRow& row = rows_[problem.first_row + i];
    std::uint32_t first = 0;
    while (first < i && !share_a_body(row, rows_[problem.first_row + first])) ++first;
    TAKT_VALIDATE(!(coupling(row, row) <= 0.0));
    problem.profile.add_row(first);
    for (std::uint32_t j = first; j <= i; ++j) matrix_.push_back(coupling(row, rows_[problem.first_row + j]));
  }
}

/// Any worker may solve any group, so every worker's scratch is sized for the largest group. A steady tick
/// then allocates nothing.
template <class Real>
void DirectContactSolver<Real>::reserve_scratch(TaskPool* pool) {
  std::size_t const workers = pool == nullptr ? 1 : pool->worker_count();
  if (scratch_.size() < workers) scratch_.resize(workers);
  std::size_t rows = 0;
  std::size_t bodies = 0;
  for (std::size_t g = 0; g < problem_count_; ++g) {
    rows = std::max<std::size_t>(rows, problems_[g].end_row - problems_[g].first_row);
    bodies = std::max<std::size_t>(bodies, body_ranges_[g].end - body_ranges_[g].first);
  }
  for (DirectScratch& scratch : scratch_) {
    for (std::vector<double>* const list :
         {&scratch.regularization, &scratch.start, &scratch.impulses, &scratch.errors, &scratch.changes})
      list->reserve(rows);
    scratch.taken.reserve(rows);
    scratch.velocity_changes.reserve(2 * bodies);
  }
}

template <class Real>
void DirectContactSolver<Real>::prepare(const BlockMemory& memory, TaskPool* pool) {
  rows_.clear();
  bodies_.clear();
  body_ranges_.clear();
  matrix_.clear();
  problem_count_ = groups_.ends.size();
  if (problems_.size() < problem_count_) problems_.resize(problem_count_);
  std::uint32_t contact = 0;
  for (std::size_t g = 0; g < problem_count_; ++g) {
    DirectProblem& problem = problems_[g];
    problem.first_row = static_cast<std::uint32_t>(rows_.size());
    for (; contact < groups_.ends[g]; ++contact) {
      ContactBlock<Real, 1>& block = block_at<Real>(memory, contact);
      block.mass_scale[0] = Real(1);
      block.impulse_scale[0] = Real(0);
      block.friction_impulse_scale[0] = Real(0);
      block.anchor_rate[0] = Real(0);
      append_direct_rows(block, contact, rows_);
    }
    problem.end_row = static_cast<std::uint32_t>(rows_.size());
    TAKT_ASSERT(contact == groups_.ends[g] && problem.end_row > problem.first_row);
    body_ranges_.push_back(number_bodies(problem));
    build_matrix(problem);
  }
  TAKT_ASSERT(contact == groups_.contacts.size());
  clusters_.find(body_ranges_, bodies_);
  reserve_scratch(pool);
}

template <class Real>
void DirectContactSolver<Real>::solve_group(const DirectIteration<Real>& pass, std::uint32_t group,
                                            DirectScratch& scratch) {
  TAKT_ASSERT(group < problem_count_ && pass.kernels.lanes == 1);
  DirectProblem& problem = problems_[group];
  DirectPass<Real> direct(problem, rows_.data() + problem.first_row, matrix_.data() + problem.matrix,
                          pass.memory, scratch);
  direct.begin(pass.bodies, pass.parameters, pass.use_bias);
  direct.run();
  GroupBodies const bodies = body_ranges_[group];
  direct.store(pass.bodies, std::span(bodies_).subspan(bodies.first, bodies.end - bodies.first));
}

template <class Real>
void DirectContactSolver<Real>::solve(const DirectIteration<Real>& pass) {
  parallel_for(pass.pool, clusters_.size(), 1, [&](std::size_t first, std::size_t end, std::uint32_t worker) {
    TAKT_ASSERT(worker < scratch_.size());
    for (std::size_t cluster = first; cluster < end; ++cluster) {
      for (std::uint32_t const group : clusters_.groups_of(cluster))
        solve_group(pass, group, scratch_[worker]);
      for (std::uint32_t const group : clusters_.groups_of(cluster)) {
        std::size_t const begin = group == 0 ? 0 : groups_.ends[group - 1];
        pass.kernels.solve(pass.memory, begin, groups_.ends[group], pass.bodies, pass.parameters,
                           pass.use_bias);
      }
    }
  });
}

template class DirectContactSolver<float>;
template class DirectContactSolver<Fixed>;

}  // namespace takt
