// Measurements of a client's connection, as plain numbers.

export interface Stats {
  // Path.
  /** Smoothed round-trip time; 0 = not measured yet. */
  rttMs: number;
  rttVariationMs: number;
  /**
   * Fraction of the server's snapshots that never came, 0 to 1. Over a stream the server omits snapshots for
   * a slow reader.
   */
  loss: number;
  // Traffic of the last half second.
  snapshotsPerS: number;
  receivedBytesPerS: number;
  sentBytesPerS: number;
  // Traffic since the start of the session.
  snapshots: number;
  receivedBytes: number;
  sentBytes: number;
  // Time.
  /** Estimate of the server's tick now. */
  serverTick: number;
  /** The tick of bodies(). */
  renderTick: number;
  /** The newest tick whose snapshot arrived complete and omitted nothing; 0 = none. */
  completeTick: number;
  // Interpolation.
  /**
   * Delay of the displayed bodies behind the server. Waits for late snapshots (starvedMs) are not in it, up
   * to 50 ms of each; the part above is.
   */
  bufferMs: number;
  /** Mean deviation of the snapshots' lateness. */
  jitterMs: number;
  /** Time since the start for which the render tick waited for snapshots. */
  starvedMs: number;
  longestStarvationMs: number;
  /** Longest interval between two interpolated snapshots. */
  longestGapMs: number;
  starvations: number;
  // Commands.
  commandsSent: number;
  commandsMoved: number;
  commandsRefused: number;
  /** All commands up to this sequence have arrived. */
  lastAcknowledged: number;
  /** Commands without acknowledgement. */
  inFlight: number;
  /** Ticks by which the newest commands arrived early; negative = late. */
  marginTicks: number;
  /**
   * Time from the call of a command to the poll that displays the tick in which it acts, smoothed; 0 = not
   * measured yet. Commands of a paused room do not count.
   */
  inputToSeenMs: number;
  /** Sessions after the first. */
  reconnects: number;
}
