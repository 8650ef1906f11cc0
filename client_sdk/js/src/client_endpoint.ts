// The client's end of the protocol on one stream, without I/O: handshake, framing, pings, keep-alives,
// timeouts and inputs. It passes messages to its host and takes the time as an argument. It follows the rules
// of protocol/session/client_endpoint.h for a stream. It interpolates nothing (session.ts does).
//
// Bytes from the server never make it throw. Bytes that no honest server sends end the session with
// `handleOver`.
import { ClockSync } from "./clock_sync.js";
import { FrameReader, writeFrame } from "./frame.js";
import { InputSender } from "./input_sender.js";
import { kKeepAliveInterval, kMillisecond, kProtocolVersion, kSecond } from "./limits.js";
import type { Accept, DisconnectReason, Message, RefuseReason, Role, WireCommand } from "./message.js";
import type { MessageClass } from "./message_reader.js";
import { readMessage } from "./message_reader.js";
import type { Outgoing } from "./message_writer.js";
import { writeMessage } from "./message_writer.js";

/** The clock needs several samples soon: the first kFastPings pings leave every kFastPingInterval. */
const kFastPings = 8;
const kFastPingInterval = 100 * kMillisecond;
const kPingInterval = 500 * kMillisecond;

export interface EndpointOptions {
  playerName: string;
  role: Role;
  /** The sealed part of a connect token, instead of playerName; empty = none. */
  token: Uint8Array;
  sceneHash: bigint;
  nonce: bigint;
  connectTimeoutUs: number;
  silenceTimeoutUs: number;
}

/** The end of a session and its cause. */
export interface Over {
  reason: DisconnectReason;
  refused: RefuseReason;
  text: string;
  /** The cause is bytes that no honest server sends. */
  corrupt: boolean;
}

/** Receiver of an endpoint's output. */
export interface EndpointHost {
  /** Sends bytes to the server. */
  sendBytes(bytes: Uint8Array): void;
  handleAccepted(nowUs: number, accept: Accept): void;
  /** Takes a message that the endpoint does not consume itself. */
  handleMessage(nowUs: number, message: Message): void;
  handleOver(over: Over): void;
}

export type EndpointState = "requesting" | "connected" | "disconnected";

export class ClientEndpoint {
  state: EndpointState = "requesting";
  clock = new ClockSync(60);
  readonly inputs = new InputSender();

  rttUs = 0; // smoothed; 0 = not measured yet
  rttVariationUs = 0;
  bytesReceived = 0;
  bytesSent = 0;
  /** Well-formed messages that are not for a client, or not for its state. */
  unexpected = 0;

  private readonly frames = new FrameReader();
  private readonly startedUs: number;
  private lastArrivalUs: number;
  private lastSentUs: number;
  private nextPingUs = 0;
  private pingsSent = 0;
  private earliestUs = 0; // of the bytes that are being handled

  constructor(
    private readonly options: EndpointOptions,
    private readonly host: EndpointHost,
    nowUs: number,
  ) {
    this.startedUs = this.lastArrivalUs = this.lastSentUs = nowUs;
  }

  /**
   * Handles the open stream: requests to join. `tokenVerifier`: of the token, over a web socket; empty =
   * none.
   */
  handleOpen(nowUs: number, tokenVerifier: Uint8Array = new Uint8Array()): void {
    const { sceneHash, playerName, role, nonce, token } = this.options;
    this.send(nowUs, "reliable", {
      type: "ConnectRequest",
      protocolVersion: kProtocolVersion,
      sceneHash,
      numbersMode: "any",
      mode: "snapshot",
      playerName: token.length > 0 ? "" : playerName,
      nonce,
      role,
      token,
      tokenVerifier,
      ciphers: 0,
    });
  }

  /** Handles bytes, which arrived between `earliestUs` and now: later than `earliestUs` after a stall. */
  handleBytes(nowUs: number, bytes: Uint8Array, earliestUs = nowUs): void {
    if (this.state === "disconnected") return;
    this.earliestUs = earliestUs;
    this.bytesReceived += bytes.length;
    this.lastArrivalUs = nowUs;
    const error = this.frames.handleBytes(bytes, (messageClass, message) =>
      this.handleFrame(nowUs, messageClass, message),
    );
    if (error !== null) this.protocolError(nowUs, `broken framing: ${error}`);
  }

  handleClosed(why: string): void {
    this.finish({ reason: "connection_lost", refused: "none", text: why, corrupt: false });
  }

  /** Handles the time: pings, keep-alives, timeouts. */
  handleTime(nowUs: number): void {
    if (this.state === "requesting" && nowUs >= this.startedUs + this.options.connectTimeoutUs) {
      this.finish({
        reason: "connection_lost",
        refused: "none",
        text: "no answer from the server",
        corrupt: false,
      });
    }
    if (this.state !== "connected") return;
    if (nowUs >= this.lastArrivalUs + this.options.silenceTimeoutUs) {
      this.finish({
        reason: "timed_out",
        refused: "none",
        text: "nothing heard from the server",
        corrupt: false,
      });
      return;
    }
    if (nowUs >= this.nextPingUs) {
      ++this.pingsSent;
      this.nextPingUs = nowUs + (this.pingsSent < kFastPings ? kFastPingInterval : kPingInterval);
      this.send(nowUs, "datagram", { type: "Ping", clientTimeUs: BigInt(Math.floor(nowUs)) });
    }
    this.flushInputs(nowUs);
    if (nowUs >= this.lastSentUs + kKeepAliveInterval) this.send(nowUs, "datagram", { type: "KeepAlive" });
  }

