// The content of a view: boxes around the bodies and ropes that it must show. Three subjects select them: a
// scene's camera, the bulk of the bodies, and everything. Framing computes a view of the boxes. Half-spaces
// have no box; a point below the content makes the floor visible.
import type { Body, Rope } from "takt";
import { Bounds, boundsOfBulk } from "./bounds.js";
import { Framing } from "./framing.js";
import type { FramingOptions } from "./framing.js";
import { depthOfLand } from "./land.js";

/** Half the edge of a scene camera's subject, in half view heights at the target. */
const kSubjectHeights = 1.5;
/** Growth of the bulk's and the moving bodies' bounds, as a fraction of their radius, and in metres. */
const kGrowth = 0.2;
const kGrowthM = 0.5;
/** A body farther from the bulk than this many of its radii, and than this distance, is a stray. */
const kStrayRadii = 20;
const kStrayM = 60;
/** The floor is shown if it is at most this many diameters of the content below it. */
const kFloorDiameters = 2;
/**
 * A view has room for sideways motion of this time, s, or as far as a pendulum at its lowest point swings
 * with this speed, and at most of this distance, m.
 */
const kMotionS = 0.5;
const kMotionMaxM = 5;
const kGravity = 9.81;
/** A static shape that reaches beyond the subject by at most this fraction of it is shown whole. */
const kBeyondSubject = 0.25;

export interface ContentBox {
  center: readonly number[];
  half: readonly number[];
  /** Half widths without the room for motion. */
  still: readonly number[];
  /** The box is of a rope, or of a shape that is not static. */
  moves: boolean;
}

/** The cube around a camera's target in which bodies are its subject. `tangentUp`: as in FramingOptions. */
export function subjectOfCamera(
  eye: readonly number[],
  target: readonly number[],
  tangentUp: number,
): Bounds {
  const distance = Math.hypot(...eye.map((value, axis) => value - target[axis]!));
  const subject = new Bounds();
  subject.add(target, Math.max(1, kSubjectHeights * tangentUp * distance));
  return subject;
}

/** The bounds of the bulk of the bodies, and of the ropes near it. */
export function subjectOfBulk(bodies: Iterable<Body>, ropes: Iterable<Rope>): Bounds {
  const all = [...bodies];
  const bulk = boundsOfBulk(all);
  const wide = grown(bulk, 1 + kGrowth, kGrowthM);
  for (const point of nodesOf(ropes)) if (bulk.isEmpty || contains(wide, point)) bulk.add(point, 0);
  return grown(bulk, kGrowth, kGrowthM);
}

/** The bounds of all bodies and ropes except strays: a ball that rolled away for an hour is one. */
export function subjectOfAll(bodies: Iterable<Body>, ropes: Iterable<Rope>): Bounds {
  const all = [...bodies];
  const subject = boundsOfBulk(all);
  for (const point of nodesOf(ropes)) subject.add(point, 0);
  if (subject.isEmpty) return subject;
  return grown(subject, kStrayRadii, kStrayM);
}

/**
 * Boxes of the shapes and ropes in the subject. A static shape is cut to the subject, and to the surroundings
 * of the bodies that move: a ground of a kilometre does not shrink them to a dot. A ground that reaches
 * beyond these on all sides has no box.
 */
export function contentOf(bodies: Iterable<Body>, ropes: Iterable<Rope>, subject: Bounds): ContentBox[] {
  const moving: ContentBox[] = [];
  const fixed: ContentBox[] = [];
  const bounds = new Bounds();
  for (const body of bodies) {
    for (const shape of body.shapes) {
      bounds.clear();
      bounds.addShape(body, shape);
      if (bounds.isEmpty) continue;
      if (shape.kind === "height_field") {
        bounds.low[1]! -= depthOfLand(2 * shape.dimensions[0], 2 * shape.dimensions[2]);
      }
      if (body.motion === "static") {
        fixed.push(boxOf(bounds, false));
      } else if (contains(subject, center(bounds))) {
        const { half: still } = boxOf(bounds, true);
        moving.push({ ...boxOf(withMotion(bounds, body), true), still });
      }
    }
  }
  for (const point of nodesOf(ropes)) {
    if (contains(subject, point)) {
      moving.push({ center: point, half: [0, 0, 0], still: [0, 0, 0], moves: true });
    }
  }
  const hull = new Bounds();
  for (const { center: middle, half } of moving) addBox(hull, middle, half);
  const seen = [...moving];
  const limit = moving.length === 0 ? subject : grown(hull, 1, kGrowthM);
  const nearby = grown(subject, kBeyondSubject, 0);
  for (const box of fixed) {
    const whole = boundsOf(box);
    const isNear = contains(nearby, whole.low) && contains(nearby, whole.high);
    const cut = intersection(isNear ? whole : intersection(whole, subject), limit);
    // A ground that reaches beyond the bodies on all sides is in every view of them.
    const isGround =
      moving.length > 0 &&
      [0, 2].every((axis) => whole.low[axis]! < limit.low[axis]! && whole.high[axis]! > limit.high[axis]!);
    if (!cut.isEmpty && !isGround) seen.push(boxOf(cut, false));
  }
  return seen;
}

