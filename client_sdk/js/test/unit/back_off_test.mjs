// The wait before another attempt: it doubles, is bounded, and is spread.
import assert from "node:assert/strict";
import { test } from "node:test";

import { BackOff } from "../../dist/back_off.js";

test("it doubles from the first to the greatest wait", () => {
  const backOff = new BackOff({ firstMs: 250, maxMs: 10_000 }, () => 1 - 2 ** -53);
  const waits = Array.from({ length: 8 }, () => Math.round(backOff.nextMs()));
  assert.deepEqual(waits, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  backOff.reset();
  assert.equal(Math.round(backOff.nextMs()), 250);
});

test("each wait lies between half and all of it", () => {
  assert.equal(new BackOff({ firstMs: 1000, maxMs: 1000 }, () => 0).nextMs(), 500);
  assert.equal(new BackOff({ firstMs: 1000, maxMs: 1000 }, () => 0.5).nextMs(), 750);
});

test("after thousands of attempts it is still the greatest wait", () => {
  const backOff = new BackOff({ firstMs: 1, maxMs: 5000 }, () => 0);
  for (let i = 0; i < 5000; ++i) backOff.nextMs();
  assert.equal(backOff.nextMs(), 2500);
});
