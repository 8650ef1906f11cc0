// The contact solver by lane width: nanoseconds a contact of four points for one biased pass, for laying it
// into its block, and for reading it back.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "bench/numbers_name.h"
#include "physics/base/solver_constants.h"
#include "physics/constraints/softness.h"
#include "physics/contact_solver/contact_constraint.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

constexpr std::uint32_t kContacts = 512;

/// Unit boxes of a tonne in pairs, the upper one sinking into the lower: one colour, any width.
template <class Real>
class Pairs {
 public:
  explicit Pairs(std::uint32_t lanes) : kernels_(contact_kernels<Real>(lanes, kContacts)) {
    TAKT_ASSERT(kernels_.lanes == lanes);
    for (std::uint32_t i = 1; i <= 2 * kContacts; ++i) {
      masses_[i] = {to_mass<Real>(0.001), to_sym_mat<Real>({0.006, 0.006, 0.006, 0, 0, 0})};
      bodies_[i].linear_velocity[1] = i % 2 == 0 ? to_real<Real>(-0.04) : Real(0);
    }
    for (std::uint32_t i = 0; i < kContacts; ++i) {
      contacts_[i] = contact(2 * i + 1);
      order_.push_back(i);
    }
    parameters_.inverse_substep = Real(240);
    parameters_.push_max = Real(3);
    parameters_.soft =
        make_softness<Real>(240 * kContactHertzPerSubstepRate, kContactDampingRatio, 1.0 / 240);
    parameters_.soft_static = parameters_.soft;
    memory_.resize(block_count() * kernels_.block_bytes + 64);
    auto const misfit = reinterpret_cast<std::uintptr_t>(memory_.data()) % 64;
    blocks_ = memory_.data() + (misfit == 0 ? 0 : 64 - misfit);
    fill();
  }

  void fill() {
    kernels_.fill(kernels_, {blocks_, nullptr, block_count()}, 0, block_count(), task(), parameters_);
  }
  void solve() {
    kernels_.solve({blocks_, nullptr, block_count()}, 0, block_count(), bodies_.data(), parameters_, true);
  }
  void store_impulses() {
    (void)kernels_.store_impulses(kernels_, {blocks_, nullptr, block_count()}, 0, block_count(), task());
  }
  /// Normal impulse of the first contact, N s.
  [[nodiscard]] double impulse_n_s() const { return to_double(contacts_[0].impulses[0]); }

 private:
  static PreparedContact<Real> contact(std::uint32_t lower) {
    PreparedContact<Real> contact;
    contact.body_a = lower;
    contact.body_b = lower + 1;
    contact.dynamic_a = contact.dynamic_b = true;
    contact.cached.delta_center = {Real(0), Real(1), Real(0)};
    contact.friction = to_real<Real>(0.6);
    contact.manifold.normal = {Real(0), Real(1), Real(0)};
    contact.manifold.point_count = 4;
    Real const half = to_real<Real>(0.5);
    for (std::uint32_t p = 0; p < 4; ++p) {
      contact.manifold.points[p].position = {(p & 1u) != 0 ? half : -half, half,
                                             (p & 2u) != 0 ? half : -half};
      contact.manifold.points[p].separation = to_real<Real>(-0.001);
      contact.manifold.points[p].feature = p;
    }
    return contact;
  }
  [[nodiscard]] ContactTask<Real> task() { return {order_, contacts_, masses_, bodies_}; }
  [[nodiscard]] std::size_t block_count() const { return kContacts / kernels_.lanes; }

  const ContactKernels<Real>& kernels_;
  std::vector<SolverBody<Real>> bodies_{2 * kContacts + 1};
  std::vector<SolverMass<Real>> masses_{2 * kContacts + 1};
  std::vector<PreparedContact<Real>> contacts_{kContacts};
  std::vector<std::uint32_t> order_;
  ContactParameters<Real> parameters_;
  std::vector<std::byte> memory_;
  std::byte* blocks_ = nullptr;
};

template <class Real, class Work>
void measure(benchmark::State& state, Work work) {
  Pairs<Real> pairs(static_cast<std::uint32_t>(state.range(0)));
  for (auto _ : state) {
    work(pairs);
    benchmark::ClobberMemory();
  }
  pairs.solve();
  pairs.store_impulses();
  TAKT_ASSERT(pairs.impulse_n_s() > 0);  // otherwise nothing was pushed and nothing measured
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kContacts);
}

template <class Real>
void register_widths(std::vector<std::int64_t> const& widths) {
  auto const add = [&](const char* name, auto work) {
    auto* const made = benchmark::RegisterBenchmark(
        bench::named<Real>(name).c_str(), [=](benchmark::State& state) { measure<Real>(state, work); });
    made->ArgName("lanes");
    for (std::int64_t const lanes : widths) made->Arg(lanes);
  };
  add("contacts x 512/solve", [](Pairs<Real>& pairs) { pairs.solve(); });
  add("contacts x 512/fill", [](Pairs<Real>& pairs) { pairs.fill(); });
  add("contacts x 512/read back", [](Pairs<Real>& pairs) { pairs.store_impulses(); });
}

[[maybe_unused]] const bool kRegistered = [] {
  register_widths<float>({1, 4, 8, 16});
  register_widths<Fixed>({1, 8});
  return true;
}();

}  // namespace
}  // namespace takt
