// takt/service against the real `takt service`, over TCP and over a Unix socket. Equal bits with Python are
// the business of python/tests/test_javascript.py.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import * as takt from "../../dist/service/index.js";
import { sourceText } from "../support/source_tree.mjs";
import { Program, program, scenePath } from "../support/takt_program.mjs";
import { kScene, startService } from "../support/takt_service.mjs";

const { connect } = takt;
let running;
before(async () => (running = await startService("--threads", "2", "--worlds-max", "200")));
after(async () => assert.equal(await running.stop(), 0));

/** Runs `use` with a connection of each kind. */
function overBoth(name, use) {
  for (const door of ["unix", "tcp"]) {
    test(`${name}, over ${door}`, async () => {
      const service = await connect(running[door]);
      try {
        await use(service);
      } finally {
        service.close();
      }
    });
  }
}
/** Rejects with this code, reason and text. */
function rejects(promise, code, reason, text) {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof takt.TaktError, String(error));
    assert.deepEqual([error.code, error.reason], [code, reason]);
    assert.match(error.message, text);
    return true;
  });
}

overBoth("states go back and forth", async (service) => {
  const world = await service.world(kScene);
  await world.step(20);
  const [start, image, before] = await Promise.all([world.capture(), world.save(), world.hash()]);
  assert.deepEqual([start.tick, start.length], [20, 1]);
  const twins = [await world.fork(), await service.worldFromImage(image, kScene)];
  await Promise.all([world, ...twins].map((each) => each.step(30)));
  const after = await world.hash();
  assert.notEqual(after, before);
  for (const twin of twins) assert.equal(await twin.hash(), after);
  assert.equal((await twins[1].body("box")).id, (await world.body("box")).id);
  await world.restore(start);
  assert.equal(await world.hash(), before);
  await world.step(3);
  assert.equal((await world.capture(start)).tick, 23);
  await world.restore(image);
  assert.deepEqual([await world.hash(), await world.tick()], [before, 20]);
  await start.destroy();
  await rejects(world.restore(start), "refused", "handle", /no such snapshot/);
  await twins[0].destroy();
  await rejects(twins[0].step(), "refused", "handle", /no such handle/);
});

overBoth("arrays are there after observe(), and each change brings new ones", async (service) => {
  const world = await service.world(kScene, { observe: ["ids", "positions"] });
  const { positions, rows } = world;
  assert.equal(positions.length, 3 * rows);
  assert.throws(
    () => world.rotations,
    ({ code }) => code === "not-observed",
  );
  await world.observe("rotations", "flags");
  assert.deepEqual([...world.rotations.subarray(0, 4)], [0, 0, 0, 1]);
  const ball = await world.body("ball");
  const [, start] = ball.position;
  await world.step(10);
  assert.ok(ball.position[1] < start);
  assert.equal(positions[3 * ball.row + 1], start, "a held array keeps its values");
  const visitor = await world.spawn({ position: [0, 8, 0] });
  assert.equal(world.rows, rows + 1);
  assert.deepEqual(visitor.position, [0, 8, 0]);
  await visitor.destroy();
  assert.equal(world.rows, rows);
  assert.throws(
    () => visitor.row,
    ({ code, message }) => code === "out-of-range" && message.includes("a living body"),
  );
  assert.equal((await world.bodies()).length, rows);
});

