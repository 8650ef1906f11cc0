// What a client knows of its connection: plain numbers, copied out.

export interface Stats {
  // Path.
  /** smoothed round trip; 0 = not measured yet */
  rttMs: number;
  rttVariationMs: number;
  /** share of the server's snapshots that never came, 0 .. 1: over a stream the server leaves snapshots out for a reader that does not keep up */
  loss: number;
  // Traffic of the last half second.
  snapshotsPerS: number;
  receivedBytesPerS: number;
  sentBytesPerS: number;
  // Traffic since the session's start.
  snapshots: number;
  receivedBytes: number;
  sentBytes: number;
  // Time.
  /** the server's tick now, estimated */
  serverTick: number;
  /** the tick that bodies() shows */
  renderTick: number;
  /** the newest tick of which everything has arrived: its snapshot came whole and left nothing out; 0 = none yet */
  completeTick: number;
  // Interpolation.
  /** how far behind the server's present the bodies are shown */
  bufferMs: number;
  /** mean deviation of the snapshots' lateness */
  jitterMs: number;
  /** render time stood still for want of snapshots, since the start */
  starvedMs: number;
  longestStarvationMs: number;
  /** longest stretch between two snapshots that were interpolated */
  longestGapMs: number;
  starvations: number;
  // Commands.
  commandsSent: number;
  commandsMoved: number;
  commandsRefused: number;
  /** every command up to this sequence has arrived */
  lastAcknowledged: number;
  /** commands not yet acknowledged */
  inFlight: number;
  /** how early (> 0) or late the latest commands arrived */
  marginTicks: number;
  /** sessions that were begun anew */
  reconnects: number;
}
