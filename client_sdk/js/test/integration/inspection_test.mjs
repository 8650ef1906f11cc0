// A look inside the solver of the real server: contact points and joint frames, while they are asked for.
import assert from "node:assert/strict";
import { test } from "node:test";

import { sphere } from "../../dist/index.js";
import { LiveClient } from "../support/live_client.mjs";
import { serve } from "../support/takt_program.mjs";

test("contacts of the running world come when asked for, and stop when not", async () => {
  const server = await serve("pile");
  const live = new LiveClient(server.ws_url);
  await live.joined();
  const { client } = live;
  await live.until("bodies", () => client.bodies().length > 0);
  client.inspect({ contacts: true });
  const contacts = await live.until("many contacts", () => client.contacts?.points.length > 100 && client.contacts);
  assert.ok(contacts.total >= contacts.points.length, `${contacts.points.length} of ${contacts.total}`);
  for (const point of contacts.points) {
    assert.ok(Math.abs(Math.hypot(...point.normal) - 1) < 1e-3 && point.position[1] > -0.1 && point.position[1] < 50 && point.separation < 0.1);
  }
  client.spawn({ shape: sphere(0.3), position: [0, 1, 15], userKind: 5 });
  const { body: id } = await live.event("bodyAdded", (event) => event.userKind === 5);
  await live.until("the ball", () => live.body(id));
  client.grab(id, [0, 0, 0], [0, 3, 15], 5000);
  client.inspect({ joints: true });
  const joints = await live.until("a joint", () => client.jointFrames?.points.length === 1 && client.jointFrames);
  assert.equal(client.contacts, null);
  assert.ok([joints.points[0].bodyA, joints.points[0].bodyB].includes(id));
  client.release();
  await live.until("none", () => client.jointFrames?.points.length === 0);
  client.inspect({});
  live.close();
  await server.stop();
});