overBoth("batches step by masks, and their worlds see the arrays of the batch", async (service) => {
  const batch = await service.batch(kScene, 5, { threads: 2, observe: ["ids", "positions"] });
  const start = await batch.capture();
  assert.equal(start.length, 5);
  const first = await batch.hashes();
  await batch.step(4, [true, false, true, true, true]);
  const later = await batch.hashes();
  assert.equal(later[1], first[1]);
  assert.notEqual(later[0], first[0]);
  await batch.restore(start, [1, 3]);
  const back = await batch.hashes();
  assert.deepEqual([...back], [later[0], first[1], later[2], first[3], later[4]]);
  await batch.teleport(await batch.body("ball"), { positions: [0, 9, 0] }, [0]);
  const [one, other] = [batch.at(0), batch.at(1)];
  const heights = await Promise.all([one, other].map(async (w) => (await w.body("ball")).position[1]));
  assert.equal(heights[0], 9);
  assert.notEqual(heights[1], 9);
  assert.equal(one.positions.buffer, batch.positions.buffer);
  const rows = batch.rows;
  const visitor = await other.spawn({ position: [1, 7, 1] });
  assert.equal(batch.rows, rows + 1);
  assert.deepEqual(visitor.position, [1, 7, 1]);
  assert.equal((await one.bodies()).length, rows, "padding is no body");
  const { positions } = batch;
  await assert.rejects(new takt.Body(other, 77n).destroy(), ({ code }) => code === "refused");
  assert.deepEqual(batch.positions, positions, "a refused edit changes no array");
  await rejects(one.destroy(), "refused", "borrowed", /destroy the batch/);
  await rejects(batch.step(1, [5]), "out-of-range", "", /^step\(\): where\[0\] takes/);
  await batch.destroy();
});

overBoth("queries, contacts and events", async (service) => {
  const world = await service.world(kScene);
  const [box, ball] = await Promise.all([world.body("box"), world.body("ball")]);
  const origins = [
    [0, 9, 0],
    [0, -5, 0],
    [50, 9, 0],
  ];
  const hits = await world.raycast(origins, [0, -2, 0], { maxDistance: 20 });
  assert.equal(hits.body[0], ball.id);
  assert.ok(Math.abs(hits.position[2]) < 1e-6 && hits.position[1] > 2);
  assert.equal(hits.fraction[2], 0.45);
  const past = await world.raycast([0, 9, 0], [0, -1, 0], { maxDistance: 20, ignore: ball });
  assert.equal(past.body[0], box.id);
  const miss = await world.raycast([0, 9, 0], [0, 1, 0]);
  assert.deepEqual([miss.found[0], miss.body[0], miss.fraction[0]], [0, 0n, 1]);
  const cast = await world.shapecast("box", [0.1, 0.1, 0.1], [0, 9, 0], [0, -1, 0], { maxDistance: 20 });
  assert.equal(cast.body[0], ball.id);
  const near = await world.closest([0.1, 3, 0], { maxDistance: 5 });
  assert.equal(near.body[0], ball.id);
  assert.ok(Math.abs(near.distance[0] - 0.9) < 1e-6);
  const overlaps = await world.overlap("sphere", 3, [0, 1, 0]);
  assert.ok(overlaps.some(({ body, query }) => body === box.id && query === 0));
  await rejects(world.raycast([0, 9, 0], [0, 0, 0]), "out-of-range", "", /a direction|directions/);

  await world.step(30);
  const contacts = await world.contacts();
  assert.ok(
    contacts.some(({ bodyB, normal, impulse }) => bodyB === box.id && normal[1] === 1 && impulse > 0),
  );
  const events = await world.events();
  assert.ok(events.some(({ kind, tick, bodyB }) => kind === "contactBegin" && tick > 0 && bodyB === box.id));
  const slide = await world.joint("slide");
  await slide.setMotor("linear_x", 1, 1000);
  await world.step(60);
  const { coordinate, rate } = await slide.state("linear_x");
  assert.ok(coordinate > 0.5 && Math.abs(rate - 1) < 0.1, `${coordinate} ${rate}`);
  assert.equal((await world.joints()).length, 1);
  assert.equal((await world.ropes()).length, 1);
});

overBoth("256 calls that nobody awaits act in their order, and so do errors among them", async (service) => {
  const world = await service.world(kScene);
  const twin = await world.fork();
  const box = await world.body("box");
  const calls = [];
  for (let i = 0; i < 128; ++i) calls.push(box.applyForce([i, 0, 0]), world.step());
  const bad = rejects(world.body("nobody"), "refused", "name", /nobody/);
  const tick = world.tick();
  await Promise.all([...calls, bad]);
  assert.equal(await tick, 128);
  const same = new takt.Body(twin, box.id);
  for (let i = 0; i < 128; ++i) {
    await same.applyForce([i, 0, 0]);
    await twin.step();
  }
  assert.equal(await twin.hash(), await world.hash());
});

