// Options of a Client: their checks, and the options of its sessions.
import { between, boolean, callable, finite, object, outOfRange, printable, unsigned64 } from "./argument.js";
import { optional } from "./command.js";
import { kConnectTimeoutUs, kSilenceTimeoutUs } from "./client_endpoint.js";
import { TaktError } from "./error.js";
import type { TokenParts, TokenSource } from "./connect_token.js";
import { kNoToken, tokenParts } from "./connect_token.js";
import { kPlayerNameBytesMax } from "./limits.js";
import type { SessionOptions } from "./session.js";
import { cutUtf8 } from "./text.js";
import type { TransportFactory } from "./transport.js";
import { parseUrl } from "./url.js";
import type { WebSocketConstructor } from "./web_socket_transport.js";
import { webSocketTransport } from "./web_socket_transport.js";

/** Options of a Client. All have defaults. */
export interface ClientOptions {
  /** Name of the player, printable; cut after 32 bytes of UTF-8. Default: empty. */
  playerName?: string | undefined;
  /**
   * Connect token of a back end, or a function that returns one or a promise of one. The client calls the
   * function for each connection, also when it reconnects: a token is good for one session at a time. The
   * server takes the player's name from the token. Default: no token.
   */
  token?: TokenSource | undefined;
  /**
   * The client joins as a spectator, who sees all and takes no place of a player. Its commands are refused.
   * Client.play() makes it a player. Default false.
   */
  spectate?: boolean | undefined;
  /** The client refuses servers of another scene. Default 0n: any scene. */
  sceneHash?: bigint | undefined;
  /** The client reconnects after a lost connection, a stopped or a full server. Default true. */
  reconnect?: boolean | undefined;
  /** ms before the first reconnect, 1 to 3,600,000; doubled up to backOffMaxMs, with jitter. Default 250. */
  backOffFirstMs?: number | undefined;
  /** ms, backOffFirstMs to 3,600,000. Default 10,000. */
  backOffMaxMs?: number | undefined;
  /** ms for the whole handshake, and for the function of `token`, 100 to 600,000. Default 5,000. */
  connectTimeoutMs?: number | undefined;
  /** ms without a byte from the server before the session ends, 1,000 to 600,000. Default 10,000. */
  silenceTimeoutMs?: number | undefined;
  /**
   * ms, minimum delay of the interpolation, 0 to 10,000. The delay adapts to the measured jitter. Default 20.
   */
  bufferMinMs?: number | undefined;
  /** ms, maximum delay of the interpolation, bufferMinMs to 10,000. Default 1,000. */
  bufferMaxMs?: number | undefined;
  /** Constructor for engines without a WebSocket (Node before 22), such as that of the package ws. */
  WebSocket?: WebSocketConstructor | undefined;
  /** Returns ms since any moment, never less than before. Default performance.now. For tests. */
  clock?: (() => number) | undefined;
  /** Returns a number in [0, 1). Default Math.random. For tests. */
  random?: (() => number) | undefined;
  /** A timer keeps the session alive between polls. Default true; with false poll() does all timed work. */
  timer?: boolean | undefined;
}

const kNames: readonly (keyof ClientOptions)[] = [
  "playerName",
  "token",
  "spectate",
  "sceneHash",
  "reconnect",
  "backOffFirstMs",
  "backOffMaxMs",
  "connectTimeoutMs",
  "silenceTimeoutMs",
  "bufferMinMs",
  "bufferMaxMs",
  "WebSocket",
  "clock",
  "random",
  "timer",
];
const kBackOffFirstMs = 250;
const kBackOffMaxMs = 10_000;
const kBufferMinMs = 20;
const kBufferMaxMs = 1000;

/** Options after their checks; defaults fill absent fields. */
export interface CheckedOptions {
  playerName: string;
  /** The token; or the function, whose result is unchecked. */
  token: TokenParts | (() => unknown);
  spectate: boolean;
  sceneHash: bigint;
  reconnect: boolean;
  backOffFirstMs: number;
  backOffMaxMs: number;
  connectTimeoutUs: number;
  silenceTimeoutUs: number;
  bufferMinMs: number;
  bufferMaxMs: number;
  clock: () => number;
  random: () => number;
  timer: boolean;
}

