// The protocol's client end of one stream, without I/O: handshake, framing, pings, keep-alive, time-outs, inputs. What it learns goes to its host as
// messages; the time comes in as an argument. The rules are protocol/session/client_endpoint.h's for a stream. It interpolates nothing (session.ts does).
//
// Bytes from the server never make it throw: what no honest server sends ends the session with `handle_over`.
import { ClockSync } from "./clock_sync.js";
import { FrameReader, write_frame } from "./frame.js";
import { InputSender } from "./input_sender.js";
import { kKeepAliveInterval, kMillisecond, kProtocolVersion, kSecond } from "./limits.js";
import type { Accept, DisconnectReason, Message, RefuseReason, WireCommand } from "./message.js";
import type { MessageClass } from "./message_reader.js";
import { read_message } from "./message_reader.js";
import type { Outgoing } from "./message_writer.js";
import { write_message } from "./message_writer.js";

/** The clock wants several samples soon: the first kFastPings go every kFastPingInterval. */
const kFastPings = 8;
const kFastPingInterval = 100 * kMillisecond;
const kPingInterval = 500 * kMillisecond;

export interface EndpointOptions {
  player_name: string;
  scene_hash: bigint;
  nonce: bigint;
  connect_timeout_us: number;
  silence_timeout_us: number;
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
  send_bytes(bytes: Uint8Array): void;
  handle_accepted(now_us: number, accept: Accept): void;
  /** A message of the session that the endpoint has no use for itself. */
  handle_message(now_us: number, message: Message): void;
  handle_over(over: Over): void;
}

export type EndpointState = "requesting" | "connected" | "disconnected";

export class ClientEndpoint {
  state: EndpointState = "requesting";
  clock = new ClockSync(60);
  readonly inputs = new InputSender();

  rtt_us = 0; // smoothed; 0 = not measured yet
  rtt_variation_us = 0;
  bytes_received = 0;
  bytes_sent = 0;
  /** Messages that arrived well-formed but are not for a client, or not now. */
  unexpected = 0;

  private readonly frames = new FrameReader();
  private readonly started_us: number;
  private last_arrival_us: number;
  private last_sent_us: number;
  private next_ping_us = 0;
  private pings_sent = 0;

  constructor(
    private readonly options: EndpointOptions,
    private readonly host: EndpointHost,
    now_us: number,
  ) {
    this.started_us = this.last_arrival_us = this.last_sent_us = now_us;
  }

  /** The stream is open: asks to be let in. */
  handle_open(now_us: number): void {
    const { scene_hash, player_name, nonce } = this.options;
    this.say(now_us, "reliable", {
      type: "ConnectRequest",
      protocolVersion: kProtocolVersion,
      sceneHash: scene_hash,
      numbersMode: "any",
      mode: "snapshot",
      playerName: player_name,
      nonce,
    });
  }

  handle_bytes(now_us: number, bytes: Uint8Array): void {
    if (this.state === "disconnected") return;
    this.bytes_received += bytes.length;
    this.last_arrival_us = now_us;
    const error = this.frames.handle_bytes(bytes, (message_class, message) => this.handle_frame(now_us, message_class, message));
    if (error !== null) this.protocol_error(now_us, `broken framing: ${error}`);
  }

  handle_closed(why: string): void {
    this.finish({ reason: "connection_lost", refused: "none", text: why, corrupt: false });
  }

  /** Time has passed: pings, keep-alives, time-outs. */
  handle_time(now_us: number): void {
    if (this.state === "requesting" && now_us >= this.started_us + this.options.connect_timeout_us) {
      this.finish({ reason: "connection_lost", refused: "none", text: "no answer from the server", corrupt: false });
    }
    if (this.state !== "connected") return;
    if (now_us >= this.last_arrival_us + this.options.silence_timeout_us) {
      this.finish({ reason: "timed_out", refused: "none", text: "nothing heard from the server", corrupt: false });
      return;
    }
    if (now_us >= this.next_ping_us) {
      ++this.pings_sent;
      this.next_ping_us = now_us + (this.pings_sent < kFastPings ? kFastPingInterval : kPingInterval);
      this.say(now_us, "datagram", { type: "Ping", clientTimeUs: BigInt(Math.floor(now_us)) });
    }
    this.flush_inputs(now_us);
    if (now_us >= this.last_sent_us + kKeepAliveInterval) this.say(now_us, "datagram", { type: "KeepAlive" });
  }

