// A short load test: test/support/soak.mjs with ten clients, ten bots and one stalled reader.
// docs/JAVASCRIPT.md has results of a long run; the bounds here hold on a busy machine with two cores.
import assert from "node:assert/strict";
import { test } from "node:test";

import { soak } from "../support/soak.mjs";

test("ten WebSocket clients and ten UDP bots for ten seconds, beside a reader that stalls", async () => {
  const stats = await soak({ seconds: 10, clients: 10, bots: 10 });
  const text = JSON.stringify(stats, null, 1);
  assert.ok(stats.clientsReported >= 20, text);
  assert.ok(stats.stalledReaders >= 1, text);
  assert.equal(stats.disconnects, 0, text);
  assert.equal(stats.botExitCode, 0, text);
  // Bounds for a collapse alone; how fast a machine is, is not a test's business.
  assert.ok(stats.ticksPerS > 0.5 * stats.ticksPerSAlone, text);
  assert.ok(stats.snapshotsPerSMin > 0.5 * stats.snapshotsPerSMedian, text);
  assert.ok(stats.serverMbLastQuarter - stats.serverMbSecondQuarter < 5, text);
});
