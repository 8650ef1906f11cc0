// solver_constants.h holds constants of contacts, joints, grabs and sleep that are not settings of a world:
// lengths, rates, fractions, thresholds. A grab is a spring that pulls a point of a body to a target, for
// example a player's hold on it. Some constants that only one source needs stand in that source. Results
// depend on the constants, so a change of one is expected to change the golden tables (committed hashes of
// test scenes, tests/determinism).
#pragma once

#include <cstddef>

namespace takt {

/// Slop, m: a row that carried load last tick stays soft up to this gap. Otherwise the shapes would close the
/// gap within one substep, and resting contacts would flicker.
inline constexpr double kLinearSlopM = 0.005;
/// Speculative distance, m: contact points are created up to this separation, so that the solver stops an
/// approach in time. Four slops.
inline constexpr double kSpeculativeDistanceM = 0.02;
/// A contact of a soft material becomes rigid at this fraction of the overlap at which the middles of both
/// shapes meet. Beyond that overlap the normal may point to the wrong side (soft_depth() of
/// soft_contact_sweep.h).
inline constexpr double kSoftDepthFraction = 0.75;
/// Manifold recycling. A loaded contact keeps its manifold until a body rotates by this angle, rad, or until
/// the bodies move by a limited distance. That limit is kRecycleTranslationOfReach times the longest lever
/// arm of the body whose longest one is shorter, at most kRecycleTranslationMaxM. With less than half of that
/// fraction a column of 20 unit boxes falls within a minute. The second-order error of recycling in a
/// separation is below reach x rotation^2 = 0.02 mm per metre.
inline constexpr double kRecycleRotationRad = 0.005;
inline constexpr double kRecycleTranslationOfReach = 0.006;
inline constexpr double kRecycleTranslationMaxM = 0.02;
/// Advantage, m, that an edge-edge axis needs over the best face axis. Resting boxes keep their face contact
/// through it.
inline constexpr double kEdgeAxisBiasM = 0.0025;
/// Contact stiffness: a spring-damper whose frequency is this fraction of the substep rate, with this damping
/// ratio (CONSTRAINTS 1.9). The frequency grows with the rate without a cap, so contacts of more substeps are
/// always stiffer. With h the substep and w the angular frequency, h w = 2 pi x the fraction.
///
/// Upper bound: one iteration hardly corrects the slow modes of a tall pile. Their bias leaks into the
/// warm-started impulses and pumps the mode, unless the soft rows leak faster. The coefficients are a = h w
/// (2 zeta + h w), with the damping ratio zeta, and kappa = 1 / (1 + a). The requirement is kappa > h (bias
/// rate) / 2, about h w < 1.4 (adr/0003).
///
/// A pyramid of base 100 with recycled manifolds comes to rest 0.37 m lower at 0.205 (h w = 1.29). At 0.21
/// the pyramid still moves at 0.1 m/s after 20 s. At 0.22 a pyramid of base 50 does so too.
inline constexpr double kContactHertzPerSubstepRate = 0.205;
inline constexpr double kContactDampingRatio = 5.0;
/// Friction and twist (torsional friction) between two moving bodies are springs with the damping ratio of
/// contacts (adr/0008). Their frequency is this fraction of the substep rate: h w = 0.63. A pyramid of base
/// 100 comes to rest 0.30 m lower at 0.1, and stays so without sleep; at 0.05 it rests 0.33 m lower. At 0.205
/// it never rests (0.4 m/s).
inline constexpr double kAnchorHertzPerSubstepRate = 0.1;
/// Friction at or above this fraction of its limit counts as sliding. The fraction is below 1 because the
/// scaling of an impulse onto the friction cone rounds.
inline constexpr double kSlidingFraction = 0.999;
/// A contact's first tangent is perpendicular to the x axis if |x| of the normal is below this, else to the y
/// axis.
inline constexpr double kTangentFromX = 0.6;
/// Contacts with static and kinematic bodies have a frequency higher by this factor, so that the ground
/// dominates a stack: h w = 1.5. One iteration corrects much of such rows.
inline constexpr double kStaticContactHertzFactor = 1.2;
/// Contacts between two bodies that joints connect, directly or through others, have a frequency lower by
/// this factor. They are equally soft in the relax pass. Joint limits may prevent any motion; the impulses of
/// both would then grow against each other. Six of 20 random trees of overlapping boxes with limited hinges
/// gain energy at 1 and rigid in the relax pass, none at 0.5. A body rests 0.4 mm deeper on its neighbour.
inline constexpr double kJoinedContactHertzFactor = 0.5;
/// A body is still below these speeds: linear velocity in m/s and angular velocity in rad/s. An island falls
/// asleep when all its bodies have been still for kSleepDelayS, s. These are common values of rigid-body
/// engines.
inline constexpr double kSleepSpeedMS = 0.05;
inline constexpr double kSleepAngularSpeedRadS = 0.05;
inline constexpr double kSleepDelayS = 0.5;
/// Mass lending (mass_lending.h, docs/adr/0018). Contacts connect bodies into sets. Mass lending starts in a
/// set of which two bodies differ in mass by more than this factor. One Gauss-Seidel iteration transmits a
/// load well between masses up to this factor.
inline constexpr double kLendingMassRatio = 8.0;
/// A body is pressed if its squeeze exceeds this many times the impulse of its weight in a substep.
inline constexpr double kPressedWeights = 4.0;
/// A body at rest has a speed below kStillWeights x the speed that gravity adds in a substep. That added
/// speed counts as at least kMinRestSpeedMS, m/s, so that bodies come to rest without gravity too.
inline constexpr double kStillWeights = 8.0;
inline constexpr double kMinRestSpeedMS = kSleepSpeedMS / kStillWeights;
/// A lender gives at most this fraction f of its mass. A body of equal mass that hits the lender
/// inelastically leaves with 1 / (2 - f) of its speed. Above f = 0.59 that raises the energy of both. At 0.9
/// columns of nine under 10 or 15 times their mass sway for ever.
inline constexpr double kMaxLentFraction = 0.58;
/// The search for the lender of a body uses contacts that carry at least this fraction of its squeeze. Each
/// of at most kMaxLendingRounds rounds passes the heaviest known body on by at least one body of a chain.
inline constexpr double kMinSqueezeFraction = 0.1;
inline constexpr int kMaxLendingRounds = 16;
/// A heavy body arrives at a light one if the impulse that stops it exceeds kArrivingFactor times the impulse
/// of their contact. The heavy body also loads contacts behind the light body whose normals have at least the
/// cosine kMinArrivingCosine with the normal of that contact. These are at most kMaxArrivingContacts of the
/// first kMaxSeenContacts.
inline constexpr double kArrivingFactor = 1.5;
inline constexpr double kMinArrivingCosine = 0.5;
inline constexpr std::size_t kMaxArrivingContacts = 24;
inline constexpr std::size_t kMaxSeenContacts = 256;
/// Rounds of the guard of the warm start over the bodies (warm_start_guard.h).
inline constexpr int kMaxGuardRounds = 8;
/// Fraction of a rigid joint row's error that the biased pass of a substep corrects, for directly solved
/// rows. The relax pass removes that velocity again, so a larger fraction causes visible snapping, not
/// energy. Scalar joints and limits use the contacts' softness in the biased pass. The reason is that of
/// contacts: errors that one iteration hardly corrects would pump the warm-started impulses.
inline constexpr double kTreeDriftFraction = 0.5;
/// Fraction of the scalar joints' softness that rigid rows of a tree get in the biased pass where
/// loop-closing joints touch the tree. Without this softness redundant rows keep a prestress that grows from
/// substep to substep and is released when they bend. A level sheet of 30 x 30 scalar joints then bursts
/// while falling.
inline constexpr double kLoopCompliance = 0.06;
/// Inertia conditioning: a rate x the substep, rad, dimensionless. A body under joint tension oscillates
/// between its joints at sqrt(tension x lever arm / inertia). Its inertia for joints is increased until that
/// rate is at most this / substep. Above 2 / substep an explicit step is unstable, for example for a light
/// link that carries a heavy load.
inline constexpr double kMaxSwingRate = 1.0;
/// Maximum speed of joint drift correction, m/s and rad/s, and maximum speed that the correction may add to
/// any body of the tree. Joints that cannot be satisfied (a bridge shorter than its span), or only when
/// straight, would otherwise demand unbounded speeds.
inline constexpr double kJointPushMax = 3.0;
inline constexpr double kJointSpeedUpMaxMS = 4.0;
inline constexpr double kJointAngularSpeedupMaxRadS = 16.0;
/// A joint row whose pivot is below this fraction of its diagonal is redundant and gets no impulse of its
/// own. So is a row whose pivot may be rounding of other rows (block_ldlt_steps.h).
inline constexpr double kMinPivot = 1e-11;
/// Pivot threshold of point joints in float lanes, where cancellation leaves 1e-7.
inline constexpr float kMinPivotInLanes = 1e-6f;
/// A batched point joint between bodies locked along an axis is inactive along that axis if rotation provides
/// less than this fraction of its mobility. Otherwise neighbours with equal locks would be spun by their
/// anchors' error.
inline constexpr double kMinLockedFraction = 0.01;
/// Point joints are batched, solved in SIMD lanes instead of in trees (docs/adr/0013), in groups with at
/// least this many loop-closing joints. The loop-closing joints must also be at least one in
/// kBatchedJointsPerLoop of the group.
inline constexpr std::size_t kMinBatchedLoops = 64;
inline constexpr std::size_t kBatchedJointsPerLoop = 4;
/// Batched point joints: softness in the biased pass (fraction of the substep rate and damping ratio), and
/// iterations in the biased and the relax pass. Softer joints stretch more than necessary; stiffer ones need
/// more iterations, or hanging sheets sway for ever (adr/0013).
inline constexpr double kBatchHertzPerSubstepRate = 0.55;
inline constexpr double kBatchDampingRatio = 1.15;
inline constexpr int kBatchBiasedIterations = 3;
inline constexpr int kBatchRelaxIterations = 3;
/// Maximum speed of the drift correction of batched point joints, m/s. The shock that runs through a sheet
/// after its edge is cracked like a whip opens joints faster than kJointPushMax.
inline constexpr double kBatchPushMax = 12.0;
/// A limit or motor is inactive if its joint leaves less than this fraction of the bodies' mobility along it.
inline constexpr double kMinFreedom = 1e-9;
/// Spring of a grab: frequency, Hz, and damping ratio.
inline constexpr double kGrabHertz = 5.0;
inline constexpr double kGrabDampingRatio = 1.0;

}  // namespace takt
