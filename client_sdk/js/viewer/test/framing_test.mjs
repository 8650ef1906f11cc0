// Framing: the view that shows boxes as large as possible in the free part of a picture; the content of a
// view; the floor, below which no camera goes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CameraGuide } from "../dist/camera_guide.js";
import { CameraRig } from "../dist/camera_rig.js";
import { Bounds } from "../dist/bounds.js";
import { contentOf, framingOf, subjectOfAll, subjectOfBulk, subjectOfCamera } from "../dist/content.js";
import { Floor } from "../dist/floor.js";
import { FloatingOrigin } from "../dist/floating_origin.js";
import { Framing, freeRegion, kWholeRegion } from "../dist/framing.js";
import { Swings } from "../dist/swings.js";
import { largestView } from "../dist/tall_view.js";
import { body, randomFrom, shape } from "../../test/support/drawn_bodies.mjs";

const kDesktop = { width: 1280, height: 720 },
  kPhone = { width: 390, height: 844 };
const kTangentUp = new CameraRig().tangentUp;
const kBox = [shape("box", [0.5, 0.5, 0.5])];

/** The view coordinates of points after the rig moved to a view; it is independent of framing.ts. */
function projected(view, points, aspect) {
  const rig = new CameraRig(),
    origin = new FloatingOrigin();
  rig.camera.aspect = aspect;
  rig.jumpTo(view.eye, view.target);
  rig.update(1, 10);
  origin.follow(...rig.target);
  rig.setCamera(origin);
  return points.map(([x, y, z]) => {
    const point = rig.camera.position.clone().set(x - origin.x, y - origin.y, z - origin.z);
    return point.project(rig.camera);
  });
}

const cornersOf = ({ center, half }) =>
  Array.from({ length: 8 }, (_, corner) =>
    center.map((value, axis) => value + (corner & (1 << axis) ? half[axis] : -half[axis])),
  );

/** The extent of boxes in a view: the minimum and maximum of x and y. */
function extentOf(view, boxes, aspect) {
  const points = projected(view, boxes.flatMap(cornersOf), aspect);
  const xs = points.map(({ x }) => x),
    ys = points.map(({ y }) => y);
  return {
    left: Math.min(...xs),
    right: Math.max(...xs),
    bottom: Math.min(...ys),
    top: Math.max(...ys),
  };
}

const regionsOf = () => [
  kWholeRegion,
  { left: -0.9, right: 0.5, bottom: -0.6, top: 0.9 },
  { left: 0.1, right: 0.8, bottom: -0.9, top: 0.2 },
];

test("every box is within the region and two opposite sides touch it, at any aspect (seed 41)", () => {
  const random = randomFrom(41);
  for (let round = 0; round < 200; ++round) {
    const aspect = [16 / 9, 390 / 844, 4 / 3, 3][round % 4],
      region = regionsOf()[round % 3],
      far = round % 5 === 0 ? 1e6 : 0;
    const boxes = Array.from({ length: 1 + Math.floor(12 * random()) }, () => ({
      center: [far + 30 * random(), 12 * random(), 30 * random() - far],
      half: [0.5 + random(), 0.5 + random(), 0.5 + random()],
    }));
    const yaw = 6 * random() - 3,
      pitch = 1.2 * random() - 0.1;
    const framing = new Framing({ yaw, pitch, tangentUp: kTangentUp, aspect, region });
    for (const { center, half } of boxes) framing.add(center, half);
    const view = framing.solve();
    const extent = extentOf(view, boxes, aspect);
    const tolerance = far > 0 ? 2e-3 : 1e-6;
    assert.ok(
      extent.left >= region.left - tolerance &&
        extent.right <= region.right + tolerance &&
        extent.bottom >= region.bottom - tolerance &&
        extent.top <= region.top + tolerance,
      `round ${round}: ${JSON.stringify(extent)} in ${JSON.stringify(region)}`,
    );
    const isWide = extent.right - extent.left >= region.right - region.left - 2 * tolerance,
      isHigh = extent.top - extent.bottom >= region.top - region.bottom - 2 * tolerance;
    assert.ok(isWide || isHigh, `round ${round}: ${JSON.stringify(extent)} fills ${JSON.stringify(region)}`);
    assert.ok(framing.shows(view.eye));
    const nearer = view.eye.map((value, axis) => value + 0.05 * (view.target[axis] - value));
    assert.ok(!framing.shows(nearer), `round ${round}: a nearer eye cuts a box`);
  }
});