/** `takt replay verify` agrees with the recording. */
async function verifies(path) {
  const verified = new Program(program, ["replay", "verify", path]);
  assert.equal(await verified.end(), 0, verified.output);
}

overBoth("recordings are files of this process, which verify", async (service) => {
  const folder = mkdtempSync(join(tmpdir(), "takt-recordings-"));
  const path = join(folder, "a.takt");
  writeFileSync(path, "an older file");
  const world = await service.world(kScene);
  const recording = await world.record(path);
  assert.deepEqual([recording.isActive, recording.path], [true, path]);
  await rejects(world.record(join(folder, "b.takt")), "refused", "recording", /is recording/);
  await rejects(world.restore(await world.save()), "refused", "recording", /record_stop/);
  const box = await world.body("box");
  const calls = []; // nobody awaits them, so the bytes of all wait at once
  for (let i = 0; i < 20; ++i) calls.push(box.applyForce([i, 90, 0]), world.step(61));
  await Promise.all(calls);
  assert.ok(readFileSync(path).length > 20 * 61 * 8, "the bytes come while the world steps");
  await Promise.all([recording.stop(), recording.stop()]);
  assert.equal(recording.isActive, false);
  await verifies(path);
  assert.deepEqual(readdirSync(folder), ["a.takt"]);

  // A world that goes ends its recording, and so does a batch.
  const gone = join(folder, "gone.takt");
  const batch = await service.batch(kScene, 3);
  const last = await batch.at(2).record(gone);
  await batch.step(5);
  await batch.step(30, [0]);
  await batch.destroy();
  assert.equal(last.isActive, false);
  await verifies(gone);
  const other = await world.record(path);
  await world.step(10);
  await world.destroy();
  assert.equal(other.isActive, false);
  await verifies(path);
  rmSync(folder, { recursive: true });
});

test("a file that cannot be made leaves the world without a recording", async () => {
  const service = await connect(running.unix);
  const folder = mkdtempSync(join(tmpdir(), "takt-recordings-"));
  const world = await service.world(kScene);
  for (const path of [5, "", "a\0b", undefined]) {
    await rejects(world.record(path), "invalid-argument", "", /^record\(\): path takes/);
  }
  await rejects(world.record(join(folder, "no", "a.takt")), "refused", "file", /cannot be created.*ENOENT/);
  await rejects(world.record("/dev/full"), "refused", "file", /takes no more bytes.*ENOSPC/);
  const path = join(folder, "a.takt");
  const recording = await world.record(path);
  await world.step(3);
  await recording.stop();
  await verifies(path);
  assert.deepEqual(readdirSync(folder), ["a.takt"]);
  rmSync(folder, { recursive: true });
  service.close();
});

test("a recording of a lost connection keeps the bytes that have come", async () => {
  const own = await startService();
  const service = await connect(own.unix);
  const path = join(own.folder, "a.takt");
  const world = await service.world(kScene);
  const recording = await world.record(path);
  await world.step(120);
  const { length } = readFileSync(path);
  const lost = world.step(100_000); // the service ends before
  const ended = assert.rejects(lost, ({ code }) => code === "network");
  process.kill(own.pid, "SIGKILL");
  await ended;
  assert.equal(recording.isActive, false);
  await rejects(recording.stop(), "network", "remote", /lost/);
  await rejects(world.record(path), "network", "remote", /lost/);
  assert.equal(readFileSync(path).length, length);
  await verifies(path);
  await own.stop().catch(() => undefined);
});

test("a world that records is destroyed while it computes a long step, and says so of its file", async () => {
  const path = join(running.folder, "destroyed.takt");
  const service = await connect(running.unix);
  const world = await service.world(kScene);
  await world.record(path);
  await world.step(120);
  const long = world.step(100_000).then(
    () => "done",
    ({ code }) => code,
  );
  await world.destroy();
  assert.equal(await long, "stopped");
  await verifies(path);
  service.close();
});

