// Continuous collision: a body that moves far within one tick is followed along its way, so that it cannot
// jump over what is thin.
//
// Rule. A dynamic body is fast when its centre of mass moves by more than kFastMinM and by more than
// kFastFraction of the smallest extent of its shapes. A fast body is swept against static and kinematic
// bodies. A bullet is fast beyond kFastMinM, and is swept against dynamic bodies too, unless they are
// bullets. The way goes straight from where the tick began to where the solver put the body, turning by the
// shorter turn, as seen by the other, which stands where it ends the tick, after its own sweep. Where the
// body would be kSweepDepthM deeper inside something than at the start, it is taken back along its way to the
// touch. It stays there for the rest of the tick, carried by what moves, with its velocity: the contact of
// the next tick stops it, bounces it, hands over its impulse and wakes what sleeps. No body waits for
// another's sweep but bullets for all others, so there is no order.
//
// Into what is soft a body may go as far as kSweepMaxFraction of both shapes' smallest half extents, and is
// held there: springs brake it (soft_contact_sweep.h). A body that is on springs is fast beyond kFastMinM.
//
// It looks at nothing else that is slow, makes no contacts, and takes of velocities only what forces would
// have added on the way that is not gone. A fast turn alone is not followed: the tip of a long body may pass
// through a thin wall, its middle does not.
//
// Where continuous collision takes one body of a group of joints back, the whole group ends the tick at that
// moment of its way: joints would else be torn open by as much as the body was taken back. A car or a ragdoll
// so loses a part of a tick when a part of it hits something fast, and of its speed only what gravity would
// have added in that part. What lies on it without a joint goes on alone.
#pragma once

#include "physics/step/step.h"

namespace takt {

/// Contacts are made at this distance (kSpeculativeDistanceM), so who moves less meets one in time, m.
inline constexpr double kFastMinM = 0.02;
/// Of the smallest extent. An eighth: what is as fast as that and meets no contact in time is less than its
/// middle inside, and comes out where it came in.
inline constexpr double kFastFraction = 0.125;
/// How deep a body may get on its way, m, and at most as a share of its smallest half extent: what slides
/// over the joint of two tiles, or lies a little deep under load, is not taken for a hit.
inline constexpr double kSweepDepthM = 0.01;
inline constexpr double kSweepDepthFraction = 0.25;
/// A body that is inside at the start may get deeper by as much, but not past this share of its smallest half
/// extent: then its middle is still before what is thin.
inline constexpr double kSweepMaxFraction = 0.75;

/// Shortens the shifts and turns of fast bodies in `derived` (after the substeps, before they are stored) to
/// where they first touch.
template <class Real>
void sweep_fast_bodies(const WorldState<Real>& state, DerivedState<Real>& derived, TaskPool* pool);

/// Brings every body of a group to the least share of its way that derived.way_shares has for any of them, as
/// seen by what stops that one.
template <class Real>
void clamp_joint_groups(const WorldState<Real>& state, DerivedState<Real>& derived);

}  // namespace takt
