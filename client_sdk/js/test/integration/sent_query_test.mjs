// Queries to the real server over TCP and WebSocket: results at a tick, sorted, and refusal of a flood
// without harm.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { box } from "../../dist/index.js";
import { LiveClient } from "../support/live_client.mjs";
import { serve } from "../support/takt_program.mjs";

const kScene = {
  world: { gravity: [0, 0, 0] },
  bodies: [
    { type: "static", shapes: [{ half_space: {} }] },
    { position: [0, 1, 0], shapes: [{ box: { size: [1, 1, 1] } }] },
    { position: [0, 4, 0], shapes: [{ sphere: { radius: 0.5 } }] },
  ],
};

test("the world answers over both transports, and a flood is refused by name", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "takt-query-")), "shapes.json");
  writeFileSync(path, JSON.stringify(kScene));
  const server = await serve(path);
  const ray = { kind: "ray", from: [0, 10, 0], translation: [0, -20, 0], mode: "all" };
  for (const url of [server.tcpUrl, server.wsUrl]) {
    const live = new LiveClient(url);
    const other = new LiveClient(url);
    await Promise.all([
      live.until("bodies", () => live.client.bodies().length === 3),
      other.until("bodies", () => other.client.bodies().length === 3),
    ]);
    const request = live.client.query([
      ray,
      { kind: "overlap", shape: box([1, 0.1, 1]), at: [0, 1, 0] },
      { kind: "closestPoint", to: [3, 4, 0], maxDistance: 10 },
    ]);
    const { status, tick, answers } = await live.event("queryResult", (event) => event.request === request);
    assert.equal(status, "answered");
    assert.ok(tick > 0);
    const [down, over, near] = answers;
    assert.deepEqual(
      down.hits.map(({ body }) => Number(body & 0xffffffffn)),
      [2, 1, 0],
    );
    assert.deepEqual(
      down.hits.map(({ fraction }) => Math.round(fraction * 1e6) / 1e6),
      [0.275, 0.425, 0.5],
    );
    assert.deepEqual(down.hits[2].normal, [0, 1, 0]);
    assert.deepEqual(
      over.hits.map(({ body }) => Number(body & 0xffffffffn)),
      [1],
    );
    assert.ok(Math.abs(near.hits[0].distance - 2.5) < 1e-6);
    // 200 requests of 32 at once: 600 questions are taken and 1,200 more each second, of which some may wait;
    // the rest is refused, and the other player notices nothing.
    const beginMs = performance.now();
    for (let i = 0; i < 200; ++i) live.client.query(Array(32).fill(ray));
    await live.until(
      "all answers",
      () => live.events.filter(({ type }) => type === "queryResult").length === 201,
    );
    const acceptedMax = (600 + (1200 * (performance.now() - beginMs)) / 1000) / 32;
    const refused = live.events.filter(
      (event) => event.type === "queryResult" && event.status !== "answered",
    );
    const reasons = [...new Set(refused.map((event) => event.status))];
    assert.ok(
      reasons.every((status) => ["refused_rate", "refused_busy"].includes(status)),
      `${reasons}`,
    );
    assert.ok(
      refused.length > 0 && 200 - refused.length <= acceptedMax,
      `${refused.length} refused, at most ${acceptedMax} to be taken`,
    );
    const own = other.client.query([ray]);
    assert.equal(
      (await other.event("queryResult", (event) => event.request === own)).answers[0].hits.length,
      3,
    );
    assert.equal(live.client.state, "joined");
    live.close();
    other.close();
  }
  await server.stop();
});
