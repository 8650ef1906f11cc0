// Addresses of services: unix:PATH and tcp:HOST:PORT, with the grammar of service/wire/door.cpp.
import { printable } from "../argument.js";
import { TaktError } from "../error.js";

export type Address = { readonly path: string } | { readonly host: string; readonly port: number };

/** Throws bad-url with the remedy. */
export function parseAddress(text: unknown): Address {
  const address = printable("connect(): address", text);
  const bad = (why: string): TaktError =>
    new TaktError("bad-url", `connect(): address '${address}' ${why}; write unix:PATH or tcp:HOST:PORT`);
  if (address.startsWith("shm:")) throw bad("is shared memory, which Node does not have");
  if (address.startsWith("unix:")) {
    if (address.length === 5) throw bad("has no path");
    return { path: address.slice(5) };
  }
  const match = /^tcp:(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (match === null || port > 65535) throw bad("names no service");
  return { host: (match[1] ?? match[2])!, port };
}
