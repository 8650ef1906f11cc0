// Conversion of arguments: vectors in both spellings, positions to Q31.32, and a typed error for refused
// values.
import assert from "node:assert/strict";
import { test } from "node:test";

import { TaktError, box, capsule, sphere } from "../../dist/index.js";
import { checked, fixed, position, quadruple, spawnCommand, triple } from "../../dist/command.js";

const kBody = 1n << 32n;

test("vectors are {x, y, z} or three numbers", () => {
  assert.deepEqual(triple("v", { x: 1, y: 2, z: 3 }), [1, 2, 3]);
  assert.deepEqual(triple("v", [1, 2, 3]), [1, 2, 3]);
  assert.deepEqual(triple("v", Float32Array.of(1, 2, 3)), [1, 2, 3]);
  assert.deepEqual(quadruple("q", { x: 0, y: 0, z: 0, w: 1 }), [0, 0, 0, 1]);
});

test("metres become the nearest Q31.32", () => {
  for (const [metres, expected] of [
    [0, 0n],
    [1, 1n << 32n],
    [-1, -(1n << 32n)],
    [0.5, 1n << 31n],
    [-0.5, -(1n << 31n)],
    [2 ** -32, 1n],
    [-(2 ** -33), 0n],
    [1e6 + 2 ** -20, (1000000n << 32n) + (1n << 12n)],
    [-2147483648, -(1n << 63n)],
  ]) {
    assert.equal(fixed("p", metres), expected, String(metres));
  }
  assert.equal(fixed("p", 1 - 2 ** -53), 1n << 32n); // rounds up into the next metre
});

for (const [why, call, code] of [
  ["a position outside the world", () => position("p", [2147483648, 0, 0]), "out-of-range"],
  ["a NaN position", () => position("p", [0, NaN, 0]), "not-finite"],
  ["a vector that is too short", () => triple("v", [1, 2]), "invalid-argument"],
  ["an infinite impulse", () => triple("v", [Infinity, 0, 0]), "not-finite"],
  [
    "a vector that overflows binary32",
    () => checked({ type: "Impulse", body: kBody, impulse: triple("v", [1e300, 0, 0]), pointLocal: null }),
    "out-of-range",
  ],
  [
    "a vector component over 1e9",
    () => checked({ type: "Impulse", body: kBody, impulse: [1.1e9, 0, 0], pointLocal: null }),
    "out-of-range",
  ],
  ["a null body", () => checked({ type: "Despawn", body: 0n }), "out-of-range"],
  [
    "a force for 0 ticks",
    () => checked({ type: "Force", body: kBody, force: [1, 0, 0], torque: [0, 0, 0], ticks: 0 }),
    "out-of-range",
  ],
  [
    "a force for half a tick",
    () => checked({ type: "Force", body: kBody, force: [1, 0, 0], torque: [0, 0, 0], ticks: 1.5 }),
    "out-of-range",
  ],
  [
    "a force for 3,601 ticks",
    () => checked({ type: "Force", body: kBody, force: [1, 0, 0], torque: [0, 0, 0], ticks: 3601 }),
    "out-of-range",
  ],
  [
    "a rotation that is no unit",
    () =>
      checked({
        type: "Teleport",
        body: kBody,
        position: [0n, 0n, 0n],
        rotation: [0, 0, 0, 2],
        linearVelocity: [0, 0, 0],
        angularVelocity: [0, 0, 0],
      }),
    "out-of-range",
  ],
  [
    "a sphere of radius 0",
    () => checked(spawnCommand({ shape: sphere(0), position: [0, 0, 0] })),
    "out-of-range",
  ],
  [
    "a box with a negative extent",
    () => checked(spawnCommand({ shape: box([1, -1, 1]), position: [0, 0, 0] })),
    "out-of-range",
  ],
  [
    "a negative half length",
    () => checked(spawnCommand({ shape: capsule(1, -1), position: [0, 0, 0] })),
    "out-of-range",
  ],
  [
    "restitution over 1",
    () => checked(spawnCommand({ shape: sphere(1), position: [0, 0, 0], restitution: 1.5 })),
    "out-of-range",
  ],
  [
    "density 0",
    () => checked(spawnCommand({ shape: sphere(1), position: [0, 0, 0], density: 0 })),
    "out-of-range",
  ],
  ["1,001 bytes", () => checked({ type: "Custom", bytes: new Uint8Array(1001) }), "out-of-range"],
]) {
  test(`${why} throws ${code}`, () =>
    assert.throws(call, (error) => error instanceof TaktError && error.code === code));
}

test("a spawn has the schema's defaults", () => {
  assert.deepEqual(checked(spawnCommand({ shape: sphere(0.5), position: [0, 1, 0] })), {
    type: "Spawn",
    shape: {
      kind: "sphere",
      dimensions: [0.5, 0, 0],
      localPosition: [0, 0, 0],
      localRotation: [0, 0, 0, 1],
      rounding: 0,
      geometry: 0n,
    },
    position: [0n, 1n << 32n, 0n],
    rotation: [0, 0, 0, 1],
    linearVelocity: [0, 0, 0],
    angularVelocity: [0, 0, 0],
    density: 1000,
    friction: Math.fround(0.6),
    restitution: 0,
    userKind: 0,
  });
});
