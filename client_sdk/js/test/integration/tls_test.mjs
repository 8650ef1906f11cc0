// The SDK over wss: a client that trusts the authority joins, one that does not stays out, and a client whose
// session was cut connects again.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { WebSocket } from "ws";

import { LiveClient } from "../support/live_client.mjs";
import { serve } from "../support/takt_program.mjs";
import { makeAuthority } from "../support/test_ca.mjs";

const folder = mkdtempSync(join(tmpdir(), "takt-tls-"));
const { authority, serverArguments } = makeAuthority(folder);
let server;
before(async () => {
  server = await serve("stack", { args: serverArguments });
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** A WebSocket of a client that trusts these authorities. */
function trusting(ca) {
  return class extends WebSocket {
    constructor(url) {
      super(url, { ca });
    }
  };
}

test("the address of a server with TLS is wss, and a client joins there", async () => {
  assert.match(server.wsUrl, /^wss:/);
  const live = new LiveClient(server.wsUrl, { WebSocket: trusting(authority) });
  await live.until("bodies", () => live.client.bodies().length === 11);
  live.close();
});

test("a client that trusts other authorities does not join", async () => {
  const live = new LiveClient(server.wsUrl, { WebSocket: trusting(undefined), reconnect: false });
  const event = await live.event("disconnected");
  assert.match(event.text, /self[- ]signed certificate/);
  live.close();
});

test("ws to a port with TLS ends as a lost connection", async () => {
  const live = new LiveClient(server.wsUrl.replace("wss:", "ws:"), { WebSocket, reconnect: false });
  const event = await live.event("disconnected");
  assert.equal(event.reason, "connection_lost");
  live.close();
});
