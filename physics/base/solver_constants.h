// The engine's lengths and rates that are not a user's choice, in one place. All take part in the result: a
// change of any is a change of golden tables.
#pragma once

#include <cstddef>

namespace takt {

/// A row that carried load last tick stays soft up to this gap, m, instead of letting the shapes fall
/// together within one substep: without it resting contacts flicker.
inline constexpr double kLinearSlopM = 0.005;
/// Contact points are made up to this distance apart, m, so that the solver stops an approach in time: four
/// slops.
inline constexpr double kSpeculativeDistanceM = 0.02;
/// A loaded contact keeps its manifold until a body has turned by this, rad, or the two have shifted by this
/// share of the shorter body's longest arm to a point, at most kRecycleShiftMaxM. Less than half of it and a
/// column of 20 unit boxes falls within a minute; the second-order error that keeping makes in a separation
/// is below reach x turn^2 = 0.02 mm per metre.
inline constexpr double kRecycleRotationRad = 0.005;
inline constexpr double kRecycleShiftOfReach = 0.006;
inline constexpr double kRecycleShiftMaxM = 0.02;
/// An edge-against-edge axis must win over the best face axis by this, m, so that resting boxes keep their
/// face contact.
inline constexpr double kEdgeAxisBiasM = 0.0025;
/// Contacts are a spring-damper of this fraction of the substep rate and this damping ratio
/// (CONSTRAINTS 1.9). It scales with the rate without a cap, so that more substeps are always stiffer. Why
/// not stiffer: the bias of a slow mode of a tall pile, which one sweep hardly solves, leaks into the
/// warm-started impulses and pumps it, unless the soft rows leak faster. With kappa = 1 / (1 + a) and a = h w
/// (2 zeta + h w) that asks for kappa > h (bias rate) / 2, about h w < 1.4 (adr/0003). Measured with kept
/// manifolds: at 0.205 (h w = 1.29) a pyramid of base 100 comes to rest 0.37 m lower, at 0.21 it still moves
/// at 0.1 m/s after 20 s, at 0.22 one of base 50 does.
inline constexpr double kContactHertzPerSubstepRate = 0.205;
inline constexpr double kContactDampingRatio = 5.0;
/// Friction and twist between two bodies that move are springs of this fraction of the substep rate and the
/// same damping ratio (adr/0008): h w = 0.63. Measured on the pyramid of base 100: at 0.1 it comes to rest
/// 0.30 m lower and stays so without sleep, at 0.05 0.33 m; at 0.205 it never rests (0.4 m/s).
inline constexpr double kAnchorHertzPerSubstepRate = 0.1;
/// Friction at this share of its limit counts as sliding: the cone's scaling rounds.
inline constexpr double kSlidingFraction = 0.999;
/// A contact's first tangent lies across the axis x while the normal has less than this of it, else across y.
inline constexpr double kTangentFromX = 0.6;
/// Contacts with static and kinematic bodies are this much faster, so that the ground wins over a stack: h w
/// = 1.5. A sweep solves much of such rows.
inline constexpr double kStaticContactHertzFactor = 1.2;
/// Contacts between two bodies that joints hold together, by way of others or not, are this much slower, and
/// as soft in the relax pass: limits may not let them give way at all, and then the impulses of both grow
/// against each other. Measured on 20 random trees of boxes that overlap, held by hinges with limits: at 1
/// and rigid in the relax pass six of them gain energy, at 0.5 none. A body rests 0.4 mm deeper on its
/// neighbour for it.
inline constexpr double kJoinedContactHertzFactor = 0.5;
/// A body is still below these speeds, m/s and rad/s, and an island sleeps when all of it has been still for
/// kSleepDelayS. Common values of rigid-body engines.
inline constexpr double kSleepSpeedMS = 0.05;
inline constexpr double kSleepAngularSpeedRadS = 0.05;
inline constexpr double kSleepDelayS = 0.5;
/// A body this much heavier than one it touches may load it: such contacts and what carries them are solved
/// directly, rigid, at most so many in a group (mass_ratio_groups.h). Gauss-Seidel copes with less.
inline constexpr double kHighMassRatio = 16.0;
inline constexpr std::size_t kMaxGroupContacts = 24;
/// It does when its contact carries more of the lighter body's weights than so many (the sweeps' sink under a
/// load is the weights x |gravity| / w^2: 0.8 mm), or when the two come together faster than this share of
/// what a tick of free fall adds. A group grows through contacts that carry more than the lesser number: a
/// body's own weight counts.
inline constexpr double kGroupWeights = 4.0;
inline constexpr double kCarriedWeights = 0.5;
inline constexpr double kComingFraction = 0.5;
/// Share of a rigid joint row's error that the biased pass of a substep takes back, of rows solved directly.
/// The relax pass takes the velocity out again, so a larger share shows as snap, not as energy. Joints alone
/// and limits have the contacts' softness in the biased pass, for the same reason as they: what one sweep
/// hardly solves would pump the warm-started impulses.
inline constexpr double kTreeDriftFraction = 0.5;
/// Share of the softness of joints alone that rigid rows of a tree have in the biased pass where other joints
/// close loops in it. Rows that repeat each other would else keep a prestress that grows from substep to
/// substep and lets go when they bend: a level sheet of 30 x 30 joints that are not woven bursts on its way
/// down without it.
inline constexpr double kLoopCompliance = 0.06;
/// A body that joints pull apart swings between them at sqrt(pull x arm / inertia). Its inertia for joints is
/// raised until that is at most 1 / substep: above 2 / substep an explicit step blows up, as a light link
/// before a heavy load would.
inline constexpr double kMaxSwingRate = 1.0;
/// The fastest that drift of a joint is taken back, m/s and rad/s, and the most that taking it back may speed
/// up any body of its tree: joints that cannot hold (a bridge shorter than its span) or hold only when
/// straight would ask for any speed.
inline constexpr double kJointPushMax = 3.0;
inline constexpr double kJointSpeedUpMaxMS = 4.0;
inline constexpr double kJointAngularSpeedupMaxRadS = 16.0;
/// A joint row whose pivot is below this share of its diagonal repeats others: it gets no impulse of its own.
/// Binary64 leaves 1e-13 of what cancels.
inline constexpr double kMinPivot = 1e-11;
/// The same of balls and sockets in lanes of float, where 1e-7 of what cancels is left.
inline constexpr float kMinPivotInLanes = 1e-6f;
/// A woven ball whose bodies are locked along an axis does not act along it where turning gives less than
/// this share of its whole mobility: neighbours that are locked alike would be spun by their anchors' error.
inline constexpr double kMinLockedFraction = 0.01;
/// Balls and sockets are woven, solved in lanes instead of in trees (docs/adr/0013), where so many joints of
/// a group close loops, and this share of its joints at least.
inline constexpr std::size_t kMinBatchedLoops = 64;
inline constexpr std::size_t kBatchedJointsPerLoop = 4;
/// Their softness in the biased pass, fraction of the substep rate and damping ratio, and sweeps in the
/// biased and in the relax pass: what gives more is longer than it need be, what gives less wants more
/// sweeps, or hanging sheets sway for ever (adr/0013).
inline constexpr double kBatchHertzPerSubstepRate = 0.55;
inline constexpr double kBatchDampingRatio = 1.15;
inline constexpr int kBatchBiasedIterations = 3;
inline constexpr int kBatchRelaxIterations = 3;
/// The fastest that their drift is taken back, m/s: the shock that runs through a sheet after its edge has
/// cracked opens balls faster than kJointPushMax.
inline constexpr double kBatchPushMax = 12.0;
/// A limit or motor along which its joint leaves less than this share of the bodies' mobility acts on
/// nothing.
inline constexpr double kMinFreedom = 1e-9;
/// The grab's spring.
inline constexpr double kGrabHertz = 5.0;
inline constexpr double kGrabDampingRatio = 1.0;

}  // namespace takt
