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
const kMarginShare = 0.1;
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
  tick_rate_hz?: number;
  delay_min_ms?: number;
  delay_max_ms?: number;
}

export class JitterBuffer {
  private readonly nominal_per_us: number;
  private readonly delay_min_ms: number;
  private readonly delay_max_ms: number;
  private rate_per_us: number; // ticks; 0 = paused

  private newest_serial = 0;
  private newest_is_empty = false;
  private needs = new Float64Array(kBuckets); // greatest need of each second, a ring
  private bucket = 0;
  private bucket_began_us = 0;
  private delay_ticks = 0;
  private is_running = false;
  private last_us = 0;
  private waited_ticks = 0; // of the present wait
  private lateness_ticks = 0;
  private jitter_ticks = 0;

  /** Where bodies should be shown; meaningless before has_snapshot. */
  render_tick = 0;
  newest_tick = 0;
  /** Ticks between two snapshots of a busy server, as seen. */
  interval_ticks = 1;
  starvations = 0;
  starved_ms = 0;
  longest_starvation_ms = 0;
  longest_gap_ms = 0;

  constructor(options: JitterBufferOptions = {}) {
    this.nominal_per_us = (options.tick_rate_hz ?? 60) * 1e-6;
    this.rate_per_us = this.nominal_per_us;
    this.delay_min_ms = options.delay_min_ms ?? 20;
    this.delay_max_ms = Math.max(options.delay_max_ms ?? 1000, this.delay_min_ms);
  }

  get has_snapshot(): boolean {
    return this.newest_serial !== 0;
  }
  get delay_ms(): number {
    return this.rate_per_us > 0 ? this.in_ms(this.delay_ticks) : 0;
  }
  get jitter_ms(): number {
    return this.in_ms(this.jitter_ticks);
  }

  /**
   * Ticks of the room per second of real time, 0 = paused. What was learnt in ticks of another length is forgotten; the render tick goes on from
   * where it is.
   */
  set_rate(ticks_per_s: number, server_tick: number): void {
    const rate = ticks_per_s * 1e-6;
    if (rate === this.rate_per_us) return;
    this.rate_per_us = rate;
    this.needs.fill(0);
    this.jitter_ticks = 0;
    this.lateness_ticks = server_tick - this.newest_tick;
    this.waited_ticks = 0;
    if (this.is_running) this.delay_ticks = Math.max(0, server_tick - this.render_tick);
  }

  /**
   * A snapshot began to arrive (its first part; later parts of the same serial do nothing). `server_tick` is the server's tick now. `deferred_share`:
   * bodies that did not fit, per body sent: then each body comes only every 1 + deferred_share snapshots, and the buffer must span that.
   */
  handle_snapshot(serial: number, tick: number, is_empty: boolean, deferred_share: number, server_tick: number): void {
    if (this.has_snapshot && (serial <= this.newest_serial || tick <= this.newest_tick)) return; // late or another part: nothing new for the clock
    const lateness = server_tick - tick;
    if (!this.has_snapshot) {
      this.lateness_ticks = lateness;
      this.newest_serial = serial;
      this.newest_tick = tick;
      this.newest_is_empty = is_empty;
      this.note_need(lateness + this.interval_ticks);
      return;
    }
    const deviation = lateness - this.lateness_ticks;
    this.lateness_ticks += deviation * kMeanWeight;
    this.jitter_ticks += (Math.abs(deviation) - this.jitter_ticks) * kMeanWeight;

    // Serials count snapshots, so a pause without a missing serial is a server that had nothing to say: everything stood still until just before.
    const step = tick - this.newest_tick;
    const is_next = serial === this.newest_serial + 1;
    const was_idle = is_next && step > this.interval_ticks && step <= kIdleSnapshots * this.interval_ticks && (is_empty || this.newest_is_empty);
    if (is_next && !was_idle && !is_empty && !this.newest_is_empty) this.interval_ticks = Math.min(Math.max(step, 1), this.interval_ticks_max());
    const start = was_idle ? tick - this.interval_ticks : this.newest_tick;
    this.longest_gap_ms = Math.max(this.longest_gap_ms, this.in_ms(tick - start));
    this.note_need(server_tick - start + deferred_share * this.interval_ticks);
    this.end_wait(was_idle);
    this.newest_serial = serial;
    this.newest_tick = tick;
    this.newest_is_empty = is_empty;
  }