test("on a phone a scene fills the width", () => {
  const aspect = kPhone.width / kPhone.height;
  const region = freeRegion(kPhone.width, kPhone.height, []);
  for (const [width, height] of [
    [8, 2],
    [20, 1],
    [6, 6],
  ]) {
    const box = { center: [0, height / 2, 0], half: [width / 2, height / 2, 1] };
    const framing = new Framing({ yaw: 0.2, pitch: 0.3, tangentUp: kTangentUp, aspect, region });
    framing.add(box.center, box.half);
    const extent = extentOf(framing.solve(), [box], aspect);
    assert.ok(extent.right - extent.left > 0.85 * 2, `${width} x ${height}: ${JSON.stringify(extent)}`);
  }
});

/** Content of a tall view, with its options. */
const tallOf = (centers, { yaw = 0.1, pitch = 0.4 } = {}) => ({
  content: centers.map((center) => ({
    center,
    half: [0.5, 0.5, 0.5],
    still: [0.5, 0.5, 0.5],
    moves: true,
  })),
  options: {
    yaw,
    pitch,
    tangentUp: kTangentUp,
    aspect: kPhone.width / kPhone.height,
    region: freeRegion(kPhone.width, kPhone.height, []),
  },
});

const yawOf = ({ eye, target }) => Math.atan2(eye[0] - target[0], eye[2] - target[2]);

/** Mean height of the boxes in a view, in heights of the picture. */
function meanHeight(view, { content, options }) {
  const heights = content.map((box) => {
    const { bottom, top } = extentOf(view, [box], options.aspect);
    return 0.5 * (top - bottom);
  });
  return heights.reduce((sum, height) => sum + height, 0) / heights.length;
}

test("in a tall picture a long row is seen from aside, larger and whole (seed 43)", () => {
  const random = randomFrom(43);
  for (const length of [16, 24, 40]) {
    const tall = tallOf(Array.from({ length: 40 }, () => [length * (random() - 0.5), 0.5, 6 * random()]));
    const { content, options } = tall;
    const view = largestView(content, 0, options),
      own = framingOf(content, 0, options).solve();
    assert.ok(Math.abs(yawOf(view) - options.yaw) > 0.5, `length ${length}: turned`);
    assert.ok(meanHeight(view, tall) > 1.3 * meanHeight(own, tall), `length ${length}: larger`);
    const extent = extentOf(view, content, options.aspect);
    assert.ok(extent.left > -1 && extent.right < 1 && extent.bottom > -1 && extent.top < 1);
  }
});

test("a wall that fills the width of a tall picture is seen from where its author looks", () => {
  const rows = Array.from({ length: 12 }, (_, row) =>
    Array.from({ length: 12 - row }, (_, i) => [i + 0.5 * row - 6, row + 0.5, 0]),
  );
  const { content, options } = tallOf(rows.flat(), { yaw: 0.12, pitch: 0.12 });
  const view = largestView(content, 0, options);
  assert.deepEqual(view, framingOf(content, 0, options).solve());
  assert.equal(largestView([], 0, options), undefined);
});

test("a grain of sand does not fill the picture, and nothing has no view", () => {
  const framing = new Framing({ yaw: 0, pitch: 0, tangentUp: kTangentUp, aspect: 1 });
  assert.equal(framing.solve(), undefined);
  framing.add([0, 0, 0], [0.001, 0.001, 0.001]);
  assert.ok(Math.hypot(...framing.solve().eye) >= 1);
});

