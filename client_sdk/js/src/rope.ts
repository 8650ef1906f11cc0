// Ropes as a client shows them: for each the nodes of a few ticks, and the rope at the render tick between two of them. The rules for what a snapshot does not name are
// those of track.ts; client_sdk/cpp/rope_shelf.h has the same. It draws nothing and decodes nothing.
import type { RopeState } from "./rope_decoder.js";

/** Ticks kept of one rope: what a render tick can lie between, with room for a slow network. */
const kSamplesMax = 64;
/** Past its newest tick a rope goes on as it last moved, for at most this long: where there are more than fit a snapshot they take turns. */
const kGuessTicksMax = 6;

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
  restedUntil: number; // it kept the sample before this one until here; <= tick
  rope: RopeState;
}

class InterpolatedRope implements Rope {
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
  goneAt = Infinity;
  private readonly samples: Sample[] = []; // by tick
  private shown: InterpolatedRope;

  constructor(id: bigint) {
    this.shown = new InterpolatedRope(id, new Float64Array(0), new Float32Array(0));
  }

  /** The first that is kept. */
  firstTick(): number {
    return this.samples[0]?.tick ?? 0;
  }

  /** Of all ticks kept. */
  nodeCount(): number {
    return this.samples.reduce((sum, { rope }) => sum + rope.positions.length / 3, 0);
  }

  add(tick: number, completeBefore: number, rope: RopeState): void {
    const { samples } = this;
    let at = samples.length;
    while (at > 0 && samples[at - 1]!.tick >= tick) --at;
    const next = samples[at];
    if (next?.tick === tick) {
      next.rope = rope;
      return;
    }
    const restedUntil = Math.max(completeBefore < tick ? completeBefore : 0, samples[at - 1]?.tick ?? 0);
    // A sample that slips in between two others ends the rest that the later one assumed.
    if (next !== undefined) next.restedUntil = Math.max(next.restedUntil, tick);
    samples.splice(at, 0, { tick, restedUntil, rope });
    if (samples.length > kSamplesMax) samples.shift();
  }

  /** At this tick; null before it is there. Forgets what no later tick needs. `completeTick`: of the newest snapshot that had room for all ropes. */
  showAt(tick: number, completeTick: number): Rope | null {
    const { samples } = this;
    let after = 0;
    while (after < samples.length && samples[after]!.tick <= tick) ++after;
    if (after === 0) return null;
    const from = samples[after - 1]!;
    const next = samples[after];
    const earlier = samples[after - 2];
    this.fit(from.rope);
    if (next !== undefined && isAlike(next, from)) {
      const begin = Math.max(from.tick, next.restedUntil);
      this.blend(from.rope, next.rope, Math.max(0, tick - begin) / (next.tick - begin));
    } else if (
      next === undefined &&
      earlier !== undefined &&
      isAlike(earlier, from) &&
      completeTick <= from.tick &&
      !from.rope.isAsleep
    ) {
      const gap = from.tick - Math.max(earlier.tick, from.restedUntil);
      this.blend(earlier.rope, from.rope, 1 + Math.min(tick - from.tick, kGuessTicksMax, gap) / gap);
    } else this.blend(from.rope, from.rope, 0);
    this.shown.radius = from.rope.radius;
    this.shown.asleep = from.rope.isAsleep;
    samples.splice(0, after - 2);
    return this.shown;
  }

  private fit({ id, positions }: RopeState): void {
    if (this.shown.positions.length === positions.length) return;
    this.shown = new InterpolatedRope(
      id,
      new Float64Array(positions.length),
      new Float32Array(positions.length / 3 - 1),
    );
  }

  private blend(from: RopeState, to: RopeState, fraction: number): void {
    const { positions, tensions } = this.shown;
    for (let i = 0; i < positions.length; ++i) {
      positions[i] = from.positions[i]! + fraction * (to.positions[i]! - from.positions[i]!);
    }
    for (let i = 0; i < tensions.length; ++i) {
      tensions[i] = from.tensions[i]! + fraction * (to.tensions[i]! - from.tensions[i]!);
    }
  }
}

function isAlike(a: Sample, b: Sample): boolean {
  return a.rope.positions.length === b.rope.positions.length;
}

/** Of all ticks kept of ropes that are gone: somebody may never look, and a server may lie about ticks. */
const kGoneNodesMax = 2 ** 20;

export class RopeStore {
  private readonly tracks = new Map<bigint, RopeTrack>();
  private readonly shown: Rope[] = [];
  private goneNodes = 0;

  /** The rope at `tick`, in any order. `completeBefore`: the newest tick before it of a snapshot that arrived whole and had room for all ropes; 0 = none. */
  add(tick: number, completeBefore: number, rope: RopeState): void {
    let track = this.tracks.get(rope.id); // whoever reads the wire bounds how many there are
    if (track !== undefined && track.goneAt !== Infinity) {
      if (tick < track.goneAt) return;
      // Listed again, after there were too many to list it: what was shown of it ends a little early.
      this.goneNodes -= track.nodeCount();
      this.tracks.delete(rope.id);
      track = undefined;
    }
    if (track === undefined) this.tracks.set(rope.id, (track = new RopeTrack(rope.id)));
    track.add(tick, completeBefore, rope);
  }

  /** The rope is gone from `tick` on; at once where ropes that are gone but were not shown to their end have more than kGoneNodesMax nodes. */
  removeAt(tick: number, id: bigint): void {
    const track = this.tracks.get(id);
    if (track === undefined || tick <= track.firstTick()) return; // it was of an earlier life
    const isNews = track.goneAt === Infinity;
    track.goneAt = Math.min(track.goneAt, tick);
    if (!isNews) return;
    this.goneNodes += track.nodeCount();
    if (this.goneNodes <= kGoneNodesMax) return;
    for (const [gone, other] of this.tracks) if (other.goneAt !== Infinity) this.tracks.delete(gone);
    this.goneNodes = 0;
  }

  /** Every rope at this tick, in order of appearance; the same array every time. */
  showAt(tick: number, completeTick: number): readonly Rope[] {
    this.shown.length = 0;
    this.goneNodes = 0;
    for (const [id, track] of this.tracks) {
      if (track.goneAt <= tick) {
        this.tracks.delete(id);
        continue;
      }
      if (track.goneAt !== Infinity) this.goneNodes += track.nodeCount();
      const rope = track.showAt(tick, completeTick);
      if (rope !== null) this.shown.push(rope);
    }
    return this.shown;
  }

  /** Another world, or nothing wanted any more. */
  clear(): void {
    this.tracks.clear();
    this.goneNodes = 0;
    this.shown.length = 0;
  }
}
