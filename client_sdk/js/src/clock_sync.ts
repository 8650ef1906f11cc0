// A client's estimate of the server's tick, from pings and pongs. The sample with the shortest round trip
// decides, because queueing only adds delay. Rules and sources are those of protocol/session/clock_sync.h; in
// addition a room may run at another speed, or be paused. It reads no clock: times are arguments in
// microseconds.
//
// The first kStepSamples samples set the clock. Later corrections slew it by at most kSlew of elapsed time,
// so that the tick neither jumps nor runs backwards; an error above kStepTicks sets it again. While a room is
// paused, its newest reported tick is the tick.

import { between, finite } from "./argument.js";

export const kClockSamples = 16;
export const kStepSamples = 8;
export const kSlew = 0.01;
export const kStepTicks = 15;

interface Sample {
  roundTripUs: number;
  /** The server's tick minus the client's time in ticks. */
  tickOffset: number;
}

export class ClockSync {
  private ticksPerUs: number;
  private samples: Sample[] = [];
  private sampleCount = 0; // since the start, the last step or restart
  private offset = 0; // at baseUs
  private targetOffset = 0; // end of the slew
  private baseUs = 0;
  private epochUs = 0; // first time; keeps the doubles small
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

  /** Sets a first guess without a round trip (Accept). Its error is at most the one-way delay. */
  handleGuess(nowUs: number, tick: number): void {
    finite("handleGuess(): nowUs", nowUs);
    finite("handleGuess(): tick", tick);
    if (!this.any) this.begin(nowUs, tick);
  }

  /**
   * Restarts at another tick rate near `tick`. It forgets older samples and ignores answers to earlier pings,
   * which may report an older tick.
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

  /**
   * Handles a pong: the ping left at `sentUs`, the answer arrived at `nowUs` (both of the client's clock),
   * the server was at `tick` + `tickFraction` / 2^32.
   */
  handleSample(nowUs: number, sentUs: number, tick: number, tickFraction: number): void {
    finite("handleSample(): nowUs", nowUs);
    finite("handleSample(): sentUs", sentUs);
    finite("handleSample(): tick", tick);
    finite("handleSample(): tickFraction", tickFraction);
    if (sentUs > nowUs || sentUs < this.restartedUs) return; // unknown ping, or one of another tick rate
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

    // A stalled or restored server shifts every later sample; waiting for the old best sample to leave the
    // window would take seconds. The tick of a paused room does not move, so its newest report is exact.
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

  /**
   * The server's tick with its fraction; 0 before any guess or sample. Monotonic while corrections are small.
   */
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