test("a picture without a size has no view, and a pose that is not finite moves no camera", () => {
  for (const aspect of [0, NaN, Infinity]) {
    const framing = new Framing({ yaw: 0.3, pitch: 0.2, tangentUp: kTangentUp, aspect });
    framing.add([0, 1, 0], [1, 1, 1]);
    assert.equal(framing.solve(), undefined, `aspect ${aspect}`);
  }
  const rig = new CameraRig();
  rig.jumpTo([0, 3, 12], [0, 1, 0]);
  rig.jumpTo([NaN, 3, Infinity], [0, 1, 0]);
  rig.glideTo([0, 3, 12], [NaN, 1, 0]);
  rig.update(0.1, 10);
  assert.ok(Math.abs(rig.eye[2] - 12) < 1e-9 && rig.target.every(Number.isFinite), `${rig.eye}`);
});

/** A guide of a page whose size a test may change. */
function guideOf(bodies, ropes = []) {
  const stage = { rig: new CameraRig(), floor: new Floor(), clearanceOf: () => Infinity, ...kDesktop };
  Object.defineProperty(stage, "aspect", {
    get: () => (stage.height > 0 ? stage.width / stage.height : 0),
  });
  const client = { bodies: () => bodies, ropes: () => ropes, room: null };
  const guide = new CameraGuide({ client, stage, camera: null, isPicture: false, covers: () => [] });
  return { guide, stage };
}

test("a view whose target lies in the land is not raised out of it", () => {
  const land = body(1, [shape("box", [16, 4, 16])], { motion: "static" });
  const { guide, stage } = guideOf([land, at(2, [-6, 4.5, -6]), at(3, [6, 4.5, 6])]);
  const seen = (clearanceOf) => {
    stage.clearanceOf = clearanceOf;
    guide.handleNewWorld();
    guide.frameFirst(0, true);
    stage.rig.update(1, 10, clearanceOf);
    return [...stage.rig.eye];
  };
  const free = seen(() => Infinity);
  assert.ok(stage.rig.target[1] < 4, `the target is at ${stage.rig.target}`);
  const above = seen((x, y) => (Math.hypot(x) < 16 ? y - 4 : Infinity));
  assert.ok(
    free.every((value, axis) => Math.abs(value - above[axis]) < 1e-6),
    `${free} ${above}`,
  );
});

test("a page that opens without a size is framed when it has one", () => {
  for (const size of [
    { width: 0, height: 0 },
    { width: 0, height: 720 },
    { width: 1280, height: 0 },
  ]) {
    const { guide, stage } = guideOf([at(2, [40, 0.5, 0]), at(3, [44, 0.5, 0])]);
    Object.assign(stage, size);
    for (const ms of [0, 100, 9000]) guide.frameFirst(ms, true);
    guide.showAll();
    assert.equal(guide.isFramed, false);
    assert.ok([stage.rig.yaw, ...stage.rig.eye].every((value) => !Number.isNaN(value)));
    Object.assign(stage, kDesktop);
    guide.frameFirst(9100, true);
    stage.rig.update(1, 10);
    assert.equal(guide.isFramed, true);
    assert.ok(Math.abs(stage.rig.target[0] - 42) < 3, `the target is at ${stage.rig.target}`);
  }
});

// A ball on a cord of 4 m swings from one side to the other; the camera was aimed at its lowest point.
function pendulum(isTouched, velocityOf = (angle) => Math.sign(Math.cos(angle))) {
  const ball = { ...body(2, kBox, { position: [0, 2, 0], motion: "dynamic" }) };
  const bodies = [ball, at(3, [0, 6, 0], "static")];
  const { guide, stage } = guideOf(bodies);
  const isSeen = () => {
    const framing = new Framing({
      yaw: stage.rig.yaw,
      pitch: stage.rig.pitch,
      tangentUp: kTangentUp,
      aspect: stage.aspect,
    });
    framing.add(ball.position, [0.5, 0.5, 0.5]);
    return framing.shows(stage.rig.eye);
  };
  let hidden = 0;
  for (let frame = 0; frame < 60 * 20; ++frame) {
    const angle = (frame / 60) * 1.5;
    ball.position = [4 * Math.sin(angle), 6 - 4 * Math.cos(Math.sin(angle)), 0];
    ball.linearVelocity = [6 * velocityOf(angle) * Math.abs(Math.cos(angle)), 0, 0];
    guide.frameFirst((1000 * frame) / 60, true);
    if (frame === 120 && isTouched) guide.handleTouched(false);
    guide.showSwings((1000 * frame) / 60);
    stage.rig.update(1 / 60, 10);
    if (frame > 60 * 10 && !isSeen()) ++hidden;
  }
  return hidden;
}

