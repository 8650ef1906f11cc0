// The wait before another attempt: doubles, is bounded, is spread.
import assert from "node:assert/strict";
import { test } from "node:test";

import { BackOff } from "../../dist/back_off.js";

test("it doubles from the first to the greatest wait", () => {
  const back_off = new BackOff({ first_ms: 250, max_ms: 10_000 }, () => 1 - 2 ** -53);
  const waits = Array.from({ length: 8 }, () => Math.round(back_off.next_ms()));
  assert.deepEqual(waits, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  back_off.reset();
  assert.equal(Math.round(back_off.next_ms()), 250);
});

test("each wait lies between half and all of it", () => {
  assert.equal(new BackOff({ first_ms: 1000, max_ms: 1000 }, () => 0).next_ms(), 500);
  assert.equal(new BackOff({ first_ms: 1000, max_ms: 1000 }, () => 0.5).next_ms(), 750);
});

test("after thousands of attempts it is still the greatest wait", () => {
  const back_off = new BackOff({ first_ms: 1, max_ms: 5000 }, () => 0);
  for (let i = 0; i < 5000; ++i) back_off.next_ms();
  assert.equal(back_off.next_ms(), 2500);
});
