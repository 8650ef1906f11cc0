// The render tick: a little behind the server's present, so that the next snapshot has nearly always arrived.
// The delay follows one measurement per snapshot: the age of its predecessor at its arrival. That age covers
// transit, jitter, loss and reordering. Rules are those of client_sdk/cpp/jitter_buffer.h; in addition a room
// may run at another speed, or be paused. It stores no bodies (track.ts does) and reads no clock.
//
// One stall of a path or of the server makes several snapshots late, so needs count by episodes: the maximum
// of each block of a quarter of a second (runs declustering of extremes; Smith, Statistical Science 4,
// 1989). A block lasts on while its maximum is new, so that one episode is in one block. The desired delay
// covers the newest 80 blocks, 20 to 25 seconds of frames, except for waits of less than a thousandth of that
// time in sum: kWaitPerBlockMs a block. The largest block has no part in the sum. So a lone episode that
// costs a wait of up to kRegainMs raises nobody's delay, and a longer wait raises it by the part above;
// episodes that recur raise it up to where their waits are short. With fewer than kBlocksMin blocks the
// largest counts. A margin is added: half a tick, and three tenths of the variation of the needs
// above the least of the newest kBlocksOfVariation blocks, so that a path that becomes slower is no jitter.
//
// The delay approaches the desired one too slowly to be visible. When snapshots are missing at the render
// tick, the render tick waits, which counts as starvation. The delay keeps the part of a wait that the
// desired delay includes, and the part above kRegainMs. The render tick regains the rest at twice its speed,
// after snapshots were punctual for kEpisodeUs. Until then the render tick leaves a margin to the newest
// need; spike modes of audio do likewise (Ramjee et al., INFOCOM 1994). The render tick never runs backwards,
// except to the tick of a pause that an idle room's had passed. In a paused room it moves to the newest
// snapshot and stays there.
//
// A client that stalled handles snapshots later than they arrived. Each call therefore has the server's tick
// at the earliest possible arrival too. A snapshot counts as punctual as usual, within these two bounds. The
// lower bound hides no need of a displayed frame, because a stalled client displays none.

/**
 * Margins above the covered need: half a tick for the clock's error, three tenths of the variation for larger
 * needs.
 */
const kMarginTicks = 0.5;
const kMarginFraction = 0.3;
/** Weight of one snapshot in the running means; 1/16 as in RFC 3550. */
const kMeanWeight = 1 / 16;