test("an untouched view grows until what swings never leaves it", () => {
  assert.equal(pendulum(false), 0);
});

test("a view that a person moved does not grow, nor does one of what flies one way", () => {
  assert.ok(pendulum(true) > 0);
  assert.ok(pendulum(false, () => 1) > 0);
});

test("the free part of a page lies beside its covers and has most of the page", () => {
  for (const { width, height } of [kDesktop, kPhone, { width: 844, height: 390 }]) {
    const covers = [
      { left: 12, top: 12, width: 150, height: 34 },
      { left: width - 140, top: 12, width: 128, height: 34 },
      { left: 8, top: height - 112, width: width - 16, height: 104 },
      { left: 0, top: 0, width: 0, height: 0 },
    ];
    const free = freeRegion(width, height, covers);
    const pixels = {
      left: ((free.left + 1) / 2) * width,
      right: ((free.right + 1) / 2) * width,
      top: ((1 - free.top) / 2) * height,
      bottom: ((1 - free.bottom) / 2) * height,
    };
    for (const cover of covers) {
      const isApart =
        cover.left >= pixels.right ||
        cover.left + cover.width <= pixels.left ||
        cover.top >= pixels.bottom ||
        cover.top + cover.height <= pixels.top;
      assert.ok(isApart, `${JSON.stringify(cover)} and ${JSON.stringify(pixels)}`);
    }
    assert.ok((pixels.right - pixels.left) * (pixels.bottom - pixels.top) > 0.5 * width * height);
  }
});

test("an open panel at the right moves the scene to the left of it", () => {
  const free = freeRegion(1280, 720, [{ left: 984, top: 12, width: 284, height: 330 }]);
  assert.ok(free.right < (2 * 984) / 1280 - 1 && free.left < -0.9 && free.top > 0.9);
});

test("a page that is all covers counts as free", () =>
  assert.deepEqual(freeRegion(300, 200, [{ left: 0, top: 0, width: 300, height: 200 }]), {
    ...kWholeRegion,
  }));

const kGround = body(1, [shape("half_space", [0, 1, 0])], { motion: "static" });
const at = (index, position, motion = "dynamic") => body(index, kBox, { position, motion });

test("H shows what hangs and ropes, and no ball that rolled away", () => {
  const hanging = at(9, [0, 30, 0]);
  const bodies = [kGround, ...[0, 1, 2, 3].map((x) => at(2 + x, [x, 0.5, 0])), hanging, at(10, [5000, 0, 0])];
  const rope = { id: 1n, radius: 0.02, asleep: false, positions: new Float64Array([0, 12, 0, 7, 15, 0]) };
  const boxes = contentOf(bodies, [rope], subjectOfAll(bodies, [rope]));
  const has = (...point) =>
    boxes.some(({ center }) => Math.hypot(...center.map((value, axis) => value - point[axis])) < 1e-9);
  assert.ok(has(0, 30, 0) && has(7, 15, 0) && has(3, 0.5, 0));
  assert.ok(!has(5000, 0, 0));
});

test("the bulk of the first view has the ropes near it", () => {
  const bodies = [0, 1, 2, 3].map((x) => at(2 + x, [x, 0.5, 0]));
  const rope = { id: 1n, radius: 0.02, asleep: false, positions: new Float64Array([0, 2, 0, 900, 2, 0]) };
  const boxes = contentOf(bodies, [rope], subjectOfBulk(bodies, [rope]));
  assert.equal(boxes.length, 5, "four bodies and the near node");
});

test("a ground of a kilometre does not shrink the bodies to a dot", () => {
  const slab = body(1, [shape("box", [500, 1, 500])], { motion: "static", position: [0, -1, 0] });
  const bodies = [slab, at(2, [0, 0.5, 0]), at(3, [4, 0.5, 0])];
  const boxes = contentOf(bodies, [], subjectOfAll(bodies, []));
  assert.ok(boxes.every(({ half }) => Math.max(...half) < 10));
  const alone = contentOf([slab], [], subjectOfAll([slab], []));
  assert.ok(alone[0].half[0] > 400, "without other bodies it is the content");
});

