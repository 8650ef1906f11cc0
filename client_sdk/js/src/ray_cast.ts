// Picking: the nearest displayed body on a ray, exactly and in doubles. It works 1,000 km from the origin and
// for 10,000 bodies, and reads no picture back. Half-spaces are hit and hide bodies behind them. A ray query
// of the server differs: it finds bodies where the server has them now, not where they are displayed.
import { object, vector3 } from "./argument.js";
import type { Body } from "./body.js";
import { kVectorComponentMax } from "./command_fields.js";
import type { Vec3Like } from "./command.js";
import { TaktError } from "./error.js";
import type { Geometry } from "./geometry.js";
import type { Shape, Triple } from "./message.js";
import { multiply, rotate, rotateBack } from "./rotation.js";
import { surfaceTriangles } from "./surface_triangles.js";

/** A ray, as viewRay() returns one. */
export interface Ray {
  /** m, world. */
  origin: Triple;
  /** Unit vector, world. */
  direction: Triple;
}

/** A ray as an argument; its direction may have any length but 0. */
export interface RayLike {
  origin: Vec3Like;
  direction: Vec3Like;
}

/** The nearest displayed shape on a ray. */
export interface PickHit {
  body: Body;
  /** Index in Body.shapes. */
  shape: number;
  /** Metres along the ray. */
  distance: number;
  /** m, world. */
  point: Triple;
  /** m, body frame; the `pointLocal` of Client.grab() and impulse(). */
  pointLocal: Triple;
}

/** Returns the geometry of a digest; undefined = not sent. */
export type GeometryOf = (digest: bigint) => Geometry | undefined;

/** The ray with a unit direction. Throws a TaktError that names the field. */
export function checkedRay(name: string, ray: unknown): Ray {
  const { origin, direction } = object(name, ray, ["origin", "direction"]);
  const towards = vector3(`${name}.direction`, direction, kVectorComponentMax);
  const length = Math.hypot(...towards);
  if (length === 0) {
    throw new TaktError("out-of-range", `${name}.direction takes a vector that is not zero`);
  }
  return {
    origin: vector3(`${name}.origin`, origin, kVectorComponentMax),
    direction: towards.map((value) => value / length) as Triple,
  };
}

/** The nearest hit of the ray; undefined = none. A shape without its geometry is hit at its box. */
export function castRay(
  ray: Ray,
  bodies: Iterable<Body>,
  geometryOf: GeometryOf = () => undefined,
): PickHit | undefined {
  let nearest = Infinity;
  let found: Body | undefined;
  let foundShape = 0;
  for (const body of bodies) {
    for (let i = 0; i < body.shapes.length; ++i) {
      const distance = distanceToShape(ray, body, body.shapes[i]!, geometryOf);
      if (distance < nearest) {
        nearest = distance;
        found = body;
        foundShape = i;
      }
    }
  }
  if (!found) return undefined;
  const point = [0, 1, 2].map((axis) => ray.origin[axis]! + ray.direction[axis]! * nearest) as Triple;
  const pointLocal: Triple = [0, 0, 0];
  rotateBack(
    found.rotation,
    point[0] - found.position[0]!,
    point[1] - found.position[1]!,
    point[2] - found.position[2]!,
    pointLocal,
  );
  return { body: found, shape: foundShape, distance: nearest, point, pointLocal };
}

const offset = [0, 0, 0];
const shapeRotation = [0, 0, 0, 1];
const from = [0, 0, 0];
const towards = [0, 0, 0];

function distanceToShape(ray: Ray, body: Body, shape: Shape, geometryOf: GeometryOf): number {
  rotate(body.rotation, shape.localPosition[0], shape.localPosition[1], shape.localPosition[2], offset);
  const x = ray.origin[0] - body.position[0]! - offset[0]!;
  const y = ray.origin[1] - body.position[1]! - offset[1]!;
  const z = ray.origin[2] - body.position[2]! - offset[2]!;
  const size = shape.dimensions;
  if (shape.kind === "half_space") {
    rotate(body.rotation, size[0], size[1], size[2], towards);
    const height = x * towards[0]! + y * towards[1]! + z * towards[2]!;
    const sinking =
      ray.direction[0] * towards[0]! + ray.direction[1] * towards[1]! + ray.direction[2] * towards[2]!;
    return height > 0 && sinking < 0 ? -height / sinking : Infinity;
  }
  multiply(body.rotation, shape.localRotation, shapeRotation);
  rotateBack(shapeRotation, x, y, z, from);
  rotateBack(shapeRotation, ray.direction[0], ray.direction[1], ray.direction[2], towards);
  switch (shape.kind) {
    case "sphere":
      return distanceToBall(from[0]!, from[1]!, from[2]!, size[0]);
    case "capsule":
      return distanceToCapsule(size[0], size[1]);
    case "cylinder":
      return distanceToRound(size[0], size[1], size[0]);
    case "cone":
      return distanceToRound(size[0], size[1], 0);
    case "box":
      return distanceToBox(size);
    case "hull":
    case "mesh":
    case "height_field": {
      const geometry = shape.geometry === 0n ? undefined : geometryOf(shape.geometry);
      if (!geometry) return distanceToBox(size);
      return meetsBox(size)
        ? distanceToTriangles(surfaceTriangles(geometry, shape.rounding).positions)
        : Infinity;
    }
  }
  return Infinity;
}