  /** Time has passed: moves the render tick. */
  advance(now_us: number, server_tick: number): void {
    if (!this.has_snapshot) return;
    const passed_us = this.is_running ? Math.max(0, now_us - this.last_us) : 0;
    this.last_us = Math.max(this.last_us, now_us);
    const passed_nominal = passed_us * this.nominal_per_us;
    if (this.rate_per_us === 0) {
      this.walk_to_newest(passed_nominal);
      return;
    }
    let greatest = 0;
    for (const need of this.needs) greatest = Math.max(greatest, need);
    const wish = greatest * (1 + kMarginShare) + kMarginTicks;
    const target = Math.min(Math.max(wish, this.in_ticks(this.delay_min_ms)), this.in_ticks(this.delay_max_ms));
    if (!this.is_running) {
      this.is_running = true;
      this.delay_ticks = target;
      this.render_tick = server_tick - this.delay_ticks;
      this.bucket_began_us = now_us;
      return;
    }
    if (now_us - this.bucket_began_us >= kBucketUs) {
      this.bucket = (this.bucket + 1) % kBuckets;
      this.needs[this.bucket] = 0;
      this.bucket_began_us = now_us;
    }
    const passed = passed_us * this.rate_per_us;
    // In slow motion a tick of delay is long: catching up at a tenth of the usual speed is not seen, and 2 % of slow motion would take minutes.
    const speed_up = this.rate_per_us < this.nominal_per_us ? Math.max(kSpeedUp * passed, kSlowDown * passed_nominal) : kSpeedUp * passed;
    if (greatest > 0) this.delay_ticks += Math.min(Math.max(target - this.delay_ticks, -speed_up), kSlowDown * passed);
    let wanted = server_tick - this.delay_ticks;
    // Behind an empty snapshot the server is idle and may stay silent: what is shown stands still anyway, so the render tick may go on.
    const limit = this.newest_tick + (this.newest_is_empty ? kIdleSnapshots * this.interval_ticks : 0);
    if (wanted > limit) {
      this.waited_ticks += Math.min(wanted - limit, passed);
      wanted = limit;
      this.delay_ticks = Math.min(server_tick - limit, this.in_ticks(this.delay_max_ms));
    }
    this.render_tick = Math.max(this.render_tick, wanted);
  }

  private walk_to_newest(passed_nominal: number): void {
    if (!this.is_running) this.render_tick = this.newest_tick;
    this.is_running = true;
    this.render_tick = Math.max(this.render_tick, Math.min(this.newest_tick, this.render_tick + passed_nominal));
    this.delay_ticks = 0;
  }

  private note_need(need_ticks: number): void {
    if (this.rate_per_us > 0) this.needs[this.bucket] = Math.max(this.needs[this.bucket]!, need_ticks);
  }

  private end_wait(was_idle: boolean): void {
    if (this.waited_ticks > 0 && !was_idle) {
      const waited_ms = this.in_ms(this.waited_ticks);
      ++this.starvations;
      this.starved_ms += waited_ms;
      this.longest_starvation_ms = Math.max(this.longest_starvation_ms, waited_ms);
    }
    this.waited_ticks = 0;
  }

  private interval_ticks_max(): number {
    return 60 * Math.max(1, this.rate_per_us / this.nominal_per_us);
  }
  private in_ms(ticks: number): number {
    return this.rate_per_us > 0 ? ticks / (this.rate_per_us * 1000) : ticks / (this.nominal_per_us * 1000);
  }
  private in_ticks(ms: number): number {
    return ms * 1000 * this.rate_per_us;
  }
}
