// The estimate of the server's tick against a simulated server and path, within the bounds of
// protocol/session/clock_sync.h.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ClockSync } from "../../dist/clock_sync.js";
import { Random } from "../support/random.mjs";

const kSecond = 1e6;

/**
 * A server whose tick at time t is tickAt(t); pings through it with the given one-way delays in microseconds.
 */
function ping(clock, sentUs, outUs, backUs, tickAt) {
  const tick = tickAt(sentUs + outUs);
  clock.handleSample(sentUs + outUs + backUs, sentUs, Math.floor(tick), Math.floor((tick % 1) * 2 ** 32));
}

test("before anything is known the tick is 0, and a guess holds until the first sample", () => {
  const clock = new ClockSync(60);
  assert.equal(clock.serverTick(5 * kSecond), 0);
  assert.equal(clock.isSynchronised, false);
  clock.handleGuess(kSecond, 600);
  assert.equal(clock.serverTick(kSecond), 600);
  assert.equal(clock.serverTick(2 * kSecond), 660);
  clock.handleGuess(3 * kSecond, 1); // a second guess is none
  assert.equal(clock.serverTick(2 * kSecond), 660);
});

test("on a symmetric path the estimate is exact", () => {
  const clock = new ClockSync(60);
  const tickAt = (us) => 1000 + (us * 60) / kSecond;
  ping(clock, kSecond, 30_000, 30_000, tickAt);
  assert.ok(Math.abs(clock.serverTick(2 * kSecond) - tickAt(2 * kSecond)) < 1e-6);
  assert.equal(clock.errorBoundUs, 30_000);
});

for (const seed of [1, 2, 3, 4, 5]) {
  test(`with 80 to 120 ms each way the error stays under 22 ms (seed ${seed})`, () => {
    const random = new Random(seed);
    const clock = new ClockSync(60);
    const tickAt = (us) => 5000 + (us * 60) / kSecond;
    let now = kSecond;
    for (let i = 0; i < 120; ++i) {
      ping(clock, now, random.between(80_000, 120_000), random.between(80_000, 120_000), tickAt);
      now += (i < 8 ? 0.1 : 0.5) * kSecond;
      // (r - m) / 2 plus half the path's asymmetry: at most 20 + 20 ms for one sample; the best of 16 is far
      // under it.
      if (i >= 15) assert.ok(Math.abs(clock.serverTick(now) - tickAt(now)) * (1000 / 60) < 22);
    }
  });
}

test("after the eighth sample corrections are slewed: the tick neither jumps nor runs backwards", () => {
  const clock = new ClockSync(60);
  const tickAt = (us) => 100 + (us * 60) / kSecond;
  let now = kSecond;
  for (let i = 0; i < 9; ++i, now += 100_000) ping(clock, now, 60_000, 20_000, tickAt); // 20 ms too early
  let before = clock.serverTick(now);
  ping(clock, now, 1_000, 1_000, tickAt); // a much better sample shows the error
  now += 2_000;
  for (let i = 0; i < 3000; ++i, now += 1000) {
    const tick = clock.serverTick(now);
    const step = tick - before;
    assert.ok(step >= 0 && step <= 0.06 * 1.02 + 0.13, `step ${step}`);
    before = tick;
  }
  assert.ok(Math.abs(before - tickAt(now - 1000)) < 1e-3);
});

test("a server that stalled or was restored is followed at once", () => {
  const clock = new ClockSync(60);
  let now = kSecond;
  for (let i = 0; i < 20; ++i, now += 500_000) ping(clock, now, 10_000, 10_000, (us) => (us * 60) / kSecond);
  ping(clock, now, 10_000, 10_000, (us) => (us * 60) / kSecond - 500);
  assert.ok(Math.abs(clock.serverTick(now + 20_000) - (((now + 20_000) * 60) / kSecond - 500)) < 1e-6);
});

test("a sample from the future is nobody's", () => {
  const clock = new ClockSync(60);
  clock.handleSample(kSecond, 2 * kSecond, 77, 0);
  assert.equal(clock.isSynchronised, false);
});

test("a paused room's tick stands, a step moves it, and a resumed one runs from there", () => {
  const clock = new ClockSync(60);
  ping(clock, kSecond, 10_000, 10_000, (us) => (us * 60) / kSecond);
  clock.restart(2 * kSecond, 120, 0);
  assert.equal(clock.serverTick(2 * kSecond), 120);
  assert.equal(clock.serverTick(9 * kSecond), 120);
  ping(clock, 9 * kSecond, 10_000, 10_000, () => 120);
  assert.equal(clock.serverTick(10 * kSecond), 120);
  ping(clock, 10 * kSecond, 10_000, 10_000, () => 121); // stepped once
  assert.equal(clock.serverTick(11 * kSecond), 121);
  clock.restart(12 * kSecond, 121, 60);
  assert.equal(clock.serverTick(13 * kSecond), 181);
});

test("in slow motion and fast forward the tick has the room's rate", () => {
  for (const speed of [0.1, 0.5, 10, 100]) {
    const clock = new ClockSync(60);
    const tickAt = (us) => 1000 + ((us - kSecond) * 60 * speed) / kSecond;
    clock.restart(kSecond, 1000, 60 * speed);
    for (let i = 0; i < 10; ++i) ping(clock, kSecond + i * 100_000, 15_000, 15_000, tickAt);
    assert.ok(Math.abs(clock.serverTick(4 * kSecond) - tickAt(4 * kSecond)) < 1e-3, `speed ${speed}`);
  }
});

test("an answer to a ping from before a restart is ignored", () => {
  const clock = new ClockSync(60);
  clock.restart(2 * kSecond, 500, 60);
  clock.handleSample(2.01 * kSecond, 1.99 * kSecond, 90, 0);
  assert.equal(clock.isSynchronised, false);
  assert.equal(clock.serverTick(3 * kSecond), 560);
});
