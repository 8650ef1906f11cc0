// The render tick: close to the present on a calm path, further behind on a rough one, never backwards, and
// at the newest tick of a paused room.
import assert from "node:assert/strict";
import { test } from "node:test";

import { JitterBuffer } from "../../dist/jitter_buffer.js";
import { RefreshMeter } from "../../dist/refresh_meter.js";
import { Random } from "../support/random.mjs";

const kTickUs = 1e6 / 60;

/**
 * Runs a server at 60 Hz that sends a snapshot each tick over a path with the given delay, and a client that
 * draws at 60 Hz. `rate(us)`: ticks per usual tick. Calls `frame(us, buffer, serverTick)` every frame.
 */
function run({
  seconds,
  delayUs,
  rate = () => 1,
  lose = () => false,
  frame = () => {},
  buffer = new JitterBuffer(),
  onRate = true,
  waitSnapshots = 0,
}) {
  const arrivals = [];
  let tick = 1000;
  let serial = 0;
  let lastWhole = tick;
  let arrived = 0;
  let speed = 1;
  for (let us = 0; us < seconds * 1e6; us += 1000) {
    const now = rate(us);
    if (now !== speed && onRate) buffer.setRate(60 * now, tick);
    speed = now;
    tick += (1000 / kTickUs) * speed;
    while (lastWhole < Math.floor(tick)) {
      ++lastWhole;
      ++serial;
      if (!lose(serial)) arrivals.push({ atUs: us + delayUs(serial), serial, tick: lastWhole });
    }
    arrivals.sort((a, b) => a.atUs - b.atUs || a.serial - b.serial);
    while (arrivals.length > 0 && arrivals[0].atUs <= us) {
      const { serial: arriving, tick: ofTick } = arrivals.shift();
      buffer.handleSnapshot(arriving, ofTick, false, waitSnapshots, tick);
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
  const buffer = run({ seconds: 20, delayUs: () => 10_000 });
  // One interval, 10 ms of path (0.6 ticks), a tick of margin: 2.6 ticks; 1 ms of simulated granularity on
  // top.
  assert.ok(buffer.delayMs < 46, `${buffer.delayMs} ms`);
  assert.equal(buffer.starvations, 0);
});

test("the delay grows with jitter and covers it", () => {
  const random = new Random(5);
  let late = 0;
  const buffer = run({
    seconds: 40,
    delayUs: () => random.between(20_000, 80_000),
    frame: (us, shown) => {
      if (us > 15e6 && shown.renderTick > shown.newestTick) ++late;
    },
  });
  assert.equal(late, 0);
  assert.ok(buffer.delayMs > 80 && buffer.delayMs < 140, `${buffer.delayMs} ms`);
  assert.ok(buffer.starvedMs < 200, `${buffer.starvedMs} ms starved`);
});

test("the render tick never runs backwards and, once settled, has an even speed", () => {
  const random = new Random(9);
  let before = -Infinity;
  run({
    seconds: 30,
    delayUs: () => random.between(5_000, 45_000),
    lose: (serial) => serial % 23 === 0,
    frame: (us, { renderTick }) => {
      assert.ok(renderTick >= before);
      // 16 ms are 0.96 ticks; the delay shrinks by 2 % and grows by 10 % of that.
      if (us > 15e6) {
        assert.ok(
          renderTick - before <= 0.96 * 1.021 && renderTick - before >= 0.96 * 0.89,
          `${renderTick - before}`,
        );
      }
      before = renderTick;
    },
  });
});

test("a gap stops the render tick at the newest snapshot, and counts as starvation", () => {
  const buffer = run({
    seconds: 10,
    delayUs: () => 10_000,
    lose: (serial) => serial >= 300 && serial < 330,
    frame: (_, shown) => assert.ok(shown.renderTick <= shown.newestTick),
  });
  assert.equal(buffer.starvations, 1);
  assert.ok(buffer.longestGapMs > 490 && buffer.longestGapMs < 540, `${buffer.longestGapMs}`);
  assert.ok(buffer.starvedMs > 300 && buffer.starvedMs < 520, `${buffer.starvedMs}`);
});

test("a paused room is shown at its newest tick, within a few frames, and stays there", () => {
  const buffer = run({
    seconds: 8,
    delayUs: () => 10_000,
    rate: (us) => (us >= 5e6 ? 0 : 1),
    frame: (us, shown, serverTick) => {
      if (us > 5.5e6) assert.equal(shown.renderTick, Math.floor(serverTick));
    },
  });
  assert.equal(buffer.delayMs, 0);
});

test("an idle room that pauses before the tick that the clock expected is shown at its tick", () => {
  const buffer = new JitterBuffer({ delayMinMs: 0 });
  let us = 0;
  let tick = 100;
  for (; tick < 400; tick += 1, us += kTickUs) {
    if (tick % 6 === 0) buffer.handleSnapshot(tick / 6, tick, true, 0, tick);
    buffer.advance(us, tick);
  }
  // The server stood still since tick 396: the client's clock ran on, and its render tick with it.
  const paused = 396;
  for (; tick < 420; tick += 1, us += kTickUs) buffer.advance(us, tick);
  assert.ok(buffer.renderTick > paused, `${buffer.renderTick}`);
  buffer.setRate(0, paused);
  for (let i = 0; i < 10; ++i, us += kTickUs) buffer.advance(us, paused);
  assert.equal(buffer.renderTick, paused);
});

test("a step of a paused room is shown", () => {
  const buffer = new JitterBuffer();
  buffer.setRate(0, 500);
  buffer.handleSnapshot(1, 500, false, 0, 500);
  buffer.advance(1e6, 500);
  assert.equal(buffer.renderTick, 500);
  buffer.handleSnapshot(2, 501, false, 0, 501);
  for (let i = 1; i <= 3; ++i) buffer.advance(1e6 + i * 16_000, 501);
  assert.equal(buffer.renderTick, 501);
});

test("after a pause the render tick goes on from where it stood, without a jump", () => {
  let before = -Infinity;
  run({
    seconds: 12,
    delayUs: () => 10_000,
    rate: (us) => (us >= 5e6 && us < 7e6 ? 0 : 1),
    frame: (_, { renderTick, hasSnapshot }) => {
      if (!hasSnapshot) return;
      assert.ok(
        renderTick >= before && (before === -Infinity || renderTick - before < 2),
        `${before} -> ${renderTick}`,
      );
      before = renderTick;
    },
  });
});

for (const speed of [0.1, 0.5, 4, 10]) {
  test(`at speed ${speed} the shown motion has that speed and stays close behind`, () => {
    let at15 = 0;
    const buffer = run({
      seconds: 20,
      delayUs: () => 10_000,
      rate: (us) => (us >= 2e6 ? speed : 1),
      frame: (us, shown) => {
        if (us <= 15e6) at15 = shown.renderTick;
      },
    });
    const shownPerS = (buffer.renderTick - at15) / 5;
    assert.ok(Math.abs(shownPerS / (60 * speed) - 1) < 0.03, `${shownPerS} ticks/s`);
    // Two intervals of the slower of snapshots and frames, the path, and the margins.
    const intervalMs = 1000 / (60 * speed);
    assert.ok(buffer.delayMs < 2.4 * intervalMs + 45, `${buffer.delayMs} ms`);
  });
}

test("bodies left out for want of room widen the buffer", () => {
  const calm = new JitterBuffer();
  const full = new JitterBuffer();
  for (let tick = 1; tick <= 600; ++tick) {
    for (const [buffer, fraction] of [
      [calm, 0],
      [full, 3],
    ]) {
      buffer.handleSnapshot(tick, tick, false, fraction, tick + 0.5);
      buffer.advance(tick * kTickUs, tick + 0.5);
    }
  }
  assert.ok(full.delayMs - calm.delayMs > 2.5 * (kTickUs / 1000), `${full.delayMs} ${calm.delayMs}`);
});

test("a full world's needs beyond the largest delay leave the delay at the largest", () => {
  for (const waitSnapshots of [70, 100]) {
    let maxMs = 0;
    const buffer = run({
      seconds: 120,
      delayUs: () => 20_000,
      waitSnapshots,
      frame: (_, { hasSnapshot, delayMs, renderTick }, serverTick) => {
        if (!hasSnapshot) return;
        maxMs = Math.max(maxMs, delayMs, ((serverTick - renderTick) * kTickUs) / 1000);
      },
    });
    assert.ok(buffer.delayMs > 999, `${buffer.delayMs} ms`);
    assert.ok(maxMs < 1000.001, `${maxMs} ms, ${waitSnapshots} snapshots`);
  }
});

test("one small snapshot a second does not stretch the buffer", () => {
  const buffer = new JitterBuffer();
  const refreshes = new RefreshMeter();
  for (let tick = 1; tick <= 1200; ++tick) {
    const sent = tick % 60 === 0 ? 13 : 52;
    refreshes.handleSnapshot(sent, 850 - sent);
    buffer.handleSnapshot(tick, tick, false, refreshes.waitSnapshots, tick + 0.5);
    buffer.advance(tick * kTickUs, tick + 0.5);
  }
  // 16 snapshots bring every body once; the quotient of a small one alone is 64.
  assert.ok(buffer.delayMs > 16 * (kTickUs / 1000), `${buffer.delayMs} ms`);
  assert.ok(buffer.delayMs < 22 * (kTickUs / 1000), `${buffer.delayMs} ms`);
});

test("an idle server's silence is not loss", () => {
  const buffer = new JitterBuffer();
  let serial = 0;
  for (let tick = 1; tick <= 1200; ++tick) {
    const idle = tick > 300;
    if (!idle || tick % 6 === 0) buffer.handleSnapshot(++serial, tick, idle, 0, tick + 0.5);
    buffer.advance(tick * kTickUs, tick + 0.5);
  }
  assert.equal(buffer.starvations, 0);
  assert.ok(buffer.delayMs < 80, `${buffer.delayMs} ms`);
});

/**
 * Delay in us of a path of 1 ms that holds all snapshots for `heldUs`, from each of `stallsUs` on. The held
 * ones then pass at twice the usual rate, so each snapshot is half an interval less late than the former.
 */
function stalling(stallsUs, heldUs = 60_000) {
  return (serial) => {
    const sentUs = serial * kTickUs;
    return stallsUs
      .filter((atUs) => sentUs >= atUs)
      .reduce((delayUs, atUs) => Math.max(delayUs, heldUs - (sentUs - atUs) / 2), 1000);
  };
}

// One stall makes seven snapshots late. Blocks of needs end at other times for each of the phases.
test("a lone stall of 60 ms costs one starvation and no delay, wherever it falls", () => {
  for (let atUs = 10_000_000; atUs < 10_500_000; atUs += 7_000) {
    let maxMs = 0;
    let before = -Infinity;
    let lag = 0;
    const buffer = run({
      seconds: 13,
      delayUs: stalling([atUs]),
      frame: (us, { delayMs, renderTick, newestTick }, serverTick) => {
        if (us > 3e6) maxMs = Math.max(maxMs, delayMs);
        assert.ok(renderTick >= before && renderTick <= newestTick);
        if (us > 3e6) assert.ok(renderTick - before <= 0.96 * 2.03, `${renderTick - before} ticks`);
        before = renderTick;
        // The last late snapshot arrives after 110 ms, and the regain begins 100 ms later: 50 ms, two frames.
        if (us > atUs + 300_000) lag = Math.max(lag, serverTick - renderTick);
      },
    });
    assert.ok(maxMs < 32, `${maxMs} ms, stall at ${atUs}`);
    assert.ok(lag < 2.3, `${lag} ticks behind, stall at ${atUs}`);
    assert.ok(buffer.starvations <= 1, `${buffer.starvations}`);
    assert.ok(buffer.starvedMs > 0 && buffer.starvedMs < 60, `${buffer.starvedMs} ms`);
  }
});

test("a lone stall in the first seconds raises the delay until enough is known of the path", () => {
  let afterStallMs = 0;
  const buffer = run({
    seconds: 15,
    delayUs: stalling([3e6]),
    frame: (us, { delayMs }) => {
      if (us === 3_904_000) afterStallMs = delayMs;
    },
  });
  assert.ok(afterStallMs > 60, `${afterStallMs} ms`);
  assert.ok(buffer.delayMs < 32, `${buffer.delayMs} ms`);
});

test("a lone stall from the fourth second on raises no delay", () => {
  let maxMs = 0;
  run({
    seconds: 10,
    delayUs: stalling([4.5e6]),
    frame: (us, { delayMs }) => {
      if (us > 4.5e6) maxMs = Math.max(maxMs, delayMs);
    },
  });
  assert.ok(maxMs < 32, `${maxMs} ms`);
});

test("no need ends the program", () => {
  for (const waitSnapshots of [Infinity, NaN]) {
    const buffer = new JitterBuffer();
    for (let tick = 1; tick < 1200; ++tick) {
      buffer.handleSnapshot(tick, tick, false, tick === 600 ? waitSnapshots : 0, tick + 0.5);
      buffer.advance(tick * kTickUs, tick + 0.5);
    }
    assert.ok(!(buffer.delayMs > 1000), `${buffer.delayMs} ms`);
  }
});

test("a second stall within 20 s raises the delay to cover a third one, until one is left", () => {
  let afterSecondMs = 0;
  const starvations = [];
  const buffer = run({
    seconds: 60,
    delayUs: stalling([10e6, 18e6, 26e6]),
    frame: (us, { delayMs, starvations: count }) => {
      if (us === 25_008_000) afterSecondMs = delayMs;
      if (us % 10_000_000 === 0) starvations.push(count);
    },
  });
  assert.ok(afterSecondMs > 65 && afterSecondMs < 105, `${afterSecondMs} ms`);
  assert.deepEqual(starvations.slice(1), [0, 2, 2, 2, 2]);
  assert.ok(buffer.delayMs < 32, `${buffer.delayMs} ms`);
});

test("short stalls that recur cost little delay and short waits", () => {
  let maxMs = 0;
  const stallsUs = Array.from({ length: 50 }, (_, i) => 10e6 + 15e6 * i);
  const buffer = run({
    seconds: 760,
    delayUs: stalling(stallsUs, 25_000),
    frame: (us, { delayMs }) => {
      if (us > 10e6) maxMs = Math.max(maxMs, delayMs);
    },
  });
  assert.ok(maxMs < 49, `${maxMs} ms`);
  assert.ok(buffer.longestStarvationMs < 20, `${buffer.longestStarvationMs} ms`);
  assert.ok(buffer.starvedMs < 50 * 10, `${buffer.starvedMs} ms`);
});

// A frame may end the first wait before the path is known, and the next one begins another.
test("a path that becomes slower for good starves twice at most and is followed", () => {
  for (const slowerMs of [20, 40, 100]) {
    const buffer = run({
      seconds: 13,
      delayUs: (serial) => 10_000 + (serial > 600 ? slowerMs * 1000 : 0),
    });
    assert.ok(buffer.starvations >= 1 && buffer.starvations <= 2, `${buffer.starvations}, ${slowerMs} ms`);
    // A margin of three tenths of the variation.
    assert.ok(buffer.delayMs > 26 + slowerMs && buffer.delayMs < 46 + 1.3 * slowerMs, `${buffer.delayMs} ms`);
  }
});

test("a path of jitter that becomes slower for good starves once on average", () => {
  let starvations = 0;
  for (let seed = 1; seed <= 30; ++seed) {
    const random = new Random(seed);
    const buffer = run({
      seconds: 40,
      delayUs: (serial) => random.between(20_000, 50_000) + (serial > 1200 ? 30_000 : 0),
      frame: (us, shown) => {
        if (us === 20_000_000) starvations -= shown.starvations;
      },
    });
    starvations += buffer.starvations;
  }
  assert.ok(starvations >= 1 && starvations <= 30, `${starvations}`);
});

test("a path whose delay rises for seconds is followed", () => {
  const buffer = run({
    seconds: 16,
    delayUs: (serial) => 10_000 + 200 * Math.min(Math.max(0, serial - 600), 300),
  });
  assert.ok(buffer.delayMs > 86 && buffer.delayMs < 46 + 1.3 * 60, `${buffer.delayMs} ms`);
  assert.ok(buffer.starvations <= 3, `${buffer.starvations}`);
});

test("bursts of three lost snapshots, 5 s apart, are covered from the third on", () => {
  let before = 0;
  const buffer = run({
    seconds: 60,
    delayUs: () => 10_000,
    lose: (serial) => serial > 300 && serial % 300 < 3,
    frame: (us, { starvations }) => {
      if (us <= 16e6) before = starvations;
    },
  });
  assert.ok(before >= 1 && before <= 3, `${before}`);
  assert.equal(buffer.starvations, before);
});
