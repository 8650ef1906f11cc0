// StallWatch measures when the client's own thread did not run, and returns the earliest time at which a
// message that is handled now may have arrived. A page that computes for 250 ms finds 250 ms of snapshots in
// the event loop afterwards. Their lateness is the page's, not the network's.
//
// Rules. A gap of more than kStallUs between two runs (a poll, an arrival or the timer) is a stall. A message
// handled after it may have arrived at any time since the last run before it, until turns of the event loop
// without an arrival show that the backlog has been handled. A browser runs timers between the messages of a
// backlog, so one turn shows nothing. StallWatch reads no clock: times are arguments in microseconds.

/**
 * Shortest gap that is a stall: above a frame at 60 Hz and its jitter. A shorter bound would hide jitter that
 * a frame could still have met; a longer one would count short stalls as jitter.
 */
export const kStallUs = 25_000;
/** Turns without an arrival after which the backlog has been handled. */
export const kQuietTurns = 2;
/**
 * Stalls without quiet turns between them for which a backlog lasts. A page that stalls at every frame has no
 * quiet turn; it learns the path's delay from one stall of these.
 */
export const kStallsPerBacklog = 3;
/** Time without a stall after which the backlog has been handled, also if nobody calls handleTurn(). */
export const kBacklogUs = 250_000;

export class StallWatch {
  private lastRunUs = -1; // -1 = no run yet
  private fromUs = -1; // last run before the stall whose backlog may be unhandled; -1 = none
  private stalls = 0; // since then
  private endUs = 0; // of the last of them
  private hasArrival = false; // since the last turn
  private quietTurns = 0;

  /** Handles a run of the client. Returns true if a stall ended with it: then call handleTurn(). */
  handleRun(nowUs: number): boolean {
    const gapUs = this.lastRunUs < 0 ? 0 : nowUs - this.lastRunUs;
    if (gapUs > kStallUs) {
      if (this.fromUs < 0 || ++this.stalls > kStallsPerBacklog) {
        this.fromUs = this.lastRunUs;
        this.stalls = 1;
      }
      this.endUs = nowUs;
      this.quietTurns = 0;
    } else if (nowUs - this.endUs > kBacklogUs) {
      this.fromUs = -1;
    }
    this.lastRunUs = nowUs;
    return gapUs > kStallUs;
  }

  /** Handles an arrival, after its run. */
  handleArrival(): void {
    this.hasArrival = true;
  }

  /** Handles a turn of the event loop after a stall. Returns false if the next turn is needed too. */
  handleTurn(nowUs: number): boolean {
    this.handleRun(nowUs);
    this.quietTurns = this.hasArrival ? 0 : this.quietTurns + 1;
    this.hasArrival = false;
    if (this.quietTurns >= kQuietTurns) this.fromUs = -1;
    return this.fromUs < 0;
  }

  /** Earliest time at which a message handled at `nowUs` may have arrived. */
  earliestUs(nowUs: number): number {
    return this.fromUs < 0 ? nowUs : Math.min(this.fromUs, nowUs);
  }
}