  /** Sends the inputs that pushInput() queued. */
  flushInputs(nowUs: number): void {
    if (this.state !== "connected") return;
    for (let inputs = this.inputs.poll(); inputs.length > 0; inputs = this.inputs.poll()) {
      this.send(nowUs, "reliable", { type: "Inputs", inputs });
    }
  }

  pushInput(tick: number, command: WireCommand): number {
    return this.inputs.push(tick, command);
  }

  sendReliable(nowUs: number, message: Outgoing): void {
    this.send(nowUs, "reliable", message);
  }

  /** Handles a new tick rate of the room, which was at `tick` when the server sent it. Fast pings follow. */
  handleTickRate(nowUs: number, tick: number, ticksPerS: number): void {
    this.clock.restart(nowUs, tick + (this.rttUs / 2) * 1e-6 * ticksPerS, ticksPerS);
    this.pingsSent = 0;
    this.nextPingUs = nowUs;
  }

  /** Sends a Disconnect and ends the session. */
  leave(nowUs: number, text: string): void {
    if (this.state === "connected") {
      this.send(nowUs, "reliable", { type: "Disconnect", reason: "client_left", text });
    }
    this.finish({ reason: "client_left", refused: "none", text, corrupt: false });
  }

  /**
   * Ends the session after a broken rule of the server or of this SDK, and reports the rule to the server.
   */
  protocolError(nowUs: number, text: string): void {
    if (this.state === "connected") {
      this.send(nowUs, "reliable", { type: "Disconnect", reason: "protocol_error", text });
    }
    this.finish({ reason: "protocol_error", refused: "none", text, corrupt: true });
  }

  // ------------------------------------------------------------ messages

  /** Returns false if the rest of the stream is not needed. */
  private handleFrame(nowUs: number, messageClass: MessageClass, bytes: Uint8Array): boolean {
    const read = readMessage(bytes, messageClass);
    if (!read.ok) {
      this.protocolError(nowUs, `a message that cannot be read: ${read.error}`);
      return false;
    }
    if (this.state === "requesting") this.handleAnswer(nowUs, read.message);
    else this.handleMessage(nowUs, read.message);
    return !this.isOver();
  }

  private isOver(): boolean {
    return this.state === "disconnected";
  }

  private handleAnswer(nowUs: number, message: Message): void {
    if (message.type === "Accept" && message.nonce === this.options.nonce) {
      this.state = "connected";
      this.nextPingUs = nowUs;
      this.clock = new ClockSync(message.tickRateHz);
      this.clock.handleGuess(nowUs, message.currentTick);
      this.host.handleAccepted(nowUs, message);
    } else if (message.type === "Refuse" && message.nonce === this.options.nonce) {
      this.finish({ reason: "none", refused: message.reason, text: message.text, corrupt: false });
    } else {
      ++this.unexpected;
    }
  }

  private handleMessage(nowUs: number, message: Message): void {
    switch (message.type) {
      case "Pong":
        return this.handlePong(nowUs, Number(message.clientTimeUs), message.tick, message.tickFraction);
      case "Disconnect":
        return this.finish({ reason: message.reason, refused: "none", text: message.text, corrupt: false });
      case "InputAck":
        if (!this.inputs.handleAck(message.receivedThrough)) {
          ++this.unexpected;
          return;
        }
        return this.host.handleMessage(nowUs, message);
      case "KeepAlive":
        return;
      default:
        return this.host.handleMessage(nowUs, message);
    }
  }

  private handlePong(nowUs: number, sentUs: number, tick: number, tickFraction: number): void {
    // Accepts recent times only. A server could otherwise feed the clock any round trip.
    if (sentUs > nowUs || nowUs - sentUs > this.options.silenceTimeoutUs) {
      ++this.unexpected;
      return;
    }
    this.clock.handleSample(nowUs, sentUs, tick, tickFraction);
    // A pong that waited for a stalled client counts as usual, within its bounds.
    const usualUs = this.rttUs === 0 ? nowUs - sentUs : this.rttUs;
    const rttUs = Math.max(Math.min(usualUs, nowUs - sentUs), this.earliestUs - sentUs);
    this.rttVariationUs =
      this.rttUs === 0 ? rttUs / 2 : (3 * this.rttVariationUs + Math.abs(rttUs - this.rttUs)) / 4;
    this.rttUs = this.rttUs === 0 ? rttUs : (7 * this.rttUs + rttUs) / 8;
  }

  private send(nowUs: number, messageClass: MessageClass, message: Outgoing): void {
    const frame = writeFrame(messageClass, writeMessage(message));
    this.bytesSent += frame.length;
    this.lastSentUs = nowUs;
    this.host.sendBytes(frame);
  }

  private finish(over: Over): void {
    if (this.state === "disconnected") return;
    this.state = "disconnected";
    this.host.handleOver(over);
  }
}

/** Default timeouts. */
export const kConnectTimeoutUs = 5 * kSecond;
export const kSilenceTimeoutUs = 10 * kSecond;
