// Control of a room over a WebSocket against the real server: pause, step, speed, another scene, and rights.
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { after, before, test } from "node:test";

import { LiveClient } from "../support/live_client.mjs";
import { scenePath, serve } from "../support/takt_program.mjs";

let server;
let live;
before(async () => {
  server = await serve("pyramid", {
    args: ["--admin", "loopback", "--scenes", dirname(scenePath("pyramid"))],
  });
  live = new LiveClient(server.wsUrl);
  await live.joined();
  await live.until("a room and bodies", () => live.client.room !== null && live.client.bodies().length > 0);
});
after(async () => {
  live.close();
  assert.equal(await server.stop("SIGINT"), 0);
});

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The status with which a request was answered. */
async function answer(request) {
  const { status } = await live.event("controlResult", (event) => event.request === request);
  return status;
}

test("the room describes itself before there are bodies", () => {
  const { room } = live.client;
  assert.deepEqual(
    [room.scene, room.title, room.admin, room.paused, room.speed, room.tickRateHz, room.isPlayback],
    ["pyramid", "Pyramid: a wall of boxes, twenty at its foot", true, false, 1, 60, false],
  );
  assert.ok(room.scenes.includes("pile") && room.scenes.includes("cubes"), room.scenes.join(" "));
  assert.deepEqual(room.cameraEye, [4, 12, 32]);
  const first = live.events.findIndex((event) => event.type === "room");
  assert.ok(first >= 0 && first < live.events.findIndex((event) => event.type === "bodyAdded"));
});

test("pause stops the tick and shows the newest state exactly; a step runs that many ticks", async () => {
  const { client } = live;
  assert.equal(await answer(client.pause()), "done");
  await live.until("paused", () => client.room.paused);
  await sleep(500);
  live.poll();
  const { tick } = client.room;
  await sleep(500);
  live.poll();
  const { serverTick, renderTick } = client.stats();
  assert.deepEqual([client.room.tick, serverTick, renderTick], [tick, tick, tick]);
  for (const body of client.bodies()) assert.deepEqual([...body.position], [...body.rawPosition]);

  assert.equal(await answer(client.step()), "done");
  await live.until("one tick more", () => client.stats().renderTick === tick + 1);
  assert.equal(await answer(client.step(10)), "done");
  await live.until("ten ticks more", () => client.stats().renderTick === tick + 11);
  await sleep(200);
  live.poll();
  assert.equal(client.stats().serverTick, tick + 11);
});

test("a command given in a pause acts in the next tick", async () => {
  const { client } = live;
  const { tick } = client.room;
  const top = client
    .bodies()
    .reduce((highest, body) => (body.position[1] > highest.position[1] ? body : highest));
  client.impulse(top, [0, 3000, 0]); // a box of 1 t: 3 m/s
  await live.until("it has arrived", () => client.stats().inFlight === 0);
  await sleep(100);
  assert.equal(await answer(client.step()), "done");
  await live.until("it flies up", () => client.stats().renderTick > tick && top.linearVelocity[1] > 2);
  assert.equal(await answer(client.resume()), "done");
  await live.until("it is higher", () => top.linearVelocity[1] < 0);
});

test("at a tenth of the speed the tick has a tenth of the rate, and motion goes on smoothly", async () => {
  const { client } = live;
  assert.equal(await answer(client.setSpeed(0.1)), "done");
  await live.until("slow", () => client.room.speed < 0.11);
  await sleep(1000);
  live.poll();
  const [before, atMs] = [client.stats(), performance.now()];
  await sleep(2000);
  live.poll();
  const after = client.stats();
  const seconds = (performance.now() - atMs) / 1000;
  assert.ok(
    Math.abs((after.serverTick - before.serverTick) / seconds - 6) < 0.6,
    `${(after.serverTick - before.serverTick) / seconds} ticks/s`,
  );
  assert.ok(
    Math.abs((after.renderTick - before.renderTick) / seconds - 6) < 1.5,
    `${(after.renderTick - before.renderTick) / seconds} shown ticks/s`,
  );
  assert.equal(await answer(client.setSpeed(1)), "done");
});

test("the client refuses numbers out of range, the server unknown scenes and seeks", async () => {
  const { client } = live;
  assert.throws(() => client.setSpeed(1000), { code: "out-of-range" });
  assert.throws(() => client.step(1001), { code: "out-of-range" });
  assert.equal(await answer(client.loadScene("no such scene")), "refused_unknown_scene");
  assert.equal(await answer(client.seek(5)), "refused_not_here");
});

test("another scene replaces the world: a new epoch, other bodies, and commands act on them", async () => {
  const { client } = live;
  const { epoch } = client.room;
  assert.equal(await answer(client.loadScene("stack")), "done");
  const { room } = await live.event("room", (event) => event.isNewWorld);
  assert.deepEqual([room.scene, room.epoch > epoch], ["stack", true]);
  const entered = live.events.findLastIndex((event) => event.isNewWorld);
  const { bodyCount } = await live.event("serverReport", (event) => live.events.indexOf(event) > entered);
  assert.equal(bodyCount, 11); // ten boxes on the ground
  await live.until("its bodies", () => client.bodies().length === bodyCount);
  const top = client
    .bodies()
    .reduce((highest, body) =>
      body.motion === "dynamic" && body.position[1] > highest.position[1] ? body : highest,
    );
  client.impulse(top, [0, 5000, 0]);
  await live.until("the top box flies", () => top.linearVelocity[1] > 1);
});

test("who has no admin right is told so, and cannot pause", async () => {
  const other = await serve("stack");
  const guest = new LiveClient(other.wsUrl);
  await guest.joined();
  await guest.until("a room", () => guest.client.room !== null);
  assert.equal(guest.client.room.admin, false);
  const request = guest.client.pause();
  const { status } = await guest.event("controlResult", (event) => event.request === request);
  assert.equal(status, "refused_permission");
  assert.equal(guest.client.room.paused, false);
  guest.close();
  await other.stop();
});
