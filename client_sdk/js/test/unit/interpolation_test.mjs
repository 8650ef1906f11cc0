// Interpolation between two poses: exact at the ends, exact far from the origin, unit rotations, even speed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { clampFraction, interpolateAxis, interpolateRotation } from "../../dist/interpolation.js";
import { Random } from "../support/random.mjs";

const kOne = 2 ** 32;
/** The two words of a Q31.32 number. */
const words = (fixed) => [Number(fixed >> 32n), Number(fixed & 0xffffffffn)];
const metres = (fixed) => Number(fixed >> 32n) + Number(fixed & 0xffffffffn) / kOne;

test("both ends come out exactly (seed 1)", () => {
  const random = new Random(1);
  for (let i = 0; i < 1000; ++i) {
    const from = BigInt(Math.floor(random.between(-(2 ** 62), 2 ** 62))) + BigInt(random.below(4096));
    const to = from + BigInt(Math.floor(random.between(-(2 ** 40), 2 ** 40)));
    assert.equal(interpolateAxis(...words(from), ...words(to), 0), metres(from));
    assert.equal(interpolateAxis(...words(from), ...words(to), 1), metres(to));
  }
});

test("between, it is the exact value to the precision of a double at that place (seed 2)", () => {
  const random = new Random(2);
  for (let i = 0; i < 1000; ++i) {
    const from = BigInt(Math.floor(random.between(-(2 ** 60), 2 ** 60)));
    const to = from + BigInt(Math.floor(random.between(-(2 ** 36), 2 ** 36))); // up to 16 m apart
    const fraction = random.below(2 ** 20) / 2 ** 20;
    const exact = from * 2n ** 20n + (to - from) * BigInt(fraction * 2 ** 20); // in 2^-52 m
    const expected = Number(exact >> 52n) + Number(exact & (2n ** 52n - 1n)) / 2 ** 52;
    const got = interpolateAxis(...words(from), ...words(to), fraction);
    assert.ok(Math.abs(got - expected) <= Math.abs(expected) * 2 ** -52 + 2 ** -40, `${got} ${expected}`);
  }
});

test("relative motion is the same at the origin and 1,000 km away", () => {
  const far = 1_000_000n << 32n;
  const from = 3n << 30n;
  const to = from + (5n << 31n);
  for (let i = 0; i <= 64; ++i) {
    const near = interpolateAxis(...words(from), ...words(to), i / 64);
    const away = interpolateAxis(...words(from + far), ...words(to + far), i / 64);
    assert.equal(away - 1_000_000, near);
  }
});

test("fractions outside [0, 1], and NaN, are clamped", () => {
  assert.deepEqual([-1, 0, 0.5, 1, 2, NaN].map(clampFraction), [0, 0, 0.5, 1, 1, 0]);
});

function turnY(angle) {
  return [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
}
function between(a, b, fraction) {
  const out = new Float32Array(4);
  interpolateRotation([...a, ...b], 0, 4, fraction, out);
  return out;
}
const angleOf = (q) => 2 * Math.atan2(q[1], q[3]);

test("rotations are unit, end where they should, and turn evenly", () => {
  for (const whole of [0.001, 0.3, 0.6, 0.64, 1, 2, 3]) {
    for (let i = 0; i <= 20; ++i) {
      const q = between(turnY(0.2), turnY(0.2 + whole), i / 20);
      assert.ok(Math.abs(Math.hypot(...q) - 1) < 1e-6);
      // nlerp is used up to 36 degrees of half angle apart: there its angle is within 0.2 % of slerp's... of
      // the whole.
      assert.ok(Math.abs(angleOf(q) - (0.2 + (whole * i) / 20)) <= 0.002 * whole + 1e-6, `${whole} ${i}`);
    }
  }
});

test("q and -q are one rotation: the shorter arc is taken", () => {
  const a = turnY(0.1);
  const b = turnY(0.5).map((component) => -component);
  assert.ok(Math.abs(angleOf(between(a, b, 0.5)) - 0.3) < 1e-3);
});

test("two unusable rotations give the identity", () =>
  assert.deepEqual([...between([0, 0, 0, 0], [0, 0, 0, 0], 0.5)], [0, 0, 0, 1]));
