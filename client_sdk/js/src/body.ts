// A body as a thin client has it: shapes, and the pose at the render time. The client runs no physics.
// Objects and arrays of a body stay the same from frame to frame: copy numbers that must not change.
import type { Motion } from "./body_state.js";
import type { Shape } from "./message.js";
import type { Pose } from "./track.js";
import { Track } from "./track.js";

export interface Body {
  /** generation << 32 | index; never 0. */
  readonly id: bigint;
  /** The lower half of the id: small, unique among living bodies, reused after a body is gone. */
  readonly index: number;
  /**
   * Shapes in the body's frame; the server sends no mass and no friction. Client.geometry() returns the
   * geometry of a shape.
   */
  readonly shapes: readonly Shape[];
  /** The player that spawned the body; 0 = the scene or the server. */
  readonly player: number;
  /** A number of the scene or the game. */
  readonly userKind: number;
  /** m, world, of the body's origin; interpolated in Q31.32, exact at the ticks of snapshots. */
  readonly position: Float64Array;
  /** Unit quaternion x, y, z, w. */
  readonly rotation: Float32Array;
  /** m/s, world, of the centre of mass. */
  readonly linearVelocity: Float32Array;
  /** rad/s, world. */
  readonly angularVelocity: Float32Array;
  readonly asleep: boolean;
  readonly motion: Motion;
  /** The newest received state, not interpolated; ahead of `position` by the delay of the buffer. */
  readonly rawPosition: Float64Array;
  readonly rawRotation: Float32Array;
}

/** A body of a session, known by its records, its shapes, or both; displayed once it has both. */
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
  private isWritten = false; // the pose is that of the only sample, and was written before

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

  /** Writes the pose at the render tick. Returns false if the body does not exist then. */
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

/** Orders bodies by id. */
export function compareBodies(a: KnownBody, b: KnownBody): number {
  return a.generation !== b.generation ? a.generation - b.generation : a.index - b.index;
}
