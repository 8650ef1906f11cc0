// The engine's lengths and rates that are not a user's choice, in one place. All take part in the result: a change of any is a change of golden tables.
#pragma once

namespace takt {

/// A row that carried load last tick stays soft up to this gap, m, instead of letting the shapes fall together within one substep: without it resting
/// contacts flicker.
inline constexpr double kLinearSlopM = 0.005;
/// Contact points are made up to this distance apart, m, so that the solver stops an approach in time: four slops.
inline constexpr double kSpeculativeDistanceM = 0.02;
/// An edge-against-edge axis must win over the best face axis by this, m, so that resting boxes keep their face contact.
inline constexpr double kEdgeAxisBiasM = 0.0025;
/// Contacts are a spring-damper of this fraction of the substep rate and this damping ratio (CONSTRAINTS 1.9). It scales with the rate without a cap, so
/// that more substeps are always stiffer. Why not stiffer: the bias of a slow mode of a tall pile, which one sweep hardly solves, leaks into the warm-started
/// impulses and pumps it, unless the soft rows leak faster. With kappa = 1 / (1 + a) and a = h w (2 zeta + h w) that asks for kappa > h (bias rate) / 2, about
/// h w < 1.4. Measured: 0.16 (h w = 1.0) lets a wall of 20 rows come to rest, 0.19 leaves it trembling at 0.1 m/s, 0.25 lets it walk.
inline constexpr double kContactHertzPerSubstepRate = 0.16;
inline constexpr double kContactDampingRatio = 5.0;
/// Contacts with static and kinematic bodies are this much faster, so that the ground wins over a stack: h w = 1.3, just inside the bound above.
inline constexpr double kStaticContactHertzFactor = 1.3;
/// The grab's spring.
inline constexpr double kGrabHertz = 5.0;
inline constexpr double kGrabDampingRatio = 1.0;

}  // namespace takt