test("a scene camera's subject has no body far behind its target", () => {
  const subject = subjectOfCamera([0, 5, 20], [0, 2, 0], kTangentUp);
  const bodies = [at(1, [3, 2, 0]), at(2, [0, 2, -300])];
  assert.equal(contentOf(bodies, [], subject).length, 1);
});

test("a view has room for what moves sideways, five metres at most, and none for what falls", () => {
  const swinging = (linearVelocity) => {
    const one = body(1, kBox, { position: [0, 5, 0], motion: "dynamic", linearVelocity });
    return contentOf([one], [], subjectOfAll([one], []))[0];
  };
  const still = swinging([0, 0, 0]);
  assert.deepEqual(swinging([0, -30, 0]), still);
  const { center, half } = swinging([-4, 0, 90]);
  assert.ok(Math.abs(half[0] - still.half[0] - 1) < 1e-9 && Math.abs(center[0] + 1) < 1e-9);
  assert.ok(Math.abs(half[2] - still.half[2] - 2.5) < 1e-9 && Math.abs(center[2] - 2.5) < 1e-9);
});

test("the room of a pendulum at its lowest point is as wide as it swings", () => {
  for (const reach of [0.5, 2, 4.9]) {
    const speed = Math.sqrt(2 * 9.81 * reach);
    const one = body(1, kBox, { position: [0, 5, 0], motion: "dynamic", linearVelocity: [speed, 0, 0] });
    const [{ center, half }] = contentOf([one], [], subjectOfAll([one], []));
    assert.ok(center[0] + half[0] - 0.5 >= reach - 1e-9, `${reach} m`);
  }
});

test("land that reaches a little beyond the camera's subject is shown whole, other land is cut", () => {
  const subject = subjectOfCamera([0, 10, 20], [0, 0, 0], kTangentUp);
  const edge = subject.high[0];
  const widthOf = (half) => {
    const land = body(1, [shape("box", [half, 1, half])], { motion: "static" });
    const bodies = [-0.7, 0.7].map((x) => at(2, [x * edge, 1.5, x * edge]));
    const boxes = contentOf([land, ...bodies], [], subject).filter(({ moves }) => !moves);
    return boxes.length === 0 ? 0 : boxes[0].half[0];
  };
  assert.ok(Math.abs(widthOf(1.2 * edge) - 1.2 * edge) < 1e-9);
  assert.ok(Math.abs(widthOf(1.6 * edge) - edge) < 1e-9);
});

const swung = (positions, velocities) => {
  const swings = new Swings();
  const all = new Bounds();
  all.add([0, 0, 0], 100);
  positions.forEach((x, i) => {
    swings.update(
      [body(1, kBox, { position: [x, 0, 0], motion: "dynamic", linearVelocity: [velocities[i], 0, 0] })],
      all,
    );
  });
  return swings.boxes();
};

test("what turns round swings, and its whole way is remembered", () => {
  const [way] = swung([0, 4, 6, 5], [8, 4, 0, -4]);
  assert.ok(Math.abs(way.center[0] - 3) < 1e-9 && Math.abs(way.half[0] - 3.5) < 1e-9);
});

test("the way of a body that is gone is forgotten", () => {
  const swings = new Swings();
  const all = new Bounds();
  all.add([0, 0, 0], 100);
  for (const speed of [4, -4]) {
    swings.update([body(1, kBox, { motion: "dynamic", linearVelocity: [speed, 0, 0] })], all);
  }
  assert.equal(swings.boxes().length, 1);
  swings.update([], all);
  assert.equal(swings.boxes().length, 0);
});

test("what flies away, stands or shakes does not swing", () => {
  assert.deepEqual(swung([0, 4, 8, 12], [8, 8, 8, 8]), []);
  assert.deepEqual(swung([0, 0, 0, 0], [0, 0, 0, 0]), []);
  assert.deepEqual(swung([0, 0, 0, 0], [0.2, -0.2, 0.2, -0.2]), []);
});

