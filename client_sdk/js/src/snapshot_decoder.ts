// Decoder of snapshot parts in any order, with losses and duplicates. For every body the record with the
// greatest serial wins. Same rules as protocol/snapshot/snapshot_decoder.h. It passes valid records on in
// place and stores no bodies.
import { kGenerationAt, kIndexAt } from "./body_state.js";
import { kBodyIndexMax, kBodyStateBytes, kSnapshotAgeMax } from "./limits.js";
import type { Snapshot } from "./message.js";

export type SnapshotOutcome =
  | "applied" // applied; newer records may have replaced some of its records
  | "completed" // applied, and all parts of its snapshot have arrived
  | "duplicate" // this part came before
  | "stale" // too many snapshots older than the newest
  | "index_range" // null id or index out of range: refused whole
  | "inconsistent"; // contradicts another part of its snapshot: refused whole

/** Receiver of single records. */
export interface SnapshotSink {
  /**
   * Takes a valid sample of a body at `at` of the view. `isNewest`: no newer record of this body has come.
   */
  handleRecord(generation: number, index: number, view: DataView, at: number, isNewest: boolean): void;
  handleRemoval(generation: number, index: number): void;
}

interface Parts {
  serial: number;
  tick: number;
  partCount: number;
  arrived: number;
  have: Uint8Array;
}

export class SnapshotDecoder {
  // Ring by serial.
  private readonly parts: (Parts | undefined)[] = Array.from({ length: kSnapshotAgeMax }, () => undefined);
  // By body index. A removed body keeps a tombstone, so that an older part cannot restore it.
  private generations = new Uint32Array(64);
  private serials = new Uint32Array(64); // of the newest record; 0 = none
  private present = new Uint8Array(64);

  bodyCount = 0;
  newestSerial = 0;
  newestTick = 0;

  handlePart(part: Snapshot, sink: SnapshotSink): SnapshotOutcome {
    const indexEnd = this.indexEnd(part);
    if (indexEnd < 0) return "index_range";
    if (this.newestSerial >= kSnapshotAgeMax && part.serial <= this.newestSerial - kSnapshotAgeMax) {
      return "stale";
    }

    const slot = part.serial % kSnapshotAgeMax;
    let parts = this.parts[slot];
    if (parts?.serial !== part.serial) {
      parts = {
        serial: part.serial,
        tick: part.tick,
        partCount: part.partCount,
        arrived: 0,
        have: new Uint8Array(part.partCount),
      };
      this.parts[slot] = parts;
    }
    if (parts.tick !== part.tick || parts.partCount !== part.partCount) return "inconsistent";
    if (parts.have[part.part] !== 0) return "duplicate";
    parts.have[part.part] = 1;
    ++parts.arrived;

    if (part.serial > this.newestSerial) {
      this.newestSerial = part.serial;
      this.newestTick = part.tick;
    }
    this.grow(indexEnd);
    this.applyRemovals(part, sink);
    this.applyBodies(part, sink);
    return parts.arrived === parts.partCount ? "completed" : "applied";
  }

  /** One more than the maximum index; -1 if an id is null or out of range. */
  private indexEnd(part: Snapshot): number {
    let end = 0;
    const { view } = part.bodies;
    for (let i = 0, at = part.bodies.offset; i < part.bodies.count; ++i, at += kBodyStateBytes) {
      const index = view.getUint32(at + kIndexAt, true);
      if (index >= kBodyIndexMax || view.getUint32(at + kGenerationAt, true) === 0) return -1;
      if (index >= end) end = index + 1;
    }
    for (let i = 0, at = part.removed.offset; i < part.removed.count; ++i, at += 8) {
      const index = part.removed.view.getUint32(at, true);
      if (index >= kBodyIndexMax || part.removed.view.getUint32(at + 4, true) === 0) return -1;
      if (index >= end) end = index + 1;
    }
    return end;
  }

  private grow(indexEnd: number): void {
    if (indexEnd <= this.serials.length) return;
    const size = Math.max(indexEnd, this.serials.length * 2);
    const larger = <Numbers extends Uint32Array | Uint8Array>(out: Numbers, from: Numbers): Numbers => {
      out.set(from);
      return out;
    };
    this.generations = larger(new Uint32Array(size), this.generations);
    this.serials = larger(new Uint32Array(size), this.serials);
    this.present = larger(new Uint8Array(size), this.present);
  }

  private applyRemovals(part: Snapshot, sink: SnapshotSink): void {
    const { view } = part.removed;
    for (let i = 0, at = part.removed.offset; i < part.removed.count; ++i, at += 8) {
      const index = view.getUint32(at, true);
      if (this.serials[index]! >= part.serial) continue; // a newer record exists
      const had = this.present[index] !== 0;
      this.present[index] = 0;
      this.serials[index] = part.serial;
      if (!had) continue;
      --this.bodyCount;
      sink.handleRemoval(view.getUint32(at + 4, true), index);
    }
  }

  private applyBodies(part: Snapshot, sink: SnapshotSink): void {
    const { view } = part.bodies;
    for (let i = 0, at = part.bodies.offset; i < part.bodies.count; ++i, at += kBodyStateBytes) {
      const index = view.getUint32(at + kIndexAt, true);
      const generation = view.getUint32(at + kGenerationAt, true);
      const isNewest = this.serials[index]! < part.serial;
      // An old sample is valid only for a body that still exists.
      if (!isNewest && (this.present[index] === 0 || this.generations[index] !== generation)) continue;
      if (isNewest) {
        if (this.present[index] === 0) ++this.bodyCount;
        this.present[index] = 1;
        this.generations[index] = generation;
        this.serials[index] = part.serial;
      }
      sink.handleRecord(generation, index, view, at, isNewest);
    }
  }
}
