#include <algorithm>

#include "physics/base/slot_pool.h"
#include "physics/base/solver_constants.h"
#include "physics/base/union_find.h"
#include "physics/contact_solver/mass_ratio_groups.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

template <class M>
double mass_of(M inverse) noexcept {
  return is_positive(inverse) ? 1.0 / to_double(inverse) : 0.0;
}

/// True if the direct solver supports the contact. It has no locked axes, jointed bodies, soft
/// materials or surface velocities; such contacts stay in the Gauss-Seidel blocks.
template <class Real>
bool is_plain(const PreparedContact<Real>& contact) noexcept {
  return !contact.locked && !contact.joined && contact.soft_a == nullptr && contact.soft_b == nullptr &&
         contact.slide == Vec3<Real>{};
}

/// True if the contact carries load, or may within the tick.
template <class Real>
bool touches(const PreparedContact<Real>& contact) noexcept {
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    if (contact.impulses[i] > Real(0) || contact.manifold.points[i].separation <= to_real<Real>(kLinearSlopM))
      return true;
  }
  return false;
}

/// The sum of the normal impulses of all points, N s a substep.
template <class Real>
double normal_impulse(const PreparedContact<Real>& contact) noexcept {
  double sum = 0.0;
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) sum += to_double(contact.impulses[i]);
  return sum;
}

/// The maximum closing speed of the contact's points, m/s.
template <class Real>
double closing_speed(const PreparedContact<Real>& contact, const SolverBody<Real>& a,
                     const SolverBody<Real>& b) noexcept {
  Vec3<double> const normal = to_double(contact.manifold.normal);
  Vec3<double> const delta_center = to_double(contact.cached.delta_center);
  double fastest = 0.0;
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    Vec3<double> const r_a = to_double(contact.manifold.points[i].position);
    Vec3<double> const velocity_a =
        doubles_of(a.linear_velocity) + cross(doubles_of(a.angular_velocity), r_a);
    Vec3<double> const velocity_b =
        doubles_of(b.linear_velocity) + cross(doubles_of(b.angular_velocity), r_a - delta_center);
    double const speed = dot(normal, velocity_a - velocity_b);
    if (i == 0 || speed > fastest) fastest = speed;
  }
  return fastest;
}

/// Load of a heavy body on a light one: none, carried in the last tick, or closing within this tick.
enum class HighRatioContact : std::uint8_t { kNone, kCarried, kComing };

template <class Real>
class GroupSearch {
 public:
  GroupSearch(const MassRatioInput<Real>& input, MassRatioGroups& groups) : input_(input), groups_(groups) {}

  /// True if one body is more than kHighMassRatio times heavier than the other.
  [[nodiscard]] bool has_high_mass_ratio(const ContactBodies& contact) const noexcept {
    if (!contact.moves_both()) return false;
    double const a = groups_.masses[contact.pushed.body_a];
    double const b = groups_.masses[contact.pushed.body_b];
    return a > 0.0 && b > 0.0 && (a > kHighMassRatio * b || b > kHighMassRatio * a);
  }

  /// The load of the heavier body on the lighter one.
  [[nodiscard]] HighRatioContact load_of(const PreparedContact<Real>& contact) const noexcept {
    if (!is_plain(contact) || !touches(contact)) return HighRatioContact::kNone;
    double const a = groups_.masses[contact.body_a];
    double const b = groups_.masses[contact.body_b];
    double const impulse = normal_impulse(contact);
    if (impulse > kGroupWeights * lighter(contact) * input_.weight_m_s) return HighRatioContact::kCarried;
    double speed = closing(contact);
    if (impulse == 0.0) {
      // A new contact: forces on the heavy body alone decide whether it comes to rest on the light one.
      Vec3<double> const change =
          to_double(input_.moving[a > b ? contact.body_a : contact.body_b].linear.change) * input_.substeps;
      double const along = dot(to_double(contact.manifold.normal), change);
      speed += a > b ? along : -along;
    }
    return speed > coming_m_s() ? HighRatioContact::kComing : HighRatioContact::kNone;
  }

