// Input-to-seen latency: from a command's call to the poll that displays its tick.
import assert from "node:assert/strict";
import { test } from "node:test";

import { InputLatency } from "../../dist/input_latency.js";
import { idOf, joined, kBall, moving } from "../support/fake_network.mjs";

test("a command is measured at the first poll that displays its tick", () => {
  const latency = new InputLatency();
  latency.handleSent(1_000_000, 1, 70);
  latency.handleShown(1_016_000, 69.9);
  assert.equal(latency.meanUs, 0);
  latency.handleShown(1_080_000, 70);
  assert.equal(latency.meanUs, 80_000);
  latency.handleShown(1_096_000, 71);
  assert.equal(latency.meanUs, 80_000);
});

test("later commands are smoothed; the mean reaches a new level", () => {
  const latency = new InputLatency();
  for (let i = 1; i <= 40; ++i) {
    latency.handleSent(i * 1e6, i, 60 * i);
    latency.handleShown(i * 1e6 + (i <= 20 ? 50_000 : 150_000), 60 * i);
    if (i === 20) assert.ok(Math.abs(latency.meanUs - 50_000) < 1, `${latency.meanUs}`);
  }
  assert.ok(latency.meanUs > 140_000 && latency.meanUs < 150_000, `${latency.meanUs}`);
});

test("a moved command counts at its later tick, a refused one never", () => {
  const latency = new InputLatency();
  latency.handleSent(0, 1, 70);
  latency.handleSent(0, 2, 70);
  latency.handleOutcome(1, "moved", 75);
  latency.handleOutcome(2, "refused_rate", 70);
  latency.handleOutcome(9, "moved", 70); // unknown
  latency.handleShown(50_000, 74);
  assert.equal(latency.meanUs, 0);
  latency.handleShown(90_000, 75);
  assert.equal(latency.meanUs, 90_000);
});

test("a client reports the latency of its commands in stats()", () => {
  const { network, client, server } = joined();
  server.deliver(["BodiesAdded", { tick: 100, bodies: [{ id: idOf(1), shapes: [kBall] }] }]);
  const snapshot = moving(server, 100);
  network.pass(client, 2000, snapshot);
  assert.equal(client.stats().inputToSeenMs, 0);
  const sentMs = network.nowMs;
  client.impulse(idOf(1), [0, 1, 0]);
  network.pass(client, 500, snapshot);
  const { inputToSeenMs, bufferMs } = client.stats();
  assert.ok(inputToSeenMs > bufferMs && inputToSeenMs < bufferMs + 100, `${inputToSeenMs}, ${bufferMs}`);
  assert.ok(network.nowMs - sentMs > inputToSeenMs);
});
