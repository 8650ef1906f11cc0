// A TCP connection as a transport, for tests and headless tools in Node. Its session is sealed
// (sealed_stream.ts).
import { connect } from "node:net";

import { printable } from "./argument.js";
import { TaktError } from "./error.js";
import { SealedStream } from "./sealed_stream.js";
import type { TransportFactory } from "./transport.js";
import { parseUrl } from "./url.js";

/**
 * A factory of connections to `url`, tcp://HOST:PORT. With #KEY at the end, as a server prints it, a
 * connection to a server without that key closes. Throws invalid-argument, bad-url.
 */
export function tcpTransport(url: string): TransportFactory {
  const [address, keyText] = printable("tcp(): url", url).split("#", 2) as [string, string?];
  const parsed = parseUrl(address, "tcp(): url");
  const serverKey = keyText === undefined ? undefined : Buffer.from(keyText, "base64url");
  if (serverKey !== undefined && (serverKey.length !== 32 || keyText!.length !== 43)) {
    throw new TaktError("bad-url", `tcp(): url '${url}': a key has 43 characters, as the server prints it`);
  }
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
    const stream = new SealedStream(
      {
        sendBytes: (bytes) => void socket.write(bytes),
        handleBytes: (bytes) => {
          if (!isOver) handlers.handleBytes(bytes);
        },
        fail: (why) => {
          end(why);
          socket.destroy();
        },
      },
      { serverKey, tokenKeys: handlers.tokenKeys },
    );
    socket.on("connect", () => {
      if (!isOver) handlers.handleOpen();
    });
    socket.on("data", (bytes) => {
      if (!isOver) stream.handleBytes(bytes);
    });
    socket.on("error", (error) => end(error.message));
    socket.on("close", () => end("the connection closed"));
    return {
      send: (bytes) => stream.send(bytes),
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
