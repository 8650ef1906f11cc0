// Cords: distance joints drawn between displayed bodies, from joint frames of the same tick.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Cords } from "../dist/cords.js";
import { rotate } from "../dist/rotation.js";
import { body, randomFrom, randomRotation } from "../../test/support/drawn_bodies.mjs";

const kDistance = 6;

function joint(bodyA, anchorA, bodyB, anchorB, change = {}) {
  return { kind: kDistance, id: 9n, bodyA, bodyB, anchorA, anchorB, isOff: false, isTorn: false, ...change };
}

/** The world position of a point of a body. */
function pointOf({ position, rotation }, local) {
  const arm = [0, 0, 0];
  rotate(rotation, ...local, arm);
  return arm.map((value, axis) => position[axis] + value);
}

function assertNear(actual, expected) {
  const isNear = expected.every((value, i) => Math.abs(actual[i] - value) < 1e-5);
  assert.ok(isNear, `${actual} is not ${expected}`);
}

test("a cord follows its two bodies wherever they go", () => {
  const random = randomFrom(11);
  for (let trial = 0; trial < 100; ++trial) {
    const a = body(1, [], { position: [random(), 3, random()], rotation: randomRotation(random) }),
      b = body(2, [], { position: [random(), 1, random()], rotation: randomRotation(random) });
    const localA = [random(), random(), random()],
      localB = [random(), -random(), random()];
    const cords = new Cords();
    const frames = {
      tick: 50,
      total: 1,
      items: [joint(a.id, pointOf(a, localA), b.id, pointOf(b, localB))],
    };
    cords.update(0, frames, 50, [a, b]);
    b.position.set([5 * random(), 2, 5 * random()]);
    b.rotation.set(randomRotation(random));
    const [rope] = cords.ropes([a, b]);
    assertNear(rope.positions, [...pointOf(a, localA), ...pointOf(b, localB)]);
  }
});

test("a cord to the world keeps its end, and goes with its body and its joint", () => {
  const ball = body(1, [], { position: [0, 1, 0] });
  const cords = new Cords();
  cords.update(0, { tick: 3, total: 1, items: [joint(ball.id, [0, 1, 0], 0n, [0, 4, 0])] }, 3, [ball]);
  ball.position.set([1, 1, 0]);
  assertNear(cords.ropes([ball])[0].positions, [1, 1, 0, 0, 4, 0]);
  assert.equal(cords.ropes([]).length, 0);
  cords.remove(9n);
  assert.equal(cords.ropes([ball]).length, 0);
});

test("joints of other kinds, off or torn are no cords, and a world without cords asks once", () => {
  const ball = body(1, []);
  const cords = new Cords();
  assert.equal(cords.wantsJoints, true);
  const items = [{ kind: 2 }, { kind: 0 }, { isOff: true }, { isTorn: true }].map((change) =>
    joint(ball.id, [0, 0, 0], 0n, [0, 4, 0], change),
  );
  cords.update(0, { tick: 3, total: 4, items }, 3, [ball]);
  assert.equal(cords.ropes([ball]).length, 0);
  cords.update(1e6, null, 4, [ball]);
  assert.equal(cords.wantsJoints, false);
});

test("frames of another tick than the bodies' newest are not read, nor the same frames twice", () => {
  const ball = body(1, []);
  const cords = new Cords();
  const frames = { tick: 8, total: 1, items: [joint(ball.id, [0, 0, 0], 0n, [0, 4, 0])] };
  cords.update(0, frames, 7, [ball]);
  assert.equal(cords.wantsJoints, true);
  cords.update(16, frames, 8, [ball]);
  assert.equal(cords.wantsJoints, false);
  cords.update(6000, frames, 8, [ball]);
  assert.equal(cords.wantsJoints, true, "players make joints, so it asks again");
  cords.update(6016, frames, 8, [ball]);
  assert.equal(cords.wantsJoints, true, "the old frames are no answer");
  cords.update(6032, { tick: 9, total: 0, items: [] }, 9, [ball]);
  assert.equal(cords.ropes([ball]).length, 0);
});
