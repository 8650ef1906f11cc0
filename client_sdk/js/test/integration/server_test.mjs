// The SDK against the real `takt serve`: joining, the world, commands, rights, leaving, a restarted server.
import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { after, before, describe, test } from "node:test";

import { sphere } from "../../dist/index.js";
import { readMessage } from "../../dist/protocol.js";
import { LiveClient } from "../support/live_client.mjs";
import { frame } from "../support/server_messages.mjs";
import { serve } from "../support/takt_program.mjs";

test("each connection of a client over TCP has a key pair of its own", async () => {
  const keys = [];
  // Answers each request with one Challenge, and hangs up when the response is there.
  const listener = createServer((socket) => {
    let held = Buffer.alloc(0);
    let isChallenged = false;
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      held = Buffer.concat([held, bytes]);
      while (held.length >= 4 && held.length >= 4 + held.readUInt32LE(0)) {
        const { message } = readMessage(held.subarray(5, 4 + held.readUInt32LE(0)), "reliable");
        held = held.subarray(4 + held.readUInt32LE(0));
        if (message.type === "ChallengeResponse") {
          keys.push(Buffer.from(message.key).toString("hex"));
          socket.destroy();
          return;
        }
        assert.equal(isChallenged, false);
        isChallenged = true;
        const key = Array.from({ length: 32 }, (_, i) => i + 1);
        const fields = { cookie: Array(16).fill(1), lasting_key: key, short_lived_key: key };
        socket.write(frame("Challenge", { nonce: message.nonce, ...fields }));
      }
    });
  });
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const options = { backOffFirstMs: 10, backOffMaxMs: 20 };
  const live = new LiveClient(`tcp://127.0.0.1:${listener.address().port}`, options);
  try {
    await live.until("four attempts", () => keys.length >= 4);
  } finally {
    live.close();
    listener.close();
  }
  assert.equal(new Set(keys).size, keys.length);
});