test("wrong arguments reject with the call, the field and what it takes", async () => {
  const service = await connect(running.unix);
  const world = await service.world(kScene);
  const box = await world.body("box");
  const slide = await world.joint("slide");
  const image = await world.save();
  const circle = {};
  circle.of = circle;
  for (const [call, code, text] of [
    [world.step(-1), "out-of-range", /^step\(\): ticks takes a whole number/],
    [box.applyForce([1, NaN, 0]), "not-finite", /^applyForce\(\): force\[1\] takes/],
    [box.applyForce([1, 2]), "invalid-argument", /^applyForce\(\): force takes/],
    [box.applyForce([1e10, 0, 0]), "out-of-range", /^applyForce\(\): force\[0\] takes/],
    [box.teleport({ place: [0, 0, 0] }), "invalid-argument", /pose\.place is unknown/],
    [world.spawn({ shape: "pear" }), "invalid-argument", /^spawn\(\): shape takes one of "sphere"/],
    [slide.setMotor("x", 1, 1), "invalid-argument", /^setMotor\(\): axis takes one of "linear_x"/],
    [slide.change({ locks: [] }), "invalid-argument", /^change\(\): change\.locks is unknown/],
    [slide.change({ locked: ["swing"] }), "invalid-argument", /^change\(\): change\.locked\[0\] takes/],
    [slide.change({ frameA: { rotation: [0, 0, 0, 0] } }), "out-of-range", /change\.frameA\.rotation takes/],
    [slide.change({ linear: { frequency: -1 } }), "out-of-range", /change\.linear\.frequency takes/],
    [world.observe("weights"), "invalid-argument", /^observe\(\): name takes one of "ids"/],
    [service.world(5), "invalid-argument", /^world\(\): scene takes an object, JSON text/],
    [service.world(kScene, { mode: 1 }), "invalid-argument", /options\.mode is unknown/],
    [service.world(kScene, { numbers: "half" }), "invalid-argument", /^world\(\): options\.numbers takes/],
    [
      service.worldFromImage(image, kScene, { lanes: 3 }),
      "out-of-range",
      /^worldFromImage\(\): options\.lanes/,
    ],
    [service.batch(kScene, 0), "out-of-range", /^batch\(\): n takes/],
    [service.world({ a: 1n }), "invalid-argument", /^world\(\): scene takes an object that JSON.*BigInt/],
    [service.batch(circle, 2), "invalid-argument", /^batch\(\): scene takes an object that JSON.*circular/],
    [service.world({ toJSON: () => undefined }), "invalid-argument", /^world\(\): scene takes .*toJSON/],
    [service.attachBatch(new Uint8Array(5)), "out-of-range", /^attachBatch\(\): key takes/],
    [world.raycast([0, 9, 0], [0, -1, 0], { ignore: null }), "invalid-argument", /ignore takes a Body/],
    [world.raycast([0, 9, 0], undefined), "invalid-argument", /^raycast\(\): directions takes/],
    [world.raycast(new Array(6).fill(1), new Array(9).fill(1)), "invalid-argument", /positions takes 3 rows/],
    [world.overlap(undefined, 1, [0, 0, 0]), "invalid-argument", /^overlap\(\): shape takes/],
  ]) {
    await rejects(call, code, "", text);
  }
  const refusal = ({ code, reason }) => code === "refused" && /^refused-\d+$/.test(reason);
  await assert.rejects(new takt.Body(world, 77n).destroy(), refusal);
  await rejects(service.world("{ }{"), "refused", "scene", /scene/);
  assert.equal(await world.tick(), 0);
  service.close();
});

