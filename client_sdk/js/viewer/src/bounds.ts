// Bounding boxes of bodies in world doubles, for the camera, the shadows and the overlays.
import type { Body, Shape } from "takt";
import { multiply, rotate } from "./rotation.js";

const half = [0, 0, 0];
const rotation = [0, 0, 0, 1];
const axes = [0, 0, 0];

/** A bounding box in world metres. Half-spaces have none. */
export class Bounds {
  readonly low = [Infinity, Infinity, Infinity];
  readonly high = [-Infinity, -Infinity, -Infinity];

  clear(): void {
    this.low.fill(Infinity);
    this.high.fill(-Infinity);
  }

  add(position: ArrayLike<number>, reach: number): void {
    for (let axis = 0; axis < 3; ++axis) {
      const at = position[axis]!;
      if (at - reach < this.low[axis]!) this.low[axis] = at - reach;
      if (at + reach > this.high[axis]!) this.high[axis] = at + reach;
    }
  }

  /** Adds the shape's own box: exact, except for cones. Half-spaces have none. */
  addShape(body: Body, shape: Shape): void {
    if (shape.kind === "half_space") return;
    const [x, y, z] = shape.dimensions;
    const isRound = shape.kind === "sphere" || shape.kind === "capsule",
      isRoundAboutY = shape.kind === "cylinder" || shape.kind === "cone";
    // Half widths of the rotated shape: three half edges of a box (or a hull's box); radius and half axis of
    // a round shape. A cone has the box of its cylinder.
    half.fill(isRound ? x : 0);
    multiply(body.rotation, shape.localRotation, rotation);
    if (isRoundAboutY) {
      rotate(rotation, 0, 1, 0, axes);
      for (let axis = 0; axis < 3; ++axis) half[axis] = x * Math.sqrt(Math.max(0, 1 - axes[axis]! ** 2));
    }
    for (let edge = 0; edge < 3; ++edge) {
      const length =
        isRound || isRoundAboutY ? (edge === 1 && shape.kind !== "sphere" ? y : 0) : [x, y, z][edge]!;
      if (length === 0) continue;
      rotate(rotation, edge === 0 ? length : 0, edge === 1 ? length : 0, edge === 2 ? length : 0, axes);
      for (let axis = 0; axis < 3; ++axis) half[axis]! += Math.abs(axes[axis]!);
    }
    rotate(body.rotation, shape.localPosition[0], shape.localPosition[1], shape.localPosition[2], axes);
    for (let axis = 0; axis < 3; ++axis) {
      const at = body.position[axis]! + axes[axis]!;
      this.low[axis] = Math.min(this.low[axis]!, at - half[axis]!);
      this.high[axis] = Math.max(this.high[axis]!, at + half[axis]!);
    }
  }

  get isEmpty(): boolean {
    return this.low[0]! > this.high[0]!;
  }

  center(axis: 0 | 1 | 2): number {
    return 0.5 * (this.low[axis]! + this.high[axis]!);
  }

  get radius(): number {
    return this.isEmpty
      ? 0
      : 0.5 *
          Math.hypot(
            this.high[0]! - this.low[0]!,
            this.high[1]! - this.low[1]!,
            this.high[2]! - this.low[2]!,
          );
  }
}

/** The bulk consists of the bodies within this many median distances of the centre. */
const kBulkDistances = 3;

/** The box around the bulk of the bodies. A ball that rolled away for an hour does not count. */
export function boundsOfBulk(bodies: Iterable<Body>): Bounds {
  const located: Body[] = [];
  for (const body of bodies) {
    if (!body.shapes.some((shape) => shape.kind === "half_space")) located.push(body);
  }
  const bounds = new Bounds();
  if (located.length === 0) return bounds;
  const middle = [0, 1, 2].map((axis) => median(located.map((body) => body.position[axis]!)));
  const distances = located.map(({ position }) =>
    Math.hypot(...middle.map((value, axis) => position[axis]! - value)),
  );
  const reach = Math.max(1, kBulkDistances * median(distances));
  located.forEach((body, i) => {
    if (distances[i]! <= reach) for (const shape of body.shapes) bounds.addShape(body, shape);
  });
  return bounds;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
