// Addresses that a person can type: ws://HOST[:PORT][/PATH], wss:// likewise, or tcp://HOST:PORT, IPv6 in
// brackets. It does not resolve names.
import { TaktError } from "./error.js";

const kAllowed = "write ws://HOST:PORT/ws, wss://HOST/ws or, in Node with takt/node, tcp://HOST:PORT";

/** Address of a WebSocket. */
export interface WebSocketUrl {
  scheme: "ws" | "wss";
  /** For the constructor of a WebSocket. A missing path becomes /ws. */
  href: string;
}
/** Address of a TCP server. */
export interface TcpUrl {
  scheme: "tcp";
  /** Without brackets. */
  host: string;
  /** 1 to 65535. */
  port: number;
}

/** Parses an address. Throws bad-url with the field, the fault and the accepted forms. */
export function parseUrl(text: string, field = "address"): WebSocketUrl | TcpUrl {
  const bad = (why: string): TaktError => new TaktError("bad-url", `${field} '${text}' ${why}; ${kAllowed}`);
  if (text.startsWith("tcp://")) return parseTcp(text.slice("tcp://".length), bad);
  if (!text.startsWith("ws://") && !text.startsWith("wss://")) throw bad("names no transport");
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw bad("is not a URL");
  }
  if (url.hostname === "") throw bad("names no host");
  if (url.hash !== "") throw bad("has a fragment, which a WebSocket URL must not have");
  if (url.pathname === "/" && url.search === "") url.pathname = "/ws";
  return { scheme: url.protocol === "wss:" ? "wss" : "ws", href: url.href };
}

function parseTcp(rest: string, bad: (why: string) => TaktError): TcpUrl {
  const colon = rest.lastIndexOf(":");
  if (colon < 0) throw bad("names no port");
  let host = rest.slice(0, colon);
  const portText = rest.slice(colon + 1);
  if (host.startsWith("[") && host.endsWith("]")) host = host.slice(1, -1);
  else if (host.includes(":")) throw bad("has an IPv6 address without brackets");
  if (host === "") throw bad("names no host");
  const port = /^[0-9]{1,5}$/.test(portText) ? Number(portText) : 0;
  if (port < 1 || port > 65535) throw bad("has a port that is no number from 1 to 65535");
  return { scheme: "tcp", host, port };
}
