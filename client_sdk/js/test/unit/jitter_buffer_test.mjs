// The render tick: close behind the present on a calm path, further behind on a rough one, never backwards, and at the newest tick of a paused room.
import assert from "node:assert/strict";
import { test } from "node:test";

import { JitterBuffer } from "../../dist/jitter_buffer.js";
import { Random } from "../support/random.mjs";

const kTickUs = 1e6 / 60;

/**
 * Runs a server at 60 Hz that sends a snapshot each tick over a path with the given delay, and a client that draws at 60 Hz. `rate(us)`: ticks per
 * usual tick. Calls `frame(us, buffer, server_tick)` every frame.
 */
function run({ seconds, delay_us, rate = () => 1, lose = () => false, frame = () => {}, buffer = new JitterBuffer(), on_rate = true }) {
  const arrivals = [];
  let tick = 1000;
  let serial = 0;
  let last_whole = tick;
  let arrived = 0;
  let speed = 1;
  for (let us = 0; us < seconds * 1e6; us += 1000) {
    const now = rate(us);
    if (now !== speed && on_rate) buffer.set_rate(60 * now, tick);
    speed = now;
    tick += (1000 / kTickUs) * speed;
    while (last_whole < Math.floor(tick)) {
      ++last_whole;
      ++serial;
      if (!lose(serial)) arrivals.push({ at_us: us + delay_us(serial), serial, tick: last_whole });
    }
    arrivals.sort((a, b) => a.at_us - b.at_us || a.serial - b.serial);
    while (arrivals.length > 0 && arrivals[0].at_us <= us) {
      const { serial: arriving, tick: of_tick } = arrivals.shift();
      buffer.handle_snapshot(arriving, of_tick, false, 0, tick);
      ++arrived;
    }
    if (us % 16000 === 0) {
      buffer.advance(us, tick);
      frame(us, buffer, tick);
    }
  }
  assert.ok(arrived > 0);
  return buffer;
}

test("on a calm path the delay is the path's and little more, and nothing starves", () => {
  const buffer = run({ seconds: 20, delay_us: () => 10_000 });
  // One interval, 10 ms of path (0.6 ticks), a tenth, a tick of margin: 1.1 (1 + 0.6) + 1 = 2.8 ticks; 1 ms of simulated granularity on top.
  assert.ok(buffer.delay_ms < 52, `${buffer.delay_ms} ms`);
  assert.equal(buffer.starvations, 0);
});

test("the delay grows with jitter and covers it", () => {
  const random = new Random(5);
  let late = 0;
  const buffer = run({
    seconds: 40,
    delay_us: () => random.between(20_000, 80_000),
    frame: (us, shown) => {
      if (us > 15e6 && shown.render_tick > shown.newest_tick) ++late;
    },
  });
  assert.equal(late, 0);
  assert.ok(buffer.delay_ms > 80 && buffer.delay_ms < 140, `${buffer.delay_ms} ms`);
  assert.ok(buffer.starved_ms < 200, `${buffer.starved_ms} ms starved`);
});

test("the render tick never runs backwards and, once settled, has an even speed", () => {
  const random = new Random(9);
  let before = -Infinity;
  run({
    seconds: 30,
    delay_us: () => random.between(5_000, 45_000),
    lose: (serial) => serial % 23 === 0,
    frame: (us, { render_tick }) => {
      assert.ok(render_tick >= before);
      // 16 ms are 0.96 ticks; the delay shrinks by 2 % and grows by 10 % of that.
      if (us > 15e6) assert.ok(render_tick - before <= 0.96 * 1.021 && render_tick - before >= 0.96 * 0.89, `${render_tick - before}`);
      before = render_tick;
    },
  });
});

