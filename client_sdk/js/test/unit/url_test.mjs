// Addresses that a person types.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, TaktError } from "../../dist/index.js";
import { tcp } from "../../dist/node.js";
import { parseUrl } from "../../dist/url.js";

test("WebSocket addresses, with and without port and path", () => {
  assert.deepEqual(parseUrl("ws://host:8080/ws"), { scheme: "ws", href: "ws://host:8080/ws" });
  assert.deepEqual(parseUrl("ws://127.0.0.1:8080"), { scheme: "ws", href: "ws://127.0.0.1:8080/ws" });
  assert.deepEqual(parseUrl("wss://play.example/game/ws?room=2"), {
    scheme: "wss",
    href: "wss://play.example/game/ws?room=2",
  });
  assert.deepEqual(parseUrl("ws://[::1]:8080/ws"), { scheme: "ws", href: "ws://[::1]:8080/ws" });
});

test("TCP addresses", () => {
  assert.deepEqual(parseUrl("tcp://127.0.0.1:7777"), { scheme: "tcp", host: "127.0.0.1", port: 7777 });
  assert.deepEqual(parseUrl("tcp://[::1]:1"), { scheme: "tcp", host: "::1", port: 1 });
});

for (const text of [
  "",
  "localhost:8080",
  "http://host/ws",
  "udp://host:1",
  "ws://",
  "ws:// :80",
  "ws://host:99999/ws",
  "ws://host/ws#a",
  "tcp://host",
  "tcp://:1",
  "tcp://host:0",
  "tcp://host:65536",
  "tcp://host:1x",
  "tcp://::1:80",
  "tcp://host:-1",
]) {
  test(`'${text}' is refused with what is allowed`, () => {
    assert.throws(
      () => parseUrl(text),
      (error) =>
        error instanceof TaktError && error.code === "bad-url" && error.message.includes("ws://HOST"),
    );
  });
}

test("TCP needs takt/node, and says so", () => {
  assert.throws(
    () => new Client("tcp://127.0.0.1:7777"),
    (error) => error.code === "bad-url" && error.message.includes("takt/node"),
  );
  assert.throws(() => tcp("ws://host/ws"), { code: "bad-url" });
});
