// Ropes as a client displays them: nodes of a few ticks for each rope, and the rope between two of them at
// the render tick. Ropes that a snapshot does not name follow the rules of track.ts.
// client_sdk/cpp/rope_store.h has the same rules. It draws nothing and decodes nothing.
import type { RopeState } from "./rope_decoder.js";

/** Ticks stored for one rope: the span of a render tick on a slow network. */
const kSamplesMax = 64;
/**
 * Ticks for which a rope continues its last motion after its newest sample. Snapshots without room for all
 * ropes send them in turn.
 */
const kGuessTicksMax = 6;

/**
 * A rope at the render time of the last poll. Object and arrays stay the same until the rope is cut or gone.
 */
export interface Rope {
  /** Index and generation; the argument of Client.cut(). */
  readonly id: bigint;
  /** m. */
  readonly radius: number;
  readonly asleep: boolean;
  /** nodes x 3, m, world. */
  readonly positions: Float64Array;
  /** N, one for each segment; negative = compression. */
  readonly tensions: Float32Array;
}

interface Sample {
  tick: number;
  restedUntil: number; // kept the previous sample until then; <= tick
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
  /** First tick without the rope. */
  goneAt = Infinity;
  private readonly samples: Sample[] = []; // by tick
  private shown: InterpolatedRope;

  constructor(id: bigint) {
    this.shown = new InterpolatedRope(id, new Float64Array(0), new Float32Array(0));
  }

  /** Tick of the oldest sample. */
  firstTick(): number {
    return this.samples[0]?.tick ?? 0;
  }

  /** Nodes of all samples. */
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
    // A sample between two others ends the rest that the later one assumed.
    if (next !== undefined) next.restedUntil = Math.max(next.restedUntil, tick);
    samples.splice(at, 0, { tick, restedUntil, rope });
    if (samples.length > kSamplesMax) samples.shift();
  }

  /**
   * The rope at this tick; null before its first sample. Forgets samples that no later tick needs.
   * `completeTick`: tick of the newest snapshot that had room for all ropes.
   */
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

/** Bound of stored nodes of ropes that are gone. A page may never poll, and a server may send false ticks. */
const kGoneNodesMax = 2 ** 20;

export class RopeStore {
  private readonly tracks = new Map<bigint, RopeTrack>();
  private readonly shown: Rope[] = [];
  private goneNodes = 0;

  /**
   * Adds the rope at `tick`, in any order. `completeBefore`: newest earlier tick of a complete snapshot that
   * had room for all ropes; 0 = none.
   */
  add(tick: number, completeBefore: number, rope: RopeState): void {
    let track = this.tracks.get(rope.id); // the reader limits their number
    if (track !== undefined && track.goneAt !== Infinity) {
      if (tick < track.goneAt) return;
      // The rope was omitted for want of room and is listed again. Its earlier track ends a little early.
      this.goneNodes -= track.nodeCount();
      this.tracks.delete(rope.id);
      track = undefined;
    }
    if (track === undefined) this.tracks.set(rope.id, (track = new RopeTrack(rope.id)));
    track.add(tick, completeBefore, rope);
  }

  /**
   * Removes the rope from `tick` on; at once if ropes that are gone but still displayed have more than
   * kGoneNodesMax nodes.
   */
  removeAt(tick: number, id: bigint): void {
    const track = this.tracks.get(id);
    if (track === undefined || tick <= track.firstTick()) return; // it belongs to an earlier rope
    const isNews = track.goneAt === Infinity;
    track.goneAt = Math.min(track.goneAt, tick);
    if (!isNews) return;
    this.goneNodes += track.nodeCount();
    if (this.goneNodes <= kGoneNodesMax) return;
    for (const [gone, other] of this.tracks) if (other.goneAt !== Infinity) this.tracks.delete(gone);
    this.goneNodes = 0;
  }

  /** All ropes at this tick, in order of appearance. The array is the same every time. */
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

  /** Call it when the world was replaced, or inspection was switched off. */
  clear(): void {
    this.tracks.clear();
    this.goneNodes = 0;
    this.shown.length = 0;
  }
}
