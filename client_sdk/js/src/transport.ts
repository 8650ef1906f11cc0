// How bytes reach a server: an ordered stream, opened by a factory. The SDK brings a WebSocket (web_socket_transport.ts) and, in takt/node, TCP; a
// test or an application may bring its own.

/** What a transport tells. Call nothing after handle_close, and nothing from inside the factory: a transport opens later. */
export interface TransportHandlers {
  handle_open(): void;
  /** The bytes may be reused once this returns. */
  handle_bytes(bytes: Uint8Array): void;
  /** It is over, or never came to be; `why` is for a person. */
  handle_close(why: string): void;
}

export interface Transport {
  /** After handle_open. The bytes are the transport's from now on. */
  send(bytes: Uint8Array): void;
  /** Lets what was sent go out, then ends. Calls no handler any more. */
  close(): void;
  /** Sent and not yet taken by the network. */
  readonly buffered_bytes: number;
}

/** Opens one connection. May throw a TaktError. */
export type TransportFactory = (handlers: TransportHandlers) => Transport;
