// Drawn triangles of hulls, meshes and height fields: closed solids, outward normals, open holes, and the
// same hits for rays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { castRay } from "../../dist/ray_cast.js";
import { surfaceTriangles } from "../../dist/surface_triangles.js";
import { body, randomFrom, shape } from "../support/drawn_bodies.mjs";

/** A box as the server sends one. */
function boxHull(x, y, z) {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 4 ? x : -x, i & 2 ? y : -y, i & 1 ? z : -z]);
  const faces = [
    [0, 1, 3, 2],
    [4, 6, 7, 5],
    [0, 4, 5, 1],
    [2, 3, 7, 6],
    [0, 2, 6, 4],
    [1, 5, 7, 3],
  ];
  return {
    kind: "hull",
    vertices: Float32Array.from(corners.flat()),
    faceSizes: Uint8Array.from(faces, (face) => face.length),
    indices: Uint8Array.from(faces.flat()),
  };
}
function tetrahedron() {
  return {
    kind: "hull",
    vertices: Float32Array.from([-0.5, -0.5, -0.5, 0.5, -0.5, -0.5, -0.5, 0.5, -0.5, -0.5, -0.5, 0.5]),
    faceSizes: Uint8Array.from([3, 3, 3, 3]),
    indices: Uint8Array.from([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]),
  };
}
const field = (rows, columns, heights, holes = []) => ({
  kind: "height_field",
  rows,
  columns,
  spacingX: 2,
  spacingZ: 1,
  heights: Float32Array.from(heights),
  holes: Uint8Array.from(holes),
});