  /** Says now what was pushed into `inputs`. */
  flush_inputs(now_us: number): void {
    if (this.state !== "connected") return;
    for (let inputs = this.inputs.poll(); inputs.length > 0; inputs = this.inputs.poll()) this.say(now_us, "reliable", { type: "Inputs", inputs });
  }

  push_input(tick: number, command: WireCommand): number {
    return this.inputs.push(tick, command);
  }

  send_reliable(now_us: number, message: Outgoing): void {
    this.say(now_us, "reliable", message);
  }

  /** The room's pace changed: its ticks pass at this rate, and it was at `tick` when the server said so. Fast pings follow. */
  handle_pace(now_us: number, tick: number, ticks_per_s: number): void {
    this.clock.restart(now_us, tick + (this.rtt_us / 2) * 1e-6 * ticks_per_s, ticks_per_s);
    this.pings_sent = 0;
    this.next_ping_us = now_us;
  }

  /** Says goodbye; what follows is for nobody. */
  leave(now_us: number, text: string): void {
    if (this.state === "connected") this.say(now_us, "reliable", { type: "Disconnect", reason: "client_left", text });
    this.finish({ reason: "client_left", refused: "none", text, corrupt: false });
  }

  /** Ends the session because the server, or this SDK, broke a rule; tells the server what. */
  protocol_error(now_us: number, text: string): void {
    if (this.state === "connected") this.say(now_us, "reliable", { type: "Disconnect", reason: "protocol_error", text });
    this.finish({ reason: "protocol_error", refused: "none", text, corrupt: true });
  }

  // ------------------------------------------------------------ messages

  /** False when nothing more of the stream is wanted. */
  private handle_frame(now_us: number, message_class: MessageClass, bytes: Uint8Array): boolean {
    const read = read_message(bytes, message_class);
    if (!read.ok) {
      this.protocol_error(now_us, `a message that cannot be read: ${read.error}`);
      return false;
    }
    if (this.state === "requesting") this.handle_answer(now_us, read.message);
    else this.handle_message(now_us, read.message);
    return !this.is_over();
  }

  private is_over(): boolean {
    return this.state === "disconnected";
  }

  private handle_answer(now_us: number, message: Message): void {
    if (message.type === "Accept" && message.nonce === this.options.nonce) {
      this.state = "connected";
      this.next_ping_us = now_us;
      this.clock = new ClockSync(message.tickRateHz);
      this.clock.handle_guess(now_us, message.currentTick);
      this.host.handle_accepted(now_us, message);
    } else if (message.type === "Refuse" && message.nonce === this.options.nonce) {
      this.finish({ reason: "none", refused: message.reason, text: message.text, corrupt: false });
    } else {
      ++this.unexpected;
    }
  }

  private handle_message(now_us: number, message: Message): void {
    switch (message.type) {
      case "Pong":
        return this.handle_pong(now_us, Number(message.clientTimeUs), message.tick, message.tickFraction);
      case "Disconnect":
        return this.finish({ reason: message.reason, refused: "none", text: message.text, corrupt: false });
      case "InputAck":
        if (!this.inputs.handle_ack(message.receivedThrough)) {
          ++this.unexpected;
          return;
        }
        return this.host.handle_message(now_us, message);
      case "KeepAlive":
        return;
      default:
        return this.host.handle_message(now_us, message);
    }
  }

  private handle_pong(now_us: number, sent_us: number, tick: number, tick_fraction: number): void {
    // Only times we sent lately: else a server could feed the clock any round trip it likes.
    if (sent_us > now_us || now_us - sent_us > this.options.silence_timeout_us) {
      ++this.unexpected;
      return;
    }
    this.clock.handle_sample(now_us, sent_us, tick, tick_fraction);
    const rtt_us = now_us - sent_us;
    this.rtt_variation_us = this.rtt_us === 0 ? rtt_us / 2 : (3 * this.rtt_variation_us + Math.abs(rtt_us - this.rtt_us)) / 4;
    this.rtt_us = this.rtt_us === 0 ? rtt_us : (7 * this.rtt_us + rtt_us) / 8;
  }

  private say(now_us: number, message_class: MessageClass, message: Outgoing): void {
    const frame = write_frame(message_class, write_message(message));
    this.bytes_sent += frame.length;
    this.last_sent_us = now_us;
    this.host.send_bytes(frame);
  }

  private finish(over: Over): void {
    if (this.state === "disconnected") return;
    this.state = "disconnected";
    this.host.handle_over(over);
  }
}

/** Defaults of the two time-outs. */
export const kConnectTimeoutUs = 5 * kSecond;
export const kSilenceTimeoutUs = 10 * kSecond;
