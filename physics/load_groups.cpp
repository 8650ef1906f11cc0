#include "physics/load_groups.h"

#include "physics/tuning.h"

namespace takt {
namespace {

template <class M>
double mass_of(M inverse) noexcept {
  return is_positive(inverse) ? 1.0 / to_double(inverse) : 0.0;
}

/// Whether the contact carries load, or is about to. Bodies with locked axes and running surfaces are left to the sweeps, which know of them.
template <class Real>
bool holds(const PreparedContact<Real>& contact) noexcept {
  if (contact.locked || contact.joined || contact.soft_a != nullptr || contact.soft_b != nullptr || contact.slide != Vec3<Real>{}) return false;
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) {
    if (contact.impulses[i] > Real(0) || contact.manifold.points[i].separation <= to_real<Real>(kLinearSlopM)) return true;
  }
  return false;
}

template <class Real>
class Search {
 public:
  Search(std::span<const PreparedContact<Real>> contacts, LoadGroups& groups) : contacts_(contacts), groups_(groups) {}

  [[nodiscard]] bool is_seed(const PreparedContact<Real>& contact) const noexcept {
    if (!contact.dynamic_a || !contact.dynamic_b) return false;
    double const a = groups_.masses[contact.body_a];
    double const b = groups_.masses[contact.body_b];
    return a > 0.0 && b > 0.0 && (a > kHeavyRatio * b || b > kHeavyRatio * a);
  }

  /// From the heavy body outward through what is lighter by the ratio, as far as the group may grow.
  void grow(std::uint32_t heavy) {
    auto& queue = groups_.queue;
    std::size_t const begin = groups_.contacts.size();
    double const limit = groups_.masses[heavy];
    queue.assign(1, heavy);
    groups_.reached[heavy] = 1;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      std::uint32_t const body = queue[next];
      for (std::uint32_t const place : groups_.links.of(body)) {
        const PreparedContact<Real>& contact = contacts_[place];
        if (groups_.taken[place] != 0 || !holds(contact)) continue;
        if (groups_.contacts.size() - begin == kMaxLoadContacts) break;
        groups_.taken[place] = 1;
        groups_.contacts.push_back(place);
        std::uint32_t const other = contact.body_a == body ? contact.body_b : contact.body_a;
        bool const moves = contact.body_a == body ? contact.dynamic_b : contact.dynamic_a;
        if (!moves || groups_.reached[other] != 0 || groups_.masses[other] * kHeavyRatio > limit) continue;
        groups_.reached[other] = 1;
        queue.push_back(other);
      }
    }
    for (std::uint32_t const body : queue) groups_.reached[body] = 0;
    if (groups_.contacts.size() > begin) groups_.ends.push_back(static_cast<std::uint32_t>(groups_.contacts.size()));
  }

 private:
  std::span<const PreparedContact<Real>> contacts_;
  LoadGroups& groups_;
};

}  // namespace

template <class Real>
void find_load_groups(std::span<const PreparedContact<Real>> contacts, std::span<const SolverMass<Real>> bodies, LoadGroups& groups) {
  groups.contacts.clear();
  groups.ends.clear();
  groups.taken.assign(contacts.size(), 0);
  groups.masses.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) groups.masses[i] = mass_of(bodies[i].inverse_mass);
  Search<Real> search(contacts, groups);
  bool connected = false;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const PreparedContact<Real>& contact = contacts[i];
    if (groups.taken[i] != 0 || !search.is_seed(contact) || !holds(contact)) continue;
    if (!connected) {
      groups.links.connect(contacts, bodies.size());
      groups.reached.assign(bodies.size(), 0);
      connected = true;
    }
    search.grow(groups.masses[contact.body_a] > groups.masses[contact.body_b] ? contact.body_a : contact.body_b);
  }
}

template void find_load_groups(std::span<const PreparedContact<float>>, std::span<const SolverMass<float>>, LoadGroups&);
template void find_load_groups(std::span<const PreparedContact<Fixed>>, std::span<const SolverMass<Fixed>>, LoadGroups&);

}  // namespace takt
