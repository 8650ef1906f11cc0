// The viewer on a recording: it seeks to a tick and displays the hash that `takt run` printed for that tick.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Browser } from "./support/page.mjs";
import { sleep } from "./support/second_client.mjs";
import { kArtefactsDir, kScenesDir } from "./support/surroundings.mjs";
import { run, Server } from "./support/takt.mjs";

const kTicks = 240;
const kRecording = join(kArtefactsDir, "dominoes.takt");
/** tick -> "0x..." of the state after that tick. */
const hashes = new Map();

let browser;
before(async () => {
  const made = await run(
    "run",
    join(kScenesDir, "dominoes.json"),
    "--ticks",
    String(kTicks),
    "--record",
    kRecording,
    "--force",
    "--hash-every",
    "1",
  );
  assert.equal(made.code, 0, made.stderr);
  for (const [, tick, hash] of made.stdout.matchAll(/tick (\d+) hash (0x[0-9a-f]{16})/g))
    hashes.set(Number(tick), hash);
  assert.ok(hashes.size >= kTicks, `only ${hashes.size} hashes in: ${made.stdout.slice(0, 500)}`);
  browser = await Browser.start();
});
after(() => browser.close());

async function withReplay(work) {
  const server = await Server.start(["replay", "play", kRecording, "--admin", "loopback"]);
  const page = await browser.open(server.url);
  try {
    await page.until("takt.client.room?.isPlayback && takt.client.room.admin", "the room is a recording");
    await work(page);
    page.expectQuiet();
  } finally {
    await page.close();
    await server.stop();
  }
}

/** The panel's hash, once it is that of `tick`. */
async function hashAt(page, tick) {
  await page.until(
    `takt.client.room.paused && takt.client.stats().renderTick === ${tick}`,
    `tick ${tick} is shown`,
  );
  await page.until(
    `document.querySelector("#panel .hash").title === "of the state at tick ${tick}"`,
    `the hash of tick ${tick}`,
  );
  return page.read("takt.reading('hash')");
}

async function pause(page) {
  if (!(await page.read("takt.client.room.paused"))) await page.page.keyboard.press("p");
  await page.until("takt.client.room.paused", "paused");
}

test("a click on the bar seeks; the hash shown is that tick's; steps go on and back", () =>
  withReplay(async (page) => {
    await pause(page);
    // Away from the middle first: a slow machine may have played on to there before it paused.
    await page.read("void takt.client.seek(10)");
    assert.equal(await hashAt(page, 10), hashes.get(10));
    const bar = await page.page.locator(".timeline canvas").boundingBox();
    await page.page.mouse.click(bar.x + bar.width / 2, bar.y + bar.height / 2);
    await page.until(
      "((tick) => Math.abs(tick - 120) < 20 && Number.isInteger(tick))(takt.client.stats().renderTick)",
      "about the middle",
    );
    const tick = await page.read("takt.client.room.tick");
    assert.equal(await hashAt(page, tick), hashes.get(tick));
    await page.page.keyboard.press(".");
    assert.equal(await hashAt(page, tick + 1), hashes.get(tick + 1));
    await page.page.keyboard.press(",");
    await page.page.keyboard.press(",");
    assert.equal(await hashAt(page, tick - 1), hashes.get(tick - 1));
    // Within one turn of the page, before any answer: every press counts, in their order.
    await page.read(
      `for (const key of "..,,,.,,,")
        window.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))`,
    );
    assert.equal(await hashAt(page, tick - 4), hashes.get(tick - 4));
    await page.read(`void takt.client.seek(${tick - 1})`);
    assert.equal(await hashAt(page, tick - 1), hashes.get(tick - 1));
    assert.equal(
      await page.read("document.getElementById('timeline-now').textContent"),
      `${tick - 1} / ${kTicks}`,
    );
    await page.screenshot("replay");
  }));

test("the start, the end and a tick in between show the poses of a live run", () =>
  withReplay(async (page) => {
    await pause(page);
    const positions = new Map();
    for (const tick of [200, 40, 200, 0]) {
      await page.read(`void takt.client.seek(${tick})`);
      await page.until(
        `takt.client.stats().renderTick === ${tick} && takt.bodies().length > 0`,
        `tick ${tick}`,
      );
      await page.until(`Number.parseInt(takt.reading('bodies')) === takt.bodies().length`, "all bodies");
      if (tick > 0) assert.equal(await hashAt(page, tick), hashes.get(tick));
      const now = await page.read("JSON.stringify(takt.bodies().map((body) => body.position))");
      if (positions.has(tick))
        assert.equal(now, positions.get(tick), `tick ${tick} looks the same the second time`);
      positions.set(tick, now);
    }
    assert.notEqual(positions.get(200), positions.get(40));
  }));

test("it plays at the speed that was asked for, and stops at the end", () =>
  withReplay(async (page) => {
    await pause(page);
    await page.page.keyboard.press("Home");
    await page.until("takt.client.stats().renderTick === takt.client.room.firstTick", "the start");
    await page.page.fill("#controls input[type=range]", "-0.6");
    await page.until("takt.client.room.speed < 0.3", "a quarter");
    await page.page.click("#pause");
    await page.until("takt.client.stats().serverTick > 5", "it plays");
    const from = await page.read("({ tick: takt.client.stats().serverTick, ms: performance.now() })");
    await sleep(2000);
    const to = await page.read("({ tick: takt.client.stats().serverTick, ms: performance.now() })");
    const perS = (1000 * (to.tick - from.tick)) / (to.ms - from.ms);
    assert.ok(perS > 10 && perS < 20, `${perS} ticks a second; 10^-0.6 of 60 is 15`);
    await page.page.fill("#controls input[type=range]", "1");
    await page.until(`takt.client.room.paused && takt.client.room.tick === ${kTicks}`, "the end");
    assert.equal(await hashAt(page, kTicks), hashes.get(kTicks));
  }));
