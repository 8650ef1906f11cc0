// The WebSocket as a transport, against a server of the npm package ws on loopback: message boundaries have
// no meaning, text ends the connection, failures are reported.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { WebSocket, WebSocketServer } from "ws";

import { Client } from "../../dist/index.js";
import { readMessage } from "../../dist/protocol.js";
import { LiveClient } from "../support/live_client.mjs";
import { frame } from "../support/server_messages.mjs";

/** A server that answers the first frame of each connection with `answer(socket, nonce)`. */
async function listen(answer) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  server.on("connection", (socket) => {
    socket.once("message", (bytes) =>
      answer(socket, readMessage(new Uint8Array(bytes).subarray(5), "reliable").message.nonce),
    );
  });
  server.url = `ws://127.0.0.1:${server.address().port}/ws`;
  return server;
}
function accept(nonce) {
  return frame("Accept", { nonce, player_id: 3, tick_rate_hz: 60, current_tick: 5, numbers_mode: "float" });
}

test("frames arrive however the stream is cut into messages", async () => {
  const stream = (nonce) =>
    Buffer.concat([
      accept(nonce),
      frame("GameEvent", { tick: 6, bytes: [1] }),
      frame("GameEvent", { tick: 7, bytes: new Array(900).fill(2) }),
    ]);
  for (const piece of [1, 2, 3, 7, 100, 10_000]) {
    const server = await listen((socket, nonce) => {
      const bytes = stream(nonce);
      for (let at = 0; at < bytes.length; at += piece) socket.send(bytes.subarray(at, at + piece));
    });
    const live = new LiveClient(server.url, { WebSocket });
    await live.joined();
    const last = await live.event("gameMessage", (event) => event.tick === 7);
    assert.deepEqual([live.client.player, last.bytes.length], [3, 900]);
    live.close();
    server.close();
  }
});

test("a text message ends the session, and the reason says so", async () => {
  const server = await listen((socket, nonce) => {
    socket.send(accept(nonce));
    socket.send("hello");
  });
  const live = new LiveClient(server.url, { WebSocket, reconnect: false });
  const { reason, text } = await live.event("disconnected");
  assert.deepEqual([reason, text], ["connection_lost", "the server sent a text message"]);
  live.close();
  server.close();
});

test("a server that closes, with its reason", async () => {
  const server = await listen((socket, nonce) => {
    socket.send(accept(nonce));
    socket.close(1001, "going away");
  });
  const live = new LiveClient(server.url, { WebSocket, reconnect: false });
  const { reason, text } = await live.event("disconnected");
  assert.deepEqual([reason, text], ["connection_lost", "going away"]);
  live.close();
  server.close();
});

test("nobody there is a network error", async () => {
  const live = new LiveClient("ws://127.0.0.1:1/ws", { WebSocket, reconnect: false });
  const { error } = await live.event("error");
  assert.equal(error.code, "network");
  assert.notEqual(error.message, "");
  live.close();
});

test("closing says goodbye in a frame and closes the socket", async () => {
  const received = [];
  let closed;
  const server = await listen((socket, nonce) => {
    closed = once(socket, "close");
    socket.on("message", (bytes) =>
      received.push(readMessage(new Uint8Array(bytes).subarray(5), "reliable").message),
    );
    socket.send(accept(nonce));
  });
  const live = new LiveClient(server.url, { WebSocket });
  await live.joined();
  live.close();
  await closed;
  assert.equal(received.at(-1).type, "Disconnect");
  server.close();
});

test("an engine without WebSocket is told what to do", () => {
  const own = globalThis.WebSocket;
  delete globalThis.WebSocket;
  try {
    assert.throws(
      () => new Client("ws://127.0.0.1:8080/ws"),
      (error) => error.code === "no-websocket" && error.message.includes("ws"),
    );
    globalThis.WebSocket = WebSocket;
    assert.equal(new Client("ws://127.0.0.1:8080/ws").state, "idle");
  } finally {
    if (own === undefined) delete globalThis.WebSocket;
    else globalThis.WebSocket = own;
  }
});

test("a constructor that throws is a network error, not an exception", async () => {
  class Broken {
    constructor() {
      throw new Error("blocked by policy");
    }
  }
  const live = new LiveClient("ws://127.0.0.1:8080/ws", { WebSocket: Broken, reconnect: false });
  const { error } = await live.event("error");
  assert.deepEqual([error.code, error.message.includes("blocked by policy")], ["network", true]);
  live.close();
});
