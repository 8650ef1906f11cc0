// Position and quality of the drawn scene: origin, camera, bounds, islands, colours, quality.
import assert from "node:assert/strict";
import { test } from "node:test";
import { colourOf } from "../dist/body_colour.js";
import { guessedMassKg } from "../dist/body_size.js";
import { Bounds, boundsOfBulk } from "../dist/bounds.js";
import { CameraRig } from "../dist/camera_rig.js";
import { FloatingOrigin } from "../dist/floating_origin.js";
import { Islands } from "../dist/islands.js";
import { kQualityLevels, Quality } from "../dist/quality.js";
import { meetFacingPlane, viewRay } from "../dist/view_ray.js";
import { multiply, rotate, rotateBack } from "../dist/rotation.js";
import { body, randomFrom, randomRotation, shape } from "../../test/support/drawn_bodies.mjs";

test("a scene 1,000 km away is drawn to a tenth of a millimetre", () => {
  const origin = new FloatingOrigin();
  assert.ok(origin.follow(1e6, 3, -1e6));
  const random = randomFrom(5);
  for (let i = 0; i < 1000; ++i) {
    const world = 1e6 + 100 * random();
    assert.ok(Math.abs(Math.fround(world - origin.x) - (world - origin.x)) < 1e-4);
  }
  assert.equal(origin.follow(1e6 + 500, 3, -1e6), false, "a short way leaves it in place");
});

test("a ray through a projected point passes through it and meets the facing plane there", () => {
  const rig = new CameraRig(),
    origin = new FloatingOrigin();
  rig.camera.aspect = 1.5;
  rig.jumpTo([1e6 + 9, 7, 8], [1e6, 1, 0]);
  rig.update(1, 10);
  origin.follow(...rig.target);
  rig.setCamera(origin);
  const world = [1e6 + 1, 2, -0.5];
  const screen = rig.camera.position
    .clone()
    .set(world[0] - origin.x, world[1] - origin.y, world[2] - origin.z)
    .project(rig.camera);
  const met = meetFacingPlane(rig, viewRay(rig, screen.x, screen.y), world);
  met.forEach((value, axis) => assert.ok(Math.abs(value - world[axis]) < 1e-6, `${met} is not ${world}`));
});

test("turning while flying moves the target and not the eye; orbiting the other way round", () => {
  const rig = new CameraRig();
  const settle = () => {
    for (let i = 0; i < 100; ++i) rig.update(0.1, 10);
    return [[...rig.eye], [...rig.target]];
  };
  rig.jumpTo([0, 5, 10], [0, 0, 0]);
  const [eye, target] = settle();
  const isNear = (a, b) => Math.hypot(...a.map((value, axis) => value - b[axis])) < 1e-6;
  rig.rotate(0.5, 0.2);
  const [eyeTurned, targetKept] = settle();
  assert.ok(isNear(targetKept, target) && !isNear(eyeTurned, eye));
  rig.isFlying = true;
  rig.rotate(0.5, 0.2);
  const [eyeKept, targetTurned] = settle();
  assert.ok(isNear(eyeKept, eyeTurned) && !isNear(targetTurned, target));
});

test("one ball that rolled away does not decide what is shown", () => {
  const pile = Array.from({ length: 20 }, (_, i) =>
    body(i + 1, [shape("box", [0.5, 0.5, 0.5])], { position: [i % 5, 0, i / 5] }),
  );
  const floor = body(100, [shape("half_space", [0, 1, 0])]);
  const stray = body(101, [shape("sphere", [0.5, 0, 0])], { position: [5000, 0, 0] });
  const bounds = boundsOfBulk([floor, ...pile, stray]);
  assert.ok(bounds.high[0] < 6 && bounds.low[0] > -2, `${bounds.low} to ${bounds.high}`);
  assert.ok(boundsOfBulk([floor]).isEmpty);
});

