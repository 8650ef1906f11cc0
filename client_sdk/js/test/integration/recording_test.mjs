// A recording of `takt replay play`: range and marks, play, pause and step, and seeks to exactly the state of
// `takt replay seek`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { LiveClient } from "../support/live_client.mjs";
import { Program, program, scenePath } from "../support/takt_program.mjs";

const kTicks = 600;
const folder = mkdtempSync(join(tmpdir(), "takt-recording-"));
const recording = join(folder, "pile.takt");
let player;
let live;

before(async () => {
  execFileSync(program, ["run", scenePath("pile"), "--ticks", String(kTicks), "--record", recording]);
  player = new Program(program, [
    "replay",
    "play",
    recording,
    "--http",
    "auto",
    "--http-bind",
    "127.0.0.1",
    "--bind",
    "127.0.0.1",
  ]);
  const [, port] = await player.waitFor(/http:\/\/127\.0\.0\.1:(\d+)/);
  live = new LiveClient(`ws://127.0.0.1:${port}/ws`);
  await live.joined();
  await live.until("bodies", () => live.client.room !== null && live.client.bodies().length > 0);
});
after(async () => {
  live.close();
  await player.stop("SIGINT");
  rmSync(folder, { recursive: true });
});

async function done(request) {
  const { status, text } = await live.event("controlResult", (event) => event.request === request);
  assert.equal(status, "done", text);
}

test("it is a recording with a range, and it plays", async () => {
  const { client } = live;
  assert.deepEqual(
    [client.room.isPlayback, client.room.admin, client.room.firstTick, client.room.endTick],
    [true, true, 0, kTicks],
  );
  const { renderTick } = client.stats();
  await live.until("it plays", () => client.stats().renderTick > renderTick + 30);
});

for (const tick of [300, 77, 599]) {
  test(`a seek to tick ${tick} shows that tick's state, bit for bit`, async () => {
    const { client } = live;
    await done(client.pause());
    const { epoch } = client.room;
    const eventCount = live.events.length;
    await done(client.seek(tick));
    await live.until("the new world", () => client.room.epoch > epoch);
    const [, hash] = /hash (0x[0-9a-f]{16})/.exec(
      execFileSync(program, ["replay", "seek", recording, "--tick", String(tick)], { encoding: "utf8" }),
    );
    const report = await live.until("a report of it", () =>
      live.events.slice(eventCount).find((event) => event.type === "serverReport" && event.tick === tick),
    );
    assert.equal(`0x${report.stateHash.toString(16).padStart(16, "0")}`, hash);
    await live.until(
      "all bodies at that tick",
      () => client.bodies().length === report.bodyCount && client.stats().renderTick === tick,
    );
    for (const body of client.bodies()) assert.deepEqual([...body.position], [...body.rawPosition]);
  });
}

test("a step back is a seek, a step forward a tick", async () => {
  const { client } = live;
  await done(client.seek(200));
  await live.until("tick 200", () => client.stats().renderTick === 200 && client.bodies().length > 0);
  await done(client.seek(199));
  await live.until("tick 199", () => client.stats().renderTick === 199 && client.bodies().length > 0);
  await done(client.step());
  await live.until("tick 200 again", () => client.stats().renderTick === 200);
  await done(client.resume());
  await live.until("it plays on", () => client.stats().renderTick > 220);
});

test("a seek past the end is refused by the server", async () => {
  const { client } = live;
  const request = client.seek(kTicks + 1000);
  const { status } = await live.event("controlResult", (event) => event.request === request);
  assert.equal(status, "refused_range");
});
