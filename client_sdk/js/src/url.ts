// An address a person can type: ws://HOST[:PORT][/PATH], wss:// likewise, or tcp://HOST:PORT, IPv6 in brackets. It does not resolve names.
import { TaktError } from "./error.js";

const kAllowed = "write ws://HOST:PORT/ws, wss://HOST/ws or, in Node with takt/node, tcp://HOST:PORT";

export interface WebSocketUrl {
  scheme: "ws" | "wss";
  /** as the WebSocket constructor takes it; a missing path is /ws */
  href: string;
}
export interface TcpUrl {
  scheme: "tcp";
  host: string; // without brackets
  port: number; // 1 .. 65535
}

/** Throws bad-url with what is wrong and what is allowed. */
export function parseUrl(text: string): WebSocketUrl | TcpUrl {
  const bad = (why: string): TaktError => new TaktError("bad-url", `'${text}': ${why}; ${kAllowed}`);
  if (text.startsWith("tcp://")) return parseTcp(text.slice("tcp://".length), bad);
  if (!text.startsWith("ws://") && !text.startsWith("wss://")) throw bad("it names no transport");
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw bad("it is not a URL");
  }
  if (url.hostname === "") throw bad("it names no host");
  if (url.hash !== "") throw bad("a WebSocket's URL has no fragment");
  if (url.pathname === "/" && url.search === "") url.pathname = "/ws";
  return { scheme: url.protocol === "wss:" ? "wss" : "ws", href: url.href };
}

function parseTcp(rest: string, bad: (why: string) => TaktError): TcpUrl {
  const colon = rest.lastIndexOf(":");
  if (colon < 0) throw bad("it names no port");
  let host = rest.slice(0, colon);
  const portText = rest.slice(colon + 1);
  if (host.startsWith("[") && host.endsWith("]")) host = host.slice(1, -1);
  else if (host.includes(":")) throw bad("an IPv6 address goes in brackets");
  if (host === "") throw bad("it names no host");
  const port = /^[0-9]{1,5}$/.test(portText) ? Number(portText) : 0;
  if (port < 1 || port > 65535) throw bad("a port is a number from 1 to 65535");
  return { scheme: "tcp", host, port };
}
