// The recent past of one body: samples by tick, and the pose at any render tick between them. The server
// sends a body only when it changed. Two samples far apart therefore mean that it rested and then moved;
// `restedUntil` is the tick until which it certainly rested. Rules are those of client_sdk/cpp/track.h. It
// does not choose the render tick.
//
// Samples are rows of one Float64Array, so a snapshot of a thousand bodies allocates nothing.
import type { Motion } from "./body_state.js";
import {
  kAngularVelocityAt,
  kBodyAsleep,
  kBodyKinematic,
  kBodyStatic,
  kFlagsAt,
  kLinearVelocityAt,
  kPositionAt,
  kQuantum,
  kRotationAt,
} from "./body_state.js";
import { clampFraction, interpolateAxis, interpolateRotation } from "./interpolation.js";

// Columns of a row.
const kTick = 0;
const kRestedUntil = 1; // kept the previous sample until then; <= tick
const kPosition = 2; // high and low word of each axis
const kRotation = 8;
const kLinear = 12;
const kAngular = 15;
const kFlags = 18;
const kColumns = 19;

const kRowsAtFirst = 4;
/** Maximum number of samples: 4 s of snapshots at 60 Hz. Beyond it the oldest is forgotten. */
export const kSamplesMax = 256;
/**
 * A body silent for longer than any loss explains has rested. Five losses in a row at 10 % happen once in
 * 100,000.
 */
const kSilenceIntervalsMax = 6;

/** Output of a track: a body's pose at the render tick. */
export interface Pose {
  readonly position: Float64Array;
  readonly rotation: Float32Array;
  readonly linearVelocity: Float32Array;
  readonly angularVelocity: Float32Array;
  asleep: boolean;
  motion: Motion;
}

export class Track {
  private rows = new Float64Array(kRowsAtFirst * kColumns);
  private count = 0;
  private removedAt = Infinity;
  private isCut = false; // a sample was forgotten for want of room

  get sampleCount(): number {
    return this.count;
  }

  /**
   * Adds the record at `at` of a snapshot, in any order of ticks. `completeBefore`: newest earlier tick of a
   * complete snapshot without the body, which had not changed by then; 0 = none. `intervalTicks`: ticks
   * between two snapshots.
   */
  add(tick: number, completeBefore: number, intervalTicks: number, view: DataView, at: number): void {
    let row = this.count;
    while (row > 0 && this.tickOf(row - 1) >= tick) --row;
    if (row < this.count && this.tickOf(row) === tick) {
      this.writeState(row, view, at);
      return;
    }
    let restedUntil = completeBefore < tick ? completeBefore : 0;
    if (row > 0) {
      const before = this.tickOf(row - 1);
      if (tick - before > kSilenceIntervalsMax * intervalTicks) {
        restedUntil = Math.max(restedUntil, tick - intervalTicks);
      }
      restedUntil = Math.max(restedUntil, before);
    }
    if (this.count === kSamplesMax) {
      this.dropOldest(1);
      this.isCut = true;
      if (row > 0) --row;
    }
    this.insert(row);
    this.rows[row * kColumns + kTick] = tick;
    this.rows[row * kColumns + kRestedUntil] = restedUntil;
    this.writeState(row, view, at);
    // A sample between two others ends the rest that the later one assumed.
    const next = (row + 1) * kColumns + kRestedUntil;
    if (row + 1 < this.count) this.rows[next] = Math.max(this.rows[next]!, tick);
  }

  /** Removes the body from `tick` on. */
  removeAt(tick: number): void {
    this.removedAt = Math.min(this.removedAt, tick);
  }
  isGone(renderTick: number): boolean {
    return renderTick >= this.removedAt;
  }

  /**
   * Writes the state at `renderTick`: exact at samples, interpolated between them, constant after the newest.
   * Returns false before the first sample and once the body is gone. After more than kSamplesMax samples the
   * oldest stored state stands for those before it.
   */
  poseAt(renderTick: number, out: Pose): boolean {
    if (this.count === 0 || this.isGone(renderTick)) return false;
    const after = this.firstAfter(renderTick);
    if (after === 0) return this.isCut && this.writePose(0, 0, 0, out);
    const from = (after - 1) * kColumns;
    if (after === this.count) return this.writePose(from, from, 0, out);
    const to = after * kColumns;
    const begin = Math.max(this.rows[from + kTick]!, this.rows[to + kRestedUntil]!);
    if (renderTick <= begin) return this.writePose(from, from, 0, out);
    return this.writePose(
      from,
      to,
      clampFraction((renderTick - begin) / (this.rows[to + kTick]! - begin)),
      out,
    );
  }

