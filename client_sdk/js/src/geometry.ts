// Geometry of hulls, meshes and height fields as the server sends it, and its decoder, which follows the
// rules of protocol/messages/geometry.cpp (layout: docs/PROTOCOL.md). Coordinates are metres about the centre
// of the geometry's box, which is at a shape's localPosition.
import { byteArray, oneOf } from "./argument.js";
import { kDimensionMax } from "./command_fields.js";
import { kGeometryBytesMax, kHullCornersMax } from "./limits.js";
import type { GeometryKind } from "./message.js";
import { kEnums } from "./schema.js";
import type { ReadError } from "./table_reader.js";

export interface HullGeometry {
  readonly kind: "hull";
  /** x, y, z of each vertex. */
  readonly vertices: Float32Array;
  /** Vertices of each face, at least 3. */
  readonly faceSizes: Uint8Array;
  /** Indices of vertices, face after face, counter-clockwise seen from outside. */
  readonly indices: Uint8Array;
}
export interface MeshGeometry {
  readonly kind: "mesh";
  /** x, y, z of each vertex. */
  readonly vertices: Float32Array;
  /** Three for each triangle, counter-clockwise seen from its front. */
  readonly indices: Uint32Array;
  /** Only front sides collide. */
  readonly oneSided: boolean;
}
export interface HeightFieldGeometry {
  readonly kind: "height_field";
  /** Samples along z, at least 2. */
  readonly rows: number;
  /** Samples along x, at least 2. */
  readonly columns: number;
  readonly spacingX: number;
  readonly spacingZ: number;
  /** rows x columns, row after row, from minimum x and z; the centre of the field is at x = z = 0. */
  readonly heights: Float32Array;
  /**
   * One for each of (rows - 1) x (columns - 1) cells; not 0 = hole; empty = no holes. The diagonal of a cell
   * runs from its minimum x and z to its maximum.
   */
  readonly holes: Uint8Array;
}
export type Geometry = HullGeometry | MeshGeometry | HeightFieldGeometry;

export type DecodeResult = { ok: true; geometry: Geometry } | { ok: false; error: ReadError };

const kHeadBytes = 12;
const kFieldHeadBytes = 20;

/**
 * Decodes any bytes to a geometry that needs no further checks, or to an error. Throws only for arguments of
 * the wrong type.
 */
export function decodeGeometry(kind: GeometryKind, bytes: Uint8Array): DecodeResult {
  oneOf("decodeGeometry(): kind", kind, kEnums.GeometryKind);
  byteArray("decodeGeometry(): bytes", bytes);
  if (bytes.length > kGeometryBytesMax) return { ok: false, error: "too_long" };
  if (bytes.length < kHeadBytes) return { ok: false, error: "too_short" };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const expected = bytesOf(kind, view);
  // Counts must match the bytes exactly. Sizes above 2^53 are inexact but never match.
  if (expected !== bytes.length) {
    return { ok: false, error: expected > bytes.length ? "too_short" : "too_long" };
  }
  const decoded =
    kind === "hull" ? decodeHull(view, bytes) : kind === "mesh" ? decodeMesh(view) : decodeField(view, bytes);
  return typeof decoded === "string" ? { ok: false, error: decoded } : { ok: true, geometry: decoded };
}

function bytesOf(kind: GeometryKind, view: DataView): number {
  const [a, b, c] = [view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true)];
  if (kind === "hull") return kHeadBytes + 12 * a + b + c;
  if (kind === "mesh") return kHeadBytes + 12 * a + 12 * b;
  if (a > kGeometryBytesMax || b > kGeometryBytesMax) return kGeometryBytesMax + 1;
  const cells = a > 0 && b > 0 ? (a - 1) * (b - 1) : 0;
  return kFieldHeadBytes + 4 * a * b + ((c & 1) !== 0 ? Math.floor((cells + 7) / 8) : 0);
}

/** Reads lengths in metres. Returns the error of the first invalid one. */
function lengths(view: DataView, at: number, count: number): Float32Array | ReadError {
  const out = new Float32Array(count);
  for (let i = 0; i < count; ++i) {
    const value = view.getFloat32(at + 4 * i, true);
    if (!Number.isFinite(value)) return "not_finite";
    if (!(Math.abs(value) <= kDimensionMax)) return "out_of_range";
    out[i] = value;
  }
  return out;
}

function decodeHull(view: DataView, bytes: Uint8Array): HullGeometry | ReadError {
  const [corners, faces, count] = [view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true)];
  if (corners < 4 || corners > kHullCornersMax || faces < 4) return "out_of_range";
  const vertices = lengths(view, kHeadBytes, 3 * corners);
  if (typeof vertices === "string") return vertices;
  const at = kHeadBytes + 12 * corners;
  const faceSizes = bytes.slice(at, at + faces);
  if (faceSizes.some((size) => size < 3) || faceSizes.reduce((sum, size) => sum + size, 0) !== count) {
    return "out_of_range";
  }
  const indices = bytes.slice(at + faces);
  if (indices.some((index) => index >= corners)) return "out_of_range";
  return { kind: "hull", vertices, faceSizes, indices };
}

function decodeMesh(view: DataView): MeshGeometry | ReadError {
  const [corners, triangles, flags] = [
    view.getUint32(0, true),
    view.getUint32(4, true),
    view.getUint32(8, true),
  ];
  if (corners < 3 || triangles < 1 || flags > 1) return "out_of_range";
  const vertices = lengths(view, kHeadBytes, 3 * corners);
  if (typeof vertices === "string") return vertices;
  const at = kHeadBytes + 12 * corners;
  const indices = new Uint32Array(3 * triangles);
  for (let i = 0; i < indices.length; ++i) {
    const index = view.getUint32(at + 4 * i, true);
    if (index >= corners) return "out_of_range";
    indices[i] = index;
  }
  return { kind: "mesh", vertices, indices, oneSided: flags === 1 };
}

function decodeField(view: DataView, bytes: Uint8Array): HeightFieldGeometry | ReadError {
  const [rows, columns, flags] = [view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true)];
  if (rows < 2 || columns < 2 || flags > 1) return "out_of_range";
  for (const at of [12, 16]) {
    const spacing = lengths(view, at, 1);
    if (typeof spacing === "string") return spacing;
    if (!(spacing[0]! > 0)) return "out_of_range";
  }
  const heights = lengths(view, kFieldHeadBytes, rows * columns);
  if (typeof heights === "string") return heights;
  const cells = (rows - 1) * (columns - 1);
  const holes = new Uint8Array(flags === 1 ? cells : 0);
  const at = kFieldHeadBytes + 4 * rows * columns;
  for (let i = 0; i < holes.length; ++i) holes[i] = (bytes[at + (i >> 3)]! >> (i & 7)) & 1;
  if (flags === 1 && cells % 8 !== 0 && bytes[bytes.length - 1]! >> (cells % 8) !== 0) return "out_of_range";
  return {
    kind: "height_field",
    rows,
    columns,
    spacingX: view.getFloat32(12, true),
    spacingZ: view.getFloat32(16, true),
    heights,
    holes,
  };
}