/** A framing of these boxes, and of the floor below them if it is near. `floorY`: -Infinity = none. */
export function framingOf(boxes: readonly ContentBox[], floorY: number, options: FramingOptions): Framing {
  const framing = new Framing(options);
  const hull = new Bounds();
  for (const { center: middle, half } of boxes) {
    framing.add(middle, half);
    addBox(hull, middle, half);
  }
  const below = hull.low[1]! - floorY;
  if (boxes.length > 0 && below > 0 && below < kFloorDiameters * 2 * Math.max(1, hull.radius)) {
    framing.add([hull.center(0), floorY, hull.center(2)], [0, 0, 0]);
  }
  return framing;
}

// The body falls into what is below it, which is in the picture, so its vertical motion needs no room.
function withMotion(bounds: Bounds, { linearVelocity }: Body): Bounds {
  for (const axis of [0, 2]) {
    const speed = linearVelocity[axis]!;
    const travel = Math.sign(speed) * Math.max(kMotionS * Math.abs(speed), speed ** 2 / (2 * kGravity));
    bounds.low[axis]! += Math.max(-kMotionMaxM, Math.min(0, travel));
    bounds.high[axis]! += Math.min(kMotionMaxM, Math.max(0, travel));
  }
  return bounds;
}

function* nodesOf(ropes: Iterable<Rope>): Generator<number[]> {
  for (const { positions } of ropes) {
    for (let at = 0; at + 2 < positions.length; at += 3) yield [...positions.subarray(at, at + 3)];
  }
}

function center(bounds: Bounds): number[] {
  return [bounds.center(0), bounds.center(1), bounds.center(2)];
}

function boxOf(bounds: Bounds, moves: boolean): ContentBox {
  const half = bounds.high.map((value, axis) => 0.5 * (value - bounds.low[axis]!));
  return { center: center(bounds), half, still: half, moves };
}

function boundsOf({ center: middle, half }: ContentBox): Bounds {
  const bounds = new Bounds();
  addBox(bounds, middle, half);
  return bounds;
}

function addBox(bounds: Bounds, middle: readonly number[], half: readonly number[]): void {
  bounds.add(
    middle.map((value, axis) => value - half[axis]!),
    0,
  );
  bounds.add(
    middle.map((value, axis) => value + half[axis]!),
    0,
  );
}

function contains(bounds: Bounds, point: ArrayLike<number>): boolean {
  return [0, 1, 2].every((axis) => bounds.low[axis]! <= point[axis]! && point[axis]! <= bounds.high[axis]!);
}

/** The bounds, wider on each side by a fraction of their radius and by a distance. */
function grown(bounds: Bounds, fraction: number, distance: number): Bounds {
  const out = new Bounds();
  if (bounds.isEmpty) return out;
  out.add(bounds.low, fraction * bounds.radius + distance);
  out.add(bounds.high, fraction * bounds.radius + distance);
  return out;
}

function intersection(a: Bounds, b: Bounds): Bounds {
  const out = new Bounds();
  for (let axis = 0; axis < 3; ++axis) {
    out.low[axis] = Math.max(a.low[axis]!, b.low[axis]!);
    out.high[axis] = Math.min(a.high[axis]!, b.high[axis]!);
  }
  const isEmpty = out.low.some((value, axis) => value > out.high[axis]!);
  if (isEmpty) out.clear();
  return out;
}
