// A TCP connection as a transport, for tests and headless tools in Node.
import { connect } from "node:net";

import { TaktError } from "./error.js";
import type { TransportFactory } from "./transport.js";
import { parse_url } from "./url.js";

/** `url`: tcp://HOST:PORT. Throws bad-url. */
export function tcp_transport(url: string): TransportFactory {
  const parsed = parse_url(url);
  if (parsed.scheme !== "tcp") throw new TaktError("bad-url", `'${url}': this is for TCP; write tcp://HOST:PORT`);
  return (handlers) => {
    const socket = connect({ host: parsed.host, port: parsed.port, noDelay: true });
    let is_over = false;
    const end = (why: string): void => {
      if (is_over) return;
      is_over = true;
      handlers.handle_close(why);
    };
    socket.on("connect", () => {
      if (!is_over) handlers.handle_open();
    });
    socket.on("data", (bytes) => {
      if (!is_over) handlers.handle_bytes(bytes);
    });
    socket.on("error", (error) => end(error.message));
    socket.on("close", () => end("the connection closed"));
    return {
      send: (bytes) => void socket.write(bytes),
      close: () => {
        is_over = true;
        socket.end();
        // A server that does not close its half keeps nothing alive for longer than this.
        setTimeout(() => socket.destroy(), 1000).unref();
      },
      get buffered_bytes() {
        return socket.writableLength;
      },
    };
  };
}