function* triangles({ positions: p, normals: n }) {
  for (let i = 0; i < p.length; i += 9) {
    const corner = (k, from) => [from[i + 3 * k], from[i + 3 * k + 1], from[i + 3 * k + 2]];
    yield { corners: [0, 1, 2].map((k) => corner(k, p)), normals: [0, 1, 2].map((k) => corner(k, n)) };
  }
}
const minus = (a, b) => a.map((value, axis) => value - b[axis]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const areaOf = ([a, b, c]) => cross(minus(b, a), minus(c, a)).map((value) => value / 2);

/**
 * Volume inside, by the divergence theorem; right only for a closed surface that is turned outwards
 * everywhere.
 */
function volumeOf(surface) {
  let volume = 0;
  for (const {
    corners: [a, b, c],
  } of triangles(surface)) {
    volume += dot(a, cross(b, c)) / 6;
  }
  return volume;
}

test("hulls are flat on every face, turned outwards and closed", () => {
  for (const [hull, volume] of [
    [boxHull(1, 2, 3), 48],
    [tetrahedron(), 1 / 6],
  ]) {
    const surface = surfaceTriangles(hull);
    assert.ok(Math.abs(volumeOf(surface) - volume) < 1e-6, `${volumeOf(surface)}`);
    const sum = [0, 0, 0];
    for (const { corners, normals } of triangles(surface)) {
      const area = areaOf(corners);
      area.forEach((value, axis) => (sum[axis] += value));
      const length = Math.hypot(...area);
      for (const normal of normals) assert.ok(Math.abs(dot(normal, area) / length - 1) < 1e-6);
    }
    assert.ok(Math.hypot(...sum) < 1e-6, "the areas of a closed surface add up to nothing");
    assert.equal(surfaceTriangles(hull), surface, "made once");
  }
});

test("a rounding is drawn at its distance, without gaps", () => {
  const radius = 0.25;
  for (const hull of [boxHull(0.5, 0.5, 0.5), tetrahedron()]) {
    const surface = surfaceTriangles(hull, radius);
    const core = [...triangles(surfaceTriangles(hull))];
    for (const { corners, normals } of triangles(surface)) {
      corners.forEach((corner, i) => {
        const back = corner.map((value, axis) => value - radius * normals[i][axis]);
        assert.ok(
          core.some(
            ({ corners: [a, b, c], normals: [n] }) =>
              Math.abs(dot(minus(back, a), n)) < 1e-5 && isInside(back, [a, b, c], n),
          ),
          "on the core, out along its normal",
        );
      });
      assert.ok(normals.reduce((sum, normal) => sum + dot(areaOf(corners), normal), 0) >= -1e-9);
    }
  }
  // A box with round edges: its volume is that of boxes, quarter cylinders and a ball, less what the facets
  // cut off.
  const exact = 1 + 6 * radius + 12 * (Math.PI / 4) * radius ** 2 + (4 / 3) * Math.PI * radius ** 3;
  const drawn = volumeOf(surfaceTriangles(boxHull(0.5, 0.5, 0.5), radius));
  assert.ok(drawn < exact && drawn > 0.985 * exact, `${drawn} of ${exact}`);
});
function isInside(point, [a, b, c], n) {
  return [
    [a, b],
    [b, c],
    [c, a],
  ].every(([p, q]) => dot(cross(minus(q, p), minus(point, p)), n) > -1e-5);
}

test("a height field stands where its samples are, looks up, and is open at its holes", () => {
  const surface = surfaceTriangles(field(3, 2, [0, 1, 2, 3, 4, 5], [0, 1]));
  const all = [...triangles(surface)];
  assert.equal(all.length, 2);
  for (const { corners, normals } of all) {
    assert.ok(areaOf(corners)[1] > 0 && normals.every((normal) => normal[1] > 0));
    for (const [x, , z] of corners) assert.ok(Math.abs(x) === 1 && (z === -1 || z === 0));
  }
  assert.deepEqual(all[0].corners[0], [-1, 0, -1], "the first sample: least x and z");
  assert.equal(all.flatMap(({ corners }) => corners).find(([x, , z]) => x === 1 && z === 0)[1], 3);
});

test("a mesh is smooth where it bends a little and has creases where it bends more", () => {
  const bent = (height) => ({
    kind: "mesh",
    oneSided: false,
    vertices: Float32Array.from([-1, 0, -1, -1, 0, 1, 0, height, -1, 0, height, 1, 1, 0, -1, 1, 0, 1]),
    indices: Uint32Array.from([0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4]),
  });
  const ridge = (surface) =>
    [...triangles(surface)].flatMap(({ corners, normals }) => normals.filter((_, i) => corners[i][0] === 0));
  assert.ok(
    ridge(surfaceTriangles(bent(0.1))).every(([x, y]) => Math.abs(x) < 0.05 && y > 0.99),
    "one way on both sides",
  );
  assert.ok(
    ridge(surfaceTriangles(bent(1))).every(([x, y]) => Math.abs(Math.abs(x) - y) < 1e-6),
    "each side its own",
  );
});

test("rays meet what is drawn: not the box around it, not what a hole leaves open (seed 4)", () => {
  const geometries = new Map([
    [1n, tetrahedron()],
    [2n, field(3, 3, [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1])],
  ]);
  const geometryOf = (digest) => geometries.get(digest);
  const stone = body(1, [{ ...shape("hull", [0.5, 0.5, 0.5]), rounding: 0, geometry: 1n }], {
    position: [10, 0, 0],
  });
  const ground = body(2, [{ ...shape("height_field", [2, 0, 1]), rounding: 0, geometry: 2n }], {
    position: [0, -3, 0],
    motion: "static",
  });
  const random = randomFrom(4);
  for (let i = 0; i < 500; ++i) {
    const x = random() - 0.5,
      z = random() - 0.5;
    const hit = castRay({ origin: [10 + x, 5, z], direction: [0, -1, 0] }, [stone], geometryOf);
    // The slanted face is x + y + z = -1/2.
    if (x + z > 1e-6) assert.equal(hit, undefined, "past the slope, inside the box");
    else if (x + z < -1e-6) {
      assert.ok(Math.abs(hit.distance - (5 - (-0.5 - x - z))) < 1e-5, `${hit.distance}`);
    }
  }
  const down = (x, z) => castRay({ origin: [x, 2, z], direction: [0, -1, 0] }, [ground], geometryOf);
  assert.equal(down(-1, -0.5).distance, 5);
  assert.equal(down(1, 0.5), undefined, "through the hole");
  assert.equal(
    castRay(
      { origin: [1, 2, 0.5], direction: [0, -1, 0] },
      [body(3, [{ ...shape("hull", [1, 1, 1]), rounding: 0, geometry: 9n }])],
      geometryOf,
    ).distance,
    1,
    "what was not sent is its box",
  );
});
