// Ropes from slices to what is shown: whole ones only, between two ticks, until a set of all ropes leaves them out.
import assert from "node:assert/strict";
import { test } from "node:test";

import { RopeShelf } from "../../dist/rope.js";

const kRope = (1n << 32n) | 5n;

/** A slice of nodes on the x axis, `y` up, from an origin. */
function slice(first, count, { rope = kRope, nodeCount = 4, y = 0, origin = [100, 0, 0], tension = 8 } = {}) {
  const nodes = Float32Array.from({ length: 4 * count }, (_, i) => [first + Math.floor(i / 4), y, 0, tension][i % 4]);
  return { rope, origin, nodeCount, first, isAsleep: false, radius: 0.5, nodes };
}
function part(tick, slices, more = {}) {
  return { type: "Ropes", tick, total: 1, part: 0, partCount: 1, whole: false, epoch: 1, slices, ...more };
}

test("a rope is shown once all its nodes are here, at its tick and not before", () => {
  const shelf = new RopeShelf();
  shelf.handle_part(part(10, [slice(0, 3)]));
  assert.deepEqual(shelf.show_at(20), []);
  shelf.handle_part(part(10, [slice(3, 1)]));
  assert.deepEqual(shelf.show_at(9.5), []);
  const [rope] = shelf.show_at(10);
  assert.equal(rope.id, kRope);
  assert.equal(rope.radius, 0.5);
  assert.deepEqual([...rope.positions], [100, 0, 0, 101, 0, 0, 102, 0, 0, 103, 0, 0]);
  assert.deepEqual([...rope.tensions], [8, 8, 8]);
});

test("a slice that comes twice fills no gap", () => {
  const shelf = new RopeShelf();
  for (let i = 0; i < 2; ++i) shelf.handle_part(part(10, [slice(0, 2)]));
  assert.deepEqual(shelf.show_at(10), []);
});

test("between two ticks it lies between them, wherever their origins are; after the newest it goes on for a moment, then stays", () => {
  const shelf = new RopeShelf();
  shelf.handle_part(part(10, [slice(0, 4)]));
  shelf.handle_part(part(20, [slice(0, 4, { y: 2, origin: [100, 2, 0], tension: 16 })]));
  const at = (tick) => {
    const [rope] = shelf.show_at(tick);
    return [rope.positions[1], rope.tensions[0]];
  };
  assert.deepEqual(at(10), [0, 8]);
  assert.deepEqual(at(12.5), [1, 10]);
  assert.deepEqual(at(20), [4, 16]);
  assert.deepEqual(at(22.5), [5, 18]);
  assert.deepEqual(at(26), at(90)); // six ticks at most
  assert.ok(Math.abs(at(90)[0] - 6.4) < 1e-6);
});

test("parts that overtook one another are put in order", () => {
  const shelf = new RopeShelf();
  shelf.handle_part(part(20, [slice(0, 4, { y: 2 })]));
  shelf.handle_part(part(10, [slice(0, 4)]));
  assert.equal(shelf.show_at(15)[0].positions[1], 1);
});

test("a cut rope has other nodes from its tick on, and its other half is a rope of its own", () => {
  const shelf = new RopeShelf();
  const half = kRope + 1n;
  shelf.handle_part(part(10, [slice(0, 4)]));
  shelf.handle_part(part(20, [slice(0, 2, { nodeCount: 2 }), slice(0, 2, { rope: half, nodeCount: 2 })]));
  assert.deepEqual(shelf.show_at(19).map(({ positions }) => positions.length), [12]);
  assert.deepEqual(shelf.show_at(20).map(({ id, positions, tensions }) => [id, positions.length, tensions.length]), [[kRope, 6, 1], [half, 6, 1]]);
});

test("what a whole set leaves out is gone at its tick, once all parts of the set are here", () => {
  const shelf = new RopeShelf();
  const other = kRope + 1n;
  shelf.handle_part(part(10, [slice(0, 4), slice(0, 4, { rope: other })]));
  const set = { whole: true, partCount: 2 };
  shelf.handle_part(part(20, [slice(0, 4)], set));
  assert.equal(shelf.show_at(15).length, 2);
  shelf.handle_part(part(20, [], { ...set, part: 1 }));
  assert.equal(shelf.show_at(19).length, 2);
  assert.deepEqual(shelf.show_at(20).map(({ id }) => id), [kRope]);
});

test("a rope that is newer than the set stays, and a set that was overtaken takes nothing away", () => {
  const shelf = new RopeShelf();
  shelf.handle_part(part(30, [slice(0, 4)]));
  shelf.handle_part(part(20, [], { whole: true }));
  assert.equal(shelf.show_at(30).length, 1);
  shelf.handle_part(part(40, [slice(0, 4)], { whole: true }));
  shelf.handle_part(part(35, [], { whole: true }));
  assert.equal(shelf.show_at(50).length, 1);
});

test("memory is bounded: ticks of one rope, and ropes", () => {
  const shelf = new RopeShelf();
  for (let tick = 1; tick <= 1000; ++tick) shelf.handle_part(part(tick, [slice(0, 4)]));
  assert.deepEqual(shelf.show_at(900), []); // the newest 64 are kept
  assert.equal(shelf.show_at(1000).length, 1);
  for (let i = 0; i < 5000; ++i) shelf.handle_part(part(1000, [slice(0, 4, { rope: (1n << 32n) + BigInt(i) })]));
  assert.equal(shelf.show_at(1000).length, 4096);
  shelf.clear();
  assert.deepEqual(shelf.show_at(1000), []);
});
