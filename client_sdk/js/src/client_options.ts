// What a caller may set of a Client, and what it means for a session.
import { kConnectTimeoutUs, kSilenceTimeoutUs } from "./client_endpoint.js";
import { TaktError } from "./error.js";
import { kPlayerNameBytesMax } from "./limits.js";
import type { SessionOptions } from "./session.js";
import { cutUtf8 } from "./text.js";
import type { TransportFactory } from "./transport.js";
import { parseUrl } from "./url.js";
import type { WebSocketConstructor } from "./web_socket_transport.js";
import { webSocketTransport } from "./web_socket_transport.js";

export interface ClientOptions {
  /** Printable; at most 32 bytes of UTF-8 (cut). */
  playerName?: string;
  /** Refuse servers of another scene; 0n = any. */
  sceneHash?: bigint;
  /** Begin anew after a lost connection, a stopped or a full server. Default true. */
  reconnect?: boolean;
  /** Wait before the first new attempt, doubled up to the greatest, with jitter. Default 250 and 10,000 ms. */
  backOffFirstMs?: number;
  backOffMaxMs?: number;
  /** For the whole handshake, [0.1, 600]. Default 5 s. */
  connectTimeoutMs?: number;
  /** A server silent for this long is gone, [1, 600]. Default 10 s. */
  silenceTimeoutMs?: number;
  /** Bounds of the interpolation buffer's delay; it adapts to measured jitter in between. Default 20 and 1000 ms. */
  bufferMinMs?: number;
  bufferMaxMs?: number;
  /** The constructor to use where the engine has no WebSocket (Node before 22): that of the package ws. */
  WebSocket?: WebSocketConstructor;
  /** Milliseconds since anywhere, never backwards. Default performance.now. For tests. */
  clock?: () => number;
  /** In [0, 1). Default Math.random. For tests. */
  random?: () => number;
  /** Keep the session alive by a timer of our own between polls. Default true; false: everything timed happens in poll(). */
  timer?: boolean;
}

/** Fresh for every connection: each has a nonce of its own. */
export function sessionOptions(options: ClientOptions): SessionOptions {
  const us = (seconds: number | undefined, absent: number, low: number): number =>
    seconds === undefined ? absent : Math.min(Math.max(seconds, low), 600) * 1e6;
  return {
    endpoint: {
      playerName: cutUtf8(options.playerName ?? "", kPlayerNameBytesMax),
      sceneHash: options.sceneHash ?? 0n,
      nonce: drawNonce(),
      connectTimeoutUs: us(options.connectTimeoutMs, kConnectTimeoutUs, 0.1),
      silenceTimeoutUs: us(options.silenceTimeoutMs, kSilenceTimeoutUs, 1),
    },
    bufferMinMs: options.bufferMinMs ?? 20,
    bufferMaxMs: options.bufferMaxMs ?? 1000,
  };
}

/** What opens connections to this address. Throws bad-url, no-websocket. */
export function factoryOf(address: string, constructor: WebSocketConstructor | undefined): TransportFactory {
  const url = parseUrl(address);
  if (url.scheme === "tcp")
    throw new TaktError("bad-url", `'${address}': for TCP in Node write new Client(tcp("${address}")), with tcp from takt/node`);
  return webSocketTransport(url.href, constructor);
}

/** Tells two attempts apart; over a stream nothing rests on its being secret. */
function drawNonce(): bigint {
  const words = new Uint32Array(2);
  const crypto = (globalThis as { crypto?: { getRandomValues?(words: Uint32Array): void } }).crypto;
  if (crypto?.getRandomValues !== undefined) crypto.getRandomValues(words);
  else words.forEach((_, i) => (words[i] = Math.random() * 2 ** 32));
  return (BigInt(words[0]!) << 32n) | BigInt(words[1]!);
}
