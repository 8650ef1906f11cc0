// The engine's lengths and rates that are not a user's choice, in one place. All take part in the result: a change of any is a change of golden tables.
#pragma once

namespace takt {

/// Overlap that contacts are left with, m: 5 mm keeps a resting contact from flickering. Solver2D uses the same size for metre-scaled scenes.
inline constexpr double kLinearSlopM = 0.005;
/// Contact points are made up to this distance apart, m, so that the solver stops an approach in time: four slops.
inline constexpr double kSpeculativeDistanceM = 0.02;
/// An edge-against-edge axis must win over the best face axis by this, m, so that resting boxes keep their face contact.
inline constexpr double kEdgeAxisBiasM = 0.0025;
/// Contacts are a spring-damper of this fraction of the substep rate and this damping ratio (CONSTRAINTS 1.9). It scales with the rate without a cap, so
/// that more substeps are always stiffer.
inline constexpr double kContactHertzPerSubstepRate = 0.125;
inline constexpr double kContactDampingRatio = 10.0;
/// Contacts with static and kinematic bodies are this much faster, so that the ground wins over a stack.
inline constexpr double kStaticContactHertzFactor = 2.0;
/// The grab's spring.
inline constexpr double kGrabHertz = 5.0;
inline constexpr double kGrabDampingRatio = 1.0;

}  // namespace takt
