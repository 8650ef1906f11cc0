// TaktError, the only error of the SDK. A call throws it; a session ends with an "error" event that carries
// it.

/** Codes are frozen. Later versions may add codes. */
export type ErrorCode =
  | "bad-url" // not ws://HOST[:PORT]/PATH, wss://... or, with takt/node, tcp://HOST:PORT
  | "no-websocket" // this JavaScript engine has no WebSocket; pass one as the option `WebSocket`
  | "network" // the transport could not be opened, or failed
  | "refused" // the server refused the session, or a service a call; `reason` names why
  | "limit" // a limit of a service, which `reason` names
  | "stopped" // a step at a service ended early, between two ticks
  | "not-observed" // an array of a world at a service: call observe() first
  | "corrupt-message" // an honest server never sends these bytes; the session is over
  | "not-joined" // wait for the "joined" event first
  | "queue-full" // too many commands are unacknowledged, or too many bytes are unsent
  | "invalid-argument" // an argument or field is missing, unknown or of the wrong type
  | "not-finite" // a number is NaN or infinite
  | "out-of-range" // a number, text or list is outside the accepted range
  | "closed" // close() was called on this client
  | "internal"; // a defect of this SDK; the session is over, the page continues

/**
 * An error of this SDK. The message of an argument error names the call, the field and the accepted values.
 */
export class TaktError extends Error {
  override readonly name = "TaktError";
  readonly code: ErrorCode;
  /** A stable word with more detail, such as the server's reason "server_full"; may be empty. */
  readonly reason: string;

  constructor(code: ErrorCode, message: string, reason = "") {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}