  /** Writes the state of the newest sample, not interpolated. */
  newestPose(position: Float64Array, rotation: Float32Array): void {
    const row = (this.count - 1) * kColumns;
    for (let axis = 0; axis < 3; ++axis) {
      position[axis] =
        this.rows[row + kPosition + 2 * axis]! + this.rows[row + kPosition + 2 * axis + 1]! * kQuantum;
    }
    for (let i = 0; i < 4; ++i) rotation[i] = this.rows[row + kRotation + i]!;
  }

  /** Forgets samples that no later render tick needs. */
  forgetBefore(renderTick: number): void {
    const after = this.firstAfter(renderTick);
    if (after > 1) this.dropOldest(after - 1);
  }

  /** True if every later render tick has the same pose, which then need not be written again. */
  get isSettled(): boolean {
    return this.count === 1;
  }

  private tickOf(row: number): number {
    return this.rows[row * kColumns + kTick]!;
  }
  private firstAfter(renderTick: number): number {
    let row = 0;
    while (row < this.count && this.tickOf(row) <= renderTick) ++row;
    return row;
  }
  private dropOldest(count: number): void {
    this.rows.copyWithin(0, count * kColumns, this.count * kColumns);
    this.count -= count;
  }
  private insert(row: number): void {
    if ((this.count + 1) * kColumns > this.rows.length) {
      const rows = new Float64Array(this.rows.length * 2);
      rows.set(this.rows);
      this.rows = rows;
    }
    if (row < this.count) this.rows.copyWithin((row + 1) * kColumns, row * kColumns, this.count * kColumns);
    ++this.count;
  }

  private writeState(row: number, view: DataView, at: number): void {
    const rows = this.rows;
    const to = row * kColumns;
    for (let axis = 0; axis < 3; ++axis) {
      rows[to + kPosition + 2 * axis] = view.getInt32(at + kPositionAt + 8 * axis + 4, true);
      rows[to + kPosition + 2 * axis + 1] = view.getUint32(at + kPositionAt + 8 * axis, true);
    }
    for (let i = 0; i < 4; ++i) rows[to + kRotation + i] = view.getFloat32(at + kRotationAt + 4 * i, true);
    for (let i = 0; i < 3; ++i) {
      rows[to + kLinear + i] = view.getFloat32(at + kLinearVelocityAt + 4 * i, true);
    }
    for (let i = 0; i < 3; ++i) {
      rows[to + kAngular + i] = view.getFloat32(at + kAngularVelocityAt + 4 * i, true);
    }
    rows[to + kFlags] = view.getUint32(at + kFlagsAt, true);
  }

  private writePose(from: number, to: number, fraction: number, out: Pose): true {
    const rows = this.rows;
    for (let axis = 0; axis < 3; ++axis) {
      const high = kPosition + 2 * axis;
      out.position[axis] = interpolateAxis(
        rows[from + high]!,
        rows[from + high + 1]!,
        rows[to + high]!,
        rows[to + high + 1]!,
        fraction,
      );
    }
    if (from === to) {
      for (let i = 0; i < 4; ++i) out.rotation[i] = rows[from + kRotation + i]!;
    } else {
      interpolateRotation(rows, from + kRotation, to + kRotation, fraction, out.rotation);
    }
    for (let i = 0; i < 3; ++i) {
      out.linearVelocity[i] =
        rows[from + kLinear + i]! + (rows[to + kLinear + i]! - rows[from + kLinear + i]!) * fraction;
      out.angularVelocity[i] =
        rows[from + kAngular + i]! + (rows[to + kAngular + i]! - rows[from + kAngular + i]!) * fraction;
    }
    const flags = rows[from + kFlags]!;
    out.asleep = (flags & kBodyAsleep) !== 0;
    out.motion =
      (flags & kBodyStatic) !== 0 ? "static" : (flags & kBodyKinematic) !== 0 ? "kinematic" : "dynamic";
    return true;
  }
}