test("a shape's box holds every point of it and touches it on each side (seed 21)", () => {
  const random = randomFrom(21);
  for (let i = 0; i < 300; ++i) {
    const kind = ["sphere", "capsule", "box", "cylinder"][i % 4],
      size = [0.2 + random(), 0.2 + random(), 0.2 + random()];
    const local = shape(kind, size, [random(), random(), random()], randomRotation(random));
    const target = body(1, [local], {
      position: [random(), 1e5, random()],
      rotation: randomRotation(random),
    });
    const bounds = new Bounds();
    bounds.addShape(target, local);
    // Farthest points of the shape along each axis, by the support function of its kind.
    const turned = [0, 0, 0, 1],
      along = [0, 0, 0],
      offset = [0, 0, 0];
    multiply(target.rotation, local.localRotation, turned);
    rotate(target.rotation, ...local.localPosition, offset);
    for (let axis = 0; axis < 3; ++axis) {
      rotateBack(turned, axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0, along);
      const reach =
        kind === "sphere"
          ? size[0]
          : kind === "capsule"
            ? size[0] + size[1] * Math.abs(along[1])
            : kind === "cylinder"
              ? size[1] * Math.abs(along[1]) + size[0] * Math.hypot(along[0], along[2])
              : along.reduce((sum, value, edge) => sum + size[edge] * Math.abs(value), 0);
      assert.ok(Math.abs(bounds.high[axis] - target.position[axis] - offset[axis] - reach) < 1e-6);
      assert.ok(Math.abs(bounds.low[axis] - target.position[axis] - offset[axis] + reach) < 1e-6);
    }
  }
});

test("islands: dynamic bodies that touch hang together, the floor joins nobody", () => {
  const box = [shape("box", [1, 1, 1])];
  const bodies = [body(1, box, { motion: "static" }), ...[2, 3, 4, 5, 6].map((index) => body(index, box))];
  const touch = (a, b) => ({ bodyA: bodies[a - 1].id, bodyB: bodies[b - 1].id });
  const islands = new Islands();
  islands.update(7, [touch(1, 2), touch(1, 4), touch(3, 2), touch(4, 5)], bodies);
  assert.deepEqual(
    bodies.map((each) => islands.islandOf(each)),
    [undefined, 2, 2, 4, 4, undefined],
  );
  islands.update(7, [], bodies);
  assert.equal(islands.islandOf(bodies[1]), 2, "a tick is looked at once");
  islands.update(8, [], bodies);
  assert.equal(islands.islandOf(bodies[1]), undefined);
});

test("colours are stable, in range, and neighbours differ", () => {
  for (let number = 0; number < 500; ++number) {
    const one = colourOf(number),
      next = colourOf(number + 1);
    for (const channel of ["r", "g", "b"]) assert.ok(one[channel] >= 0 && one[channel] <= 1);
    assert.deepEqual(one, colourOf(number));
    assert.ok(
      Math.hypot(one.r - next.r, one.g - next.g, one.b - next.b) > 0.1,
      `colours of ${number} and ${number + 1}`,
    );
  }
});

test("a cubic metre weighs a ton", () =>
  assert.equal(guessedMassKg(body(1, [shape("box", [0.5, 0.5, 0.5])])), 1000));

test("quality falls while frames are slow, rises when they are quick, and does not swing", () => {
  const quality = new Quality("hardware", false);
  const start = quality.levelIndex;
  const run = (seconds, frameMs) => {
    let changes = 0;
    for (let ms = 0; ms < 1000 * seconds; ms += frameMs(quality.levelIndex)) {
      if (quality.handleFrame(frameMs(quality.levelIndex))) ++changes;
    }
    return changes;
  };
  run(20, () => 120);
  assert.equal(quality.levelIndex, 0);
  run(300, () => 8);
  assert.equal(quality.levelIndex, kQualityLevels.length - 1);
  // A machine that is quick at the starting level and too slow one above it: tried now and then, ever less
  // often.
  const changes = run(600, (level) => (level > start ? 60 : 12));
  assert.ok(changes < 20, `${changes} changes in ten minutes`);
  const pinned = new Quality("software", true);
  for (let i = 0; i < 500; ++i) assert.equal(pinned.handleFrame(500), false);
  assert.equal(pinned.levelIndex, kQualityLevels.length - 1);
});