test("a gap stops the render tick at the newest snapshot, and counts as starvation", () => {
  const buffer = run({
    seconds: 10,
    delay_us: () => 10_000,
    lose: (serial) => serial >= 300 && serial < 330,
    frame: (_, shown) => assert.ok(shown.render_tick <= shown.newest_tick),
  });
  assert.equal(buffer.starvations, 1);
  assert.ok(buffer.longest_gap_ms > 490 && buffer.longest_gap_ms < 540, `${buffer.longest_gap_ms}`);
  assert.ok(buffer.starved_ms > 300 && buffer.starved_ms < 520, `${buffer.starved_ms}`);
});

test("a paused room is shown at its newest tick, within a few frames, and stays there", () => {
  const buffer = run({
    seconds: 8,
    delay_us: () => 10_000,
    rate: (us) => (us >= 5e6 ? 0 : 1),
    frame: (us, shown, server_tick) => {
      if (us > 5.5e6) assert.equal(shown.render_tick, Math.floor(server_tick));
    },
  });
  assert.equal(buffer.delay_ms, 0);
});

test("a step of a paused room is shown", () => {
  const buffer = new JitterBuffer();
  buffer.set_rate(0, 500);
  buffer.handle_snapshot(1, 500, false, 0, 500);
  buffer.advance(1e6, 500);
  assert.equal(buffer.render_tick, 500);
  buffer.handle_snapshot(2, 501, false, 0, 501);
  for (let i = 1; i <= 3; ++i) buffer.advance(1e6 + i * 16_000, 501);
  assert.equal(buffer.render_tick, 501);
});

test("after a pause the render tick goes on from where it stood, without a jump", () => {
  let before = -Infinity;
  run({
    seconds: 12,
    delay_us: () => 10_000,
    rate: (us) => (us >= 5e6 && us < 7e6 ? 0 : 1),
    frame: (_, { render_tick, has_snapshot }) => {
      if (!has_snapshot) return;
      assert.ok(render_tick >= before && (before === -Infinity || render_tick - before < 2), `${before} -> ${render_tick}`);
      before = render_tick;
    },
  });
});

for (const speed of [0.1, 0.5, 4, 10]) {
  test(`at speed ${speed} the shown motion has that speed and stays close behind`, () => {
    let at_15 = 0;
    const buffer = run({
      seconds: 20,
      delay_us: () => 10_000,
      rate: (us) => (us >= 2e6 ? speed : 1),
      frame: (us, shown) => {
        if (us <= 15e6) at_15 = shown.render_tick;
      },
    });
    const shown_per_s = (buffer.render_tick - at_15) / 5;
    assert.ok(Math.abs(shown_per_s / (60 * speed) - 1) < 0.03, `${shown_per_s} ticks/s`);
    // Two intervals of the slower of snapshots and frames, the path, and the margins.
    const interval_ms = 1000 / (60 * speed);
    assert.ok(buffer.delay_ms < 2.4 * interval_ms + 45, `${buffer.delay_ms} ms`);
  });
}

test("bodies left out for want of room widen the buffer", () => {
  const calm = new JitterBuffer();
  const full = new JitterBuffer();
  for (let tick = 1; tick <= 600; ++tick) {
    for (const [buffer, share] of [
      [calm, 0],
      [full, 3],
    ]) {
      buffer.handle_snapshot(tick, tick, false, share, tick + 0.5);
      buffer.advance(tick * kTickUs, tick + 0.5);
    }
  }
  assert.ok(full.delay_ms - calm.delay_ms > 2.5 * (kTickUs / 1000), `${full.delay_ms} ${calm.delay_ms}`);
});

test("an idle server's silence is not loss", () => {
  const buffer = new JitterBuffer();
  let serial = 0;
  for (let tick = 1; tick <= 1200; ++tick) {
    const idle = tick > 300;
    if (!idle || tick % 6 === 0) buffer.handle_snapshot(++serial, tick, idle, 0, tick + 0.5);
    buffer.advance(tick * kTickUs, tick + 0.5);
  }
  assert.equal(buffer.starvations, 0);
  assert.ok(buffer.delay_ms < 80, `${buffer.delay_ms} ms`);
});
