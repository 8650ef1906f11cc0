// A script of steps and edits over takt/service, whose hashes python/tests/test_javascript.py compares with
// those of worlds in Python's own process: node service_script.mjs ADDRESS SCENE NUMBERS N FOLDER. The script
// prints a JSON object, and records the world and the last one of the batch into the folder.
import { connect } from "../../dist/service/index.js";

const [address, scene, numbers, n, folder] = process.argv.slice(2);
const service = await connect(address);
const texts = (ids) => Array.from(ids, String);

/** Each mutating call of a world. */
async function playAlone() {
  const world = await service.world(scene, { numbers, observe: ["positionsRaw"] });
  const [box, ball, ann] = await Promise.all(["box", "ball", "ann"].map((name) => world.body(name)));
  const slide = await world.joint("slide");
  const [rope] = await world.ropes();
  const hashes = [];
  const recording = await world.record(`${folder}/alone.takt`);
  let visitor;
  let line;

  /** The calls that change what scenes define. */
  async function define() {
    const [shape] = await box.shapes();
    const rod = await world.createJoint({
      kind: "distance",
      a: box,
      b: ball,
      length: 1.5,
      linear: { frequency: 4 },
      breakForce: 1e9,
    });
    line = await world.createRope({
      points: [
        [6, 3, 0],
        [6, 2.5, 0],
        [6, 2, 0],
      ],
      friction: 0.5,
      filter: { category: 3 },
    });
    const bob = await world.createMover({
      position: [-3, 0.92, 3],
      heading: 0.25,
      halfLength: 0.4,
      filter: { category: 3 },
      tag: 11n,
      tuning: { maxSpeed: 3, mass: 60 },
    });
    return [
      slide.change({ direct: false, limit: { axis: "linear_x", lower: -0.9, upper: 1.1 } }),
      shape.change({ filter: { category: 3, group: -1 }, friction: 0.3, surfaceVelocity: [0.5, 0, 0] }),
      shape.change({ restitution: 0.5 }),
      visitor.change({ type: "kinematic", gravityScale: 0.5, damping: [0.1, 0.2], locked: ["angular_y"] }),
      visitor.change({ tag: 5n }),
      visitor.setTarget([0.3, 5.1, 0], [0, 0.6, 0, 0.8]),
      ann.tune({ maxSpeed: 3, recoverySpeed: 2 }),
      rod.setFriction("distance", 1),
      bob.move([0, 0, 3], { inHeadingFrame: true }),
      world.pinRope(line, 0),
      world.pinRope(line, 2, { body: box, point: [0, 0.5, 0] }),
      world.setRopeLength(line, 0.75),
      world.grab(box, [1.5, 3, 0.25], 5000, [0.1, 0, 0]),
    ];
  }

  for (let i = 0; i < 60; ++i) {
    const calls = [box.applyForce([100 * (i % 3), 50, 0], [0, i, 0], 2)];
    if (i % 7 === 3) calls.push(ball.applyImpulse([1, 2.5, -0.3], [0.1, 0.2, 0.3]));
    if (i % 9 === 4) calls.push(ann.move([1, 0, 0.5], { turn: 0.25, jump: i === 13, inHeadingFrame: true }));
    if (i === 5) {
      visitor = await world.spawn({
        shape: "capsule",
        dimensions: [0.2, 0.3],
        position: [0.3, 5, 0],
        rotation: [0, 0.6, 0, 0.8],
        linearVelocity: [0, -1, 0],
        angularVelocity: [0.5, 0, 0],
        density: 500,
        friction: 0.4,
        restitution: 0.2,
        tag: 7,
      });
    }
    if (i === 10) calls.push(slide.setDrive("linear_x", 1.5, { frequency: 3, dampingRatio: 0.7, max: 400 }));
    if (i === 20) calls.push(slide.setDrive("linear_x", null), slide.setMotor("linear_x", -2, 100));
    if (i === 25) calls.push(slide.setLimit("linear_x", -0.5, 1), slide.setFriction("linear_x", 3));
    if (i === 28) {
      const change = { frameA: { position: [0, 0.3, 0] }, frameB: { rotation: [0, 0.6, 0, 0.8] } };
      const spring = { frequency: 8, dampingRatio: 0.7 };
      const locked = ["linear_y", "linear_z", "angular_x"];
      const limits = { maxForce: 1e6, breakForce: 1e9, breakTorque: Infinity, collideConnected: true };
      calls.push(slide.change({ ...change, ...limits, linear: spring, locked }));
    }
    if (i === 29) calls.push(...(await define()));
    if (i === 30) calls.push(world.cutRope(rope, 2), slide.enable(false));
    if (i === 33) calls.push(world.moveGrab([1.5, 4, 0.25]), world.unpinRope(line, 2));
    if (i === 34) calls.push(world.release(), world.destroyRope(line));
    if (i === 35) calls.push(slide.enable());
    if (i === 40) calls.push(visitor.destroy());
    if (i === 45) {
      const pose = { position: [0.5, 4, 0.25], rotation: [0, 0, 0.6, 0.8], linearVelocity: [1, 0, 0] };
      calls.push(ball.teleport({ ...pose, angularVelocity: [0, 2, 0] }));
    }
    if (i === 50) calls.push(slide.destroy());
    calls.push(world.step());
    const hash = world.hash();
    await Promise.all(calls);
    hashes.push(String(await hash));
  }
  await world.step(1300); // several chunks and images
  await recording.stop();
  return {
    hashes,
    positions: texts(world.positionsRaw),
    image: Buffer.from(await world.save()).toString("hex"),
  };
}

/** Forces and masks on n worlds, and back. */
async function playTogether(count) {
  const batch = await service.batch(scene, count, { numbers, threads: 2, observe: ["positionsRaw"] });
  const ball = await batch.body("ball");
  const hashes = [];
  const recording = await batch.at(count - 1).record(`${folder}/together.takt`);
  for (let i = 0; i < 12; ++i) {
    const forces = Array.from({ length: count }, (_, w) => [w - 3, 10 * i, 0.5 * w]);
    const where = Array.from({ length: count }, (_, w) => (w + i) % 3 !== 0);
    const calls = [
      batch.applyForce(ball, forces, { where }),
      batch.step(1 + (i % 2), i % 3 ? undefined : where),
    ];
    const found = batch.hashes();
    await Promise.all(calls);
    hashes.push(texts(await found));
  }
  await batch.at(count - 1).step(70);
  await recording.stop();
  return { hashes, positions: texts(batch.positionsRaw) };
}

console.log(JSON.stringify({ alone: await playAlone(), together: await playTogether(Number(n)) }));
service.close();
