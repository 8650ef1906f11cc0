// The sides of a height field's land: closed around the border, from the samples down, facing outwards.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sidesOfLand } from "../dist/land.js";

const kField = {
  kind: "height_field",
  rows: 3,
  columns: 4,
  spacingX: 2,
  spacingZ: 5,
  heights: new Float32Array([0, 1, 2, 3, -1, 4, 4, 0, 2, 2, 1, 0]),
  holes: new Uint8Array(0),
};

function trianglesOf({ positions, normals }) {
  const pointsOf = (numbers, at) => [0, 3, 6].map((i) => Array.from(numbers.subarray(at + i, at + i + 3)));
  const triangles = [];
  for (let at = 0; at < positions.length; at += 9) {
    triangles.push({ corners: pointsOf(positions, at), normals: pointsOf(normals, at) });
  }
  return triangles;
}

test("two triangles stand below each edge of the border, and each faces away from the field", () => {
  const triangles = trianglesOf(sidesOfLand(kField));
  assert.equal(triangles.length, 2 * (2 * 3 + 2 * 2));
  for (const { corners, normals } of triangles) {
    const [a, b, c] = corners;
    const [u, v] = [b, c].map((point) => point.map((value, axis) => value - a[axis]));
    const cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const dot = (x, y) => x.reduce((sum, value, axis) => sum + value * y[axis], 0);
    for (const normal of normals) {
      assert.ok(dot(cross, normal) > 0, "the triangle is wound as its normal says");
      assert.ok(dot(a, normal) > 0, "the normal leads away from the centre");
    }
  }
});

test("the upper edge has the samples of the border, the lower one is below every sample", () => {
  const { rows, columns, spacingX, spacingZ, heights } = kField;
  const border = new Set();
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      if (row % (rows - 1) !== 0 && column % (columns - 1) !== 0) continue;
      const at = [(column - 1.5) * spacingX, heights[row * columns + column], (row - 1) * spacingZ];
      border.add(at.join());
    }
  }
  const corners = trianglesOf(sidesOfLand(kField)).flatMap((triangle) => triangle.corners);
  const bottom = Math.min(...corners.map(([, y]) => y));
  assert.ok(bottom < Math.min(...heights));
  const upper = new Set(corners.filter(([, y]) => y !== bottom).map((corner) => corner.join()));
  assert.deepEqual([...upper].sort(), [...border].sort());
});
