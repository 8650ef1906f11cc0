// The viewer on a live room: it displays motion and rest, and its actions reach the server, as another client
// confirms.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Browser, kPhone } from "./support/page.mjs";
import { SecondClient, sleep } from "./support/second_client.mjs";
import { kArtefactsDir, kScenesDir, kSourceDir } from "./support/surroundings.mjs";
import { Server } from "./support/takt.mjs";

// A floor, then a heavy box, a light box and a ball fall from a metre or two.
const kScene = {
  title: "Three that fall",
  camera: { eye: [0, 5, 12], target: [0, 1, 0] },
  bodies: [
    { name: "floor", type: "static", shapes: [{ half_space: {} }] },
    { name: "heavy", position: [-3, 2, 0], shapes: [{ box: { size: [1.5, 1.5, 1.5] } }] },
    { name: "light", position: [0, 2, 0], shapes: [{ box: { size: [1, 1, 1] }, density: 200 }] },
    { name: "ball", position: [3, 3, 0], shapes: [{ sphere: { radius: 0.5 } }] },
  ],
};
const kScenePath = join(kArtefactsDir, "three_that_fall.json");
// A rope that hangs from two points, and a door on a post.
const kMachine = {
  title: "A rope and a door",
  camera: { eye: [0, 3, 9], target: [0, 2, 0] },
  bodies: [
    { name: "post", type: "static", position: [1, 2, 0], shapes: [{ box: { size: [0.2, 3, 0.2] } }] },
    { name: "door", position: [2, 2, 0], shapes: [{ box: { size: [1.4, 2, 0.1] } }] },
  ],
  joints: [{ kind: "revolute", a: "post", b: "door", anchor: [1.2, 2, 0], axis: [0, 1, 0] }],
  ropes: [
    {
      nodes: 24,
      segment_length: 0.15,
      radius: 0.05,
      start: [-3.5, 3, 0],
      end: [-0.5, 3, 0],
      pins: [{}, { node: 23 }],
    },
  ],
};
const kMachinePath = join(kArtefactsDir, "rope_and_door.json");

let browser;
before(async () => {
  writeFileSync(kScenePath, JSON.stringify(kScene));
  writeFileSync(kMachinePath, JSON.stringify(kMachine));
  browser = await Browser.start();
});
after(() => browser.close());

/**
 * A server with that scene, a page on it and a second client; all closed at the end, and the page's console
 * must have been quiet.
 */
async function withRoom(work, options = {}) {
  const server = await Server.start(["serve", "--scene", options.scene ?? kScenePath, "--admin", "loopback"]);
  let page, second;
  try {
    page = await browser.open(server.url, options);
    second = await SecondClient.join(server.port);
    await work({ server, page, second });
    page.expectQuiet();
  } finally {
    second?.close();
    await page?.close();
    await server.stop();
  }
}

const heightOf = (page, index) =>
  page.read(`takt.bodies().find((body) => body.index === ${index}).position[1]`);
const kFloor = 0,
  kHeavy = 1,
  kLight = 2,
  kBall = 3;

test("bodies fall and come to rest on the floor, and the panel says what the server does", () =>
  withRoom(async ({ page, second }) => {
    const first = await page.read("takt.bodies()");
    assert.deepEqual(
      first.map((body) => body.index),
      [kFloor, kHeavy, kLight, kBall],
    );
    await page.until("takt.bodies().every((body) => body.speed < 0.01)", "everything rests");
    // Half extents and radius: where a body that rests on y = 0 has its centre, to the contact's slop.
    assert.ok(Math.abs((await heightOf(page, kHeavy)) - 0.75) < 0.01);
    assert.ok(Math.abs((await heightOf(page, kLight)) - 0.5) < 0.01);
    assert.ok(Math.abs((await heightOf(page, kBall)) - 0.5) < 0.01);
    assert.equal(await page.read("document.getElementById('scene-title').textContent"), "Three that fall");
    await page.until(
      "takt.reading('clients') === '2' && takt.reading('hash').length === 18",
      "the server's report",
    );
    await page.until("takt.reading('bodies') === '4 (0 awake)'", "what rests sleeps, and the panel says so");
    await page.until(
      "takt.client.bodies().filter((body) => body.asleep).length === 3",
      "the page knows who sleeps",
    );
    assert.ok(
      Math.abs(Number(await page.read("takt.reading('tick')")) - second.client.stats().serverTick) < 120,
    );
    await page.screenshot("live_light");
  }));

