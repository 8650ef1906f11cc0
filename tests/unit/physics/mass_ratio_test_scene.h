// MassRatioScene builds solver bodies and contacts by hand, with the impulses that the tick before would have
// left, for the tests of MassLending, WarmStartGuard and PassiveIslands.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/contact_solver/contact_loads.h"

namespace takt::test {

/// Bodies and contacts between them; body 0 does not move.
struct MassRatioScene {
  static constexpr double kWeightMS = 9.81 / 240;  ///< of a substep
  static constexpr Vec3<float> kUp{0, 1, 0};
  static constexpr Vec3<float> kAside{1, 0, 0};

  MassRatioScene() {
    masses.emplace_back();
    bodies.emplace_back();
    moving.emplace_back();
  }

  std::uint32_t add_body(float mass_kg) {
    SolverMass<float> mass;
    mass.inverse_mass = 1.0f / mass_kg;
    mass.inverse_inertia.m = {6.0f / mass_kg, 6.0f / mass_kg, 6.0f / mass_kg, 0.0f, 0.0f, 0.0f};
    masses.push_back(mass);
    bodies.emplace_back();
    moving.emplace_back();
    moving.back().dynamic = true;
    moving.back().linear.change = {0, static_cast<float>(-kWeightMS), 0};
    return static_cast<std::uint32_t>(masses.size() - 1);
  }

  /// One point at both centres. The normal goes from a to b; the impulse is in weights of 1 kg in a substep.
  void touch(std::uint32_t a, std::uint32_t b, Vec3<float> normal, double weights) {
    PreparedContact<float> contact;
    contact.key = contacts.size();
    contact.body_a = a;
    contact.body_b = b;
    contact.dynamic_a = a != 0;
    contact.dynamic_b = b != 0;
    contact.manifold.normal = normal;
    contact.manifold.point_count = 1;
    contact.impulses[0] = static_cast<float>(weights * kWeightMS);
    contacts.push_back(contact);
  }

  MassRatioInput<float> input() {
    contact_bodies.clear();
    external.resize(bodies.size());
    for (const PreparedContact<float>& contact : contacts)
      contact_bodies.push_back(contact_bodies_of(contact));
    return {contacts, contact_bodies, masses, bodies, moving, external, kWeightMS, false, nullptr};
  }

  std::vector<SolverMass<float>> masses;
  std::vector<SolverBody<float>> bodies;
  std::vector<MovingBody<float>> moving;
  std::vector<PreparedContact<float>> contacts;
  std::vector<ContactBodies> contact_bodies;
  std::vector<ExternalLoad> external;
};

}  // namespace takt::test
