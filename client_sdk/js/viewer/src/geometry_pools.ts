// One pool (shape_pool.ts) for each visible geometry, by digest and rounding: all shapes of one geometry are
// one draw. An unused pool is disposed after a while, so that geometries of a replaced world do not stay.
import type { Object3D } from "three";
import { BufferAttribute, BufferGeometry } from "three";
import type { Geometry, Shape } from "takt";
import type { GeometryOf } from "takt/drawing";
import { surfaceTriangles } from "takt/drawing";
import { sidesOfLand } from "./land.js";
import { shapeMaterials } from "./shape_material.js";
import { ShapePool } from "./shape_pool.js";

/** Frames without a shape after which a pool is disposed. */
const kIdleFramesMax = 300;

interface Entry {
  geometry: Geometry;
  pool: ShapePool;
  idleFrames: number;
}

export class GeometryPools {
  private readonly byDigest = new Map<bigint, Map<number, Entry>>();

  constructor(private readonly parent: Object3D) {}

  begin(): void {
    for (const [digest, byRounding] of this.byDigest) {
      for (const [rounding, entry] of byRounding) {
        entry.pool.begin();
        if (++entry.idleFrames <= kIdleFramesMax) continue;
        entry.pool.dispose(this.parent);
        byRounding.delete(rounding);
      }
      if (byRounding.size === 0) this.byDigest.delete(digest);
    }
  }

  /** The pool of a shape; undefined = its geometry was not sent. */
  poolOf(shape: Shape, geometryOf: GeometryOf): ShapePool | undefined {
    if (shape.geometry === 0n) return undefined;
    const geometry = geometryOf(shape.geometry);
    if (!geometry) return undefined;
    let byRounding = this.byDigest.get(shape.geometry);
    if (!byRounding) this.byDigest.set(shape.geometry, (byRounding = new Map<number, Entry>()));
    let entry = byRounding.get(shape.rounding);
    if (entry?.geometry !== geometry) {
      entry?.pool.dispose(this.parent);
      const materials = shapeMaterials("none", { isTwoSided: geometry.kind !== "hull" });
      entry = {
        geometry,
        pool: new ShapePool(this.parent, materials, bufferOf(geometry, shape.rounding)),
        idleFrames: 0,
      };
      byRounding.set(shape.rounding, entry);
    }
    entry.idleFrames = 0;
    return entry.pool;
  }

  finish(): void {
    for (const byRounding of this.byDigest.values()) {
      for (const { pool } of byRounding.values()) pool.finish();
    }
  }
}

function bufferOf(geometry: Geometry, rounding: number): BufferGeometry {
  const surface = surfaceTriangles(geometry, rounding);
  const sides = geometry.kind === "height_field" ? sidesOfLand(geometry) : undefined;
  const positions = sides ? joined(surface.positions, sides.positions) : surface.positions,
    normals = sides ? joined(surface.normals, sides.normals) : surface.normals;
  const buffer = new BufferGeometry();
  buffer.setAttribute("position", new BufferAttribute(positions, 3));
  buffer.setAttribute("normal", new BufferAttribute(normals, 3));
  const indices = new Uint32Array(positions.length / 3);
  for (let i = 0; i < indices.length; ++i) indices[i] = i;
  return buffer.setIndex(new BufferAttribute(indices, 1));
}

function joined(a: Float32Array, b: Float32Array): Float32Array {
  const both = new Float32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