test("the snippet of docs/VIEWER.md reads window.takt in the console", () =>
  withRoom(async ({ page }) => {
    const [, code] = /^```js\n([^]*?)^```/m.exec(readFileSync(join(kSourceDir, "docs", "VIEWER.md"), "utf8"));
    await page.until("takt.client.stats().rttMs > 0 && takt.reading('hash').length === 18", "a report");
    // In one evaluation, so that no frame comes in between.
    const printed = await page.read(`(() => {
      const printed = [];
      const run = (console) => { ${code} };
      run({ log: (...values) => printed.push(values) });
      return printed;
    })()`);
    const [[frames, hash, rttMs], ...bodies] = printed;
    assert.ok(frames > 0 && rttMs > 0);
    assert.match(hash, /^0x[0-9a-f]{16}$/);
    assert.deepEqual(
      bodies.map(([index]) => index),
      [kFloor, kHeavy, kLight, kBall],
    );
    for (const [, { x, y }, speed] of bodies.slice(1)) assert.ok(x > 0 && y > 0 && Number.isFinite(speed));
  }));

test("dragging a body with the mouse moves it on the server", () =>
  withRoom(async ({ page, second }) => {
    await page.until("takt.bodies().every((body) => body.speed < 0.01)", "everything rests");
    const { x, y } = await page.pixelOf(kLight);
    const from = second.body(kLight).position[1];
    await page.page.mouse.move(x, y);
    await page.page.mouse.down();
    for (let step = 1; step <= 15; ++step) {
      await page.page.mouse.move(x, y - 10 * step);
      await sleep(30);
    }
    await second.until(
      () => second.body(kLight).position[1] > from + 1,
      "the body was lifted by more than a metre",
    );
    await page.screenshot("live_drag");
    await page.page.mouse.up();
    await second.until(() => second.body(kLight).position[1] < from + 0.1, "let go, it fell again");
    assert.ok(Math.abs(second.body(kHeavy).position[1] - 0.75) < 0.01, "nothing else was lifted");
  }));

test("dragging beside the bodies turns the camera and touches nothing", () =>
  withRoom(async ({ page, second }) => {
    await page.until("takt.bodies().every((body) => body.speed < 0.01)", "everything rests");
    const before = {
      eye: await page.read("[...takt.viewer.stage.rig.eye]"),
      at: [...second.body(kLight).position],
    };
    await page.page.mouse.move(200, 500);
    await page.page.mouse.down();
    await page.page.mouse.move(400, 450, { steps: 5 });
    await page.page.mouse.up();
    await page.until(
      `takt.viewer.stage.rig.eye.some((value, i) => Math.abs(value - ${JSON.stringify(before.eye)}[i]) > 1)`,
      "the eye moved",
    );
    before.at.forEach((value, axis) =>
      assert.ok(Math.abs(second.body(kLight).position[axis] - value) < 0.001, "it stayed where it was"),
    );
  }));

test("the space bar throws a ball: a body more, ours, and fast", () =>
  withRoom(async ({ page, second }) => {
    const player = await page.read("takt.client.player");
    await page.page.mouse.move(640, 300);
    await page.page.keyboard.press("Space");
    await second.until(() => second.client.bodies().length === 5, "a fifth body");
    const ball = second.client.bodies().find((body) => body.player === player);
    assert.equal(ball.shapes[0].kind, "sphere");
    await page.until("takt.bodies().length === 5", "the page shows it too");
  }));

