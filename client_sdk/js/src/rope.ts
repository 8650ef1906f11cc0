// Ropes as a client shows them: for each a few ticks' nodes, put together from slices, and the rope at the render tick between two of them. It draws nothing
// and knows no message but Ropes.
import type { Ropes, RopeSlice } from "./message.js";

/** Ticks kept of one rope: what a render tick can lie between, with room for a slow network. */
const kSamplesMax = 64;
/** Past its newest tick a rope goes on as it last moved, for at most this long: ropes of many nodes are told every few ticks only. */
const kGuessTicksMax = 6;
/** Ropes followed at once; a hostile server cannot make us keep more. */
const kRopesMax = 4096;

/** A rope at the render time of the last poll. The same object and arrays as long as it lives and is not cut. */
export interface Rope {
  /** index and generation, what Client.cut() takes */
  readonly id: bigint;
  /** m */
  readonly radius: number;
  readonly asleep: boolean;
  /** nodes x 3, m, world */
  readonly positions: Float64Array;
  /** N, a segment each; below 0 it is pushed together */
  readonly tensions: Float32Array;
}

interface Sample {
  tick: number;
  origin: readonly number[];
  radius: number;
  isAsleep: boolean;
  nodes: Float32Array; // x 4
  firsts: number[]; // of the slices that are here
  missing: number; // nodes
}

class ShownRope implements Rope {
  radius = 0;
  asleep = false;
  constructor(
    readonly id: bigint,
    readonly positions: Float64Array,
    readonly tensions: Float32Array,
  ) {}
}

class RopeTrack {
  /** The tick from which it is no more. */
  gone_at = Infinity;
  private readonly samples: Sample[] = []; // by tick
  private shown: ShownRope;

  constructor(private readonly id: bigint) {
    this.shown = new ShownRope(id, new Float64Array(0), new Float32Array(0));
  }

  add(tick: number, slice: RopeSlice): void {
    const sample = this.sample_at(tick, slice);
    if (sample === null || sample.firsts.includes(slice.first)) return;
    const count = slice.nodes.length / 4;
    sample.firsts.push(slice.first);
    sample.nodes.set(slice.nodes, 4 * slice.first);
    sample.missing -= count;
  }

  private sample_at(tick: number, slice: RopeSlice): Sample | null {
    const { samples } = this;
    let at = samples.length;
    while (at > 0 && samples[at - 1]!.tick > tick) --at;
    const found = at > 0 && samples[at - 1]!.tick === tick ? samples[at - 1]! : null;
    if (found !== null) return found.nodes.length === 4 * slice.nodeCount ? found : null;
    const { origin, radius, isAsleep, nodeCount } = slice;
    const nodes = new Float32Array(4 * nodeCount);
    const sample: Sample = { tick, origin, radius, isAsleep, nodes, firsts: [], missing: nodeCount };
    samples.splice(at, 0, sample);
    if (samples.length > kSamplesMax) samples.shift();
    return sample;
  }

  /** The newest tick of which all nodes are here; -1 for none. */
  get newest_tick(): number {
    for (let i = this.samples.length; i-- > 0; ) if (this.samples[i]!.missing === 0) return this.samples[i]!.tick;
    return -1;
  }

  /** At this tick; null before it is there. Forgets what no later tick needs. */
  show_at(tick: number): Rope | null {
    const { samples } = this;
    let earlier: Sample | undefined;
    let before: Sample | undefined;
    let after: Sample | undefined;
    for (let i = 0; i < samples.length && after === undefined; ++i) {
      const sample = samples[i]!;
      if (sample.missing !== 0) continue;
      if (sample.tick <= tick) [earlier, before] = [before, sample];
      else after = sample;
    }
    if (before === undefined) return null;
    samples.splice(0, samples.indexOf(earlier ?? before));
    const count = before.nodes.length / 4;
    if (this.shown.positions.length !== 3 * count) this.shown = new ShownRope(this.id, new Float64Array(3 * count), new Float32Array(count - 1));
    if (after !== undefined && after.nodes.length === before.nodes.length) this.blend(before, after, (tick - before.tick) / (after.tick - before.tick));
    else if (after === undefined && earlier !== undefined && earlier.nodes.length === before.nodes.length && !before.isAsleep) {
      const guessed = Math.min(tick - before.tick, kGuessTicksMax, before.tick - earlier.tick);
      this.blend(earlier, before, 1 + guessed / (before.tick - earlier.tick));
      this.shown.radius = before.radius;
      this.shown.asleep = before.isAsleep;
    } else this.blend(before, before, 0);
    return this.shown;
  }

  private blend(a: Sample, b: Sample, share: number): void {
    const { shown } = this;
    shown.radius = a.radius;
    shown.asleep = a.isAsleep;
    for (let i = 0, node = 0; i < shown.positions.length; i += 3, node += 4) {
      for (let axis = 0; axis < 3; ++axis) {
        const from = a.origin[axis]! + a.nodes[node + axis]!;
        shown.positions[i + axis] = from + share * (b.origin[axis]! + b.nodes[node + axis]! - from);
      }
    }
    for (let i = 0; i < shown.tensions.length; ++i) {
      const from = a.nodes[4 * i + 3]!;
      shown.tensions[i] = from + share * (b.nodes[4 * i + 3]! - from);
    }
  }
}

export class RopeShelf {
  private tracks = new Map<bigint, RopeTrack>();
  private readonly shown: Rope[] = [];
  // The newest set of all ropes: its tick, the parts that came, and the ropes in them.
  private whole_tick = -1;
  private readonly whole_parts = new Set<number>();
  private readonly whole_ropes = new Set<bigint>();

  handle_part(part: Ropes): void {
    for (const slice of part.slices) {
      let track = this.tracks.get(slice.rope);
      if (track === undefined) {
        if (this.tracks.size >= kRopesMax) continue;
        this.tracks.set(slice.rope, (track = new RopeTrack(slice.rope)));
      }
      track.add(part.tick, slice);
      track.gone_at = Infinity;
    }
    if (part.whole) this.note_whole(part);
  }

  private note_whole(part: Ropes): void {
    if (part.tick < this.whole_tick) return;
    if (part.tick > this.whole_tick) {
      this.whole_tick = part.tick;
      this.whole_parts.clear();
      this.whole_ropes.clear();
    }
    this.whole_parts.add(part.part);
    for (const slice of part.slices) this.whole_ropes.add(slice.rope);
    if (this.whole_parts.size < part.partCount) return;
    for (const [id, track] of this.tracks) {
      if (!this.whole_ropes.has(id) && track.newest_tick < part.tick) track.gone_at = Math.min(track.gone_at, part.tick);
    }
  }

  /** Every rope at this tick, in order of appearance; the same array every time. */
  show_at(tick: number): readonly Rope[] {
    this.shown.length = 0;
    for (const [id, track] of this.tracks) {
      if (track.gone_at <= tick) {
        this.tracks.delete(id);
        continue;
      }
      const rope = track.show_at(tick);
      if (rope !== null) this.shown.push(rope);
    }
    return this.shown;
  }

  /** Another world, or nothing wanted any more. */
  clear(): void {
    this.tracks.clear();
    this.shown.length = 0;
    this.whole_tick = -1;
  }
}
