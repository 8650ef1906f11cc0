// A WebSocket as a transport: the payloads of its binary messages form a byte stream, as of a TCP connection.
// It works with the WebSocket of a browser, of Node 22 and later, and of the npm package ws.
import { TaktError } from "./error.js";
import type { Transport, TransportFactory, TransportHandlers } from "./transport.js";

/** The used part of a WebSocket. */
export interface WebSocketLike {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
}
export type WebSocketConstructor = new (url: string) => WebSocketLike;

const kOpen = 1;

/**
 * A factory of connections to `href`. `constructor`: default the engine's own. Throws no-websocket without
 * one.
 */
export function webSocketTransport(href: string, constructor?: WebSocketConstructor): TransportFactory {
  const Socket = constructor ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
  if (Socket === undefined) {
    throw new TaktError(
      "no-websocket",
      "this JavaScript engine has no WebSocket; install the package ws and pass { WebSocket } from it",
    );
  }
  return (handlers) => open(Socket, href, handlers);
}

function open(Socket: WebSocketConstructor, href: string, handlers: TransportHandlers): Transport {
  let socket: WebSocketLike;
  try {
    socket = new Socket(href);
  } catch (error) {
    throw new TaktError(
      "network",
      `the WebSocket to ${href} could not be made: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  socket.binaryType = "arraybuffer";
  let isOver = false;
  let failure = "";
  const end = (why: string): void => {
    if (isOver) return;
    isOver = true;
    handlers.handleClose(why);
  };
  socket.onopen = () => {
    if (!isOver) handlers.handleOpen();
  };
  socket.onmessage = (event: { data: unknown }) => {
    if (isOver) return;
    if (event.data instanceof ArrayBuffer) handlers.handleBytes(new Uint8Array(event.data));
    else {
      end("the server sent a text message");
      socket.close();
    }
  };
  socket.onerror = (event: { message?: unknown }) => {
    failure = typeof event.message === "string" ? event.message : "the WebSocket failed";
  };
  socket.onclose = (event: { code?: number; reason?: string }) => {
    const texts = [event.reason ?? "", failure, `the WebSocket closed (${event.code ?? "no code"})`];
    end(texts.find((text) => text !== "")!);
  };
  return {
    isWebSocket: true,
    send: (bytes) => {
      if (socket.readyState === kOpen) socket.send(bytes as Uint8Array<ArrayBuffer>);
    },
    close: () => {
      isOver = true;
      socket.close();
    },
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
  };
}
