// A client's estimate of the server's tick, from ping and pong: of the last samples the one with the least round trip decides, because queueing
// only ever adds delay. The rules and their source are protocol/session/clock_sync.h's; what comes on top is a room whose ticks run at another speed, or
// not at all. It reads no clock: times come in as microseconds.
//
// The first kStepSamples samples set the clock outright; later corrections are slewed by at most kSlew of elapsed time, so that the tick neither
// jumps nor runs backwards, unless the error passes kStepTicks. While a room is paused its tick does not move: the newest word of the server is the
// tick.

export const kClockSamples = 16;
export const kStepSamples = 8;
export const kSlew = 0.01;
export const kStepTicks = 15;

interface Sample {
  round_trip_us: number;
  /** the server's tick minus our time in ticks */
  tick_offset: number;
}

export class ClockSync {
  private ticks_per_us: number;
  private samples: Sample[] = [];
  private sample_count = 0; // since the start, the last step or restart
  private offset = 0; // in use at base_us
  private target_offset = 0; // what it is slewed to
  private base_us = 0;
  private epoch_us = 0; // first time seen; keeps the doubles small
  private best_round_trip_us = Infinity;
  private restarted_us = -Infinity;
  private any = false;

  /** Ticks of the server per second of real time, 0 while it is paused. */
  constructor(ticks_per_s: number) {
    this.ticks_per_us = ticks_per_s * 1e-6;
  }

  get is_synchronised(): boolean {
    return this.sample_count > 0;
  }
  /** Half the round trip of the sample in use; Infinity before the first. */
  get error_bound_us(): number {
    return this.best_round_trip_us / 2;
  }
  get ticks_per_s(): number {
    return this.ticks_per_us * 1e6;
  }

  /** A first guess without a round trip (Accept): good to one way's delay until the first pong. */
  handle_guess(now_us: number, tick: number): void {
    if (!this.any) this.begin(now_us, tick);
  }

  /**
   * Ticks pass at another rate from now on, and the tick is about this one. Samples of before are forgotten, and answers to pings that left before
   * are ignored: they may tell a tick of before.
   */
  restart(now_us: number, tick: number, ticks_per_s: number): void {
    this.restarted_us = now_us;
    this.ticks_per_us = ticks_per_s * 1e-6;
    this.samples = [];
    this.sample_count = 0;
    this.best_round_trip_us = Infinity;
    this.begin(now_us, tick);
  }

  private begin(now_us: number, tick: number): void {
    this.any = true;
    this.epoch_us = now_us;
    this.aim(now_us, tick, true);
  }

  /** A pong arrived: the ping left at `sent_us`, the answer came at `now_us` (both ours), the server was at `tick` + `tick_fraction` / 2^32. */
  handle_sample(now_us: number, sent_us: number, tick: number, tick_fraction: number): void {
    if (sent_us > now_us || sent_us < this.restarted_us) return; // an echo of a time we never sent, or of another pace
    if (!this.any) {
      this.any = true;
      this.epoch_us = now_us;
    }
    const round_trip_us = now_us - sent_us;
    const server_tick_then = tick + tick_fraction * 2 ** -32;
    const newest = { round_trip_us, tick_offset: server_tick_then - this.in_ticks(sent_us + round_trip_us / 2) };
    this.samples[this.sample_count % kClockSamples] = newest;
    ++this.sample_count;

    let best = this.samples[0]!;
    for (const sample of this.samples) if (sample.round_trip_us < best.round_trip_us) best = sample;
    this.best_round_trip_us = best.round_trip_us;

    // A stalled or restored server shifts every later sample; waiting until the old best one leaves the window would take seconds. A paused one
    // does not move at all, so there the newest word is the truth.
    const disagreement = Math.abs(newest.tick_offset - best.tick_offset);
    const explained = (newest.round_trip_us + best.round_trip_us) * 0.5 * this.ticks_per_us + 1;
    const is_paused = this.ticks_per_us === 0;
    if (is_paused || disagreement > explained) {
      this.samples = [newest];
      this.sample_count = 1;
      best = newest;
      this.best_round_trip_us = round_trip_us;
    }
    this.aim(now_us, best.tick_offset, this.sample_count <= kStepSamples);
  }

  /** The server's tick now, with its fraction; 0 before any guess or sample. Monotonic while corrections are small. */
  server_tick(now_us: number): number {
    return this.any ? Math.max(0, this.in_ticks(now_us) + this.offset_at(now_us)) : 0;
  }

  private in_ticks(us: number): number {
    return (us - this.epoch_us) * this.ticks_per_us;
  }

  private offset_at(now_us: number): number {
    const most = kSlew * Math.max(0, now_us - this.base_us) * this.ticks_per_us;
    return this.offset + Math.min(Math.max(this.target_offset - this.offset, -most), most);
  }

  private aim(now_us: number, target: number, step: boolean): void {
    const current = this.offset_at(now_us);
    this.offset = step || Math.abs(target - current) > kStepTicks ? target : current;
    this.target_offset = target;
    this.base_us = now_us;
  }
}
