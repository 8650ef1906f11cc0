// Connection is a stream of requests and replies over TCP or a Unix socket. call() sends at once; replies
// come in the order of the requests, so any number may be outstanding. Calls of one turn of the event loop
// leave in one piece. A lost connection rejects each call that waits and each later one.
import type { Socket } from "node:net";
import { connect as connectSocket } from "node:net";

import { TaktError } from "../error.js";
import { parseAddress } from "./address.js";
import { FrameSplitter } from "./frames.js";
import type { Welcome } from "./reply.js";
import { Reply, corrupt } from "./reply.js";
import type { Fields, Target } from "./request.js";
import { kNoTarget, writeRequest } from "./request.js";
import type { BodyName } from "./schema.js";
import { kFrameBytesMax, kFrameHeadBytes, kNoRequest, kServiceVersion } from "./schema.js";
import { errorOf } from "./status.js";

const kConnectMs = 10_000;
const kKeepAliveMs = 30_000;

const none = (): number => 0;

interface Waiting {
  readonly id: bigint;
  /** Takes the reply; throws what the call rejects with. */
  readonly take: (reply: Reply) => void;
  readonly fail: (error: unknown) => void;
}

export class Connection {
  readonly address: string;
  private readonly socket: Socket;
  private readonly frames = new FrameSplitter();
  private readonly waiting: Waiting[] = [];
  private lastId = 0;
  private isCorked = false;
  /** Why the connection is over. */
  private fault: TaktError | null = null;
  private greeting: Welcome | null = null;

  private constructor(address: string, socket: Socket) {
    this.address = address;
    this.socket = socket;
    socket.on("data", (bytes) => this.handleBytes(bytes));
    socket.on("error", (error) => this.end(this.lost(error.message)));
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
   * reply; rejects with what `fields` or `read` throws. `observe` returns the bits of its columns.
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
      const id = this.lastId + 1;
      const values = fields(); // observe() counts what fields() has selected
      const frame = writeRequest(id, target, observe(), body, values);
      const max = this.greeting?.frameBytesMax ?? kFrameBytesMax;
      if (frame.length - kFrameHeadBytes > max) {
        const text = `limit frame: the request ${body} has ${frame.length - kFrameHeadBytes} bytes of ${max}`;
        throw new TaktError("limit", text, "frame");
      }
      this.lastId = id;
      this.waiting.push({ id: BigInt(id), take: (reply) => resolve(read(reply)), fail: reject });
      this.send(frame);
    });
  }

  /** Ends the connection after the replies to what was sent. Later calls are rejected. */
  close(): void {
    const closed = new TaktError("closed", `${this.address}: close() was called`);
    if (this.waiting.length === 0) this.end(closed);
    else this.fault ??= closed;
  }

  private send(frame: Uint8Array): void {
    if (!this.isCorked) {
      this.isCorked = true;
      this.socket.cork();
      process.nextTick(() => {
        this.isCorked = false;
        this.socket.uncork();
      });
    }
    this.socket.write(frame);
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
    const waiting = this.waiting.shift();
    if (waiting?.id !== reply.id) {
      waiting?.fail(corrupt("a reply to another request"));
      throw corrupt("a reply to another request");
    }
    try {
      if (reply.status !== 0) throw errorOf(reply.status, reply.text);
      waiting.take(reply);
    } catch (error) {
      waiting.fail(error);
    }
    if (this.waiting.length === 0 && this.fault !== null) this.socket.destroy(); // close() waits for this
  }

  private lost(why: string): TaktError {
    const remedy =
      this.greeting === null ? "start 'takt service' there" : "connect again and make new worlds";
    return new TaktError("network", `${this.address}: the connection is lost: ${why}; ${remedy}`, "remote");
  }

  private end(error: TaktError): void {
    this.fault ??= error;
    this.socket.destroy();
    for (const { fail } of this.waiting.splice(0)) fail(error);
  }
}
