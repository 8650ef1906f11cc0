// Draws ropes: a capsule for each segment, so that neighbours meet roundly, all of them as one draw. It tells how far ropes reach, as body_painter.ts does for
// bodies, and computes nothing of how they hang.
import { Object3D } from "three";
import type { Rope } from "takt";
import type { Rgb } from "./body_colour.js";
import type { Bounds } from "./bounds.js";
import type { FloatingOrigin } from "./floating_origin.js";
import { writeMatrix } from "./rotation.js";
import { capsuleGeometry } from "./shape_geometry.js";
import { shapeMaterials } from "./shape_material.js";
import { ShapePool } from "./shape_pool.js";

/** Hemp, linear; darker every other segment, so that a moving rope is seen to move. */
const kRopeColour: Rgb = { r: 0.5, g: 0.31, b: 0.13 };
const kOtherShare = 0.72;
const kAsleepShare = 0.6;

export class RopePainter {
  private readonly segments: ShapePool;
  private readonly turn = [0, 0, 0, 1];
  private readonly place = [0, 0, 0];

  constructor(parent: Object3D) {
    this.segments = new ShapePool(parent, shapeMaterials("none", { isStretched: true }), capsuleGeometry(12), capsuleGeometry(6));
  }

  /** `least` is the thinnest that a rope is drawn, m, so that one far away is still seen. */
  paint(ropes: readonly Rope[], origin: FloatingOrigin, least: number, bounds: Bounds): void {
    this.segments.begin();
    for (const rope of ropes) this.paintRope(rope, origin, Math.max(rope.radius, least), bounds);
    this.segments.finish();
  }

  private paintRope(rope: Rope, origin: FloatingOrigin, radius: number, bounds: Bounds): void {
    const { positions } = rope;
    const { place } = this;
    const sleep = rope.asleep ? kAsleepShare : 1;
    for (let at = 0; at + 3 <= positions.length; at += 3) {
      for (let axis = 0; axis < 3; ++axis) place[axis] = positions[at + axis]!;
      bounds.add(place, radius);
      const isLast = at + 6 > positions.length;
      if (isLast && at > 0) return;
      // A rope that was cut down to one node is a bead.
      const x = isLast ? 0 : positions[at + 3]! - place[0]!, y = isLast ? 0 : positions[at + 4]! - place[1]!, z = isLast ? 0 : positions[at + 5]! - place[2]!;
      const length = Math.hypot(x, y, z);
      this.turnTo(x, y, z, length);
      const share = sleep * ((at / 3) % 2 === 0 ? 1 : kOtherShare);
      writeMatrix(this.segments.place(), this.segments.at, this.turn,
          place[0]! + 0.5 * x - origin.x, place[1]! + 0.5 * y - origin.y, place[2]! + 0.5 * z - origin.z, radius, radius, radius);
      this.segments.tint(share * kRopeColour.r, share * kRopeColour.g, share * kRopeColour.b, (0.5 * length) / radius);
    }
  }

  // The shortest rotation that takes +y to this direction; half a turn about x where it points down.
  private turnTo(x: number, y: number, z: number, length: number): void {
    const { turn } = this;
    const w = length > 0 ? 1 + y / length : 2;
    if (w < 1e-9) [turn[0], turn[1], turn[2], turn[3]] = [1, 0, 0, 0];
    else {
      const scale = 1 / Math.sqrt(2 * w);
      [turn[0], turn[1], turn[2], turn[3]] = length > 0 ? [(z / length) * scale, 0, (-x / length) * scale, w * scale] : [0, 0, 0, 1];
    }
  }
}
