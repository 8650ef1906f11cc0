import assert from "node:assert/strict";
import { test } from "node:test";
import { castRay } from "../../dist/ray_cast.js";
import { rotateBack } from "../../dist/rotation.js";
import { body, randomFrom, randomRotation, shape } from "../support/drawn_bodies.mjs";

const ray = (origin, direction) => ({
  origin,
  direction: direction.map((value) => value / Math.hypot(...direction)),
});

test("each kind is hit where geometry says", () => {
  const down = (x, z) => ray([x, 10, z], [0, -1, 0]);
  assert.equal(castRay(down(0.2, 0), [body(1, [shape("cylinder", [0.5, 2, 0])])]).distance, 8);
  assert.equal(castRay(down(0.25, 0), [body(1, [shape("cone", [0.5, 1, 0])])]).distance, 10);
  assert.equal(castRay(down(0, 0), [body(1, [shape("sphere", [2, 0, 0])])]).distance, 8);
  assert.equal(castRay(down(0.5, 0), [body(1, [shape("box", [1, 3, 1])])]).distance, 7);
  assert.equal(castRay(down(0, 0), [body(1, [shape("capsule", [0.5, 1, 0])])]).distance, 8.5);
  assert.equal(
    castRay(ray([10, 0.9, 0], [-1, 0, 0]), [body(1, [shape("capsule", [0.5, 1, 0])])]).distance,
    9.5,
  ); // its side
  assert.equal(castRay(down(3, 4), [body(1, [shape("half_space", [0, 1, 0])])]).distance, 10);
  assert.equal(castRay(down(2.1, 0), [body(1, [shape("sphere", [2, 0, 0])])]), undefined);
  // Behind.
  assert.equal(castRay(ray([0, 10, 0], [0, 1, 0]), [body(1, [shape("sphere", [2, 0, 0])])]), undefined);
});

test("the nearest body wins, and a floor hides what is below it", () => {
  const floor = body(1, [shape("half_space", [0, 1, 0])]);
  const below = body(2, [shape("box", [1, 1, 1])], { position: [0, -5, 0] });
  const above = body(3, [shape("box", [1, 1, 1])], { position: [0, 1, 0] });
  assert.equal(castRay(ray([0, 9, 0], [0, -1, 0]), [floor, below]).body, floor);
  assert.equal(castRay(ray([0, 9, 0], [0, -1, 0]), [floor, below, above]).body, above);
});

// How far a point in the shape's frame is outside its surface, without any ray.
function outside(kind, [a, b, c], [x, y, z]) {
  if (kind === "sphere") return Math.hypot(x, y, z) - a;
  if (kind === "cylinder") return Math.max(Math.hypot(x, z) - a, Math.abs(y) - b);
  // Distance from the slanted line through (a, -b) and (0, b), and from the bottom.
  if (kind === "cone") {
    return Math.max(((Math.hypot(x, z) - a) * 2 * b + (y + b) * a) / Math.hypot(2 * b, a), -y - b);
  }
  if (kind === "capsule") return Math.hypot(x, y - Math.max(-b, Math.min(b, y)), z) - a;
  return Math.max(Math.abs(x) - a, Math.abs(y) - b, Math.abs(z) - c);
}

test("a hit lies on the surface and nothing of the shape is before it, also 1,000 km away (seed 11)", () => {
  const random = randomFrom(11);
  let hits = 0;
  for (let i = 0; i < 3000; ++i) {
    const kind = ["sphere", "capsule", "box", "cylinder", "cone"][i % 5];
    const size = [0.2 + random(), 0.2 + random(), 0.2 + random()];
    const local = shape(kind, size, [random() - 0.5, random() - 0.5, random() - 0.5], randomRotation(random));
    const far = i % 2 === 0 ? 0 : 1e6;
    const target = body(i + 1, [local], {
      position: [far + random(), far + random(), far],
      rotation: randomRotation(random),
    });
    const from = [0, 1, 2].map(() => far + 8 * (random() - 0.5));
    const aim = [0, 1, 2].map((axis) => target.position[axis] + 2 * (random() - 0.5) - from[axis]);
    const cast = ray(from, aim);
    const toShape = (point) => {
      const p = [0, 0, 0];
      rotateBack(target.rotation, ...point.map((value, axis) => value - target.position[axis]), p);
      rotateBack(local.localRotation, ...p.map((value, axis) => value - local.localPosition[axis]), p);
      return p;
    };
    if (outside(kind, size, toShape(from)) < 0.01) continue; // begins inside
    const hit = castRay(cast, [target]);
    const end = hit?.distance ?? 20;
    if (hit) {
      ++hits;
      // Rotations are binary32: a metre away they err by some 1e-7.
      assert.ok(
        Math.abs(outside(kind, size, toShape(hit.point))) < 1e-5,
        `${kind}: hit ${outside(kind, size, toShape(hit.point))} m off`,
      );
    }
    for (let step = 0; step < 50; ++step) {
      const at = (step / 50) * end;
      const point = cast.origin.map((value, axis) => value + cast.direction[axis] * at);
      assert.ok(outside(kind, size, toShape(point)) > -1e-5, `${kind}: inside at ${at} m of ${end}`);
    }
  }
  assert.ok(hits > 500, `only ${hits} rays hit`);
});
