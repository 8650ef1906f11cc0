// Draws distance joints as cords: a cradle's balls hang on something. The server sends joint frames at a
// tick. This class converts their anchors once to the frames of the bodies, and then follows the displayed
// bodies. It requests frames again every few seconds while the world has distance joints, since players make
// joints.
import type { Body, InspectionSet, JointFrame, Rope } from "takt";
import { rotate, rotateBack } from "./rotation.js";

/** The kind of a distance joint in JointFrame. */
const kDistanceKind = 6;
/** Radius of a cord, m. */
const kRadiusM = 0.012;
const kRequestIntervalMs = 4000;
/** Maximum number of cords. */
const kCordsMax = 512;

interface End {
  /** 0n = the world. */
  body: bigint;
  /** Anchor in the frame of the body; in the world without a body. m. */
  local: readonly number[];
}

interface Cord {
  joint: bigint;
  ends: readonly [End, End];
  rope: Rope;
}

export class Cords {
  private cords: Cord[] = [];
  private wanted = true;
  private lastMs = 0;
  private lastTick = -1;

  /** True while joint frames are needed. */
  get wantsJoints(): boolean {
    return this.wanted;
  }

  /** Forgets all cords, for another world. */
  clear(): void {
    this.cords = [];
    this.wanted = true;
    this.lastTick = -1;
  }

  /** The joint broke or is gone. */
  remove(joint: bigint): void {
    this.cords = this.cords.filter((cord) => cord.joint !== joint);
  }

  /**
   * Reads joint frames of the newest complete snapshot; older and newer frames fit no body's newest pose.
   * `completeTick`: as in the client's stats.
   */
  update(
    nowMs: number,
    frames: InspectionSet<JointFrame> | null,
    completeTick: number,
    bodies: Iterable<Body>,
  ): void {
    if (!this.wanted) {
      this.wanted = this.cords.length > 0 && nowMs - this.lastMs > kRequestIntervalMs;
      return;
    }
    if (frames?.tick !== completeTick || frames.tick <= this.lastTick) return;
    const byId = new Map<bigint, Body>();
    for (const body of bodies) byId.set(body.id, body);
    this.cords = [];
    for (const joint of frames.items) {
      if (joint.kind !== kDistanceKind || joint.isOff || joint.isTorn) continue;
      const a = endOf(joint.bodyA, joint.anchorA, byId),
        b = endOf(joint.bodyB, joint.anchorB, byId);
      if (a && b && this.cords.length < kCordsMax) {
        this.cords.push({ joint: joint.id, ends: [a, b], rope: straightRope(joint.id) });
      }
    }
    this.wanted = false;
    this.lastMs = nowMs;
    this.lastTick = frames.tick;
  }

  /** The cords between the displayed bodies. The ropes stay valid until the next call. */
  ropes(bodies: Iterable<Body>): Rope[] {
    if (this.cords.length === 0) return [];
    const byId = new Map<bigint, Body>();
    for (const body of bodies) byId.set(body.id, body);
    return this.cords.flatMap(({ ends, rope }) => {
      const isWhole = ends.every((end, i) => writeEnd(end, byId, rope.positions, 3 * i));
      return isWhole ? [rope] : [];
    });
  }
}

function straightRope(id: bigint): Rope {
  return {
    id,
    radius: kRadiusM,
    asleep: false,
    positions: new Float64Array(6),
    tensions: new Float32Array(1),
  };
}

// Undefined if the body is unknown.
function endOf(id: bigint, anchor: readonly number[], bodies: ReadonlyMap<bigint, Body>): End | undefined {
  if (id === 0n) return { body: id, local: [...anchor] };
  const body = bodies.get(id);
  if (!body) return undefined;
  const local = [0, 1, 2].map((axis) => anchor[axis]! - body.rawPosition[axis]!);
  rotateBack(body.rawRotation, local[0]!, local[1]!, local[2]!, local);
  return { body: id, local };
}

// Writes the world position of an end; false if its body is gone.
function writeEnd(end: End, bodies: ReadonlyMap<bigint, Body>, out: Float64Array, at: number): boolean {
  const [x, y, z] = end.local as [number, number, number];
  if (end.body === 0n) {
    out.set(end.local, at);
    return true;
  }
  const body = bodies.get(end.body);
  if (!body) return false;
  const arm = [0, 0, 0];
  rotate(body.rotation, x, y, z, arm);
  for (let axis = 0; axis < 3; ++axis) out[at + axis] = body.position[axis]! + arm[axis]!;
  return true;
}
