// Ropes from snapshots to display. golden_test.mjs compares the bytes with C++.
import assert from "node:assert/strict";
import { test } from "node:test";

import { RopeStore } from "../../dist/rope.js";
import { decodeRopeSlices } from "../../dist/rope_codec.js";
import { RopeDecoder } from "../../dist/rope_decoder.js";
import { ropeBytes } from "../support/rope_bytes.mjs";

const kRope = (1n << 32n) | 5n;

/** Nodes on the x axis 1 m apart, `y` up, from x = 100. */
function rope({ id = kRope, count = 4, y = 0, tension = 8, isAsleep = false } = {}) {
  const positions = Float64Array.from(
    { length: 3 * count },
    (_, i) => [100 + Math.floor(i / 3), y, 0][i % 3],
  );
  return { id, isAsleep, radius: 0.5, positions, tensions: new Float32Array(count - 1).fill(tension) };
}
function storeAt(store, tick, complete = 0) {
  return store.showAt(tick, complete);
}

test("a rope is shown from its tick on", () => {
  const store = new RopeStore();
  store.add(10, 0, rope());
  assert.deepEqual(storeAt(store, 9.5), []);
  const [shown] = storeAt(store, 10);
  assert.equal(shown.id, kRope);
  assert.equal(shown.radius, 0.5);
  assert.deepEqual([...shown.positions], [100, 0, 0, 101, 0, 0, 102, 0, 0, 103, 0, 0]);
  assert.deepEqual([...shown.tensions], [8, 8, 8]);
});

test("between two ticks it lies between them; after the newest it goes on for a moment, then stays", () => {
  const store = new RopeStore();
  store.add(20, 0, rope({ y: 4, tension: 16 }));
  store.add(10, 0, rope()); // overtaken
  const at = (tick) => {
    const [shown] = storeAt(store, tick);
    return [shown.positions[1], shown.tensions[0]];
  };
  assert.deepEqual(at(10), [0, 8]);
  assert.deepEqual(at(12.5), [1, 10]);
  assert.deepEqual(at(20), [4, 16]);
  assert.deepEqual(at(22.5), [5, 18]);
  assert.deepEqual(at(26), at(90)); // six ticks at most
  assert.ok(Math.abs(at(90)[0] - 6.4) < 1e-6);
});

test("what a complete snapshot did not name had not moved by then", () => {
  const store = new RopeStore();
  const y = (tick, complete) => storeAt(store, tick, complete)[0].positions[1];
  store.add(8, 0, rope());
  store.add(10, 0, rope({ y: 4 }));
  assert.equal(y(11, 10), 6);
  assert.equal(y(11, 11), 4);
  store.add(40, 38, rope({ y: 8 }));
  assert.equal(y(38, 38), 4);
  assert.equal(y(39, 38), 6);
  store.add(42, 0, rope({ y: 9, isAsleep: true }));
  assert.equal(y(45, 0), 9);
});

test("a cut rope has other nodes from its tick on, and what is gone is gone from its tick on", () => {
  const store = new RopeStore();
  const half = kRope + 1n;
  store.add(10, 0, rope());
  store.add(20, 0, rope({ count: 2 }));
  store.add(20, 0, rope({ id: half, count: 2 }));
  assert.deepEqual(
    storeAt(store, 19).map(({ positions }) => positions.length),
    [12],
  );
  assert.deepEqual(
    storeAt(store, 20).map(({ id, positions, tensions }) => [id, positions.length, tensions.length]),
    [
      [kRope, 6, 1],
      [half, 6, 1],
    ],
  );
  store.removeAt(30, half);
  assert.equal(storeAt(store, 29.9).length, 2);
  assert.deepEqual(
    storeAt(store, 30).map(({ id }) => id),
    [kRope],
  );
});

test("the past that is kept is bounded", () => {
  const store = new RopeStore();
  for (let tick = 1; tick <= 1000; ++tick) store.add(tick, 0, rope());
  assert.deepEqual(storeAt(store, 900), []); // the newest 64 are kept
  assert.equal(storeAt(store, 1000).length, 1);
  store.clear();
  assert.deepEqual(storeAt(store, 1000), []);
});

/** The slices of bytes. */
function read(bytes) {
  return decodeRopeSlices({ view: new DataView(bytes.buffer), offset: 0, count: bytes.length });
}

