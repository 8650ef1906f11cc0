// When to show what: the render tick, a little behind the server's present, so far behind that the next snapshot has nearly always arrived. The delay
// follows what is measured: for each snapshot, how old its predecessor was when it came, which holds transit, jitter, loss and reordering in one
// number. The rules are client_sdk/cpp/jitter_buffer.h's; what comes on top is a room at another speed, or paused. It keeps no bodies (track.ts does)
// and reads no clock.
//
// The target is the greatest need of the last ten seconds, and a margin. The delay goes up or down to it slowly enough not to be seen; when snapshots
// are missing at the render tick, the render tick waits, which is the delay growing by just what was missing, and counts as starvation. The render
// tick never runs backwards. While the room is paused it walks up to the newest snapshot and stands there.

/** Added to the greatest need seen: a tick for the clock's error and frames that fall between ticks, a tenth for what has not been seen yet. */
const kMarginTicks = 1;
const kMarginFraction = 0.1;
/** Weight of one snapshot in the running means; 1/16 as RFC 3550 has it. */
const kMeanWeight = 1 / 16;

export const kBuckets = 10;
export const kBucketUs = 1_000_000;
/** The delay shrinks by at most this share of passing time: shown motion is 2 % too fast. */
export const kSpeedUp = 0.02;
/** And grows by this: 10 % too slow, rather than a stop. */
export const kSlowDown = 0.1;
/** A server with nothing to say still speaks every 6 snapshots: a pause up to that is not loss. */
export const kIdleSnapshots = 6;

export interface JitterBufferOptions {
  tickRateHz?: number;
  delayMinMs?: number;
  delayMaxMs?: number;
}

export class JitterBuffer {
  private readonly nominalPerUs: number;
  private readonly delayMinMs: number;
  private readonly delayMaxMs: number;
  private ratePerUs: number; // ticks; 0 = paused

  private newestSerial = 0;
  private newestIsEmpty = false;
  private needs = new Float64Array(kBuckets); // greatest need of each second, a ring
  private bucket = 0;
  private bucketBeganUs = 0;
  private delayTicks = 0;
  private isRunning = false;
  private lastUs = 0;
  private waitedTicks = 0; // of the present wait
  private latenessTicks = 0;
  private jitterTicks = 0;

  /** Where bodies should be shown; meaningless before hasSnapshot. */
  renderTick = 0;
  newestTick = 0;
  /** Ticks between two snapshots of a busy server, as seen. */
  intervalTicks = 1;
  starvations = 0;
  starvedMs = 0;
  longestStarvationMs = 0;
  longestGapMs = 0;

  constructor(options: JitterBufferOptions = {}) {
    this.nominalPerUs = (options.tickRateHz ?? 60) * 1e-6;
    this.ratePerUs = this.nominalPerUs;
    this.delayMinMs = options.delayMinMs ?? 20;
    this.delayMaxMs = Math.max(options.delayMaxMs ?? 1000, this.delayMinMs);
  }

  get hasSnapshot(): boolean {
    return this.newestSerial !== 0;
  }
  get delayMs(): number {
    return this.ratePerUs > 0 ? this.inMs(this.delayTicks) : 0;
  }
  get jitterMs(): number {
    return this.inMs(this.jitterTicks);
  }

  /**
   * Ticks of the room per second of real time, 0 = paused. What was learnt in ticks of another length is forgotten; the render tick goes on from
   * where it is.
   */
  setRate(ticksPerS: number, serverTick: number): void {
    const rate = ticksPerS * 1e-6;
    if (rate === this.ratePerUs) return;
    this.ratePerUs = rate;
    this.needs.fill(0);
    this.jitterTicks = 0;
    this.latenessTicks = serverTick - this.newestTick;
    this.waitedTicks = 0;
    if (this.isRunning) this.delayTicks = Math.max(0, serverTick - this.renderTick);
  }