test("the view of a hanging body has the floor below it", () => {
  const boxes = [{ center: [0, 6, 0], half: [2, 1, 1] }];
  const options = { yaw: 0.3, pitch: 0.1, tangentUp: kTangentUp, aspect: 16 / 9 };
  const yOfFloor = (floorY) => projected(framingOf(boxes, floorY, options).solve(), [[0, 0, 0]], 16 / 9)[0].y;
  assert.ok(yOfFloor(0) >= -1 - 1e-6);
  assert.ok(yOfFloor(-Infinity) < -1, "without a floor the body fills the picture");
});

test("the floor: clearance above half-spaces, slopes and the lowest static body; walls are none", () => {
  const floor = new Floor(),
    none = () => undefined;
  const tilt = Math.SQRT1_2;
  floor.update([body(1, [shape("half_space", [0, 1, 0])], { motion: "static", position: [0, 3, 0] })]);
  assert.ok(Math.abs(floor.clearance(50, 5, -9, none) - 2) < 1e-6);
  assert.equal(floor.heightAt(50, 1), 3);
  assert.equal(floor.isPresent, true);
  floor.clear();
  floor.update([body(1, [shape("half_space", [tilt, tilt, 0])], { motion: "static" })]);
  assert.ok(Math.abs(floor.clearance(1, 1, 0, none) - Math.SQRT2) < 1e-6);
  floor.clear();
  const wall = body(1, [shape("half_space", [1, 0, 0])], { motion: "static" });
  floor.update([wall]);
  assert.equal(floor.clearance(-5, -5, 0, none), Infinity);
  floor.clear();
  floor.update([wall, at(2, [0, 4, 0], "static")]);
  assert.ok(Math.abs(floor.clearance(0, 1, 0, none) + 2.5) < 1e-6, "0.5 m below the centre of the box");
});

test("the floor: a frame from which bodies or ropes hang is none, and what fell off leaves none", () => {
  const none = () => undefined;
  const frame = at(1, [0, 3.5, 0], "static"),
    resting = at(2, [0, 4.5, 0]);
  const rope = (y) => ({ id: 1n, radius: 0.02, positions: new Float64Array([0, 5, 0, 0, y, 0]) });
  const floor = new Floor();
  floor.update([frame, resting], [rope(3.2)]);
  assert.equal(floor.heightAt(0, 0), 3);
  assert.equal(floor.clearance(0, 1, 0, none), -2);
  for (const [bodies, ropes] of [
    [[frame, at(3, [0, 1.5, 0])], []],
    [[frame, at(3, [0, 1.5, 0], "kinematic")], []],
    [[frame, resting], [rope(1)]],
  ]) {
    floor.clear();
    floor.update([frame, resting]);
    floor.update(bodies, ropes);
    assert.equal(floor.clearance(0, 1, 0, none), Infinity);
    assert.equal(floor.isPresent, false);
    assert.equal(floor.heightAt(0, 0), -Infinity);
    floor.update([frame, resting]);
    assert.equal(floor.clearance(0, 1, 0, none), Infinity, "the camera is not thrown up");
  }
  floor.clear();
  floor.update([kGround, at(3, [0, -4, 0])]);
  assert.equal(floor.clearance(0, 1, 0, none), 1, "a half-space stays a floor");
});

test("a camera that faces balls below their frame stays where it is, and follows one that falls", () => {
  const frame = at(1, [0, 3.5, 0], "static"),
    ball = at(2, [0, 1.5, 0]);
  const { guide, stage } = guideOf([frame, ball]);
  const draw = () => {
    stage.floor.update([frame, ball]);
    stage.rig.update(1, 10, (x, y, z) => stage.floor.clearance(x, y, z, () => undefined));
  };
  stage.rig.jumpTo([0, 3, 9], [0, 2, 0]);
  draw();
  assert.ok(Math.abs(stage.rig.target[1] - 2) < 1e-9 && Math.abs(stage.rig.eye[1] - 3) < 1e-9);
  guide.follow(ball);
  for (let i = 0; i < 10; ++i) draw();
  ball.position[1] = -50;
  assert.ok(guide.update());
  for (let i = 0; i < 10; ++i) draw();
  assert.ok(Math.abs(stage.rig.target[1] + 50) < 0.1, `the target is at ${stage.rig.target}`);
  ball.position[1] = 1.5;
  guide.showAll();
  for (let i = 0; i < 40; ++i) draw();
  const [pixel] = projected({ eye: stage.rig.eye, target: stage.rig.target }, [[0, 1.5, 0]], 16 / 9);
  assert.ok(Math.abs(pixel.x) < 1 && Math.abs(pixel.y) < 1);
});