test("null, 0 and misspelt fields are no absent arguments, and change nothing", async () => {
  const service = await connect(running.unix);
  const world = await service.world(kScene);
  const box = await world.body("box");
  const batch = await service.batch(kScene, 2);
  const balls = await batch.body("ball");
  const hashes = async () => [await world.hash(), ...(await batch.hashes())];
  const before = await hashes();
  const up = [0, 9, 0];
  for (const nothing of [null, 0, "", false]) {
    for (const [call, text] of [
      [() => box.applyForce(up, nothing), /^applyForce\(\): torque takes/],
      [() => box.applyForce(up, nothing, 3), /^applyForce\(\): torque takes/],
      [() => box.applyImpulse(up, nothing), /^applyImpulse\(\): localPoint takes/],
      [() => box.teleport({ position: nothing }), /^teleport\(\): pose\.position takes/],
      [() => box.teleport({ rotation: nothing }), /^teleport\(\): pose\.rotation takes/],
      [() => box.teleport({ linearVelocity: nothing }), /^teleport\(\): pose\.linearVelocity takes/],
      [() => box.teleport({ angularVelocity: nothing }), /^teleport\(\): pose\.angularVelocity takes/],
      [() => batch.applyForce(balls, up, { torques: nothing }), /^applyForce\(\): options\.torques takes/],
      [() => batch.applyForce(balls, up, nothing), /^applyForce\(\): options takes/],
      [() => batch.teleport(balls, { rotations: nothing }), /^teleport\(\): poses\.rotations takes/],
      [() => batch.teleport(balls, nothing), /^teleport\(\): poses takes/],
      [() => batch.step(1, nothing), /^step\(\): where takes/],
      [() => world.capture(nothing), /^capture\(\): into takes a Snapshot/],
      [() => world.restore(nothing), /^restore\(\): state takes a Snapshot or a Uint8Array/],
      [() => batch.restore(nothing), /^restore\(\): state takes a Snapshot/],
    ]) {
      await rejects(call(), "invalid-argument", "", text);
    }
  }
  for (const [call, text] of [
    [batch.applyForce(balls, up, { mask: [0] }), /options\.mask is unknown/],
    [batch.teleport(balls, { position: up }), /poses\.position is unknown/],
    [batch.restore(new Uint8Array(8)), /state takes a Snapshot/],
    [world.capture({}), /into takes a Snapshot/],
  ]) {
    await rejects(call, "invalid-argument", "", text);
  }
  assert.deepEqual(await hashes(), before);
  service.close();
});

test("a snapshot belongs to its connection", async () => {
  const services = [await connect(running.unix), await connect(running.tcp)];
  const [here, there] = await Promise.all(services.map((service) => service.world(kScene)));
  const batch = await services[0].batch(kScene, 2);
  await here.step(5);
  const [own, foreign] = [await here.capture(), await there.capture()];
  const before = await here.hash();
  for (const call of [here.restore(foreign), here.capture(foreign), batch.restore(foreign)]) {
    await rejects(call, "refused", "mismatch", /is a snapshot of another connection/);
  }
  assert.equal(await here.hash(), before);
  await here.restore(own);
  for (const service of services) service.close();
});

test("a world that cannot be made whole leaves nothing at the service", async () => {
  const own = await startService("--worlds-max", "2");
  const service = await connect(own.unix);
  for (const make of [
    (options) => service.world(kScene, options),
    (options) => service.batch(kScene, 2, options),
  ]) {
    await rejects(
      make({ observe: ["ids", "weights"] }),
      "invalid-argument",
      "",
      /options\.observe\[1\] takes/,
    );
    await rejects(make({ observe: "ids" }), "invalid-argument", "", /options\.observe takes an array/);
  }
  const missing = service.world("/no/such/scene.json");
  await rejects(missing, "refused", "file", /^world\(\): scene is no file that can be read.*ENOENT/);
  const batch = await service.batch(kScene, 2); // both places are free
  await rejects(batch.observe("ids", "weights"), "invalid-argument", "", /name takes one of/);
  await batch.step();
  assert.throws(
    () => batch.ids,
    ({ code }) => code === "not-observed",
  );
  service.close();
  assert.equal(await own.stop(), 0);
});

