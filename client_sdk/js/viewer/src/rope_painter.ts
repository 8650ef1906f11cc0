// Draws ropes: a capsule for each segment, so that neighbours meet roundly, and all of them as one draw. It
// adds ropes to the bounds as body_painter.ts adds bodies, and simulates nothing.
import type { Object3D } from "three";
import type { Rope } from "takt";
import type { Rgb } from "./body_colour.js";
import type { Bounds } from "./bounds.js";
import type { FloatingOrigin } from "./floating_origin.js";
import { writeMatrix } from "./rotation.js";
import { capsuleGeometry } from "./shape_geometry.js";
import { shapeMaterials } from "./shape_material.js";
import { ShapePool } from "./shape_pool.js";

/** Hemp, linear; every other segment is darker, so that motion along the rope is visible. */
const kRopeColour: Rgb = { r: 0.5, g: 0.31, b: 0.13 };
const kAlternateFraction = 0.72;
const kAsleepFraction = 0.6;

export class RopePainter {
  private readonly segments: ShapePool;
  private readonly rotation = [0, 0, 0, 1];
  private readonly point = [0, 0, 0];

  constructor(parent: Object3D) {
    this.segments = new ShapePool(
      parent,
      shapeMaterials("none", { isStretched: true }),
      capsuleGeometry(12),
      capsuleGeometry(6),
    );
  }

  /** Draws ropes. `minRadius`: minimum drawn radius, m, so that distant ropes are visible. */
  paint(ropes: readonly Rope[], origin: FloatingOrigin, minRadius: number, bounds: Bounds): void {
    this.segments.begin();
    for (const rope of ropes) this.paintRope(rope, origin, Math.max(rope.radius, minRadius), bounds);
    this.segments.finish();
  }

  private paintRope(rope: Rope, origin: FloatingOrigin, radius: number, bounds: Bounds): void {
    const { positions } = rope;
    const { point } = this;
    const sleep = rope.asleep ? kAsleepFraction : 1;
    for (let at = 0; at + 3 <= positions.length; at += 3) {
      for (let axis = 0; axis < 3; ++axis) point[axis] = positions[at + axis]!;
      bounds.add(point, radius);
      const isLast = at + 6 > positions.length;
      if (isLast && at > 0) return;
      // A rope that was cut down to one node is a bead.
      const x = isLast ? 0 : positions[at + 3]! - point[0]!,
        y = isLast ? 0 : positions[at + 4]! - point[1]!,
        z = isLast ? 0 : positions[at + 5]! - point[2]!;
      const length = Math.hypot(x, y, z);
      this.rotateTo(x, y, z, length);
      const brightness = sleep * ((at / 3) % 2 === 0 ? 1 : kAlternateFraction);
      writeMatrix(
        this.segments.add(),
        this.segments.at,
        this.rotation,
        point[0]! + 0.5 * x - origin.x,
        point[1]! + 0.5 * y - origin.y,
        point[2]! + 0.5 * z - origin.z,
        radius,
        radius,
        radius,
      );
      this.segments.tint(
        brightness * kRopeColour.r,
        brightness * kRopeColour.g,
        brightness * kRopeColour.b,
        (0.5 * length) / radius,
      );
    }
  }

  // Sets the shortest rotation from +y to this direction; half a turn about x if it points down.
  private rotateTo(x: number, y: number, z: number, length: number): void {
    const { rotation } = this;
    const w = length > 0 ? 1 + y / length : 2;
    if (w < 1e-9) [rotation[0], rotation[1], rotation[2], rotation[3]] = [1, 0, 0, 0];
    else {
      const scale = 1 / Math.sqrt(2 * w);
      [rotation[0], rotation[1], rotation[2], rotation[3]] =
        length > 0 ? [(z / length) * scale, 0, (-x / length) * scale, w * scale] : [0, 0, 0, 1];
    }
  }
}