/** Distance from (x, y, z) along `towards` to the ball of this radius at zero. */
function distanceToBall(x: number, y: number, z: number, radius: number): number {
  const along = x * towards[0]! + y * towards[1]! + z * towards[2]!;
  const apart = x * x + y * y + z * z - radius * radius;
  const root = along * along - apart;
  if (root < 0) return Infinity;
  const distance = -along - Math.sqrt(root);
  return distance > 0 ? distance : Infinity;
}

function distanceToCapsule(radius: number, half: number): number {
  let best = Math.min(
    distanceToBall(from[0]!, from[1]! - half, from[2]!, radius),
    distanceToBall(from[0]!, from[1]! + half, from[2]!, radius),
  );
  // The cylinder between the balls: a circle in x and z.
  const a = towards[0]! ** 2 + towards[2]! ** 2;
  const b = from[0]! * towards[0]! + from[2]! * towards[2]!;
  const root = b * b - a * (from[0]! ** 2 + from[2]! ** 2 - radius * radius);
  if (a > 1e-12 && root >= 0) {
    const distance = (-b - Math.sqrt(root)) / a;
    if (distance > 0 && Math.abs(from[1]! + distance * towards[1]!) <= half) best = Math.min(best, distance);
  }
  return best;
}

/**
 * Distance to a body of revolution about y with radius `bottom` at -half and `top` at +half: a cylinder or a
 * cone.
 */
function distanceToRound(bottom: number, half: number, top: number): number {
  const [x, y, z] = from as [number, number, number],
    [dx, dy, dz] = towards as [number, number, number];
  let best = Infinity;
  // The side: the radius at height y is middle + slope y, so x^2 + z^2 = (middle + slope y)^2.
  const slope = (top - bottom) / (2 * half),
    middle = 0.5 * (top + bottom);
  const radius = middle + slope * y,
    growing = slope * dy;
  const a = dx * dx + dz * dz - growing * growing,
    b = x * dx + z * dz - radius * growing,
    c = x * x + z * z - radius * radius;
  const root = b * b - a * c;
  if (root >= 0 && Math.abs(a) > 1e-12) {
    for (const sign of [-1, 1]) {
      const distance = (-b + sign * Math.sqrt(root)) / a;
      if (distance > 0 && distance < best && Math.abs(y + distance * dy) <= half) best = distance;
    }
  }
  for (const [end, reach] of [
    [-half, bottom],
    [half, top],
  ] as const) {
    const distance = (end - y) / dy;
    if (distance > 0 && distance < best && Math.hypot(x + distance * dx, z + distance * dz) <= reach) {
      best = distance;
    }
  }
  return best;
}

/**
 * Distance to the nearest triangle, from either side. Source: T. Moeller, B. Trumbore, Fast, Minimum Storage
 * Ray/Triangle Intersection (1997).
 */
function distanceToTriangles(p: Float32Array): number {
  const [x, y, z] = from as [number, number, number],
    [dx, dy, dz] = towards as [number, number, number];
  let best = Infinity;
  for (let i = 0; i < p.length; i += 9) {
    const ax = p[i]!,
      ay = p[i + 1]!,
      az = p[i + 2]!;
    const ux = p[i + 3]! - ax,
      uy = p[i + 4]! - ay,
      uz = p[i + 5]! - az,
      vx = p[i + 6]! - ax,
      vy = p[i + 7]! - ay,
      vz = p[i + 8]! - az;
    const px = dy * vz - dz * vy,
      py = dz * vx - dx * vz,
      pz = dx * vy - dy * vx;
    const determinant = ux * px + uy * py + uz * pz;
    if (determinant === 0) continue;
    const sx = x - ax,
      sy = y - ay,
      sz = z - az;
    const u = (sx * px + sy * py + sz * pz) / determinant;
    if (!(u >= 0 && u <= 1)) continue;
    const qx = sy * uz - sz * uy,
      qy = sz * ux - sx * uz,
      qz = sx * uy - sy * ux;
    const v = (dx * qx + dy * qy + dz * qz) / determinant;
    if (!(v >= 0 && u + v <= 1)) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / determinant;
    if (distance > 0 && distance < best) best = distance;
  }
  return best;
}

/**
 * Returns true if the ray, which may begin inside, meets the box. A margin covers flat boxes of flat
 * surfaces.
 */
function meetsBox(half: ArrayLike<number>): boolean {
  const grown = [0, 1, 2].map((axis) => half[axis]! * 1.001 + 1e-3);
  return grown.every((value, axis) => Math.abs(from[axis]!) <= value) || distanceToBox(grown) < Infinity;
}

function distanceToBox(half: ArrayLike<number>): number {
  let enter = 0,
    leave = Infinity;
  for (let axis = 0; axis < 3; ++axis) {
    const inverse = 1 / towards[axis]!;
    const one = (-half[axis]! - from[axis]!) * inverse,
      other = (half[axis]! - from[axis]!) * inverse;
    // A ray along a face gives NaN for 0 / 0. Comparisons with NaN are false and leave the interval
    // unchanged.
    if (Math.min(one, other) > enter) enter = Math.min(one, other);
    if (Math.max(one, other) < leave) leave = Math.max(one, other);
  }
  return enter <= leave && enter > 0 ? enter : Infinity;
}
