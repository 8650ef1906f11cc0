// The geometries of an epoch, by digest: puts slices together, one geometry after the other, and decodes each when it is whole. The rules are
// protocol/session/geometry_assembler.h's; memory grows with what has arrived, not with what was announced.
import type { Geometry } from "./geometry.js";
import { decodeGeometry } from "./geometry.js";
import { kGeometriesMax, kGeometryTotalBytesMax } from "./limits.js";
import type { GeometrySlice } from "./message.js";

export class GeometryRegistry {
  private readonly known = new Map<bigint, Geometry>();
  private slices: GeometrySlice[] = []; // of the geometry that is arriving
  private arrivedBytes = 0; // of it
  private epochBytes = 0; // of all, as announced

  get(digest: bigint): Geometry | undefined {
    return this.known.get(digest);
  }
  get size(): number {
    return this.known.size;
  }

  /** False when no honest server says this: the session is to be ended. */
  handleSlice(slice: GeometrySlice): boolean {
    const first = this.slices[0] ?? slice;
    if (first === slice) {
      const fits =
        this.known.size < kGeometriesMax && this.epochBytes + slice.totalBytes <= kGeometryTotalBytesMax;
      if (!fits || this.known.has(slice.digest)) return false;
      this.arrivedBytes = 0;
      this.epochBytes += slice.totalBytes;
    }
    const isSame =
      slice.digest === first.digest && slice.kind === first.kind && slice.totalBytes === first.totalBytes;
    // An empty slice would let a hostile server keep us busy for ever.
    if (!isSame || slice.offset !== this.arrivedBytes || slice.bytes.length === 0) return false;
    this.slices.push(slice);
    this.arrivedBytes += slice.bytes.length;
    if (this.arrivedBytes < slice.totalBytes) return true;
    const bytes = new Uint8Array(slice.totalBytes);
    for (const part of this.slices) bytes.set(part.bytes, part.offset);
    this.slices = [];
    const decoded = decodeGeometry(slice.kind, bytes);
    if (decoded.ok) this.known.set(slice.digest, decoded.geometry);
    return decoded.ok;
  }

  clear(): void {
    this.known.clear();
    this.slices = [];
    this.arrivedBytes = this.epochBytes = 0;
  }
}
