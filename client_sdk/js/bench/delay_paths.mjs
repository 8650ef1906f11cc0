// The jitter buffer on simulated paths: mean and largest delay, and starvations a minute, from 15 s on.
// `node client_sdk/js/bench/delay_paths.mjs [minutes [seed]]` in the build's js folder, or beside ../dist.
import { JitterBuffer } from "../dist/jitter_buffer.js";

const kTickUs = 1e6 / 60;
const kWarmUpUs = 15e6;

/** Numbers of [0, 1) from a linear congruential generator (Numerical Recipes' constants). */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const exponential = (random) => -Math.log(1 - random());

/** Transit on loopback, on which nothing passes for 40 ms from each multiple of `periodS` on. */
const stalling = (periodS) => (random, atS) => {
  const heldMs = 40 - 1000 * (atS % periodS);
  return Math.max(0, heldMs) + 0.3 + 0.5 * random();
};

/** Transit in ms of a snapshot sent at `atS`, and the fraction that is lost. */
const kPaths = {
  loopback: { loss: 0, transitMs: (random) => 0.3 + 0.5 * random() },
  "loopback, busy": {
    loss: 0,
    transitMs: (random) => 0.5 + exponential(random) + (random() < 0.002 ? 15 * random() : 0),
  },
  "loopback, 40 ms each 30.1 s": { loss: 0, transitMs: stalling(30.1) },
  "loopback, 40 ms each 15.1 s": { loss: 0, transitMs: stalling(15.1) },
  "loopback, 40 ms each 7.1 s": { loss: 0, transitMs: stalling(7.1) },
  "20 ms": { loss: 0.01, transitMs: (random) => 20 + 3 * Math.abs(normal(random)) },
  "wireless, 15 ms": { loss: 0.02, transitMs: (random) => 15 + 5 * exponential(random) },
  "100 +- 20 ms": { loss: 0.1, transitMs: (random) => 80 + 40 * random() },
  "30 ms, 60 ms more at times": {
    loss: 0.01,
    transitMs: (random, atS) => 30 + 2 * Math.abs(normal(random)) + (atS % 3.7 < 0.05 ? 60 : 0),
  },
};

/** A client that draws at 60 Hz, 3 % uneven, with an estimate of the server's tick that wanders by 2 ms. */
function follow(path, minutes, seed) {
  const random = randomOf(seed);
  const endUs = minutes * 60e6;
  const arrivals = [];
  for (let tick = 0; tick * kTickUs < endUs; ++tick) {
    if (random() < path.loss) continue;
    const sentUs = tick * kTickUs;
    arrivals.push({ tick, atUs: sentUs + 1000 * path.transitMs(random, sentUs / 1e6) });
  }
  arrivals.sort((a, b) => a.atUs - b.atUs);

  const buffer = new JitterBuffer();
  let frames = 0;
  let sumMs = 0;
  let largestMs = 0;
  let next = 0;
  let errorMs = 0;
  let starvationsBefore = 0;
  for (let nowUs = 0; nowUs < endUs; nowUs += kTickUs * (0.97 + 0.06 * random())) {
    errorMs += 0.04 * normal(random) - 0.002 * errorMs;
    const tickAt = (us) => (us + 1000 * errorMs) / kTickUs;
    for (; next < arrivals.length && arrivals[next].atUs <= nowUs; ++next) {
      const { tick, atUs } = arrivals[next];
      buffer.handleSnapshot(tick + 1, tick, false, 0, tickAt(atUs));
    }
    buffer.advance(nowUs, tickAt(nowUs));
    if (nowUs < kWarmUpUs) {
      starvationsBefore = buffer.starvations;
      continue;
    }
    ++frames;
    sumMs += buffer.delayMs;
    largestMs = Math.max(largestMs, buffer.delayMs);
  }
  const perMinute = (buffer.starvations - starvationsBefore) / (minutes - kWarmUpUs / 60e6);
  return {
    "mean delay, ms": (sumMs / frames).toFixed(1),
    "largest, ms": largestMs.toFixed(1),
    "starvations a minute": perMinute.toFixed(2),
  };
}

const [minutes = 60, seed = 1] = process.argv.slice(2).map(Number);
console.table(
  Object.fromEntries(Object.entries(kPaths).map(([name, path]) => [name, follow(path, minutes, seed)])),
);