test("slices are read, and bytes that do not add up are refused", () => {
  const good = {
    rope: kRope,
    nodeCount: 3,
    first: 1,
    positions: [1, 2, 3, 1.5, 2, -3000.25],
    tensions: [-0.5],
    radius: 0.25,
    flags: 1,
  };
  assert.deepEqual(read(ropeBytes(good)), [good]);
  assert.deepEqual(
    read(new Uint8Array([...ropeBytes(good), ...ropeBytes({ ...good, first: 0, tensions: [1, 2] })])).length,
    2,
  );
  assert.deepEqual(read(new Uint8Array(0)), []);
  const bytes = ropeBytes(good);
  for (let length = 1; length < bytes.length; ++length) {
    assert.equal(read(bytes.slice(0, length)), null, `${length} bytes`);
  }
  for (const bad of [
    { rope: 5n },
    { rope: (1n << 32n) | 65536n },
    { nodeCount: 2 },
    { nodeCount: 4097 },
    { radius: NaN },
    { positions: [], tensions: [] },
  ]) {
    assert.equal(
      read(ropeBytes({ ...good, ...bad })),
      null,
      JSON.stringify(bad, (_, value) => String(value)),
    );
  }
});

/** The output of a decoder for these parts. */
function calls(parts) {
  const decoder = new RopeDecoder();
  const calls = [];
  const sink = {
    handleRope: ({ id, positions }) => calls.push([id, positions.length / 3]),
    handleRopeGone: (id) => calls.push([id, "gone"]),
  };
  for (const [serial, slices, removed = []] of parts) {
    decoder.handleRemoved(serial, removed, sink);
    decoder.handleSlices(serial, slices, sink);
  }
  return calls;
}
function slice(first, count, { rope: id = kRope, nodeCount = 4 } = {}) {
  const tensions = new Array(Math.min(count, nodeCount - 1 - first)).fill(0);
  return {
    rope: id,
    nodeCount,
    first,
    flags: 0,
    radius: 1,
    positions: new Array(3 * count).fill(0),
    tensions,
  };
}

test("a rope is whole when all slices of one snapshot are here, in any order", () => {
  assert.deepEqual(
    calls([
      [3, [slice(2, 2)]],
      [4, [slice(0, 2)]],
      [3, [slice(0, 2)]],
    ]),
    [[kRope, 4]],
  );
  assert.deepEqual(
    calls([
      [3, [slice(0, 3)]],
      [3, [slice(2, 2)]],
    ]),
    [],
    "they overlap",
  );
  assert.deepEqual(
    calls([
      [3, [slice(0, 2)]],
      [3, [slice(0, 2)]],
    ]),
    [],
  );
  assert.deepEqual(
    calls([3, 4, 5, 6, 7].map((serial) => [serial, [slice(0, 2)]]).concat([[3, [slice(2, 2)]]])),
    [],
    "given up",
  );
});

test("the greatest serial says whether a rope still is", () => {
  const whole = slice(0, 4);
  const next = slice(0, 4, { rope: kRope + (1n << 32n) });
  assert.deepEqual(
    calls([
      [3, [whole]],
      [5, [], [kRope]],
      [4, [whole]],
    ]),
    [
      [kRope, 4],
      [kRope, "gone"],
    ],
  );
  assert.deepEqual(
    calls([
      [5, [], [kRope]],
      [6, [whole]],
    ]),
    [[kRope, 4]],
  );
  assert.deepEqual(
    calls([
      [5, [whole]],
      [4, [], [kRope]],
    ]),
    [[kRope, 4]],
  );
  assert.deepEqual(
    calls([
      [3, [whole]],
      [4, [next]],
      [3, [whole]],
    ]),
    [
      [kRope, 4],
      [kRope, "gone"],
      [next.rope, 4],
    ],
  );
  assert.deepEqual(
    calls([
      [4, [whole]],
      [3, [whole]],
    ]),
    [
      [kRope, 4],
      [kRope, 4],
    ],
    "an older sample of a rope that is",
  );
});

test("more nodes than twice what an honest server tells are not kept", () => {
  const parts = Array.from({ length: 40 }, (_, i) => [
    1,
    [slice(0, 4096, { rope: kRope + BigInt(i), nodeCount: 4096 })],
  ]);
  assert.equal(calls(parts).length, 32);
});
