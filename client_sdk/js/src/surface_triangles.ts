// Triangles of a hull, mesh or height field with a normal at each corner, about the centre of its box, for
// drawing and picking. Hulls are flat on every face, and round at edges and corners if they have a rounding.
// Meshes and height fields are smooth at small angles and creased at larger ones. Each geometry is converted
// once.
import type { Geometry, HeightFieldGeometry, HullGeometry } from "./geometry.js";

export interface SurfaceTriangles {
  /** x, y, z of three corners for each triangle, counter-clockwise seen from outside or from the front. */
  readonly positions: Float32Array;
  readonly normals: Float32Array;
}

/** Neighbours at a larger angle have a crease between them. */
const kCreaseCosine = Math.cos((35 * Math.PI) / 180);
/** Maximum angle of one piece of a rounding's arc. */
const kArcRadians = (18 * Math.PI) / 180;

type Vec = [number, number, number];

const made = new WeakMap<Geometry, Map<number, SurfaceTriangles>>();

/** Triangles of a geometry. `rounding`: m, of a hull. */
export function surfaceTriangles(geometry: Geometry, rounding = 0): SurfaceTriangles {
  let byRounding = made.get(geometry);
  if (!byRounding) made.set(geometry, (byRounding = new Map<number, SurfaceTriangles>()));
  let triangles = byRounding.get(rounding);
  if (!triangles) byRounding.set(rounding, (triangles = make(geometry, rounding)));
  return triangles;
}

function make(geometry: Geometry, rounding: number): SurfaceTriangles {
  if (geometry.kind === "hull") return roundedHull(geometry, rounding);
  return geometry.kind === "mesh" ? creased(geometry.vertices, geometry.indices) : creased(...grid(geometry));
}

// ------------------------------------------------------------ hulls

class Builder {
  private readonly positions: number[] = [];
  private readonly normals: number[] = [];
  add(a: Vec, b: Vec, c: Vec, na: Vec, nb: Vec, nc: Vec): void {
    this.positions.push(...a, ...b, ...c);
    this.normals.push(...na, ...nb, ...nc);
  }
  take(): SurfaceTriangles {
    return { positions: new Float32Array(this.positions), normals: new Float32Array(this.normals) };
  }
}

function roundedHull(hull: HullGeometry, rounding: number): SurfaceTriangles {
  const builder = new Builder();
  const corner = (i: number): Vec => [
    hull.vertices[3 * i]!,
    hull.vertices[3 * i + 1]!,
    hull.vertices[3 * i + 2]!,
  ];
  const out = (at: Vec, n: Vec): Vec => [
    at[0] + rounding * n[0],
    at[1] + rounding * n[1],
    at[2] + rounding * n[2],
  ];
  // By "from,to": the normal of the face with this edge.
  const faceOfEdge = new Map<string, Vec>();
  let first = 0;
  for (const size of hull.faceSizes) {
    const loop = hull.indices.subarray(first, first + size);
    first += size;
    const corners = [...loop].map(corner);
    const normal = faceNormal(corners);
    for (let i = 0; i < size; ++i) faceOfEdge.set(`${loop[i]},${loop[(i + 1) % size]}`, normal);
    const [a, ...rest] = corners.map((point) => out(point, normal)) as [Vec, ...Vec[]];
    for (let i = 0; i + 1 < rest.length; ++i) builder.add(a, rest[i]!, rest[i + 1]!, normal, normal, normal);
  }
  if (rounding > 0) addRounding(hull, corner, out, faceOfEdge, builder);
  return builder.take();
}

/**
 * Adds a strip of a cylinder along each edge, and a part of a ball at each corner between the arcs of its
 * edges.
 */