test("edits of one turn in worlds of a batch share one request for the arrays", async () => {
  const service = await connect(running.unix);
  const batch = await service.batch(kScene, 5, { observe: ["ids", "positions"] });
  const ids = await batch.body("ball");
  const balls = Array.from(ids, (id, i) => new takt.Body(batch.at(i), id));
  let requests = 0;
  const { observe } = batch;
  batch.observe = (...names) => {
    ++requests;
    return observe.apply(batch, names);
  };
  const heights = () => balls.map(({ position }) => position[1]);
  await Promise.all(balls.map((ball, i) => ball.teleport({ position: [0, 5 + i, 0] })));
  assert.equal(requests, 1);
  assert.deepEqual(heights(), [5, 6, 7, 8, 9]);
  const bad = rejects(new takt.Body(batch.at(1), 77n).destroy(), "refused", "refused-11", /./);
  await Promise.all([bad, ...balls.map((ball, i) => ball.teleport({ position: [0, 6 + i, 0] }))]);
  assert.equal(requests, 2);
  assert.deepEqual(heights(), [6, 7, 8, 9, 10]);
  const lists = await Promise.all(balls.map(({ world }) => world.bodies()));
  assert.ok(lists.every(({ length }) => length === batch.rows));
  assert.equal(requests, 3);
  const last = balls[4].teleport({ position: [0, 20, 0] });
  service.close();
  await last;
  assert.deepEqual(heights(), [6, 7, 8, 9, 20], "close() waits for the arrays of what was sent");
});

test("one origin serves many directions, and the other way round", async () => {
  const service = await connect(running.unix);
  const world = await service.world(kScene);
  const [down, up] = [
    [0, -1, 0],
    [0, 1, 0],
  ];
  const fan = await world.raycast([0, 9, 0], [down, up, down], { maxDistance: 20 });
  assert.deepEqual([...fan.found], [1, 0, 1]);
  assert.equal(fan.fraction[0], fan.fraction[2]);
  const row = await world.raycast(
    [
      [0, 9, 0],
      [0, -5, 0],
      [50, 9, 0],
    ].flat(),
    down,
    { maxDistance: 20 },
  );
  assert.equal(row.found.length, 3);
  assert.equal(row.fraction[0], fan.fraction[0]);
  service.close();
});

test("calls beyond the bound reject with queue-full, and all before them act", async () => {
  const service = await connect(running.unix);
  const world = await service.world(kScene);
  const calls = Array.from({ length: 65_536 }, () => world.stop());
  const beyond = rejects(world.step(), "queue-full", "", /65536 of 65536 calls wait.*await some/);
  await Promise.all([...calls, beyond]);
  await world.step();
  assert.equal(await world.tick(), 1);
  service.close();
});

test("limits have their names, and no effect on what is there", async () => {
  const own = await startService("--worlds-max", "200");
  const service = await connect(own.unix);
  assert.equal(service.limits.worldsMax, 200);
  const batch = await service.batch(kScene, 150);
  await rejects(service.batch(kScene, 51), "limit", "worlds-max", /150 of 200 worlds/);
  await rejects(batch.step(service.limits.stepTicksMax + 1), "limit", "step_ticks_max", /several/);
  const image = new Uint8Array(service.limits.frameBytesMax);
  await rejects(batch.at(0).restore(image), "limit", "frame", /the request Restore has/);
  assert.equal((await batch.hashes()).length, 150);
  service.close();
  assert.equal(await own.stop(), 0);
});

test("a scene is an object, JSON, a path or bytes, and all give one world", async () => {
  const folder = mkdtempSync(join(tmpdir(), "takt-scene-"));
  const path = join(folder, "scene.json");
  const text = JSON.stringify(kScene);
  writeFileSync(path, text);
  const service = await connect(running.unix);
  const infos = [];
  for (const scene of [kScene, text, path, new TextEncoder().encode(text)]) {
    infos.push(await (await service.world(scene, { numbers: "fixed" })).info());
  }
  rmSync(folder, { recursive: true });
  assert.equal(infos[0].numbers, "fixed");
  assert.equal(infos[0].tickRateHz, 60);
  assert.deepEqual(infos[0].gravity, [0, -9.81, 0]);
  for (const info of infos) assert.deepEqual(info, infos[0]);
  service.close();
});

