// How bytes reach a server: an ordered stream, opened by a factory. The SDK brings a WebSocket (web_socket_transport.ts) and, in takt/node, TCP; a
// test or an application may bring its own.

/** What a transport tells. Call nothing after handleClose, and nothing from inside the factory: a transport opens later. */
export interface TransportHandlers {
  handleOpen(): void;
  /** The bytes may be reused once this returns. */
  handleBytes(bytes: Uint8Array): void;
  /** It is over, or never came to be; `why` is for a person. */
  handleClose(why: string): void;
}

export interface Transport {
  /** After handleOpen. The bytes are the transport's from now on. */
  send(bytes: Uint8Array): void;
  /** Lets what was sent go out, then ends. Calls no handler any more. */
  close(): void;
  /** Sent and not yet taken by the network. */
  readonly bufferedBytes: number;
}

/** Opens one connection. May throw a TaktError. */
export type TransportFactory = (handlers: TransportHandlers) => Transport;
