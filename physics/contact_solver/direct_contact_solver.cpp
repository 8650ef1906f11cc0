#include "physics/contact_solver/direct_contact_solver.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "physics/base/parallel_for.h"

namespace takt {
namespace {

// A row may be implied by others (four corners of one face): each change costs this share of its own
// diagonal, so that there is one best answer. It is not softness: it weighs changes, not impulses, and leaves
// no error behind when passes repeat.
constexpr double kChangeCost = 1e-6;
// A normal row joins below this velocity error, m/s: what rounding leaves does not count.
constexpr double kPressedMS = -1e-9;
// The error of a row that is left to the impact solver: it asks for nothing.
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

/// What a normal row's velocity aims to undo: the kernels' bias of a rigid row.
template <class Real>
double bias_of(const ContactBlock<Real, 1>& block, const DirectRow& row, const SolverBody<Real>* bodies,
               const ContactParameters<Real>& parameters, bool use_bias) noexcept {
  const ContactRows<Real, 1>& normal = block.rows[row.part];
  double const separation = to_double(normal.separation[0]) + row_displacement(row, bodies);
  if (separation > to_double(normal.slop[0])) return separation * to_double(parameters.inverse_substep);
  return use_bias ? std::max(to_double(block.bias_rate[0]) * separation, -to_double(parameters.push_max))
                  : 0.0;
}

/// The friction limit of a contact, and how it changes along a round's line.
struct Limit {
  double value = 0.0;
  double change = 0.0;
};

/// Where |p + s d| first reaches the limit, s >= 0; more than 1 when not within the line.
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
    s_.shift.resize(count_);
    s_.impulses.resize(count_);
    s_.errors.resize(count_);
    s_.changes.assign(count_, 0.0);
    s_.taken.assign(count_, 0);
    for (std::uint32_t i = 0; i < count_; ++i) {
      ContactBlock<Real, 1>& block = block_of(i);
      s_.impulses[i] = to_double(impulse_of(block, rows_[i]));
      s_.errors[i] = row_velocity(rows_[i], bodies);
      if (rows_[i].kind == DirectRowKind::kTangent)
        s_.errors[i] += to_double(extras_at<Real>(memory_, rows_[i].contact).slide[rows_[i].part][0]);
      if (rows_[i].kind == DirectRowKind::kNormal) {
        bool const bounces = s_.errors[i] < to_double(block.restitution_speed[0]);
        s_.errors[i] =
            bounces ? kNotClosingMS : s_.errors[i] + bias_of(block, rows_[i], bodies, parameters, use_bias);
      }
      s_.shift[i] = kChangeCost * matrix_[profile_.at(i, i)];
    }
    s_.start = s_.impulses;
    // Normal rows that push or are pressed; friction that holds. What slides is left to the sweep.
    for (std::uint32_t i = 0; i < count_; ++i) s_.taken[i] = belongs(i) ? 1 : 0;
  }

  void run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      for (std::uint32_t i = 0; i < count_; ++i) s_.changes[i] = s_.taken[i] != 0 ? -s_.errors[i] : 0.0;
      if (problem_.factored) {
        problem_.factor.update(profile_, matrix_, s_.shift.data(), s_.taken.data());
      } else {
        problem_.factor.factor(profile_, matrix_, s_.shift.data(), s_.taken.data());
        problem_.factored = true;
      }
      problem_.factor.solve(s_.changes.data());
      std::uint32_t const blocking = advance();
      if (blocking < count_) {
        leave_out(blocking);
      } else if (!take_in_max_pressed()) {
        return;
      }
    }
  }

  /// Impulses into the blocks, velocities into the bodies.
  void store(SolverBody<Real>* bodies, std::span<const std::uint32_t> indices) {
    // Summed before they are rounded: what the two sides of a light body do to it nearly cancels.
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
    for (std::size_t i = 0; i < indices.size(); ++i) {
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

  [[nodiscard]] bool belongs(std::uint32_t i) const noexcept {
    if (rows_[i].kind == DirectRowKind::kNormal) return s_.impulses[i] > 0.0 || s_.errors[i] < kPressedMS;
    if (rows_[i].kind == DirectRowKind::kTwist) return std::abs(s_.impulses[i]) < twist_limit_of(i).value;
    std::uint32_t const first = i - rows_[i].part;
    double const limit = limit_of(i).value;
    return s_.impulses[first] * s_.impulses[first] + s_.impulses[first + 1] * s_.impulses[first + 1] <
           limit * limit;
  }

  /// How far a row allows to go, as a share of the round's changes.
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

  /// Goes along the changes to their end or to the first bound. The row of that bound, or the number of rows.
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

  /// A row on its bound stays there for the rest of the pass, unless it is a normal row that is pressed
  /// again.
  void leave_out(std::uint32_t row) noexcept {
    s_.taken[row] = 0;
    if (rows_[row].kind == DirectRowKind::kNormal) s_.impulses[row] = 0.0;
    if (rows_[row].kind == DirectRowKind::kTangent) s_.taken[row + 1] = 0;
  }

  bool take_in_max_pressed() noexcept {
    std::uint32_t pressed = count_;
    double min = kPressedMS;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (s_.taken[i] != 0 || rows_[i].kind != DirectRowKind::kNormal || s_.errors[i] >= min) continue;
      min = s_.errors[i];
      pressed = i;
    }
    if (pressed == count_) return false;
    s_.taken[pressed] = 1;
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
GroupBodies DirectContactSolver<Real>::name_bodies(const DirectProblem& problem) {
  auto const first = static_cast<std::uint32_t>(bodies_.size());
  auto const name = [&](RowSide& side) {
    if (!side.moves) return;
    auto const begin = bodies_.begin() + first;
    auto const slot = std::find(begin, bodies_.end(), side.body);
    side.local = static_cast<std::uint32_t>(slot - begin);
    if (slot == bodies_.end()) bodies_.push_back(side.body);
  };
  for (std::uint32_t i = problem.first_row; i < problem.end_row; ++i) {
    name(rows_[i].a);
    name(rows_[i].b);
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
    problem.profile.add_row(first);
    for (std::uint32_t j = first; j <= i; ++j) matrix_.push_back(coupling(row, rows_[problem.first_row + j]));
  }
}

/// Who solves which group is chance, and a steady tick allocates nothing whoever does: all workers' scratch
/// holds the largest.
template <class Real>
void DirectContactSolver<Real>::make_room(TaskPool* pool) {
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
         {&scratch.shift, &scratch.start, &scratch.impulses, &scratch.errors, &scratch.changes})
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
    body_ranges_.push_back(name_bodies(problem));
    build_matrix(problem);
  }
  clusters_.find(body_ranges_, bodies_);
  make_room(pool);
}

template <class Real>
void DirectContactSolver<Real>::solve_group(const DirectIteration<Real>& pass, std::uint32_t group,
                                            DirectScratch& scratch) {
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