test("ropes are drawn always, joint frames when asked for", () =>
  withRoom(
    async ({ page }) => {
      await page.until(
        "takt.client.ropes().length === 1 && takt.client.ropes()[0].positions[3 * 12 + 1] < 2.7",
        "the rope hangs through",
      );
      await page.until("takt.viewer.stage.ropePainter.segments.used === 23", "each of its segments is drawn");
      await page.until(
        "!takt.viewer.cords.wantsJoints && takt.client.jointFrames() === null",
        "a world without cords asks once for joint frames",
      );
      const low = await page.read(
        "takt.toPage([...takt.client.ropes()[0].positions.slice(3 * 12, 3 * 12 + 3)])",
      );
      assert.ok(low.x > 100 && low.x < 640 && low.y > 200 && low.y < 620, "it is where the page shows it");
      await page.page.keyboard.press("2");
      await page.until(
        "takt.client.jointFrames()?.items.length === 1 && takt.client.jointFrames().items[0].kind === 3",
        "the hinge is told",
      );
      await page.until("takt.viewer.lines.used > 20", "and its marks and axes are drawn");
      await page.screenshot("live_rope_and_door");
      await page.page.keyboard.press("2");
      await page.until("takt.client.jointFrames() === null && takt.viewer.lines.used === 0", "not any more");
      assert.equal(await page.read("takt.client.ropes().length"), 1, "the rope stays");
    },
    { scene: kMachinePath },
  ));

test("arrow keys drive the largest body", () =>
  withRoom(async ({ page, second }) => {
    await page.until("takt.bodies().every((body) => body.speed < 0.01)", "everything rests");
    const from = [...second.body(kHeavy).position];
    await page.page.keyboard.down("ArrowRight");
    await second.until(() => second.body(kHeavy).position[0] > from[0] + 1, "it went a metre to the right");
    await page.page.keyboard.up("ArrowRight");
    assert.ok(Math.abs(second.body(kHeavy).position[2] - from[2]) < 0.5, "and not forward");
  }));

test("pause stops the tick, a step is one tick, run goes on", () =>
  withRoom(async ({ page, second }) => {
    await page.page.click("#pause");
    await second.until(() => second.client.room?.paused, "the room is paused");
    const { tick } = second.client.room;
    await sleep(700);
    assert.equal(second.client.room.tick, tick);
    assert.equal(Math.round(second.client.stats().serverTick), tick, "pongs say the same");
    await page.until(`takt.client.stats().renderTick === ${tick}`, "the page shows exactly that tick");
    await page.page.click("#step");
    await second.until(() => second.client.room.tick === tick + 1, "one tick more");
    await sleep(300);
    assert.equal(second.client.room.tick, tick + 1);
    await page.page.click("#pause");
    await second.until(
      () => !second.client.room.paused && second.client.stats().serverTick > tick + 30,
      "it runs again",
    );
  }));

test("slow motion slows the tick", () =>
  withRoom(async ({ page, second }) => {
    await page.page.fill("#controls input[type=range]", "-1"); // a tenth
    await second.until(() => second.client.room?.speed < 0.11, "the room is slow");
    await sleep(300);
    const from = second.client.stats().serverTick;
    await sleep(2000);
    const passed = second.client.stats().serverTick - from;
    assert.ok(passed > 6 && passed < 25, `${passed} ticks in 2 s; a tenth of 60 a second is 12`);
  }));

test("the scene picker loads another scene with its bodies and camera and removes the old one", async () => {
  const server = await Server.start([
    "serve",
    "--scene",
    join(kScenesDir, "dominoes.json"),
    "--scenes",
    kScenesDir,
    "--admin",
    "loopback",
  ]);
  const page = await browser.open(server.url);
  try {
    await page.until("takt.client.room?.scenes.includes('stack')", "scenes to choose from");
    const before = await page.read("({ bodies: takt.bodies().length, eye: [...takt.viewer.stage.rig.eye] })");
    await page.page.selectOption("#scenes", "stack");
    await page.until(
      "takt.client.room.scene === 'stack' && takt.bodies().length === 11",
      "ten boxes and the floor",
    );
    assert.notEqual(before.bodies, 11);
    await page.until(
      `takt.viewer.stage.rig.eye.some((value, i) => Math.abs(value - ${JSON.stringify(before.eye)}[i]) > 1)`,
      "the camera went there",
    );
    await page.until("document.getElementById('scenes').value === 'stack'", "the picker shows it");
    page.expectQuiet();
  } finally {
    await page.close();
    await server.stop();
  }
});

test("who is no admin sees the room's controls disabled, and may still throw", async () => {
  const server = await Server.start(["serve", "--scene", kScenePath]);
  const page = await browser.open(server.url);
  try {
    assert.deepEqual(await page.read("['pause', 'step'].map((id) => document.getElementById(id).disabled)"), [
      true,
      true,
    ]);
    assert.match(await page.read("document.getElementById('pause').title"), /only an admin/);
    await page.page.keyboard.press("p");
    await page.page.keyboard.press("Space");
    await page.until("takt.bodies().length === 5", "a ball more");
    assert.equal(await page.read("takt.client.room.paused"), false);
    page.expectQuiet();
  } finally {
    await page.close();
    await server.stop();
  }
});