  /**
   * A snapshot began to arrive (its first part; later parts of the same serial do nothing). `serverTick` is the server's tick now. `deferredShare`:
   * bodies that did not fit, per body sent: then each body comes only every 1 + deferredShare snapshots, and the buffer must span that.
   */
  handleSnapshot(
    serial: number,
    tick: number,
    isEmpty: boolean,
    deferredRatio: number,
    serverTick: number,
  ): void {
    if (this.hasSnapshot && (serial <= this.newestSerial || tick <= this.newestTick)) return; // late or another part: nothing new for the clock
    const lateness = serverTick - tick;
    if (!this.hasSnapshot) {
      this.latenessTicks = lateness;
      this.newestSerial = serial;
      this.newestTick = tick;
      this.newestIsEmpty = isEmpty;
      this.noteNeed(lateness + this.intervalTicks);
      return;
    }
    const deviation = lateness - this.latenessTicks;
    this.latenessTicks += deviation * kMeanWeight;
    this.jitterTicks += (Math.abs(deviation) - this.jitterTicks) * kMeanWeight;

    // Serials count snapshots, so a pause without a missing serial is a server that had nothing to say: everything stood still until just before.
    const step = tick - this.newestTick;
    const isNext = serial === this.newestSerial + 1;
    const wasIdle =
      isNext &&
      step > this.intervalTicks &&
      step <= kIdleSnapshots * this.intervalTicks &&
      (isEmpty || this.newestIsEmpty);
    if (isNext && !wasIdle && !isEmpty && !this.newestIsEmpty) {
      this.intervalTicks = Math.min(Math.max(step, 1), this.intervalTicksMax());
    }
    const start = wasIdle ? tick - this.intervalTicks : this.newestTick;
    this.longestGapMs = Math.max(this.longestGapMs, this.inMs(tick - start));
    this.noteNeed(serverTick - start + deferredRatio * this.intervalTicks);
    this.endWait(wasIdle);
    this.newestSerial = serial;
    this.newestTick = tick;
    this.newestIsEmpty = isEmpty;
  }

  /** Time has passed: moves the render tick. */
  advance(nowUs: number, serverTick: number): void {
    if (!this.hasSnapshot) return;
    const passedUs = this.isRunning ? Math.max(0, nowUs - this.lastUs) : 0;
    this.lastUs = Math.max(this.lastUs, nowUs);
    const passedNominal = passedUs * this.nominalPerUs;
    if (this.ratePerUs === 0) {
      this.walkToNewest(passedNominal);
      return;
    }
    let maxNeed = 0;
    for (const need of this.needs) maxNeed = Math.max(maxNeed, need);
    const desired = maxNeed * (1 + kMarginFraction) + kMarginTicks;
    const target = Math.min(Math.max(desired, this.inTicks(this.delayMinMs)), this.inTicks(this.delayMaxMs));
    if (!this.isRunning) {
      this.isRunning = true;
      this.delayTicks = target;
      this.renderTick = serverTick - this.delayTicks;
      this.bucketBeganUs = nowUs;
      return;
    }
    if (nowUs - this.bucketBeganUs >= kBucketUs) {
      this.bucket = (this.bucket + 1) % kBuckets;
      this.needs[this.bucket] = 0;
      this.bucketBeganUs = nowUs;
    }
    const passed = passedUs * this.ratePerUs;
    // In slow motion a tick of delay is long: catching up at a tenth of the usual speed is not seen, and 2 % of slow motion would take minutes.
    const speedUp =
      this.ratePerUs < this.nominalPerUs
        ? Math.max(kSpeedUp * passed, kSlowDown * passedNominal)
        : kSpeedUp * passed;
    if (maxNeed > 0) {
      this.delayTicks += Math.min(Math.max(target - this.delayTicks, -speedUp), kSlowDown * passed);
    }
    let wanted = serverTick - this.delayTicks;
    // Behind an empty snapshot the server is idle and may stay silent: what is shown stands still anyway, so the render tick may go on.
    const limit = this.newestTick + (this.newestIsEmpty ? kIdleSnapshots * this.intervalTicks : 0);
    if (wanted > limit) {
      this.waitedTicks += Math.min(wanted - limit, passed);
      wanted = limit;
      this.delayTicks = Math.min(serverTick - limit, this.inTicks(this.delayMaxMs));
    }
    this.renderTick = Math.max(this.renderTick, wanted);
  }

  private walkToNewest(passedNominal: number): void {
    if (!this.isRunning) this.renderTick = this.newestTick;
    this.isRunning = true;
    this.renderTick = Math.max(this.renderTick, Math.min(this.newestTick, this.renderTick + passedNominal));
    this.delayTicks = 0;
  }

  private noteNeed(needTicks: number): void {
    if (this.ratePerUs > 0) this.needs[this.bucket] = Math.max(this.needs[this.bucket]!, needTicks);
  }

  private endWait(wasIdle: boolean): void {
    if (this.waitedTicks > 0 && !wasIdle) {
      const waitedMs = this.inMs(this.waitedTicks);
      ++this.starvations;
      this.starvedMs += waitedMs;
      this.longestStarvationMs = Math.max(this.longestStarvationMs, waitedMs);
    }
    this.waitedTicks = 0;
  }

  private intervalTicksMax(): number {
    return 60 * Math.max(1, this.ratePerUs / this.nominalPerUs);
  }
  private inMs(ticks: number): number {
    return this.ratePerUs > 0 ? ticks / (this.ratePerUs * 1000) : ticks / (this.nominalPerUs * 1000);
  }
  private inTicks(ms: number): number {
    return ms * 1000 * this.ratePerUs;
  }
}
