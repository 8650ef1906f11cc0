// Samples of one body: exact at ticks, interpolated between them, at rest while it rested, in any order of
// arrival.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Track, kSamplesMax } from "../../dist/track.js";
import { Random } from "../support/random.mjs";
import { record, structBytes } from "../support/server_messages.mjs";

function viewOf(x, more = {}) {
  return new DataView(structBytes("BodyState", record(1, [x, 0, -x], more)).buffer);
}
function add(track, tick, x, completeBefore = 0, interval = 1, more = {}) {
  track.add(tick, completeBefore, interval, viewOf(x, more), 0);
}
function pose() {
  return {
    position: new Float64Array(3),
    rotation: new Float32Array(4),
    linearVelocity: new Float32Array(3),
    angularVelocity: new Float32Array(3),
    asleep: false,
  };
}
function xAt(track, tick) {
  const out = pose();
  return track.poseAt(tick, out) ? out.position[0] : null;
}

test("nothing before the first sample, interpolated between, held behind the last", () => {
  const track = new Track();
  assert.equal(xAt(track, 5), null);
  add(track, 10, 1);
  add(track, 12, 3);
  assert.deepEqual(
    [9.9, 10, 10.5, 11, 12, 99].map((tick) => xAt(track, tick)),
    [null, 1, 1.5, 2, 3, 3],
  );
});

test("velocities are interpolated and the sleep flag is that of the sample before", () => {
  const track = new Track();
  add(track, 10, 0, 0, 1, { linear_velocity: { x: 2 }, angular_velocity: { y: 4 } });
  add(track, 12, 0, 0, 1, { linear_velocity: { x: 4 }, angular_velocity: { y: 0 }, flags: 1 });
  const out = pose();
  track.poseAt(11, out);
  assert.deepEqual([out.linearVelocity[0], out.angularVelocity[1], out.asleep], [3, 2, false]);
  track.poseAt(12, out);
  assert.deepEqual([out.linearVelocity[0], out.angularVelocity[1], out.asleep], [4, 0, true]);
});

test("a body known to have rested stands until then, and does not creep", () => {
  const track = new Track();
  add(track, 10, 1);
  add(track, 20, 2, 18, 3); // tick 18 was complete without it
  assert.deepEqual(
    [10, 15, 18, 19, 20].map((tick) => xAt(track, tick)),
    [1, 1, 1, 1.5, 2],
  );
});

test("a silence no loss explains was rest", () => {
  const track = new Track();
  add(track, 10, 1);
  add(track, 30, 2, 0, 3); // more than 6 intervals of 3: rested until 27
  assert.deepEqual(
    [20, 27, 28.5, 30].map((tick) => xAt(track, tick)),
    [1, 1, 1.5, 2],
  );
});

test("a sample that slips in between ends the rest that was assumed", () => {
  const track = new Track();
  add(track, 10, 1);
  add(track, 20, 5, 9, 3);
  add(track, 12, 3, 9, 3);
  assert.deepEqual(
    [11, 12, 16, 20].map((tick) => xAt(track, tick)),
    [2, 3, 4, 5],
  );
});

test("any order of arrival gives the same track (seed 4)", () => {
  const random = new Random(4);
  const ticks = Array.from({ length: 40 }, (_, i) => 10 + i);
  for (let round = 0; round < 50; ++round) {
    const track = new Track();
    for (const tick of [...ticks].sort(() => random.next() - 0.5)) add(track, tick, tick * 2);
    for (let tick = 10; tick <= 49; tick += 0.25) assert.equal(xAt(track, tick), tick * 2);
  }
});

test("the same tick again replaces the sample", () => {
  const track = new Track();
  add(track, 10, 1);
  add(track, 10, 7);
  assert.equal(track.sampleCount, 1);
  assert.equal(xAt(track, 10), 7);
});

test("a removed body is gone from its tick on, the earliest told", () => {
  const track = new Track();
  add(track, 10, 1);
  track.removeAt(15);
  track.removeAt(18);
  assert.equal(xAt(track, 14.9), 1);
  assert.equal(xAt(track, 15), null);
  assert.ok(track.isGone(15));
});

test("what no later render tick needs is forgotten, and nothing else", () => {
  const track = new Track();
  for (let tick = 10; tick < 20; ++tick) add(track, tick, tick);
  track.forgetBefore(15.5);
  assert.equal(track.sampleCount, 5); // 15 .. 19
  assert.deepEqual(
    [15, 15.5, 19].map((tick) => xAt(track, tick)),
    [15, 15.5, 19],
  );
});

test("memory is bounded, and the oldest sample stands for those before it", () => {
  const track = new Track();
  for (let tick = 1; tick <= 2 * kSamplesMax; ++tick) add(track, tick, tick);
  assert.equal(track.sampleCount, kSamplesMax);
  assert.equal(xAt(track, 5.5), kSamplesMax + 1);
  assert.equal(xAt(track, kSamplesMax + 8), kSamplesMax + 8);
  assert.equal(xAt(track, 2 * kSamplesMax), 2 * kSamplesMax);
});

test("the newest sample's pose is at hand, not interpolated", () => {
  const track = new Track();
  add(track, 10, 1.25);
  add(track, 12, 1e6 + 0.5);
  const position = new Float64Array(3);
  track.newestPose(position, new Float32Array(4));
  assert.deepEqual([...position], [1e6 + 0.5, 0, -1e6 - 0.5]);
});
