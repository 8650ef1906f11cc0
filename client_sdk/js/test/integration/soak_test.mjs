// Many at once, for a short while: the load test of test/support/soak.mjs with ten clients, ten bots and one reader that stalls. The figures of a long run are
// in docs/JAVASCRIPT.md; what is asked here holds on a busy machine with two cores.
import assert from "node:assert/strict";
import { test } from "node:test";

import { soak } from "../support/soak.mjs";

test("ten WebSocket clients and ten UDP bots for ten seconds, beside a reader that stalls", async () => {
  const figures = await soak({ seconds: 10, clients: 10, bots: 10 });
  const text = JSON.stringify(figures, null, 1);
  assert.ok(figures.clientsTold >= 20, text);
  assert.equal(figures.disconnects, 0, text);
  assert.equal(figures.botExitCode, 0, text);
  // Bounds for a collapse alone; how fast a machine is, is not a test's business.
  assert.ok(figures.ticksPerS > 0.5 * figures.ticksPerSAlone, text);
  assert.ok(figures.snapshotsPerSLeast > 0.5 * figures.snapshotsPerSMedian, text);
  assert.ok(figures.serverMbLastQuarter - figures.serverMbSecondQuarter < 5, text);
});
