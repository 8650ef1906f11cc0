// The geometries of an epoch by digest. It assembles slices of one geometry at a time and decodes it once it
// is complete. It follows the rules of protocol/session/geometry_assembler.h; its memory grows with arrived
// bytes, not with announced ones.
import type { Geometry } from "./geometry.js";
import { decodeGeometry } from "./geometry.js";
import { kGeometriesMax, kGeometryTotalBytesMax } from "./limits.js";
import type { GeometrySlice } from "./message.js";

export class GeometryRegistry {
  private readonly known = new Map<bigint, Geometry>();
  private slices: GeometrySlice[] = []; // of the incomplete geometry
  private arrivedBytes = 0; // of the incomplete geometry
  private epochBytes = 0; // of all geometries, as announced

  get(digest: bigint): Geometry | undefined {
    return this.known.get(digest);
  }
  get size(): number {
    return this.known.size;
  }

  /** Returns false if no honest server sends this slice; the session must then end. */
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
    // An empty slice would let a hostile server occupy the client forever.
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