function addRounding(
  hull: HullGeometry,
  corner: (i: number) => Vec,
  out: (at: Vec, n: Vec) => Vec,
  faceOfEdge: Map<string, Vec>,
  builder: Builder,
): void {
  const arcsAt: Vec[][][] = Array.from({ length: hull.vertices.length / 3 }, () => []);
  for (const [edge, normal] of faceOfEdge) {
    const [from, to] = edge.split(",").map(Number) as [number, number];
    const other = faceOfEdge.get(`${to},${from}`);
    if (!other) continue; // an open edge; the rest is drawn
    const arc = arcBetween(normal, other);
    arcsAt[from]!.push(arc);
    if (from > to) continue;
    const a = corner(from),
      b = corner(to);
    for (let i = 0; i + 1 < arc.length; ++i) {
      const n = arc[i]!,
        m = arc[i + 1]!;
      addOutward(builder, [out(a, n), out(b, n), out(b, m)], [n, n, m]);
      addOutward(builder, [out(a, n), out(b, m), out(a, m)], [n, m, m]);
    }
  }
  arcsAt.forEach((arcs, i) => {
    const middle = unit(
      arcs.reduce<Vec>(
        (sum, arc) => [sum[0] + arc[0]![0], sum[1] + arc[0]![1], sum[2] + arc[0]![2]],
        [0, 0, 0],
      ),
    );
    const point = corner(i);
    const rings = Math.max(1, ...arcs.map((arc) => Math.ceil(angleBetween(middle, arc[0]!) / kArcRadians)));
    for (const arc of arcs) {
      for (let k = 0; k + 1 < arc.length; ++k) {
        for (let ring = 0; ring < rings; ++ring) {
          const at = (end: Vec, j: number): Vec => between(middle, end, j / rings);
          const n = at(arc[k]!, ring),
            m = at(arc[k + 1]!, ring),
            p = at(arc[k]!, ring + 1),
            q = at(arc[k + 1]!, ring + 1);
          addOutward(builder, [out(point, n), out(point, p), out(point, q)], [n, p, q]);
          if (ring > 0) addOutward(builder, [out(point, n), out(point, q), out(point, m)], [n, q, m]);
        }
      }
    }
  });
}

/** Adds a triangle with its front in the direction of its normals. */
function addOutward(builder: Builder, [a, b, c]: [Vec, Vec, Vec], [na, nb, nc]: [Vec, Vec, Vec]): void {
  const n = cross(minus(b, a), minus(c, a));
  if (dot(n, na) + dot(n, nb) + dot(n, nc) >= 0) builder.add(a, b, c, na, nb, nc);
  else builder.add(a, c, b, na, nc, nb);
}

/** Normal of a flat polygon with any corners (Newell). */
function faceNormal(corners: readonly Vec[]): Vec {
  const sum: Vec = [0, 0, 0];
  corners.forEach((a, i) => {
    const b = corners[(i + 1) % corners.length]!;
    const n = cross(minus(a, corners[0]!), minus(b, corners[0]!));
    for (let axis = 0; axis < 3; ++axis) sum[axis]! += n[axis]!;
  });
  return unit(sum);
}

function arcBetween(from: Vec, to: Vec): Vec[] {
  const pieces = Math.max(1, Math.ceil(angleBetween(from, to) / kArcRadians));
  return Array.from({ length: pieces + 1 }, (_, i) => between(from, to, i / pieces));
}

function between(from: Vec, to: Vec, fraction: number): Vec {
  const angle = angleBetween(from, to),
    sine = Math.sin(angle);
  if (sine < 1e-6) return fraction < 0.5 ? from : to;
  const a = Math.sin((1 - fraction) * angle) / sine,
    b = Math.sin(fraction * angle) / sine;
  return [a * from[0] + b * to[0], a * from[1] + b * to[1], a * from[2] + b * to[2]];
}

// ------------------------------------------------------------ meshes and height fields

