// A body as a thin client sees it: what to draw, and where it is at the render time. The client runs no physics. Bodies are kept from frame to
// frame, with their arrays: hold on to one as long as it is in Client.bodies(), copy numbers that must not change.
import type { Motion } from "./body_state.js";
import type { Shape } from "./message.js";
import type { Pose } from "./track.js";
import { Track } from "./track.js";

export interface Body {
  /** generation << 32 | index, never 0 */
  readonly id: bigint;
  /** The lower half of the id: unique among the bodies alive, small, and used again after a body is gone. */
  readonly index: number;
  /** Form only, in the body's frame; mass and friction are not sent. Client.geometry() has the corners that a shape's `geometry` names. */
  readonly shapes: readonly Shape[];
  /** Who spawned it; 0 = the scene or the server. */
  readonly player: number;
  /** The scene's or game's own word for it. */
  readonly userKind: number;
  /** m, world, of the body's origin; interpolated in Q31.32, exact at the ticks the server sent. */
  readonly position: Float64Array;
  /** Unit quaternion x, y, z, w. */
  readonly rotation: Float32Array;
  /** m/s, of the centre of mass, world frame. */
  readonly linearVelocity: Float32Array;
  /** rad/s, world frame. */
  readonly angularVelocity: Float32Array;
  readonly asleep: boolean;
  readonly motion: Motion;
  /** The newest state that has arrived, not interpolated: ahead of `position` by the buffer's delay. */
  readonly rawPosition: Float64Array;
  readonly rawRotation: Float32Array;
}

/** A body that a session follows, known by its records, its shapes, or both; shown once it has both. */
export class KnownBody implements Body, Pose {
  readonly id: bigint;
  readonly position = new Float64Array(3);
  readonly rotation = new Float32Array([0, 0, 0, 1]);
  readonly linearVelocity = new Float32Array(3);
  readonly angularVelocity = new Float32Array(3);
  readonly rawPosition = new Float64Array(3);
  readonly rawRotation = new Float32Array([0, 0, 0, 1]);
  asleep = false;
  motion: Motion = "dynamic";
  shapes: readonly Shape[] = [];
  player = 0;
  userKind = 0;
  hasInfo = false;
  readonly track = new Track();
  private rawIsFresh = false;
  private isWritten = false; // the pose is that of the only sample, and shown before

  constructor(
    readonly generation: number,
    readonly index: number,
  ) {
    this.id = (BigInt(generation) << 32n) | BigInt(index);
  }

  addSample(tick: number, completeBefore: number, intervalTicks: number, view: DataView, at: number): void {
    this.track.add(tick, completeBefore, intervalTicks, view, at);
    this.rawIsFresh = false;
    this.isWritten = false;
  }

  /** Writes the pose at the render tick; false when the body is not there then. */
  showAt(renderTick: number): boolean {
    if (this.isWritten && !this.track.isGone(renderTick)) return true;
    this.track.forgetBefore(renderTick);
    if (!this.track.poseAt(renderTick, this)) return false;
    if (!this.rawIsFresh) {
      this.track.newestPose(this.rawPosition, this.rawRotation);
      this.rawIsFresh = true;
    }
    this.isWritten = this.track.isSettled;
    return true;
  }
}

/** Order of bodies: by id. */
export function compareBodies(a: KnownBody, b: KnownBody): number {
  return a.generation !== b.generation ? a.generation - b.generation : a.index - b.index;
}