  /// Grows a group breadth first from the heavy body over bodies lighter by the ratio, up to
  /// kMaxGroupContacts. Other contacts of the heavy body stay in the Gauss-Seidel blocks.
  void grow(std::uint32_t heavier, HighRatioContact load) {
    TAKT_ASSERT(heavier != 0 && heavier < groups_.masses.size() && groups_.masses[heavier] > 0.0);
    auto& queue = groups_.queue;
    std::size_t const begin = groups_.contacts.size();
    double const limit = groups_.masses[heavier];
    queue.assign(1, heavier);
    groups_.reached[heavier] = 1;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      std::uint32_t const body = queue[next];
      for (std::uint32_t const index : groups_.links.of(body)) {
        const PreparedContact<Real>& contact = input_.contacts[index];
        std::uint32_t const other = contact.body_a == body ? contact.body_b : contact.body_a;
        bool const moves = contact.body_a == body ? contact.dynamic_b : contact.dynamic_a;
        bool const is_light = moves && groups_.masses[other] * kHighMassRatio <= limit;
        if (groups_.taken[index] != 0 || (body == heavier && !is_light) || !transmits(contact, load))
          continue;
        if (groups_.contacts.size() - begin == kMaxGroupContacts) break;
        groups_.taken[index] = 1;
        groups_.contacts.push_back(index);
        if (!is_light || groups_.reached[other] != 0) continue;
        groups_.reached[other] = 1;
        queue.push_back(other);
      }
    }
    for (std::uint32_t const body : queue) groups_.reached[body] = 0;
    if (groups_.contacts.size() > begin)
      groups_.ends.push_back(static_cast<std::uint32_t>(groups_.contacts.size()));
  }

 private:
  /// The smaller mass of the moving bodies, kg.
  [[nodiscard]] double lighter(const PreparedContact<Real>& contact) const noexcept {
    double const a = contact.dynamic_a ? groups_.masses[contact.body_a] : 0.0;
    double const b = contact.dynamic_b ? groups_.masses[contact.body_b] : 0.0;
    return a > 0.0 && (b == 0.0 || a < b) ? a : b;
  }
  [[nodiscard]] double closing(const PreparedContact<Real>& contact) const noexcept {
    return closing_speed(contact, input_.bodies[contact.body_a], input_.bodies[contact.body_b]);
  }
  [[nodiscard]] double coming_m_s() const noexcept {
    return kComingFraction * input_.weight_m_s * input_.substeps;
  }

  /// True if a group grows over the contact. A closing body loads every touching contact; a resting body only
  /// contacts with impulses.
  [[nodiscard]] bool transmits(const PreparedContact<Real>& contact, HighRatioContact load) const noexcept {
    if (!is_plain(contact) || !touches(contact)) return false;
    if (load == HighRatioContact::kComing ||
        normal_impulse(contact) > kCarriedWeights * lighter(contact) * input_.weight_m_s)
      return true;
    return closing(contact) > coming_m_s();
  }

  const MassRatioInput<Real>& input_;
  MassRatioGroups& groups_;
};

}  // namespace

template <class Real>
void find_mass_ratio_groups(const MassRatioInput<Real>& input, MassRatioGroups& groups) {
  TAKT_ASSERT(input.contact_bodies.size() == input.contacts.size());
  TAKT_ASSERT(input.bodies.size() == input.masses.size() && input.moving.size() == input.masses.size());
  groups.contacts.clear();
  groups.ends.clear();
  groups.taken.assign(input.contacts.size(), 0);
  groups.masses.resize(input.masses.size());
  parallel_for(input.pool, input.masses.size(), kBodyGrain,
               [&](std::size_t first, std::size_t end, std::uint32_t) {
                 for (std::size_t i = first; i < end; ++i)
                   groups.masses[i] = mass_of(input.masses[i].inverse_mass);
               });
  GroupSearch<Real> search(input, groups);
  parallel_filter(input.pool, input.contacts.size(), groups.direct_contacts,
                  [&](std::size_t i, std::uint32_t& index) {
                    index = static_cast<std::uint32_t>(i);
                    return search.has_high_mass_ratio(input.contact_bodies[i]) &&
                           search.load_of(input.contacts[i]) != HighRatioContact::kNone;
                  });
  if (groups.direct_contacts.count == 0) return;
  groups.links.connect(input.contact_bodies, input.masses.size());
  groups.reached.assign(input.masses.size(), 0);
  for (std::uint32_t const index : groups.direct_contacts.chosen()) {
    if (groups.taken[index] != 0) continue;
    const PreparedContact<Real>& contact = input.contacts[index];
    search.grow(
        groups.masses[contact.body_a] > groups.masses[contact.body_b] ? contact.body_a : contact.body_b,
        search.load_of(contact));
  }
  TAKT_VALIDATE(are_disjoint(groups));
}

