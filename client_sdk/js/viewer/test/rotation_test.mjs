import assert from "node:assert/strict";
import { test } from "node:test";
import { fromUpTo, multiply, rotate, rotateBack, writeMatrix } from "../dist/rotation.js";
import { randomFrom, randomRotation } from "../../test/support/drawn_bodies.mjs";

const near = (a, b, tolerance = 1e-12) =>
  a.forEach((value, i) => assert.ok(Math.abs(value - b[i]) <= tolerance, `${a} is not ${b}`));

test("a quarter turn about y takes x to -z", () => {
  const out = [0, 0, 0];
  rotate([0, Math.SQRT1_2, 0, Math.SQRT1_2], 1, 0, 0, out);
  near(out, [0, 0, -1]);
});

test("rotating back undoes rotating, products rotate in turn, and the matrix says the same (seed 7)", () => {
  const random = randomFrom(7);
  for (let i = 0; i < 500; ++i) {
    const a = randomRotation(random),
      b = randomRotation(random),
      v = [random(), random(), random()];
    const turned = [0, 0, 0],
      back = [0, 0, 0],
      twice = [0, 0, 0],
      product = [0, 0, 0, 0],
      atOnce = [0, 0, 0];
    rotate(a, ...v, turned);
    rotateBack(a, ...turned, back);
    near(back, v);
    rotate(b, ...v, twice);
    rotate(a, ...twice, twice);
    multiply(a, b, product);
    rotate(product, ...v, atOnce);
    near(atOnce, twice);
    const m = new Float32Array(16);
    writeMatrix(m, 0, a, 5, 6, 7, 2, 3, 4);
    rotate(a, 2 * v[0], 3 * v[1], 4 * v[2], turned);
    const byMatrix = [0, 1, 2].map(
      (row) => m[row] * v[0] + m[4 + row] * v[1] + m[8 + row] * v[2] + m[12 + row],
    );
    near(byMatrix, [turned[0] + 5, turned[1] + 6, turned[2] + 7], 1e-5); // binary32
  }
});

test("fromUpTo turns +y into any direction, straight down included (seed 8)", () => {
  const random = randomFrom(8);
  const directions = [
    [0, -1, 0],
    [0, 1, 0],
    [1, 0, 0],
  ];
  for (let i = 0; i < 200; ++i) {
    const v = [2 * random() - 1, 2 * random() - 1, 2 * random() - 1],
      length = Math.hypot(...v);
    if (length > 0.1) directions.push(v.map((value) => value / length));
  }
  for (const direction of directions) {
    const q = [0, 0, 0, 1],
      up = [0, 0, 0];
    fromUpTo(...direction, q);
    rotate(q, 0, 1, 0, up);
    near(up, direction, 1e-9);
  }
});
