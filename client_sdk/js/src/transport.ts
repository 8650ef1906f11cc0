// Transports: ordered streams of bytes to a server, opened by a factory. The SDK has a WebSocket
// (web_socket_transport.ts) and, in takt/node, TCP. Tests and applications may add others.

/** Handlers of a transport's events. A transport calls none inside its factory and none after handleClose. */
export interface TransportHandlers {
  /** The session keys of the client's token, 64 bytes, for a transport that seals; none without a token. */
  readonly tokenKeys?: Uint8Array | undefined;
  handleOpen(): void;
  /** The transport may reuse the bytes after the call. */
  handleBytes(bytes: Uint8Array): void;
  /** The connection ended or could not be opened. `why` is for people. */
  handleClose(why: string): void;
}

export interface Transport {
  /** Sends bytes, after handleOpen. The transport owns them from then on. */
  send(bytes: Uint8Array): void;
  /** Sends the remaining bytes, then ends the connection. No handler is called afterwards. */
  close(): void;
  /** Bytes sent but not yet taken by the network. */
  readonly bufferedBytes: number;
  /**
   * The bytes go over a web socket, which seals them by TLS. A client with a token sends the verifier of it
   * over no other transport, and servers take a token without it over no web socket. Default false.
   */
  readonly isWebSocket?: boolean | undefined;
}

/** Opens one connection. May throw a TaktError. */
export type TransportFactory = (handlers: TransportHandlers) => Transport;
