// Connection is a stream of requests and replies over TCP or a Unix socket. call() sends at once; replies
// come in the order of the requests, so many may be outstanding. Calls of one turn of the event loop leave in
// one piece. A lost connection rejects each call that waits and each later one.
import type { Socket } from "node:net";
import { connect as connectSocket } from "node:net";

import { TaktError } from "../error.js";
import { parseAddress } from "./address.js";
import { FrameSplitter } from "./frames.js";
import { Recordings } from "./recording.js";
import type { Welcome } from "./reply.js";
import { Reply, corrupt } from "./reply.js";
import type { Fields, Target } from "./request.js";
import { kNoTarget, writeRequest } from "./request.js";
import type { BodyName } from "./schema.js";
import { kFrameBytesMax, kFrameHeadBytes, kNoRequest, kServiceVersion } from "./schema.js";
import { errorOf } from "./status.js";

const kConnectMs = 10_000;
const kKeepAliveMs = 30_000;

/** Calls that wait for their replies, and bytes that wait for the socket; a call beyond them is rejected. */
const kWaitingMax = 65_536;
const kUnsentBytesMax = 256 << 20;

const none = (): number => 0;

interface Waiting {
  /** Takes the reply; throws what the call rejects with. */
  readonly take: (reply: Reply) => void;
  readonly fail: (error: unknown) => void;
}

export class Connection {
  readonly address: string;
  /** Recordings of the worlds of this connection. */
  readonly recordings = new Recordings();
  private readonly socket: Socket;
  private readonly frames = new FrameSplitter();
  /** By the ids of their requests, which count up. */
  private readonly waiting = new Map<number, Waiting>();
  /** The calls given to atEndOfTurn(). */
  private endings: (() => void)[] = [];
  private lastId = 0;
  private lastReplyId = 0;
  private isCorked = false;
  /** Why the connection is over. */
  private fault: TaktError | null = null;
  private greeting: Welcome | null = null;

  private constructor(address: string, socket: Socket) {
    this.address = address;
    this.socket = socket;
    socket.on("data", (bytes) => this.handleBytes(bytes));
    socket.on("error", (error) => this.end(this.lost(reasonOf(error))));
    socket.on("close", () => this.end(this.lost("the service ended it")));
  }

  /**
   * Connects within 10 s and sends Hello. Throws bad-url; network without a service; refused with the reason
   * "token"; limit with the reason "clients".
   */
  static async open(address: string, token: Uint8Array): Promise<Connection> {
    const where = parseAddress(address);
    const socket = connectSocket({
      ...where,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: kKeepAliveMs,
    });
    const connection = new Connection(address, socket);
    const timer = setTimeout(
      () => connection.end(connection.lost(`no answer within ${kConnectMs / 1000} s`)),
      kConnectMs,
    );
    try {
      const hello = { version: kServiceVersion, token: token.length > 0 ? token : undefined };
      const welcome = await connection.call(
        kNoTarget,
        none,
        "Hello",
        () => hello,
        (reply) => reply.welcome,
      );
      connection.greeting = welcome;
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  get isOpen(): boolean {
    return this.fault === null;
  }
  get welcome(): Welcome {
    return this.greeting!; // open() has set it
  }

  /**
   * Sends a request before it returns, so calls act in their order. Resolves to what `read` makes of the
   * reply; rejects with what `fields` or `read` throws, and with queue-full. `observe` returns the bits of
   * its columns.
   */
  call<Result>(
    target: Target,
    observe: () => number,
    body: BodyName,
    fields: () => Fields,
    read: (reply: Reply) => Result,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.fault !== null) throw this.fault;
      this.checkRoom();
      const id = this.lastId + 1;
      const values = fields(); // observe() counts what fields() has selected
      const frame = writeRequest(id, target, observe(), body, values);
      const max = this.greeting?.frameBytesMax ?? kFrameBytesMax;
      if (frame.length - kFrameHeadBytes > max) {
        const text = `limit frame: the request ${body} has ${frame.length - kFrameHeadBytes} bytes of ${max}`;
        throw new TaktError("limit", text, "frame");
      }
      this.lastId = id;
      this.waiting.set(id, { take: (reply) => resolve(read(reply)), fail: reject });
      this.cork();
      this.socket.write(frame);
    });
  }

  /** Runs `last` behind the calls of this turn of the event loop, so that what it calls leaves with them. */
  atEndOfTurn(last: () => void): void {
    this.endings.push(last);
    this.cork();
  }

  /**
   * Ends the connection after the replies to what was sent, or `isNow` at once, which rejects the calls that
   * wait. Later calls are rejected.
   */
  close(isNow: boolean): void {
    this.runEndings();
    const closed = new TaktError("closed", `${this.address}: close() was called`);
    if (isNow || this.waiting.size === 0) this.end(closed);
    else this.fault ??= closed;
  }

  private checkRoom(): void {
    const isFull = this.waiting.size >= kWaitingMax || this.socket.writableLength >= kUnsentBytesMax;
    if (!isFull) return;
    const text =
      `${this.address}: ${this.waiting.size} of ${kWaitingMax} calls wait for replies and ` +
      `${this.socket.writableLength} of ${kUnsentBytesMax} bytes for the socket; await some of the calls`;
    throw new TaktError("queue-full", text);
  }

  /** Holds what is sent back to the end of the turn. */
  private cork(): void {
    if (this.isCorked) return;
    this.isCorked = true;
    this.socket.cork();
    process.nextTick(() => {
      this.runEndings();
      this.isCorked = false;
      this.socket.uncork();
    });
  }
  private runEndings(): void {
    const { endings } = this;
    this.endings = [];
    for (const last of endings) last();
  }

  private handleBytes(bytes: Uint8Array): void {
    try {
      this.frames.handleBytes(bytes, (message) => this.handleReply(new Reply(message)));
    } catch (error) {
      this.end(error instanceof TaktError ? error : corrupt(String(error)));
    }
  }

  private handleReply(reply: Reply): void {
    if (reply.id === kNoRequest) throw errorOf(reply.status, reply.text);
    const id = this.lastReplyId + 1;
    const waiting = this.waiting.get(id);
    if (waiting === undefined || reply.id !== BigInt(id)) throw corrupt("a reply to another request");
    this.lastReplyId = id;
    this.waiting.delete(id);
    try {
      if (reply.status !== 0) throw errorOf(reply.status, reply.text);
      waiting.take(reply);
    } catch (error) {
      waiting.fail(error);
    }
    if (this.waiting.size === 0 && this.fault !== null) this.socket.destroy(); // close() waits for this
  }

  private lost(why: string): TaktError {
    const remedy =
      this.greeting === null ? "start 'takt service' there" : "connect again and make new worlds";
    return new TaktError("network", `${this.address}: the connection is lost: ${why}; ${remedy}`, "remote");
  }

  private end(error: TaktError): void {
    this.fault ??= error;
    this.socket.destroy();
    const failed = [...this.waiting.values()];
    this.waiting.clear();
    this.recordings.abandon(error);
    for (const { fail } of failed) fail(error);
  }
}

/** The errors of several addresses of one host come as one error without a text. */
function reasonOf(error: NodeJS.ErrnoException): string {
  return error.message === "" ? (error.code ?? error.name) : error.message;
}