test("after the server is gone the page says so, and it joins again when the server is back", async () => {
  let server = await Server.start(["serve", "--scene", kScenePath]);
  const page = await browser.open(server.url);
  try {
    await server.stop();
    await page.until("!document.getElementById('banner').hidden", "the banner");
    assert.match(await page.read("document.getElementById('banner').textContent"), /Trying to connect/);
    await page.screenshot("live_reconnecting");
    server = await Server.start(["serve", "--scene", kScenePath], server);
    await page.until(
      `takt.client.state === "joined" && takt.bodies().length === 4 &&
        document.getElementById("banner").hidden`,
      "joined again",
      40_000,
    );
    const frames = await page.read("takt.frameCount()");
    await page.until(`takt.frameCount() > ${frames + 5}`, "frames go on");
    // A browser itself writes into the console that a WebSocket could not connect; nothing else may be there.
    assert.deepEqual(
      page.words.filter((word) => !/WebSocket connection to .* failed/.test(word)),
      [],
    );
  } finally {
    await page.close();
    await server.stop();
  }
});

test("a phone: everything fits, dark is dark, and a finger drags a body", () =>
  withRoom(
    async ({ page, second }) => {
      await page.until("takt.bodies().every((body) => body.speed < 0.01)", "everything rests");
      assert.equal(await page.read("document.documentElement.dataset.theme"), "dark");
      const boxes = await page.read(`["title", "panel", "controls"].map((id) => {
      const { left, top, right, bottom } = document.getElementById(id).getBoundingClientRect();
      return { id, left, top, right, bottom };
    })`);
      for (const { id, left, top, right, bottom } of boxes) {
        assert.ok(
          left >= 0 && top >= 0 && right <= kPhone.width && bottom <= kPhone.height,
          `${id} is cut: ${left} ${top} ${right} ${bottom}`,
        );
      }
      for (const a of boxes) {
        for (const b of boxes) {
          if (a.id >= b.id) continue;
          assert.ok(
            a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top,
            `${a.id} lies over ${b.id}`,
          );
        }
      }
      const small =
        await page.read(`[...document.querySelectorAll("#title *, #panel *, #controls *")].filter((each) =>
      each.offsetParent && each.textContent.trim() && parseFloat(getComputedStyle(each).fontSize) < 12)
      .map((each) => each.textContent)`);
      assert.deepEqual(small, [], "text below 12 pixels");
      await page.screenshot("live_phone_dark");

      const { x, y } = await page.pixelOf(kLight);
      const from = second.body(kLight).position[1];
      const touch = await page.page.context().newCDPSession(page.page);
      const send = (type, points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points });
      await send("touchStart", [{ x, y }]);
      for (let step = 1; step <= 12; ++step) {
        await send("touchMove", [{ x, y: y - 10 * step }]);
        await sleep(30);
      }
      await second.until(() => second.body(kLight).position[1] > from + 0.5, "the finger lifted it");
      await send("touchEnd", []);
    },
    { viewport: kPhone, hasTouch: true, colorScheme: "dark" },
  ));

test("every switch of the panel draws and undraws without console output; the help opens and closes", () =>
  withRoom(async ({ page }) => {
    await page.until("takt.bodies().every((body) => body.speed < 0.01)", "everything rests");
    await page.page.click("#panel-fold");
    const buttons = page.page.locator("#panel .toggles button");
    for (let i = 0; i < (await buttons.count()); ++i) await buttons.nth(i).click();
    await page.until("takt.client.contacts()?.items.length >= 3", "contacts came");
    const frames = await page.read("takt.frameCount()");
    await page.until(`takt.frameCount() > ${frames + 3}`, "drawn");
    await page.screenshot("live_overlays");
    for (let i = 0; i < (await buttons.count()); ++i) await buttons.nth(i).click();
    await page.page.keyboard.press("?");
    assert.equal(await page.page.locator("#help").isVisible(), true);
    await page.screenshot("live_help");
    await page.page.keyboard.press("Escape");
    assert.equal(await page.page.locator("#help").isVisible(), false);
  }));
