// Delay of the interpolation on loopback beside bots, and after a stall of the client's own thread.
//
// A busy machine delays the server's ticks, and the delay follows them: a bound in milliseconds holds for a
// punctual server alone, and test/unit/client_test.mjs checks it on a simulated clock. Here a second client
// without stalls bears the machine's share. A client that counts its stall as jitter is 200 ms or more behind
// it. docs/JAVASCRIPT.md has results of a long run.
import assert from "node:assert/strict";
import { test } from "node:test";

import { latency } from "../support/latency.mjs";

/** Between a stall that costs nothing, and one that counts as 250 ms of jitter. */
const kMarginMs = 100;

test("beside bots a stall of 250 ms costs no delay that a client without stalls lacks", async () => {
  const result = await latency({ seconds: 4, bots: 5, stalls: 2 });
  const text = JSON.stringify(result, null, 1);
  assert.equal(result.after.length, 2, text);
  for (const { beforeMs, maxMs, controlMaxMs } of result.after) {
    assert.ok(beforeMs > 0 && controlMaxMs > 0, text);
    assert.ok(maxMs < Math.max(beforeMs, controlMaxMs) + kMarginMs, text);
  }
  assert.ok(result.inputToSeenMs > 0, text);
});
