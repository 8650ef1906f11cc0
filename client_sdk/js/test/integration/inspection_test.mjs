// Inspection of the real server's solver: contact points, joint frames and ropes while they are switched on.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { sphere } from "../../dist/index.js";
import { LiveClient } from "../support/live_client.mjs";
import { serve } from "../support/takt_program.mjs";

test("contacts of the running world come when asked for, and stop when not", async () => {
  const server = await serve("pile");
  const live = new LiveClient(server.wsUrl);
  await live.joined();
  const { client } = live;
  await live.until("bodies", () => client.bodies().length > 0);
  client.inspect({ contacts: true });
  const contacts = await live.until(
    "many contacts",
    () => client.contacts()?.items.length > 100 && client.contacts(),
  );
  assert.ok(contacts.total >= contacts.items.length, `${contacts.items.length} of ${contacts.total}`);
  for (const point of contacts.items) {
    assert.ok(
      Math.abs(Math.hypot(...point.normal) - 1) < 1e-3 &&
        point.position[1] > -0.1 &&
        point.position[1] < 50 &&
        point.separation < 0.1,
    );
  }
  client.spawn({ shape: sphere(0.3), position: [0, 1, 15], userKind: 5 });
  const { body: id } = await live.event("bodyAdded", (event) => event.userKind === 5);
  await live.until("the ball", () => live.body(id));
  client.grab(id, [0, 0, 0], [0, 3, 15], 5000);
  client.inspect({ joints: true });
  const joints = await live.until(
    "a joint",
    () => client.jointFrames()?.items.length === 1 && client.jointFrames(),
  );
  assert.equal(client.contacts(), null);
  assert.ok([joints.items[0].bodyA, joints.items[0].bodyB].includes(id));
  client.release();
  await live.until("none", () => client.jointFrames()?.items.length === 0);
  client.inspect({});
  live.close();
  await server.stop();
});

// A rope between two points, a propeller on a post with nothing that brakes it, and a load on a rod that
// breaks at ten times its weight.
const kScene = {
  players: { despawn: "anything" },
  bodies: [
    { name: "post", type: "static", position: [0, 2, 0], shapes: [{ box: { size: [0.2, 4, 0.2] } }] },
    { name: "propeller", position: [0, 4.2, 0], shapes: [{ box: { size: [2, 0.1, 0.2] } }] },
    { name: "load", position: [3, 2, 0], shapes: [{ sphere: { radius: 0.2 } }] },
  ],
  ropes: [{ start: [-4, 5, 0], end: [-1, 5, 0], nodes: 20, segment_length: 0.2, pins: [{}, { node: 19 }] }],
  joints: [
    { kind: "revolute", a: "post", b: "propeller", anchor: [0, 4.2, 0], axis: [0, 1, 0] },
    { kind: "distance", a: "post", b: "load", anchor: [0, 4, 0], anchor_b: [3, 2, 0], break_force: 3500 },
  ],
};

test("ropes and joints of the running world are told, and commands change them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "takt-"));
  const path = join(folder, "machine.json");
  writeFileSync(path, JSON.stringify(kScene));
  const server = await serve(path);
  const live = new LiveClient(server.wsUrl);
  await live.joined();
  const { client } = live;
  assert.deepEqual(client.ropes(), []);
  client.inspect({ ropes: true, joints: true });
  const joints = await live.until(
    "joints",
    () => client.jointFrames()?.items.length === 2 && client.jointFrames().items,
  );
  assert.deepEqual(
    joints.map(({ kind }) => kind),
    [3, 6],
  );
  assert.ok(
    Math.abs(joints[0].anchorA[1] - 4.2) < 0.01 && joints.every(({ isOff, isTorn }) => !isOff && !isTorn),
  );
  await live.until("the rope", () => client.ropes().length === 1);
  const [rope] = client.ropes();
  assert.equal(rope.positions.length, 60);
  await live.until("its sag", () => client.ropes()[0].positions[3 * 10 + 1] < 4.99);
  assert.ok(client.ropes()[0].tensions.every((tension) => Number.isFinite(tension)));

  client.changeJoint(joints[0].id, { motor: { speed: 6, maxForce: 1e4 } });
  const propeller = await live.until("the propeller", () => client.bodies().find(({ index }) => index === 1));
  await live.until("its turning", () => Math.abs(Math.abs(propeller.angularVelocity[1]) - 6) < 0.1);

  const load = client.bodies().find(({ index }) => index === 2);
  client.impulse(load.id, [2000, 0, 0]);
  const broken = await live.event("jointBroken");
  assert.equal(broken.joint, joints[1].id);
  await live.until("the torn rod", () => client.jointFrames().items[1].isTorn);
  client.destroyJoint(joints[1].id);
  await live.until("one joint", () => client.jointFrames().items.length === 1);

  client.cut(rope.id, 4);
  await live.until("two halves", () => client.ropes().length === 2);
  assert.deepEqual(
    client
      .ropes()
      .map(({ positions }) => positions.length / 3)
      .sort(),
    [15, 5],
  );
  client.inspect({});
  assert.deepEqual(client.ropes(), []);
  live.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});
