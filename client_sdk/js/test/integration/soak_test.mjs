// Many at once, for a short while: the load test of test/support/soak.mjs with ten clients, ten bots and one
// reader that stalls. The figures of a long run are in docs/JAVASCRIPT.md; what is asked here holds on a busy
// machine with two cores.
import assert from "node:assert/strict";
import { test } from "node:test";

import { soak } from "../support/soak.mjs";

test("ten WebSocket clients and ten UDP bots for ten seconds, beside a reader that stalls", async () => {
  const stats = await soak({ seconds: 10, clients: 10, bots: 10 });
  const text = JSON.stringify(stats, null, 1);
  assert.ok(stats.clientsTold >= 20, text);
  assert.equal(stats.disconnects, 0, text);
  assert.equal(stats.botExitCode, 0, text);
  // Bounds for a collapse alone; how fast a machine is, is not a test's business.
  assert.ok(stats.ticksPerS > 0.5 * stats.ticksPerSAlone, text);
  assert.ok(stats.snapshotsPerSMin > 0.5 * stats.snapshotsPerSMedian, text);
  assert.ok(stats.serverMbLastQuarter - stats.serverMbSecondQuarter < 5, text);
});