/** Blocks in memory, 20 s and more while frames are drawn. Stalls are covered if three are in memory. */
export const kBlocks = 80;
export const kBlocksOfVariation = 20;
/** The largest of fewer blocks counts: without it the delay could be nearly the minimum. */
export const kBlocksMin = 8;
/** Waits that the delay permits: 0.8 in 1,000. */
export const kWaitPerBlockMs = 0.2;
/** Shortest block. Needs of one block are one episode. */
export const kBlockUs = 250_000;
/** Longest block: a path whose delay rises for longer than this is followed. */
export const kBlockMaxUs = 500_000;
/** A block with a younger maximum goes on: the snapshots behind one stall arrive within some 50 ms. */
export const kEpisodeUs = 100_000;
/** The clock converges in the first blocks: their needs are forgotten, each second. */
export const kSettlingBlocks = 8;
const kBlocksPerS = 4;
/** Longest part of a wait that is regained: at twice the speed, more than three frames look like a rush. */
export const kRegainMs = 50;
/** Maximum decrease of the delay, as a fraction of elapsed time: motion appears 2 % too fast. */
export const kSpeedUp = 0.02;
/** Maximum increase of the delay: motion appears 10 % too slow instead of stopping. */
export const kSlowDown = 0.1;
/** An idle server still sends every sixth snapshot, so a shorter pause is no loss. */
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
  // Maximum and minimum need of each block, rings.
  private maxNeeds = new Float64Array(kBlocks);
  private minNeeds = new Float64Array(kBlocks).fill(Infinity);
  private settlingBlocks = kSettlingBlocks;
  private block = 0;
  private blockBeganUs = 0;
  private maxNeedUs = 0; // of the present block
  private delayTicks = 0;
  private heldTicks = 0; // by which the render tick is later than the delay, after a wait
  private newestNeedTicks = 0;
  private lateUntilUs = 0; // an episode of needs above the delay goes on
  private isWaiting = false; // for the next snapshot
  private isRunning = false;
  private lastUs = 0;
  private waitedTicks = 0; // in the current wait
  private uncountedTicks = 0; // of that wait, which a stall of the client may explain
  private latenessTicks = 0;
  private jitterTicks = 0;

  /** The tick to display; meaningless before hasSnapshot. */
  renderTick = 0;
  newestTick = 0;
  /** Measured ticks between two snapshots of a busy server. */
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
  /** The delay while snapshots are punctual; a wait adds to it until the render tick has regained it. */
  get delayMs(): number {
    return this.ratePerUs > 0 ? this.inMs(this.delayTicks) : 0;
  }
  get jitterMs(): number {
    return this.inMs(this.jitterTicks);
  }

  /**
   * Sets the ticks of the room per second of real time; 0 = paused, at `serverTick`. It forgets measurements
   * in ticks of another length. The render tick continues from its value; an idle room's may have passed the
   * tick of the pause and returns to it, which moves no displayed body.
   */
  setRate(ticksPerS: number, serverTick: number): void {
    const rate = ticksPerS * 1e-6;
    if (rate === this.ratePerUs) return;
    this.ratePerUs = rate;
    this.forgetBlocks();
    this.newestNeedTicks = 0;
    this.lateUntilUs = 0;
    this.jitterTicks = 0;
    this.latenessTicks = serverTick - this.newestTick;
    this.waitedTicks = 0;
    if (rate === 0) this.renderTick = Math.min(this.renderTick, Math.max(serverTick, this.newestTick));
    this.heldTicks = 0;
    this.isWaiting = false;
    if (this.isRunning) this.delayTicks = Math.max(0, serverTick - this.renderTick);
  }

  /**
   * Handles the first part of a snapshot; later parts of the same serial have no effect. `serverTick` is the
   * server's tick now. `waitSnapshots` is the number of snapshots until an omitted body is sent
   * (refresh_meter.ts): each body then comes only every 1 + waitSnapshots snapshots, and the buffer must
   * span that time. `earliestTick` is the server's tick at the earliest time at which the part may have
   * arrived; below `serverTick` after a stall of the client.
   */
  handleSnapshot(
    serial: number,
    tick: number,
    isEmpty: boolean,
    waitSnapshots: number,
    serverTick: number,
    earliestTick = serverTick,
  ): void {
    // Late, or another part: no news for the clock.
    if (this.hasSnapshot && (serial <= this.newestSerial || tick <= this.newestTick)) return;
    const arrivalTick = Math.max(
      Math.min(tick + this.latenessTicks, serverTick),
      Math.min(earliestTick, serverTick),
    );
    const lateness = arrivalTick - tick;
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

    // Serials count snapshots. A pause without a missing serial means an idle server: no body moved until
    // just before.
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
    this.noteNeed(arrivalTick - start + waitSnapshots * this.intervalTicks);
    this.endWait(wasIdle);
    this.newestSerial = serial;
    this.newestTick = tick;
    this.newestIsEmpty = isEmpty;
  }

  /**
   * Moves the render tick to the present. `earliestTick`: as in handleSnapshot(). Snapshots may wait behind
   * this call after a stall, so only a wait that had begun before the stall counts.
   */
  advance(nowUs: number, serverTick: number, earliestTick = serverTick): void {
    if (!this.hasSnapshot) return;
    const passedUs = this.isRunning ? Math.max(0, nowUs - this.lastUs) : 0;
    this.lastUs = Math.max(this.lastUs, nowUs);
    const passedNominal = passedUs * this.nominalPerUs;
    if (this.ratePerUs === 0) {
      this.walkToNewest(passedNominal);
      return;
    }
    const maxNeed = this.coveredNeed();
    const variation = Math.max(0, maxNeed - this.recentMinNeed());
    const desired = maxNeed + kMarginFraction * variation + kMarginTicks;
    const target = Math.min(Math.max(desired, this.inTicks(this.delayMinMs)), this.inTicks(this.delayMaxMs));
    if (!this.isRunning) {
      this.isRunning = true;
      this.delayTicks = target;
      // The delay may be below the path's after a stall, and the render tick never runs backwards.
      this.renderTick = Math.min(serverTick - this.delayTicks, this.newestTick);
      this.blockBeganUs = nowUs;
      return;
    }
    this.advanceBlock(nowUs);
    const passed = passedUs * this.ratePerUs;
    // A tick of delay is long in slow motion. A catch-up at a tenth of the usual speed is invisible there,
    // and 2 % of slow motion would take minutes.
    const speedUp =
      this.ratePerUs < this.nominalPerUs
        ? Math.max(kSpeedUp * passed, kSlowDown * passedNominal)
        : kSpeedUp * passed;
    const isLate = this.isWaiting || this.newestNeedTicks > this.delayTicks || nowUs < this.lateUntilUs;
    // First, so that the delay and what is held never exceed the largest delay.
    this.keepHeld(target - this.delayTicks);
    if (maxNeed > 0) {
      const change = Math.max(target - this.delayTicks, isLate ? 0 : -speedUp);
      this.delayTicks += Math.min(change, kSlowDown * passed);
    }
    if (!isLate) {
      this.heldTicks = Math.max(0, this.heldTicks - passed);
    } else if (!this.isWaiting) {
      const neededTicks = Math.min(this.newestNeedTicks + kMarginTicks, this.inTicks(this.delayMaxMs));
      const lacking = neededTicks - this.delayTicks - this.heldTicks;
      this.heldTicks += Math.min(Math.max(lacking, 0), kSlowDown * passed);
    }
    let wanted = serverTick - this.delayTicks - this.heldTicks;
    // After an empty snapshot the idle server may stay silent. No displayed body moves, so the render tick
    // may continue.
    const limit = this.newestTick + (this.newestIsEmpty ? kIdleSnapshots * this.intervalTicks : 0);
    if (wanted > limit) {
      const attendedTick = Math.min(earliestTick, serverTick);
      const missing = attendedTick - this.delayTicks - this.heldTicks - limit;
      this.uncountedTicks += passed;
      if (missing > 0) {
        const waited = Math.min(missing, this.uncountedTicks);
        this.waitedTicks += waited;
        this.uncountedTicks -= waited;
        this.isWaiting = true;
        this.heldTicks = Math.max(
          0,
          Math.min(attendedTick - limit, this.inTicks(this.delayMaxMs)) - this.delayTicks,
        );
        this.keepHeld(0);
      }
      wanted = limit;
    } else {
      this.uncountedTicks = 0;
    }
    this.renderTick = Math.max(this.renderTick, wanted);
  }

  private walkToNewest(passedNominal: number): void {
    if (!this.isRunning) this.renderTick = this.newestTick;
    this.isRunning = true;
    this.renderTick = Math.max(this.renderTick, Math.min(this.newestTick, this.renderTick + passedNominal));
    this.delayTicks = 0;
    this.heldTicks = 0;
  }

  /** Begins a new block of needs if the present one has ended. */
  private advanceBlock(nowUs: number): void {
    const ageUs = nowUs - this.blockBeganUs;
    if (ageUs < kBlockUs || (ageUs < kBlockMaxUs && nowUs - this.maxNeedUs < kEpisodeUs)) return;
    this.block = (this.block + 1) % kBlocks;
    if (this.settlingBlocks > 0 && --this.settlingBlocks % kBlocksPerS === 0) this.forgetBlocks();
    this.maxNeeds[this.block] = 0;
    this.minNeeds[this.block] = Infinity;
    this.blockBeganUs = nowUs;
  }

  private recentMinNeed(): number {
    let min = Infinity;
    for (let i = 0; i < kBlocksOfVariation; ++i) {
      min = Math.min(min, this.minNeeds[(this.block + kBlocks - i) % kBlocks]!);
    }
    return min;
  }

  /** The need that the delay covers; the largest of fewer than kBlocksMin blocks. */
  private coveredNeed(): number {
    let blocks = 0;
    let largest = 0;
    for (const need of this.maxNeeds) {
      if (need > 0) ++blocks;
      largest = Math.max(largest, need);
    }
    if (blocks < kBlocksMin) return largest;
    // The threshold of a projection onto a simplex, approached from below (Michelot, Journal of Optimization
    // Theory and Applications 50, 1986). Each pass leaves out a block or is the last.
    const permitted = this.inTicks(blocks * kWaitPerBlockMs);
    for (let covered = 0; ;) {
      let sum = -largest;
      let above = -1;
      for (const need of this.maxNeeds) {
        if (need <= covered) continue;
        sum += need;
        ++above;
      }
      const next = above > 0 ? (sum - permitted) / above : covered;
      if (!(next > covered)) return covered;
      covered = next;
    }
  }

  /** The delay keeps `ticks` of a wait, and what is too long to be regained. The render tick stays. */
  private keepHeld(ticks: number): void {
    const kept = Math.min(Math.max(ticks, this.heldTicks - this.inTicks(kRegainMs), 0), this.heldTicks);
    this.delayTicks += kept;
    this.heldTicks -= kept;
  }

  private forgetBlocks(): void {
    this.maxNeeds.fill(0);
    this.minNeeds.fill(Infinity);
  }

  private noteNeed(needTicks: number): void {
    if (this.ratePerUs === 0) return;
    this.isWaiting = false;
    this.newestNeedTicks = needTicks;
    if (needTicks > this.delayTicks) this.lateUntilUs = this.lastUs + kEpisodeUs;
    this.minNeeds[this.block] = Math.min(this.minNeeds[this.block]!, needTicks);
    if (needTicks <= this.maxNeeds[this.block]!) return;
    this.maxNeeds[this.block] = needTicks;
    this.maxNeedUs = this.lastUs;
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