function grid({
  rows,
  columns,
  spacingX,
  spacingZ,
  heights,
  holes,
}: HeightFieldGeometry): [Float32Array, Uint32Array] {
  const vertices = new Float32Array(3 * rows * columns);
  for (let row = 0, at = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column, at += 3) {
      vertices[at] = (column - 0.5 * (columns - 1)) * spacingX;
      vertices[at + 1] = heights[row * columns + column]!;
      vertices[at + 2] = (row - 0.5 * (rows - 1)) * spacingZ;
    }
  }
  const indices: number[] = [];
  for (let row = 0; row + 1 < rows; ++row) {
    for (let column = 0; column + 1 < columns; ++column) {
      if (holes.length > 0 && holes[row * (columns - 1) + column] !== 0) continue;
      const a = row * columns + column,
        b = a + columns;
      indices.push(a, b, b + 1, a, b + 1, a + 1);
    }
  }
  return [vertices, Uint32Array.from(indices)];
}

/** The normal at a corner is the area-weighted mean of its triangles within the crease angle. */
function creased(vertices: Float32Array, indices: Uint32Array): SurfaceTriangles {
  const count = indices.length / 3;
  const large = new Float64Array(3 * count),
    units = new Float64Array(3 * count);
  for (let t = 0; t < count; ++t) {
    const [a, b, c] = [0, 1, 2].map((i) => 3 * indices[3 * t + i]!) as [number, number, number];
    const at = (i: number, axis: number) => vertices[i + axis]! - vertices[a + axis]!;
    const x = at(b, 1) * at(c, 2) - at(b, 2) * at(c, 1),
      y = at(b, 2) * at(c, 0) - at(b, 0) * at(c, 2),
      z = at(b, 0) * at(c, 1) - at(b, 1) * at(c, 0);
    const length = nonZero(Math.hypot(x, y, z));
    large.set([x, y, z], 3 * t);
    units.set([x / length, y / length, z / length], 3 * t);
  }
  // The triangles of each corner, in one array.
  const first = new Uint32Array(vertices.length / 3 + 1);
  for (const index of indices) ++first[index + 1]!;
  for (let i = 1; i < first.length; ++i) first[i]! += first[i - 1]!;
  const around = new Uint32Array(indices.length),
    filled = first.slice();
  for (let i = 0; i < indices.length; ++i) around[filled[indices[i]!]!++] = Math.floor(i / 3);

  const positions = new Float32Array(3 * indices.length),
    normals = new Float32Array(3 * indices.length);
  for (let i = 0; i < indices.length; ++i) {
    const own = 3 * Math.floor(i / 3),
      index = indices[i]!;
    let x = 0,
      y = 0,
      z = 0;
    for (let k = first[index]!; k < first[index + 1]!; ++k) {
      const other = 3 * around[k]!;
      const cosine =
        units[own]! * units[other]! +
        units[own + 1]! * units[other + 1]! +
        units[own + 2]! * units[other + 2]!;
      if (cosine < kCreaseCosine) continue;
      x += large[other]!;
      y += large[other + 1]!;
      z += large[other + 2]!;
    }
    const length = nonZero(Math.hypot(x, y, z));
    positions.set(vertices.subarray(3 * index, 3 * index + 3), 3 * i);
    normals[3 * i] = x / length;
    normals[3 * i + 1] = y / length;
    normals[3 * i + 2] = z / length;
  }
  return { positions, normals };
}

// ------------------------------------------------------------ vectors

function minus(a: Vec, b: Vec): Vec {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}
function dot(a: Vec, b: Vec): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
function cross(a: Vec, b: Vec): Vec {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
function unit(a: Vec): Vec {
  const length = nonZero(Math.hypot(...a));
  return [a[0] / length, a[1] / length, a[2] / length];
}
function angleBetween(a: Vec, b: Vec): number {
  return Math.acos(Math.min(1, Math.max(-1, dot(a, b))));
}
/** A length to divide by. A zero vector stays zero. */
function nonZero(length: number): number {
  return length === 0 ? 1 : length;
}
