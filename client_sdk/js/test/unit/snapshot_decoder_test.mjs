// Parts of snapshots in any order: the newest record of a body wins, and impossible parts are refused whole.
import assert from "node:assert/strict";
import { test } from "node:test";

import { limits, readMessage } from "../../dist/protocol.js";
import { SnapshotDecoder } from "../../dist/snapshot_decoder.js";
import { Random } from "../support/random.mjs";
import { message, record } from "../support/server_messages.mjs";

function partOf(fields) {
  const read = readMessage(message("Snapshot", { part_count: 1, ...fields }), "reliable");
  assert.ok(read.ok, read.error);
  return read.message;
}
const idOf = (index, generation = 1) => (BigInt(generation) << 32n) | BigInt(index);

/** The world as told: index -> x of the newest record. */
class World {
  decoder = new SnapshotDecoder();
  bodies = new Map();
  handle(fields) {
    return this.decoder.handlePart(partOf(fields), {
      handleRecord: (generation, index, view, at, isNewest) =>
        isNewest && this.bodies.set(index, [generation, view.getInt32(at + 12, true)]),
      handleRemoval: (generation, index) => this.bodies.delete(index),
    });
  }
}

test("a part is applied, a second copy is a duplicate, and the last part completes", () => {
  const world = new World();
  assert.equal(
    world.handle({ serial: 1, tick: 5, part: 0, part_count: 2, bodies: [record(3, [7, 0, 0])] }),
    "applied",
  );
  assert.equal(
    world.handle({ serial: 1, tick: 5, part: 0, part_count: 2, bodies: [record(3, [8, 0, 0])] }),
    "duplicate",
  );
  assert.equal(world.handle({ serial: 1, tick: 5, part: 1, part_count: 2 }), "completed");
  assert.deepEqual(world.bodies.get(3), [1, 7]);
  assert.equal(world.decoder.bodyCount, 1);
});

test("for one body the greatest serial wins, whatever comes last", () => {
  const world = new World();
  world.handle({ serial: 5, tick: 50, bodies: [record(3, [5, 0, 0])] });
  world.handle({ serial: 4, tick: 40, bodies: [record(3, [4, 0, 0])] });
  assert.deepEqual(world.bodies.get(3), [1, 5]);
});

test("a removal stands against older records, and a new body may take the index", () => {
  const world = new World();
  world.handle({ serial: 1, tick: 10, bodies: [record(3, [1, 0, 0])] });
  world.handle({ serial: 3, tick: 30, removed: [idOf(3)] });
  world.handle({ serial: 2, tick: 20, bodies: [record(3, [2, 0, 0])] });
  assert.equal(world.bodies.has(3), false);
  world.handle({ serial: 4, tick: 40, bodies: [record(3, [9, 0, 0], { id: idOf(3, 2) })] });
  assert.deepEqual(world.bodies.get(3), [2, 9]);
});

test("parts that contradict each other, name impossible bodies or are too old are refused whole", () => {
  const world = new World();
  world.handle({ serial: 1, tick: 10, part: 0, part_count: 2 });
  assert.equal(
    world.handle({ serial: 1, tick: 11, part: 1, part_count: 2, bodies: [record(1, [1, 0, 0])] }),
    "inconsistent",
  );
  assert.equal(
    world.handle({ serial: 1, tick: 10, part: 1, part_count: 3, bodies: [record(1, [1, 0, 0])] }),
    "inconsistent",
  );
  assert.equal(
    world.handle({
      serial: 2,
      tick: 20,
      bodies: [record(1, [1, 0, 0]), record(limits.kBodyIndexMax, [1, 0, 0])],
    }),
    "index_range",
  );
  assert.equal(
    world.handle({ serial: 2, tick: 20, bodies: [record(1, [1, 0, 0], { id: 7n })] }),
    "index_range",
  );
  assert.equal(world.handle({ serial: 2, tick: 20, removed: [5n] }), "index_range");
  assert.equal(world.bodies.size, 0);
  world.handle({ serial: 1000, tick: 1000 });
  assert.equal(
    world.handle({ serial: 1000 - limits.kSnapshotAgeMax, tick: 3, bodies: [record(1, [1, 0, 0])] }),
    "stale",
  );
});

test("the greatest index a client takes works", () => {
  const world = new World();
  assert.equal(
    world.handle({ serial: 1, tick: 1, bodies: [record(limits.kBodyIndexMax - 1, [4, 0, 0])] }),
    "completed",
  );
  assert.deepEqual(world.bodies.get(limits.kBodyIndexMax - 1), [1, 4]);
});

test("any order of arrival gives the same world (seed 6)", () => {
  const random = new Random(6);
  const parts = [];
  for (let serial = 1; serial <= 60; ++serial) {
    const bodies = [];
    const removed = [];
    for (let index = 0; index < 12; ++index) {
      const draw = random.below(4);
      if (draw === 0) bodies.push(record(index, [serial, 0, 0]));
      if (draw === 1) removed.push(idOf(index));
    }
    parts.push({ serial, tick: serial, bodies, removed });
  }
  const straight = new World();
  for (const part of parts) straight.handle(part);
  for (let round = 0; round < 30; ++round) {
    const shuffled = new World();
    for (const part of [...parts].sort(() => random.next() - 0.5)) shuffled.handle(part);
    assert.deepEqual(
      [...shuffled.bodies].sort((a, b) => a[0] - b[0]),
      [...straight.bodies].sort((a, b) => a[0] - b[0]),
    );
    assert.equal(shuffled.decoder.bodyCount, straight.decoder.bodyCount);
  }
});
