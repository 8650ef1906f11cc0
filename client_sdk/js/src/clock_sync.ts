// A client's estimate of the server's tick, from ping and pong: of the last samples the one with the least round trip decides, because queueing
// only ever adds delay. The rules and their source are protocol/session/clock_sync.h's; what comes on top is a room whose ticks run at another speed, or
// not at all. It reads no clock: times come in as microseconds.
//
// The first kStepSamples samples set the clock outright; later corrections are slewed by at most kSlew of elapsed time, so that the tick neither
// jumps nor runs backwards, unless the error passes kStepTicks. While a room is paused its tick does not move: the newest word of the server is the
// tick.

import { between, finite } from "./argument.js";

export const kClockSamples = 16;
export const kStepSamples = 8;
export const kSlew = 0.01;
export const kStepTicks = 15;

interface Sample {
  roundTripUs: number;
  /** the server's tick minus our time in ticks */
  tickOffset: number;
}

export class ClockSync {
  private ticksPerUs: number;
  private samples: Sample[] = [];
  private sampleCount = 0; // since the start, the last step or restart
  private offset = 0; // in use at baseUs
  private targetOffset = 0; // what it is slewed to
  private baseUs = 0;
  private epochUs = 0; // first time seen; keeps the doubles small
  private bestRoundTripUs = Infinity;
  private restartedUs = -Infinity;
  private any = false;

  /** `ticksPerS`: ticks of the server per second of real time; 0 while it is paused. */
  constructor(ticksPerS: number) {
    this.ticksPerUs = between("ClockSync: ticksPerS", ticksPerS, 0, 1e9) * 1e-6;
  }

  get isSynchronised(): boolean {
    return this.sampleCount > 0;
  }
  /** Half the round trip of the sample in use; Infinity before the first. */
  get errorBoundUs(): number {
    return this.bestRoundTripUs / 2;
  }
  get ticksPerS(): number {
    return this.ticksPerUs * 1e6;
  }

  /** A first guess without a round trip (Accept): good to one way's delay until the first pong. */
  handleGuess(nowUs: number, tick: number): void {
    finite("handleGuess(): nowUs", nowUs);
    finite("handleGuess(): tick", tick);
    if (!this.any) this.begin(nowUs, tick);
  }

  /**
   * Ticks pass at another rate from now on, and the tick is about this one. Samples of before are forgotten, and answers to pings that left before
   * are ignored: they may tell a tick of before.
   */
  restart(nowUs: number, tick: number, ticksPerS: number): void {
    finite("restart(): nowUs", nowUs);
    finite("restart(): tick", tick);
    between("restart(): ticksPerS", ticksPerS, 0, 1e9);
    this.restartedUs = nowUs;
    this.ticksPerUs = ticksPerS * 1e-6;
    this.samples = [];
    this.sampleCount = 0;
    this.bestRoundTripUs = Infinity;
    this.begin(nowUs, tick);
  }

  private begin(nowUs: number, tick: number): void {
    this.any = true;
    this.epochUs = nowUs;
    this.aim(nowUs, tick, true);
  }

  /** A pong arrived: the ping left at `sentUs`, the answer came at `nowUs` (both ours), the server was at `tick` + `tickFraction` / 2^32. */
  handleSample(nowUs: number, sentUs: number, tick: number, tickFraction: number): void {
    finite("handleSample(): nowUs", nowUs);
    finite("handleSample(): sentUs", sentUs);
    finite("handleSample(): tick", tick);
    finite("handleSample(): tickFraction", tickFraction);
    if (sentUs > nowUs || sentUs < this.restartedUs) return; // an echo of a time we never sent, or of another pace
    if (!this.any) {
      this.any = true;
      this.epochUs = nowUs;
    }
    const roundTripUs = nowUs - sentUs;
    const serverTickThen = tick + tickFraction * 2 ** -32;
    const newest = { roundTripUs, tickOffset: serverTickThen - this.inTicks(sentUs + roundTripUs / 2) };
    this.samples[this.sampleCount % kClockSamples] = newest;
    ++this.sampleCount;

    let best = this.samples[0]!;
    for (const sample of this.samples) if (sample.roundTripUs < best.roundTripUs) best = sample;
    this.bestRoundTripUs = best.roundTripUs;

    // A stalled or restored server shifts every later sample; waiting until the old best one leaves the window would take seconds. A paused one
    // does not move at all, so there the newest word is the truth.
    const disagreement = Math.abs(newest.tickOffset - best.tickOffset);
    const explained = (newest.roundTripUs + best.roundTripUs) * 0.5 * this.ticksPerUs + 1;
    const isPaused = this.ticksPerUs === 0;
    if (isPaused || disagreement > explained) {
      this.samples = [newest];
      this.sampleCount = 1;
      best = newest;
      this.bestRoundTripUs = roundTripUs;
    }
    this.aim(nowUs, best.tickOffset, this.sampleCount <= kStepSamples);
  }

  /** The server's tick now, with its fraction; 0 before any guess or sample. Monotonic while corrections are small. */
  serverTick(nowUs: number): number {
    finite("serverTick(): nowUs", nowUs);
    return this.any ? Math.max(0, this.inTicks(nowUs) + this.offsetAt(nowUs)) : 0;
  }

  private inTicks(us: number): number {
    return (us - this.epochUs) * this.ticksPerUs;
  }

  private offsetAt(nowUs: number): number {
    const slewMax = kSlew * Math.max(0, nowUs - this.baseUs) * this.ticksPerUs;
    return this.offset + Math.min(Math.max(this.targetOffset - this.offset, -slewMax), slewMax);
  }

  private aim(nowUs: number, target: number, step: boolean): void {
    const current = this.offsetAt(nowUs);
    this.offset = step || Math.abs(target - current) > kStepTicks ? target : current;
    this.targetOffset = target;
    this.baseUs = nowUs;
  }
}