test("stop() ends a long step between two ticks", async () => {
  const service = await connect(running.unix);
  const world = await service.world(kScene, { observe: ["positions"] });
  const step = world.step(service.limits.stepTicksMax);
  const stopped = rejects(step, "stopped", "stopped", /./);
  await new Promise((resolve) => setTimeout(resolve, 30));
  await world.stop();
  await stopped;
  const tick = await world.tick();
  assert.ok(tick > 0 && tick < service.limits.stepTicksMax, `${tick}`);
  const { positions } = world;
  await world.observe();
  assert.deepEqual(world.positions, positions, "the arrays are those of the last tick");
  service.close();
});

test("a service that goes away rejects each call that waits, and each later one", async () => {
  const own = await startService();
  const service = await connect(own.tcp);
  const world = await service.world(kScene);
  const waiting = [world.step(100_000), world.hash(), world.info()].map((call) =>
    rejects(call, "network", "remote", /tcp:127\.0\.0\.1:\d+: the connection is lost.*connect again/),
  );
  await new Promise((resolve) => setTimeout(resolve, 30));
  await own.stop("SIGKILL");
  await Promise.all(waiting);
  assert.equal(service.isOpen, false);
  await rejects(world.step(), "network", "remote", /connect again and make new worlds/);
  await rejects(connect(own.tcp), "network", "remote", /start 'takt service' there/);
  await rejects(connect(own.unix), "network", "remote", /start 'takt service' there/);
  const port = /\d+$/.exec(own.tcp)[0];
  await rejects(connect(`tcp:localhost:${port}`), "network", "remote", /ECONNREFUSED/); // has two addresses
});

test("bytes that no service sends end the connection as corrupt", async () => {
  const server = createServer((socket) => socket.write(Buffer.alloc(64, 0xff))).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = `tcp:127.0.0.1:${server.address().port}`;
  await rejects(connect(address), "corrupt-message", "", /a wrong head of a frame/);
  server.close();
});

test("close() waits for the replies to what was sent, and lets the process end", async () => {
  const service = await connect(running.unix);
  const world = await service.world(kScene);
  const calls = Promise.all([world.step(50), world.tick()]);
  service.close();
  assert.equal((await calls)[1], 50);
  await rejects(world.step(), "closed", "", /close\(\) was called/);
});

test("a new world of a scene that is no file is asked for at once", async () => {
  const service = await connect(running.unix);
  const image = await (await service.world(kScene)).save();
  const made = [service.world(kScene), service.batch(kScene, 2), service.worldFromImage(image, kScene)];
  service.close();
  await Promise.all(made); // close() waits for what was sent
});

test("close({ now: true }) ends the connection of a service that hangs", async () => {
  const own = await startService();
  try {
    const service = await connect(own.unix);
    const world = await service.world(kScene);
    process.kill(own.pid, "SIGSTOP");
    // The signal returns before a service that runs on another processor has stopped.
    const isStopped = () => /\) T /.test(readFileSync(`/proc/${own.pid}/stat`, "latin1"));
    while (!isStopped()) await new Promise((resolve) => setTimeout(resolve, 1));
    const step = rejects(world.step(), "closed", "", /close\(\) was called/);
    service.close();
    service.close();
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.throws(
      () => service.close({ at: 0 }),
      ({ code }) => code === "invalid-argument",
    );
    service.close({ now: true });
    await step;
  } finally {
    await own.stop("SIGKILL");
  }
});

test("a token opens the door, and a wrong one does not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "takt-token-"));
  const file = join(folder, "token");
  writeFileSync(file, "a token of 16 bytes or more\n", { mode: 0o600 });
  const own = await startService("--token", file, "--clients-max", "1");
  await rejects(connect(own.tcp), "refused", "token", /token/);
  await rejects(connect(own.tcp, { token: "another of 16 bytes or more" }), "refused", "token", /token/);
  const service = await connect(own.tcp, { token: "a token of 16 bytes or more" });
  assert.equal(await (await service.world(kScene)).tick(), 0);
  await rejects(
    connect(own.unix, { token: new TextEncoder().encode("a token of 16 bytes or more") }),
    "limit",
    "clients",
    /limit clients/,
  );
  service.close();
  assert.equal(await own.stop(), 0);
  rmSync(folder, { recursive: true });
});