for (const url of ["tcpUrl", "wsUrl"]) {
  describe(url, () => {
    let server;
    before(async () => {
      server = await serve("pyramid");
    });
    after(() => server.stop());

    async function join(options = {}) {
      const live = new LiveClient(server[url], options);
      await live.joined();
      return live;
    }

    test("a client joins, sees every body of the scene where it stands, and leaves", async () => {
      const live = await join({ playerName: "J\u00fcrgen" });
      const { client } = live;
      assert.ok(client.player > 0);
      await server.waitFor(new RegExp(`player ${client.player} joined from .* as "J\u00fcrgen"`));
      const report = await live.event("serverReport");
      await live.until("all bodies", () => client.bodies().length === report.bodyCount);
      assert.equal(report.bodyCount, 211);
      const ground = client.bodies().filter((body) => body.shapes[0].kind === "half_space");
      assert.equal(ground.length, 1);
      assert.equal(ground[0].motion, "static");
      for (const body of client.bodies()) {
        if (body === ground[0]) continue;
        // Unit boxes of a wall 20 wide at its foot and 20 high.
        assert.deepEqual(
          [body.shapes.length, body.shapes[0].kind, body.shapes[0].dimensions],
          [1, "box", [0.5, 0.5, 0.5]],
        );
        assert.ok(
          Math.abs(body.position[0]) < 11 &&
            body.position[1] > 0.4 &&
            body.position[1] < 20 &&
            Math.abs(body.position[2]) < 0.6,
          [...body.position],
        );
        assert.ok(Math.abs(Math.hypot(...body.rotation) - 1) < 1e-5);
      }
      live.close();
      await server.waitFor(new RegExp(`player ${client.player} left: client_left`));
    });

    test("the shown tick follows the server's, a little behind, and snapshots come at its rate", async () => {
      const live = await join();
      await live.until("bodies", () => live.client.bodies().length > 0);
      // Seven seconds of falling: something always moves.
      live.client.spawn({ shape: sphere(0.5), position: [0, 300, 50] });
      await new Promise((resolve) => setTimeout(resolve, 2500));
      live.poll();
      const report = live.events.findLast((event) => event.type === "serverReport");
      const { serverTick, renderTick, rttMs, snapshotsPerS, bufferMs, receivedBytesPerS, loss } =
        live.client.stats();
      assert.ok(Math.abs(serverTick - report.tick) < 90, `${serverTick} ${report.tick}`);
      assert.ok(renderTick < serverTick && serverTick - renderTick < 63, `${renderTick} ${serverTick}`);
      assert.ok(rttMs > 0 && rttMs < 300, `${rttMs} ms`);
      assert.ok(snapshotsPerS > 20 && snapshotsPerS < 75, `${snapshotsPerS} snapshots/s`);
      assert.ok(bufferMs > 0 && bufferMs <= 1000 && receivedBytesPerS > 0 && loss < 0.05);
      live.close();
    });

    test("a spawned ball has its player, flies, reaches another client, and can be despawned", async () => {
      const [live, other] = [await join(), await join()];
      const sequence = live.client.spawn({
        shape: sphere(0.4),
        position: [0, 30, 12],
        linearVelocity: [0, 8, 0],
        userKind: 77,
      });
      assert.equal(sequence, 1);
      const { body: id } = await live.event("bodyAdded", (event) => event.userKind === 77);
      const ball = await live.until("the ball", () => live.body(id));
      assert.deepEqual(
        [ball.player, ball.userKind, ball.shapes[0].kind, ball.shapes[0].dimensions[0]],
        [live.client.player, 77, "sphere", Math.fround(0.4)],
      );
      const seen = await other.until("the ball, at the other client", () => other.body(id));
      assert.equal(seen.player, live.client.player);
      const start = seen.position[1];
      await other.until("it fell", () => seen.position[1] < start - 5);
      other.client.despawn(seen); // not its own: scenes allow that for one's own alone
      const outcome = await other.event("commandOutcome");
      assert.deepEqual([outcome.sequence, outcome.status], [1, "refused_permission"]);
      live.client.despawn(ball);
      await other.event("bodyRemoved", (event) => event.body === id);
      await other.until("it is gone", () => other.body(id) === undefined);
      live.close();
      other.close();
    });

    test("an impulse, a grab and a teleport move a body, as another client confirms", async () => {
      const [live, other] = [await join(), await join()];
      live.client.spawn({ shape: sphere(0.5), position: [0, 0.5, 20], userKind: 78 });
      const { body: id } = await live.event("bodyAdded", (event) => event.userKind === 78);
      const seen = await other.until("the ball", () => other.body(id));
      await live.until("the ball", () => live.body(id));
      // 4/3 pi 0.5^3 1000 = 524 kg: 2,618 N s are 5 m/s.
      live.client.impulse(id, { x: 2618, y: 0, z: 0 });
      await other.until("it rolls along x", () => seen.position[0] > 2 && seen.linearVelocity[0] > 2);
      live.client.grab(id, [0, 0, 0], [-3, 4, 20], 50_000);
      await other.until(
        "it hangs at the grab's target",
        () => Math.hypot(seen.position[0] + 3, seen.position[1] - 4, seen.position[2] - 20) < 0.5,
      );
      live.client.moveGrab([-3, 6, 20]);
      await other.until("it follows", () => Math.abs(seen.position[1] - 6) < 0.5);
      live.client.release();
      await other.until("it falls", () => seen.position[1] < 2);
      live.client.teleport(id, [100, 50, -100]);
      await other.until(
        "it is far away",
        () => seen.position[0] > 99 && seen.position[1] > 40 && seen.position[2] < -99,
      );
      const { commandsSent, inFlight } = await live.until(
        "all acknowledged",
        () => live.client.stats().inFlight === 0 && live.client.stats(),
      );
      assert.deepEqual([commandsSent, inFlight], [6, 0]);
      live.close();
      other.close();
    });

    test("a force for many ticks moves a body, and commands for no body are refused", async () => {
      const live = await join();
      live.client.spawn({ shape: sphere(0.5), position: [0, 0.5, 30], userKind: 79 });
      const { body: id } = await live.event("bodyAdded", (event) => event.userKind === 79);
      const ball = await live.until("the ball", () => live.body(id));
      live.client.force(ball, [2000, 0, 0], [0, 0, 0], 60);
      await live.until("it rolls", () => ball.position[0] > 1);
      const sequence = live.client.impulse((99n << 32n) | 5n, [1, 0, 0]);
      const outcome = await live.event("commandOutcome", (event) => event.sequence === sequence);
      assert.equal(outcome.status, "refused_unknown_body");
      live.close();
    });

    test("a server of another scene refuses, with its reason", async () => {
      const live = new LiveClient(server[url], { sceneHash: 0x1234n });
      const { error } = await live.event("error");
      assert.deepEqual([error.code, error.reason], ["refused", "scene_mismatch"]);
      await live.event("disconnected");
      assert.equal(live.client.state, "closed");
      live.close();
    });

    test("nobody listens: a network error, attempts, and an end when closed", async () => {
      const live = new LiveClient(`${url.slice(0, -"Url".length)}://127.0.0.1:1`, {
        backOffFirstMs: 20,
        backOffMaxMs: 40,
      });
      await live.event("error", (event) => event.error.code === "network");
      await live.event("reconnecting", (event) => event.attempt >= 3);
      live.close();
      assert.equal(live.client.state, "closed");
    });

    test("a stopped server says so; a new one at its port is joined, and shows its world", async () => {
      const first = await serve("stack");
      const live = new LiveClient(first[url], { backOffFirstMs: 50, backOffMaxMs: 200 });
      await live.until("bodies", () => live.client.bodies().length > 0);
      assert.equal(await first.stop("SIGINT"), 0);
      const { reason, willReconnect } = await live.event("disconnected");
      assert.deepEqual([reason, willReconnect], ["server_stopped", true]);
      assert.ok(live.client.bodies().length > 0, "the last world stays in view");
      const second = await serve("stack", { port: first.port, httpPort: first.httpPort });
      const again = await live.event("joined", (event) => event.reconnects === 1);
      assert.equal(again.player, 1);
      await live.until("bodies of the new server", () => live.client.bodies().length > 0);
      live.close();
      assert.equal(await second.stop("SIGINT"), 0);
    });
  });
}

test("who relays a connection over TCP sees no byte of the player's name", async () => {
  const name = "Wilhelmine";
  const server = await serve("stack");
  const seen = [];
  const relay = createServer((client) => {
    const upstream = connect(server.port, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      from.on("data", (bytes) => {
        seen.push(bytes);
        to.write(bytes);
      });
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  });
  await new Promise((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const live = new LiveClient(`tcp://127.0.0.1:${relay.address().port}`, { playerName: name });
  try {
    await live.joined();
    await server.waitFor(new RegExp(` as "${name}"`));
    await live.until("bodies", () => live.client.bodies().length > 0);
    const bytes = Buffer.concat(seen);
    assert.ok(bytes.length > 500);
    for (let at = 0; at + 4 <= name.length; ++at) {
      assert.equal(bytes.indexOf(name.slice(at, at + 4)), -1);
    }
  } finally {
    live.close();
    relay.close();
    await server.stop();
  }
});
