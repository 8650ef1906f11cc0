// The floor of the drawn world: half-spaces whose surface faces up, height fields, and without a half-space
// the lowest point of the static bodies. That point is no floor once something moves below it: a frame from
// which balls hang. It computes the clearance of a point above the floor, so that the camera stays above. It
// draws nothing.
import type { Body, Rope } from "takt";
import { castRay, rotate } from "takt/drawing";
import type { GeometryOf } from "takt/drawing";
import { Bounds } from "./bounds.js";

/** A half-space is a floor if its normal has at least this much of up; others are walls. */
const kFloorNormalY = 0.5;

/** Depth from which something is below the static bodies, m: overlaps of a contact are less. */
const kBelowM = 0.05;

type Triple = readonly [number, number, number];

interface Plane {
  point: Triple;
  normal: Triple;
}

export class Floor {
  private readonly planes: Plane[] = [];
  private readonly fields: Body[] = [];
  private readonly fieldBounds = new Bounds();
  /** The lowest point of the static bodies, m; Infinity = none, or something was below it. */
  private lowest = Infinity;
  private key = "";

  /**
   * Reads the bodies and ropes; call it once a frame. It computes the floor again only if static bodies
   * changed.
   */
  update(bodies: Iterable<Body>, ropes: Iterable<Rope> = []): void {
    let count = 0,
      ids = 0n,
      lowestMoving = Infinity;
    const fixed: Body[] = [];
    for (const body of bodies) {
      if (body.motion !== "static") {
        lowestMoving = Math.min(lowestMoving, body.position[1]!);
        continue;
      }
      fixed.push(body);
      ++count;
      ids += body.id;
    }
    const key = `${count} ${ids}`;
    if (key !== this.key) {
      this.key = key;
      this.read(fixed);
    }
    if (this.lowest === Infinity) return;
    for (const { positions } of ropes) {
      for (let at = 1; at < positions.length; at += 3) lowestMoving = Math.min(lowestMoving, positions[at]!);
    }
    // A body that fell off and is removed does not bring the floor back: it would throw the camera up.
    if (lowestMoving < this.lowest - kBelowM) this.lowest = Infinity;
  }

  /** True if something is below the bodies: a plane, a height field or the lowest static body. */
  get isPresent(): boolean {
    return this.planes.length > 0 || this.fields.length > 0 || this.lowest !== Infinity;
  }

  /** Forgets the floor, for another world. */
  clear(): void {
    this.key = "";
    this.read([]);
  }

  /** Distance of a point above the floor, m; negative below, Infinity without a floor. */
  clearance(x: number, y: number, z: number, geometryOf: GeometryOf): number {
    let clearance = Infinity;
    for (const { point, normal } of this.planes) {
      const height = (x - point[0]) * normal[0] + (y - point[1]) * normal[1] + (z - point[2]) * normal[2];
      clearance = Math.min(clearance, height);
    }
    if (this.lowest !== Infinity) clearance = y - this.lowest;
    return Math.min(clearance, this.heightAboveFields(x, y, z, geometryOf));
  }

  /** Height of the floor below or above a point, m; -Infinity = none. */
  heightAt(x: number, z: number): number {
    let height = -Infinity;
    for (const { point, normal } of this.planes) {
      const rise = (point[0] - x) * normal[0] + (point[2] - z) * normal[2];
      height = Math.max(height, point[1] + rise / normal[1]);
    }
    return this.lowest === Infinity ? height : this.lowest;
  }

  private read(fixed: readonly Body[]): void {
    this.planes.length = this.fields.length = 0;
    this.fieldBounds.clear();
    const bounds = new Bounds();
    for (const body of fixed) {
      let isField = false;
      for (const shape of body.shapes) {
        if (shape.kind === "half_space") this.addPlane(body, shape.localPosition, shape.dimensions);
        bounds.addShape(body, shape);
        if (shape.kind !== "height_field") continue;
        isField = true;
        this.fieldBounds.addShape(body, shape);
      }
      if (isField) this.fields.push(body);
    }
    this.lowest = bounds.isEmpty || this.planes.length > 0 ? Infinity : bounds.low[1]!;
  }

  private addPlane(body: Body, local: ArrayLike<number>, localNormal: ArrayLike<number>): void {
    const offset = [0, 0, 0],
      normal = [0, 0, 0];
    rotate(body.rotation, local[0]!, local[1]!, local[2]!, offset);
    rotate(body.rotation, localNormal[0]!, localNormal[1]!, localNormal[2]!, normal);
    if (normal[1]! < kFloorNormalY) return;
    const point = offset.map((value, axis) => value + body.position[axis]!);
    this.planes.push({ point: point as unknown as Triple, normal: normal as unknown as Triple });
  }

  private heightAboveFields(x: number, y: number, z: number, geometryOf: GeometryOf): number {
    const { low, high } = this.fieldBounds;
    const isBeside = x < low[0]! || x > high[0]! || z < low[2]! || z > high[2]!;
    if (this.fields.length === 0 || isBeside || y > high[1]!) return Infinity;
    const top = high[1]! + 1;
    const hit = castRay({ origin: [x, top, z], direction: [0, -1, 0] }, this.fields, geometryOf);
    return hit ? y - (top - hit.distance) : Infinity;
  }
}
