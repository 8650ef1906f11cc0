// A TCP connection as a transport, for tests and headless tools in Node.
import { connect } from "node:net";

import { printable } from "./argument.js";
import { TaktError } from "./error.js";
import type { TransportFactory } from "./transport.js";
import { parseUrl } from "./url.js";

/** A factory of connections to `url`, tcp://HOST:PORT. Throws invalid-argument, bad-url. */
export function tcpTransport(url: string): TransportFactory {
  const parsed = parseUrl(printable("tcp(): url", url), "tcp(): url");
  if (parsed.scheme !== "tcp") {
    throw new TaktError("bad-url", `tcp(): url '${url}' names no TCP server; write tcp://HOST:PORT`);
  }
  return (handlers) => {
    const socket = connect({ host: parsed.host, port: parsed.port, noDelay: true });
    let isOver = false;
    const end = (why: string): void => {
      if (isOver) return;
      isOver = true;
      handlers.handleClose(why);
    };
    socket.on("connect", () => {
      if (!isOver) handlers.handleOpen();
    });
    socket.on("data", (bytes) => {
      if (!isOver) handlers.handleBytes(bytes);
    });
    socket.on("error", (error) => end(error.message));
    socket.on("close", () => end("the connection closed"));
    return {
      send: (bytes) => void socket.write(bytes),
      close: () => {
        isOver = true;
        socket.end();
        // Ends the connection if the server does not close its half.
        setTimeout(() => socket.destroy(), 1000).unref();
      },
      get bufferedBytes() {
        return socket.writableLength;
      },
    };
  };
}
