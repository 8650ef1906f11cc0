// StallWatch measures when the client's own thread did not run, and returns the earliest time at which a
// message that is handled now may have arrived. A page that computes for 250 ms finds 250 ms of snapshots in
// the event loop afterwards. Their lateness is the page's, not the network's.
//
// Rules. A gap of more than kStallUs between two runs (a poll, an arrival or the timer) is a stall. What is
// handled after it may have arrived at any time since the last run before it, until a later turn of the event
// loop shows that the backlog has been handled. It reads no clock: times are arguments in microseconds.

/**
 * Shortest gap that is a stall: above a frame at 60 Hz and its jitter. A shorter bound would hide jitter that
 * a frame could still have met; a longer one would count short stalls as jitter.
 */
export const kStallUs = 25_000;
/** Time without a stall after which the backlog has been handled, also without handleDrained(). */
export const kBacklogUs = 50_000;

export class StallWatch {
  private lastRunUs = -1; // -1 = no run yet
  private fromUs = -1; // last run before the stall whose backlog may be unhandled; -1 = none
  private endUs = 0;

  /** Handles a run of the client. Returns true if a stall ended with it. */
  handleRun(nowUs: number): boolean {
    const gapUs = this.lastRunUs < 0 ? 0 : nowUs - this.lastRunUs;
    if (gapUs > kStallUs) {
      if (this.fromUs < 0) this.fromUs = this.lastRunUs;
      this.endUs = nowUs;
    } else if (nowUs - this.endUs > kBacklogUs) {
      this.fromUs = -1;
    }
    this.lastRunUs = nowUs;
    return gapUs > kStallUs;
  }

  /** Handles a later turn of the event loop: all messages of the stall have been handled. */
  handleDrained(): void {
    this.fromUs = -1;
  }

  /** End of the last stall; a message sent before it may have waited for the client. 0 = no stall yet. */
  get stallEndUs(): number {
    return this.endUs;
  }

  /** Earliest time at which a message handled at `nowUs` may have arrived. */
  earliestUs(nowUs: number): number {
    return this.fromUs < 0 ? nowUs : Math.min(this.fromUs, nowUs);
  }
}
