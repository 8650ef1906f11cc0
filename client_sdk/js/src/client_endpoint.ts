// The protocol's client end of one stream, without I/O: handshake, framing, pings, keep-alive, time-outs, inputs. What it learns goes to its host as
// messages; the time comes in as an argument. The rules are protocol/session/client_endpoint.h's for a stream. It interpolates nothing (session.ts does).
//
// Bytes from the server never make it throw: what no honest server sends ends the session with `handleOver`.
import { ClockSync } from "./clock_sync.js";
import { FrameReader, writeFrame } from "./frame.js";
import { InputSender } from "./input_sender.js";
import { kKeepAliveInterval, kMillisecond, kProtocolVersion, kSecond } from "./limits.js";
import type { Accept, DisconnectReason, Message, RefuseReason, WireCommand } from "./message.js";
import type { MessageClass } from "./message_reader.js";
import { readMessage } from "./message_reader.js";
import type { Outgoing } from "./message_writer.js";
import { writeMessage } from "./message_writer.js";

/** The clock wants several samples soon: the first kFastPings go every kFastPingInterval. */
const kFastPings = 8;
const kFastPingInterval = 100 * kMillisecond;
const kPingInterval = 500 * kMillisecond;

export interface EndpointOptions {
  playerName: string;
  sceneHash: bigint;
  nonce: bigint;
  connectTimeoutUs: number;
  silenceTimeoutUs: number;
}

/** Why a session is over. */
export interface Over {
  reason: DisconnectReason;
  refused: RefuseReason;
  text: string;
  /** It ended because of bytes no honest server sends. */
  corrupt: boolean;
}

/** Whom an endpoint works for. */
export interface EndpointHost {
  /** Bytes for the server. */
  sendBytes(bytes: Uint8Array): void;
  handleAccepted(nowUs: number, accept: Accept): void;
  /** A message of the session that the endpoint has no use for itself. */
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
  /** Messages that arrived well-formed but are not for a client, or not now. */
  unexpected = 0;

  private readonly frames = new FrameReader();
  private readonly startedUs: number;
  private lastArrivalUs: number;
  private lastSentUs: number;
  private nextPingUs = 0;
  private pingsSent = 0;

  constructor(
    private readonly options: EndpointOptions,
    private readonly host: EndpointHost,
    nowUs: number,
  ) {
    this.startedUs = this.lastArrivalUs = this.lastSentUs = nowUs;
  }

  /** The stream is open: asks to be let in. */
  handleOpen(nowUs: number): void {
    const { sceneHash, playerName, nonce } = this.options;
    this.send(nowUs, "reliable", {
      type: "ConnectRequest",
      protocolVersion: kProtocolVersion,
      sceneHash,
      numbersMode: "any",
      mode: "snapshot",
      playerName,
      nonce,
    });
  }

  handleBytes(nowUs: number, bytes: Uint8Array): void {
    if (this.state === "disconnected") return;
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

  /** Time has passed: pings, keep-alives, time-outs. */
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

  /** Says now what was pushed into `inputs`. */
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

  /** The room's pace changed: its ticks pass at this rate, and it was at `tick` when the server said so. Fast pings follow. */
  handleTickRate(nowUs: number, tick: number, ticksPerS: number): void {
    this.clock.restart(nowUs, tick + (this.rttUs / 2) * 1e-6 * ticksPerS, ticksPerS);
    this.pingsSent = 0;
    this.nextPingUs = nowUs;
  }

  /** Says goodbye; what follows is for nobody. */
  leave(nowUs: number, text: string): void {
    if (this.state === "connected") {
      this.send(nowUs, "reliable", { type: "Disconnect", reason: "client_left", text });
    }
    this.finish({ reason: "client_left", refused: "none", text, corrupt: false });
  }

  /** Ends the session because the server, or this SDK, broke a rule; tells the server what. */
  protocolError(nowUs: number, text: string): void {
    if (this.state === "connected") {
      this.send(nowUs, "reliable", { type: "Disconnect", reason: "protocol_error", text });
    }
    this.finish({ reason: "protocol_error", refused: "none", text, corrupt: true });
  }

  // ------------------------------------------------------------ messages

  /** False when nothing more of the stream is wanted. */
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
    // Only times we sent lately: else a server could feed the clock any round trip it likes.
    if (sentUs > nowUs || nowUs - sentUs > this.options.silenceTimeoutUs) {
      ++this.unexpected;
      return;
    }
    this.clock.handleSample(nowUs, sentUs, tick, tickFraction);
    const rttUs = nowUs - sentUs;
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

/** Defaults of the two time-outs. */
export const kConnectTimeoutUs = 5 * kSecond;
export const kSilenceTimeoutUs = 10 * kSecond;