/** Checks the options. Throws a TaktError that names the field. */
export function checkedOptions(options: unknown): CheckedOptions {
  const o = object("new Client(): options", options, kNames) as ClientOptions;
  const name = (field: keyof ClientOptions): string => `new Client(): options.${field}`;
  const flag = (field: "reconnect" | "timer"): boolean =>
    o[field] === undefined ? true : boolean(name(field), o[field]);
  const ms = (field: TimeName, absent: number, min: number, max: number): number =>
    o[field] === undefined ? absent : between(name(field), o[field], min, max);
  for (const field of ["WebSocket", "clock", "random"] as const) {
    if (o[field] !== undefined) callable(name(field), o[field]);
  }
  const checked: CheckedOptions = {
    playerName: cutUtf8(
      optional(o.playerName, "", (value) => printable(name("playerName"), value)),
      kPlayerNameBytesMax,
    ),
    token:
      o.token === undefined
        ? kNoToken
        : typeof o.token === "function"
          ? o.token
          : tokenParts(name("token"), o.token),
    spectate: o.spectate === undefined ? false : boolean(name("spectate"), o.spectate),
    sceneHash: o.sceneHash === undefined ? 0n : unsigned64(name("sceneHash"), o.sceneHash),
    reconnect: flag("reconnect"),
    backOffFirstMs: ms("backOffFirstMs", kBackOffFirstMs, 1, 3_600_000),
    backOffMaxMs: ms("backOffMaxMs", kBackOffMaxMs, 1, 3_600_000),
    connectTimeoutUs: 1000 * ms("connectTimeoutMs", kConnectTimeoutUs / 1000, 100, 600_000),
    silenceTimeoutUs: 1000 * ms("silenceTimeoutMs", kSilenceTimeoutUs / 1000, 1000, 600_000),
    bufferMinMs: ms("bufferMinMs", kBufferMinMs, 0, 10_000),
    bufferMaxMs: ms("bufferMaxMs", kBufferMaxMs, 0, 10_000),
    clock: o.clock ?? ((): number => performance.now()),
    random: o.random ?? Math.random,
    timer: flag("timer"),
  };
  atLeast(name("backOffMaxMs"), checked.backOffMaxMs, "backOffFirstMs", checked.backOffFirstMs);
  atLeast(name("bufferMaxMs"), checked.bufferMaxMs, "bufferMinMs", checked.bufferMinMs);
  return checked;
}

type TimeName =
  "backOffFirstMs" | "backOffMaxMs" | "connectTimeoutMs" | "silenceTimeoutMs" | "bufferMinMs" | "bufferMaxMs";

function atLeast(field: string, value: number, otherName: string, other: number): void {
  if (value < other) outOfRange(field, `at least ${otherName} (${other})`, value);
}

/** Options of one session. Every connection gets a nonce of its own. */
export function sessionOptions(
  options: CheckedOptions,
  token: Uint8Array = new Uint8Array(),
): SessionOptions {
  const { playerName, spectate, sceneHash, connectTimeoutUs, silenceTimeoutUs } = options;
  return {
    endpoint: {
      playerName,
      role: spectate ? "spectator" : "player",
      token,
      sceneHash,
      nonce: drawNonce(),
      connectTimeoutUs,
      silenceTimeoutUs,
    },
    bufferMinMs: options.bufferMinMs,
    bufferMaxMs: options.bufferMaxMs,
  };
}

/** The factory of connections to an address. Throws invalid-argument, bad-url, no-websocket. */
export function factoryOf(address: unknown, constructor: WebSocketConstructor | undefined): TransportFactory {
  if (typeof address === "function") return address as TransportFactory;
  if (typeof address !== "string") {
    const takes =
      'a URL such as "ws://HOST:PORT/ws", or a transport factory such as tcp() of takt/node returns';
    throw new TaktError("invalid-argument", `new Client(): address takes ${takes}, not ${String(address)}`);
  }
  const url = parseUrl(address, "new Client(): address");
  if (url.scheme === "tcp") {
    const remedy = `for TCP in Node write new Client(tcp("${address}")), with tcp from takt/node`;
    throw new TaktError("bad-url", `new Client(): address '${address}': ${remedy}`);
  }
  return webSocketTransport(url.href, constructor);
}

/** Checks the time of poll(), ms. */
export function checkedTime(field: string, value: unknown): number {
  return finite(field, value, "a time in ms");
}

/** Tells two attempts apart. A stream needs no secret nonce. */
function drawNonce(): bigint {
  const words = new Uint32Array(2);
  const { crypto } = globalThis as { crypto?: { getRandomValues?: (words: Uint32Array) => void } };
  if (crypto?.getRandomValues !== undefined) crypto.getRandomValues(words);
  else for (let i = 0; i < words.length; ++i) words[i] = Math.random() * 2 ** 32;
  return (BigInt(words[0]!) << 32n) | BigInt(words[1]!);
}
