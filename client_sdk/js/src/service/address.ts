// Addresses of services: unix:PATH and tcp:HOST:PORT, with the grammar of service/wire/door.cpp.
import { printable } from "../argument.js";
import { TaktError } from "../error.js";
import { utf8 } from "../text.js";

/** Bytes of sockaddr_un without its final zero. The system cuts a longer path, and finds another socket. */
export const kUnixPathBytesMax = 107;

export type Address = { readonly path: string } | { readonly host: string; readonly port: number };

/** Throws bad-url with the remedy. */
export function parseAddress(text: unknown): Address {
  const address = printable("connect(): address", text);
  const bad = (why: string): TaktError =>
    new TaktError("bad-url", `connect(): address '${address}' ${why}; write unix:PATH or tcp:HOST:PORT`);
  if (address.startsWith("shm:")) throw bad("is shared memory, which Node does not have");
  if (address.startsWith("unix:")) {
    const path = address.slice(5);
    if (path === "") throw bad("has no path");
    if (utf8(path).length > kUnixPathBytesMax) throw bad(`has over ${kUnixPathBytesMax} bytes in its path`);
    return { path };
  }
  const match = /^tcp:(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (match === null || port === 0 || port > 65535) throw bad("names no service");
  return { host: (match[1] ?? match[2])!, port };
}
