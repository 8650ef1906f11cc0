// Why a call failed or a session ended. Calls throw a TaktError; a session never throws: it ends with an "error" event that carries one.

/** Codes are frozen; new ones may come. */
export type ErrorCode =
  | "bad-url" // not ws://HOST[:PORT]/PATH, wss://... or, with takt/node, tcp://HOST:PORT
  | "no-websocket" // this JavaScript engine has no WebSocket: pass one in ClientOptions.WebSocket
  | "network" // the transport could not be opened, or failed
  | "refused" // the server said no; `reason` says why
  | "corrupt-message" // bytes from the server that no honest server sends; the session is over
  | "not-joined" // wait for the "joined" event first
  | "queue-full" // too many commands are unacknowledged, or too many bytes unsent
  | "not-finite" // a number is NaN or infinite
  | "out-of-range" // a number or text is outside what may be sent
  | "closed" // close() was called on this client
  | "internal"; // a defect of this SDK; the session is over, the page is not

export class TaktError extends Error {
  override readonly name = "TaktError";
  readonly code: ErrorCode;
  /** A stable word that says more, such as the server's reason "server_full"; may be empty. */
  readonly reason: string;

  constructor(code: ErrorCode, message: string, reason = "") {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}