bool are_disjoint(MassRatioGroups& groups) {
  // A second bit of `taken` marks visited contacts: a steady tick must not allocate, even in dev builds.
  constexpr std::uint8_t kVisited = 2;
  bool disjoint =
      groups.ends.empty() ? groups.contacts.empty() : groups.ends.back() == groups.contacts.size();
  for (std::uint32_t const contact : groups.contacts) {
    disjoint = disjoint && groups.taken[contact] == 1;
    groups.taken[contact] = static_cast<std::uint8_t>(groups.taken[contact] | kVisited);
  }
  for (std::uint8_t& taken : groups.taken) {
    disjoint = disjoint && taken != 1;
    taken = static_cast<std::uint8_t>(taken & 1u);
  }
  return disjoint;
}

template void find_mass_ratio_groups(const MassRatioInput<float>&, MassRatioGroups&);
template void find_mass_ratio_groups(const MassRatioInput<Fixed>&, MassRatioGroups&);

void GroupClusters::find(std::span<const GroupBodies> groups, std::span<const std::uint32_t> bodies) {
  auto const count = static_cast<std::uint32_t>(groups.size());
  groups_.resize(count);
  starts_.assign(1, 0);
  if (count == 0) return;
  reset_sets(parents_, count);
  owners_.assign(std::size_t{bodies.empty() ? 0 : *std::max_element(bodies.begin(), bodies.end())} + 1,
                 kNoIndex);
  for (std::uint32_t group = 0; group < count; ++group) {
    TAKT_ASSERT(groups[group].first <= groups[group].end && groups[group].end <= bodies.size());
    for (std::uint32_t const body :
         bodies.subspan(groups[group].first, groups[group].end - groups[group].first)) {
      if (owners_[body] == kNoIndex) {
        owners_[body] = group;
      } else {
        unite(parents_, owners_[body], group);
      }
    }
  }
  // The root of a cluster is its first group.
  clusters_.resize(count);
  for (std::uint32_t group = 0; group < count; ++group) {
    std::uint32_t const first = find_root(parents_, group);
    if (first == group) {
      clusters_[group] = static_cast<std::uint32_t>(starts_.size()) - 1;
      starts_.push_back(0);
    } else {
      clusters_[group] = clusters_[first];
    }
    ++starts_[clusters_[group] + 1];
  }
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  // Counting sort: each start advances to its cluster's end, and the starts are shifted back by one.
  for (std::uint32_t group = 0; group < count; ++group) groups_[starts_[clusters_[group]]++] = group;
  for (std::size_t i = starts_.size() - 1; i > 0; --i) starts_[i] = starts_[i - 1];
  starts_[0] = 0;
  TAKT_ASSERT(starts_.back() == count);
  TAKT_VALIDATE(are_disjoint(groups, bodies));
}

/// True if no body stands in two clusters.
bool GroupClusters::are_disjoint(std::span<const GroupBodies> groups,
                                 std::span<const std::uint32_t> bodies) const {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::uint32_t k = groups[i].first; k < groups[i].end; ++k) {
      if (clusters_[owners_[bodies[k]]] != clusters_[i]) return false;
    }
  }
  return true;
}

}  // namespace takt