test("the floor: a height field's hills count where they are", () => {
  const floor = new Floor();
  const heights = new Float32Array([-2, -2, -2, -2, 2, -2, -2, -2, -2]); // about the centre of the box
  const geometry = {
    kind: "height_field",
    rows: 3,
    columns: 3,
    spacingX: 10,
    spacingZ: 10,
    heights,
    holes: new Uint8Array(0),
  };
  const hill = { ...shape("height_field", [10, 2, 10], [0, 2, 0]), geometry: 7n };
  floor.update([body(1, [hill], { motion: "static" })]);
  const clearance = (x, y) => floor.clearance(x, y, 0, () => geometry);
  assert.ok(Math.abs(clearance(0, 3) + 1) < 1e-3, `the top of the hill is at 4 m: ${clearance(0, 3)}`);
  assert.ok(Math.abs(clearance(9.99, 3) - 3) < 0.01, `its foot is at 0 m: ${clearance(9.99, 3)}`);
});

test("no drag, zoom or pan moves the eye or the target below the floor (seed 42)", () => {
  const random = randomFrom(42);
  const slope = body(1, [shape("half_space", [0.3, Math.sqrt(1 - 0.09), 0])], { motion: "static" });
  for (const ground of [kGround, slope]) {
    const floor = new Floor(),
      rig = new CameraRig();
    floor.update([ground]);
    const clearanceOf = (x, y, z) => floor.clearance(x, y, z, () => undefined);
    rig.jumpTo([0, 3, 12], [0, 1, 0]);
    for (let step = 0; step < 2000; ++step) {
      const what = Math.floor(4 * random());
      if (what === 0) rig.rotate(random() - 0.5, 1.2 * (random() - 0.6));
      if (what === 1) rig.pan(random() - 0.5, random() - 0.6);
      if (what === 2) rig.zoom(0.7 + 0.6 * random());
      if (what === 3) rig.glideTo([9 * random(), 6 * random() - 4, 5], [0, 3 * random() - 2, 0]);
      rig.isFlying = random() < 0.2;
      rig.update(0.016, 10, clearanceOf);
      assert.ok(clearanceOf(...rig.eye) > 0, `step ${step}: the eye is at ${rig.eye}`);
      assert.ok(clearanceOf(...rig.target) > -1e-6, `step ${step}: the target is at ${rig.target}`);
    }
  }
});

test("dragged down to the floor, the camera stays at its distance and turns back at once", () => {
  const floor = new Floor(),
    rig = new CameraRig();
  floor.update([kGround]);
  const clearanceOf = (x, y, z) => floor.clearance(x, y, z, () => undefined);
  rig.jumpTo([0, 3, 12], [0, 1, 0]);
  const before = rig.distance;
  for (let i = 0; i < 50; ++i) {
    rig.rotate(0, -0.1);
    rig.update(0.1, 10, clearanceOf);
  }
  assert.ok(Math.abs(rig.distance - before) < 1e-9);
  assert.ok(rig.eye[1] > 0 && rig.eye[1] < 0.5, `the eye is at ${rig.eye}`);
  const lowest = rig.eye[1];
  rig.rotate(0, 0.2);
  for (let i = 0; i < 10; ++i) rig.update(0.1, 10, clearanceOf);
  assert.ok(rig.eye[1] > lowest + 1, "no drag is stored below the floor");
});

test("a camera that follows moves with the body in the same frame", () => {
  const rig = new CameraRig();
  rig.jumpTo([0, 3, 12], [0, 1, 0]);
  rig.update(0.016, 10);
  const eye = [...rig.eye];
  rig.carry(5, 0, -2);
  rig.update(0.016, 10);
  assert.ok(Math.abs(rig.eye[0] - eye[0] - 5) < 1e-9 && Math.abs(rig.eye[2] - eye[2] + 2) < 1e-9);
});
