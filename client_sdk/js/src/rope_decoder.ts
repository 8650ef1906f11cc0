// Decoder of ropes from slices in any order, with losses and duplicates. It passes a rope on once all its
// slices of a snapshot have arrived; the record with the greatest serial decides whether a rope exists. Same
// rules as protocol/snapshot/rope_decoder.h. It does not interpolate.
import { kRopeIndexMax, kRopeNodesPerClient } from "./limits.js";
import type { RopeSlice } from "./rope_codec.js";

const kWaitingMax = 4;

/** A rope at one tick. */
export interface RopeState {
  id: bigint;
  isAsleep: boolean;
  /** m. */
  radius: number;
  /** nodes x 3, m. */
  positions: Float64Array;
  /** N, one for each segment. */
  tensions: Float32Array;
}

export interface RopeSink {
  /** Takes a valid sample of the part's tick, newest or not. */
  handleRope(rope: RopeState): void;
  handleRopeGone(id: bigint): void;
}

interface Waiting {
  serial: number;
  here: number;
  slices: RopeSlice[];
}
interface Slot {
  id: bigint;
  serial: number;
  nodeCount: number;
  present: boolean;
  waiting: Waiting[];
}

function join(slices: readonly RopeSlice[]): RopeState | null {
  const { rope: id, flags, radius, nodeCount } = slices[0]!;
  const rope: RopeState = {
    id,
    isAsleep: (flags & 1) !== 0,
    radius,
    positions: new Float64Array(3 * nodeCount),
    tensions: new Float32Array(nodeCount - 1),
  };
  let next = 0;
  for (const { first, positions, tensions } of slices) {
    if (first !== next) return null; // the slices overlap
    rope.positions.set(positions, 3 * first);
    rope.tensions.set(tensions, first);
    next += positions.length / 3;
  }
  return rope;
}

export class RopeDecoder {
  // By rope index. A removed rope keeps its slot, so that an older part cannot restore it.
  private readonly slots = new Map<number, Slot>();
  private nodeCount = 0;

  /** Handles slices of a snapshot part. Each part comes once. */
  handleSlices(serial: number, slices: readonly RopeSlice[], sink: RopeSink): void {
    for (const slice of slices) {
      const slot = this.slot(Number(slice.rope & 0xffffffffn));
      if (serial > slot.serial) {
        const before = slot.present ? slot.nodeCount : 0;
        // More than an honest server sends.
        if (this.nodeCount - before + slice.nodeCount > kRopeNodesPerClient) continue;
        if (slot.present && slot.id !== slice.rope) sink.handleRopeGone(slot.id);
        if (slot.id !== slice.rope || slot.nodeCount !== slice.nodeCount) slot.waiting = [];
        this.nodeCount += slice.nodeCount - before;
        slot.id = slice.rope;
        slot.serial = serial;
        slot.nodeCount = slice.nodeCount;
        slot.present = true;
      } else if (!slot.present || slot.id !== slice.rope || slot.nodeCount !== slice.nodeCount) {
        continue; // old sample of another or changed rope
      }
      const rope = this.collect(slot, serial, slice);
      if (rope !== null) sink.handleRope(rope);
    }
  }

  /** Handles removals of a snapshot part. */
  handleRemoved(serial: number, ids: readonly bigint[], sink: RopeSink): void {
    for (const id of ids) {
      const index = Number(id & 0xffffffffn);
      if (index >= kRopeIndexMax) continue;
      const slot = this.slot(index);
      if (slot.serial >= serial) continue; // a newer record exists
      if (slot.present) {
        sink.handleRopeGone(slot.id);
        this.nodeCount -= slot.nodeCount;
      }
      slot.present = false;
      slot.serial = serial;
      slot.waiting = [];
    }
  }

  private slot(index: number): Slot {
    let slot = this.slots.get(index);
    if (slot === undefined) {
      this.slots.set(index, (slot = { id: 0n, serial: 0, nodeCount: 0, present: false, waiting: [] }));
    }
    return slot;
  }

  private collect(slot: Slot, serial: number, slice: RopeSlice): RopeState | null {
    const here = slice.positions.length / 3;
    if (here === slice.nodeCount) return join([slice]);
    let waiting = slot.waiting.find((one) => one.serial === serial);
    if (waiting === undefined) {
      if (slot.waiting.length === kWaitingMax) {
        const oldest = slot.waiting.reduce((a, b) => (a.serial < b.serial ? a : b));
        if (oldest.serial > serial) return null;
        slot.waiting.splice(slot.waiting.indexOf(oldest), 1);
      }
      slot.waiting.push((waiting = { serial, here: 0, slices: [] }));
    }
    if (here > slice.nodeCount - waiting.here) return null;
    waiting.here += here;
    waiting.slices.push(slice);
    if (waiting.here < slice.nodeCount) return null;
    slot.waiting.splice(slot.waiting.indexOf(waiting), 1);
    return join(waiting.slices.sort((a, b) => a.first - b.first));
  }
}