overBoth("a number that the service refuses is named", async (service) => {
  const world = await service.world(kScene);
  const [ann, box, ball, slide, [rope]] = await Promise.all([
    world.body("ann"),
    world.body("box"),
    world.body("ball"),
    world.joint("slide"),
    world.ropes(),
  ]);
  const outOfRange = 9; // sim::Refusal
  const badSoftness = 26;
  const cases = [
    [() => ann.tune({ skin: 0.1 }), outOfRange, "skin is 0.1: allowed is 0.006 to 0.018"],
    [() => ann.tune({ maxSpeed: -1 }), outOfRange, "max_speed is -1: allowed is 0 to 100"],
    [() => slide.setMotor("linear_x", 5000, 1), outOfRange, "speed is 5000: allowed is -4000 to 4000"],
    [
      () => world.createRope({ start: [0, 5, 0], end: [0, 4, 0], radius: 20 }),
      outOfRange,
      "radius is 20: allowed is 0.005 to 10",
    ],
    [
      () => world.createMover({ position: [0, 5, 0], radius: 101 }),
      outOfRange,
      "radius is 101: allowed is 0.005 to 100",
    ],
    [
      () => world.createMover({ position: [0, 5, 0], tuning: { skin: 0.1 } }),
      outOfRange,
      "skin is 0.1: allowed is 0.006 to 0.018",
    ],
    [() => world.setRopeLength(rope, 2000), outOfRange, "segment_length is 2000: allowed is 0.005 to 1000"],
    [() => world.pinRope(rope, 99), outOfRange, "node is 99: allowed is 0 to 5"],
    [
      () => world.createJoint({ kind: "weld", a: box, b: ball, linear: { frequency: 1e16 } }),
      badSoftness,
      "linear_frequency is 1e+16: allowed is 1e-12 to 1e+15, or 0",
    ],
    [() => box.setTarget([0, 1, 0]), outOfRange, "the body is not kinematic"],
  ];
  for (const [call, number, text] of cases) {
    const pattern = new RegExp(text.replace(/[.+]/g, "\\$&"));
    await rejects(call(), "refused", `refused-${number}`, pattern);
  }
});

test("a key takes a world over from a lost connection", async () => {
  const own = await startService("--idle-lease", "60");
  const first = await connect(own.unix);
  const world = await first.world(kScene);
  const batch = await first.batch(kScene, 3);
  await world.step(7);
  await batch.step(2);
  const [key, other, hash] = [await world.key(), await batch.key(), await world.hash()];
  assert.equal(key.length, 24);
  const second = await connect(own.unix);
  const taken = await second.attach(key); // the first connection ends
  assert.equal(await taken.hash(), hash);
  const takenBatch = await second.attachBatch(other);
  assert.equal(takenBatch.length, 3);
  assert.equal(await takenBatch.at(2).tick(), 2);
  await rejects(world.step(), "network", "remote", /lost/);
  await rejects(second.attach(new Uint8Array(24)), "refused", "handle", /key/);
  await rejects(second.attach(new Uint8Array(5)), "out-of-range", "", /a key of 24 bytes/);
  second.close();
  assert.equal(await own.stop(), 0);
});

for (const page of ["client_sdk/js/README.md", "docs/SERVICE.md"]) {
  test(`the program of ${page} runs`, async () => {
    const programs = [...sourceText(page).matchAll(/^```js\n([^]*?)^```/gm)]
      .map(([, code]) => code)
      .filter((code) => code.includes('"takt/service"'));
    assert.equal(programs.length, 1);
    const [code] = programs;
    const printed = [];
    const body = code
      .replace("unix:/tmp/takt.sock", running.unix)
      .replaceAll("examples/scenes/stack.json", scenePath("stack"))
      .replace(/^import (\{[^}]*\}) from "takt\/service";$/m, "const $1 = takt;");
    assert.doesNotMatch(body, /^import|"examples|takt\.sock/m);
    const { constructor: asyncFunction } = async () => {};
    const log = (...values) => printed.push(values.map(String).join(" "));
    await asyncFunction("takt", "console", body)(takt, { log });
    assert.match(printed.join("\n"), /^\d+\.\d+\n\d+\n64$/);
  });
}
