// Swings remembers how far bodies swing. A pendulum that is framed on its way leaves the picture and comes
// back to it, again and again; a body that flies or rolls away does not come back. A body swings once its
// horizontal velocity has turned round. CameraGuide shows the whole way of such bodies. Swings draws nothing.
import type { Body } from "takt";
import { Bounds } from "./bounds.js";
import type { ContentBox } from "./content.js";

/** Minimum horizontal speed of a motion, m/s: bodies at rest shake by less. */
const kSpeedMin = 0.3;

interface Way {
  bounds: Bounds;
  /** The last horizontal velocity of at least kSpeedMin, m/s. */
  x: number;
  z: number;
  turned: boolean;
}

export class Swings {
  private readonly ways = new Map<bigint, Way>();

  /** Forgets all bodies, for another view. */
  clear(): void {
    this.ways.clear();
  }

  /** Reads the bodies in the subject of the view; call it several times a second. */
  update(bodies: Iterable<Body>, subject: Bounds): void {
    const ids = new Set<bigint>();
    for (const body of bodies) {
      ids.add(body.id);
      if (body.motion !== "dynamic" || !isInside(subject, body.position)) continue;
      let way = this.ways.get(body.id);
      if (!way) this.ways.set(body.id, (way = { bounds: new Bounds(), x: 0, z: 0, turned: false }));
      for (const shape of body.shapes) way.bounds.addShape(body, shape);
      const x = body.linearVelocity[0]!,
        z = body.linearVelocity[2]!;
      if (Math.hypot(x, z) < kSpeedMin) continue;
      way.turned ||= x * way.x + z * way.z < 0;
      way.x = x;
      way.z = z;
    }
    for (const id of this.ways.keys()) if (!ids.has(id)) this.ways.delete(id);
  }

  /** The boxes around the ways of the bodies that swing. */
  boxes(): ContentBox[] {
    const boxes: ContentBox[] = [];
    for (const { bounds, turned } of this.ways.values()) {
      if (!turned || bounds.isEmpty) continue;
      const half = bounds.high.map((value, axis) => 0.5 * (value - bounds.low[axis]!));
      const center = [bounds.center(0), bounds.center(1), bounds.center(2)];
      boxes.push({ center, half, still: half, moves: true });
    }
    return boxes;
  }
}

function isInside(bounds: Bounds, point: ArrayLike<number>): boolean {
  return [0, 1, 2].every((axis) => bounds.low[axis]! <= point[axis]! && point[axis]! <= bounds.high[axis]!);
}
