// Rays through points of a view: matrices of every usual kind, and picking with them.
import assert from "node:assert/strict";
import { test } from "node:test";

import { TaktError, viewRay } from "../../dist/index.js";
import { FakeNetwork, idOf, joined, kBall } from "../support/fake_network.mjs";
import { Random } from "../support/random.mjs";
import { record } from "../support/server_messages.mjs";

/** Column-major product of two matrices. */
function product(a, b) {
  return Array.from({ length: 16 }, (_, i) =>
    [0, 1, 2, 3].reduce((sum, k) => sum + a[(i % 4) + 4 * k] * b[k + 4 * Math.floor(i / 4)], 0),
  );
}
/** Projections by their depth range: [-1, 1], [0, 1], reversed and infinite. */
const kProjections = {
  webgl: (f, aspect, near, far) => {
    const depth = near - far;
    return [
      f / aspect,
      0,
      0,
      0,
      0,
      f,
      0,
      0,
      0,
      0,
      (far + near) / depth,
      -1,
      0,
      0,
      (2 * far * near) / depth,
      0,
    ];
  },
  webgpu: (f, aspect, near, far) => {
    const depth = near - far;
    return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, far / depth, -1, 0, 0, (far * near) / depth, 0];
  },
  reversed: (f, aspect, near, far) => {
    const depth = far - near;
    return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, near / depth, -1, 0, 0, (far * near) / depth, 0];
  },
  reversedInfinite: (f, aspect, near) => [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, 0, -1, 0, 0, near, 0],
};
/** View matrix of an eye that looks along `forward`. */
function viewOf(eye, forward) {
  const length = Math.hypot(...forward);
  const back = forward.map((value) => -value / length);
  const level = Math.hypot(back[0], back[2]);
  const right = [back[2] / level, 0, -back[0] / level];
  const up = [
    back[1] * right[2] - back[2] * right[1],
    back[2] * right[0] - back[0] * right[2],
    back[0] * right[1] - back[1] * right[0],
  ];
  const shift = (axis) => -(axis[0] * eye[0] + axis[1] * eye[1] + axis[2] * eye[2]);
  const matrix = [];
  for (let i = 0; i < 3; ++i) matrix.push(right[i], up[i], back[i], 0);
  return { matrix: [...matrix, shift(right), shift(up), shift(back), 1], right, up, back };
}

for (const [name, projection] of Object.entries(kProjections)) {
  test(`a ${name} matrix gives the ray from the eye through the point (seed 3)`, () => {
    const random = new Random(3);
    for (let i = 0; i < 300; ++i) {
      const eye = [0, 1, 2].map(() => random.between(-50, 50));
      const forward = [random.between(-1, 1), random.between(-0.9, 0.9), random.between(0.1, 1)];
      const f = random.between(0.5, 3);
      const aspect = random.between(0.4, 2.5);
      const { matrix, right, up, back } = viewOf(eye, forward);
      const [x, y] = [random.between(-1, 1), random.between(-1, 1)];
      const { origin, direction } = viewRay(product(projection(f, aspect, 0.1, 1000), matrix), x, y);
      const expected = [0, 1, 2].map(
        (axis) => right[axis] * x * (aspect / f) + up[axis] * (y / f) - back[axis],
      );
      const length = Math.hypot(...expected);
      for (let axis = 0; axis < 3; ++axis) {
        assert.ok(Math.abs(origin[axis] - eye[axis]) < 1e-6, `${origin} is not ${eye}`);
        assert.ok(Math.abs(direction[axis] - expected[axis] / length) < 1e-6, `${direction} ${expected}`);
      }
    }
  });
}

test("an orthographic matrix gives parallel rays from the near plane", () => {
  const [width, height, near, far] = [10, 5, 1, 101];
  const projection = [1 / width, 0, 0, 0, 0, 1 / height, 0, 0, 0, 0, -2 / (far - near), 0];
  projection.push(0, 0, -(far + near) / (far - near), 1);
  const { origin, direction } = viewRay(Float32Array.from(projection), 0.5, -1);
  const near4 = (value, wanted) => assert.ok(Math.abs(value - wanted) < 1e-4, `${value} is not ${wanted}`);
  [5, -5, -1].forEach((wanted, axis) => near4(origin[axis], wanted));
  [0, 0, -1].forEach((wanted, axis) => near4(direction[axis], wanted));
});

test("a wrong argument is a TaktError that names the field", () => {
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  for (const [args, code, field] of [
    [[], "invalid-argument", "viewProjection"],
    [[identity.slice(1), 0, 0], "invalid-argument", "viewProjection"],
    [[identity.with?.(3, NaN) ?? [NaN, ...identity.slice(1)], 0, 0], "not-finite", "viewProjection["],
    [[new Array(16).fill(0), 0, 0], "out-of-range", "viewProjection"],
    [[identity, "0", 0], "invalid-argument", "x"],
    [[identity, 0], "invalid-argument", "y"],
  ]) {
    assert.throws(
      () => viewRay(...args),
      (error) => error instanceof TaktError && error.code === code && error.message.includes(field),
      `${args.length} arguments`,
    );
  }
});

test("pick() finds the nearest displayed body and the point in its frame", () => {
  const network = new FakeNetwork();
  const { client, server } = joined(network);
  const bodies = [1, 2].map((index) => ({ id: idOf(index), shapes: [kBall] }));
  server.deliver(["BodiesAdded", { tick: 100, bodies }]);
  let serial = 0;
  network.pass(client, 500, () => {
    const tick = 100 + ++serial;
    server.deliver([
      "Snapshot",
      { serial, tick, part_count: 1, bodies: [record(1, [0, 0, -5]), record(2, [0, 0, -9])] },
    ]);
  });
  assert.equal(client.bodies().length, 2);
  const hit = client.pick({ origin: [0, 0, 0], direction: [0, 0, -3] });
  assert.equal(hit.body.id, idOf(1));
  assert.equal(hit.shape, 0);
  assert.ok(Math.abs(hit.distance - 4.5) < 1e-9);
  assert.deepEqual(hit.pointLocal, [0, 0, 0.5]);
  assert.equal(client.pick({ origin: { x: 0, y: 2, z: 0 }, direction: [0, 0, -1] }), undefined);
  const matrix = product(kProjections.webgl(1, 1, 0.1, 100), viewOf([0, 0, 0], [0, 0, -1]).matrix);
  assert.equal(client.pick(viewRay(matrix, 0, 0)).body.id, idOf(1));
  assert.equal(client.pick(viewRay(matrix, 0.5, 0)), undefined);
});

test("pick() of a wrong ray is a TaktError that names the field", () => {
  const { client } = joined();
  for (const [ray, field] of [
    [undefined, "pick(): ray"],
    [{ origin: [0, 0, 0] }, "ray.direction"],
    [{ origin: [0, 0, 0], direction: [0, 0, 0] }, "ray.direction"],
    [{ origin: 5, direction: [0, 0, 1] }, "ray.origin"],
    [{ from: [0, 0, 0], direction: [0, 0, 1] }, "ray.from"],
  ]) {
    assert.throws(
      () => client.pick(ray),
      (error) => error instanceof TaktError && error.message.includes(field),
      field,
    );
  }
});
