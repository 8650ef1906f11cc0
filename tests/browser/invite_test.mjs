// The first picture that a newcomer sees, at a desktop's and a phone's size: the scene and its floor are in
// the free part of the page, one line names the next thing to do, and no panel covers the middle. Pictures of
// ten scenes stay in the artefacts, to be looked at, in the quality of a graphics card.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { Browser, kDesktop, kPhone } from "./support/page.mjs";
import { SecondClient, sleep } from "./support/second_client.mjs";
import { kArtefactsDir, kScenesDir, kSourceDir } from "./support/surroundings.mjs";
import { run, Server } from "./support/takt.mjs";

const kScenes = [
  "playground",
  "pyramid",
  "machines",
  "mixer",
  "chains",
  "ropes",
  "terrain",
  "ragdolls",
  "dominoes",
  "cradle",
];
const kViews = { desktop: { viewport: kDesktop }, phone: { viewport: kPhone, hasTouch: true } };

let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

/**
 * Opens the viewer at a server of its own. `isPaused`: a second client, the last argument of `work`, pauses
 * the room before the page opens. A busy machine draws a picture seconds after it was framed, and bodies that
 * fall meanwhile would be judged at another place.
 */
async function withServer(args, work, options = {}) {
  const server = await Server.start(args);
  let page, second;
  try {
    if (options.isPaused) {
      second = await SecondClient.join(server.port);
      second.client.pause();
      await second.until(() => second.client.room?.paused, "the room is paused");
    }
    page = await browser.open(server.url + (options.query ?? ""), options);
    await work(page, second);
    page.expectQuiet();
  } finally {
    await page?.close();
    second?.close();
    await server.stop();
  }
}

const serve = (scene) => ["serve", "--scene", join(kScenesDir, `${scene}.json`), "--admin", "loopback"];

/** Rectangles of the page's parts that are visible. */
const kRects = `Object.fromEntries(["title", "panel", "hint", "controls"].map((id) => {
  const { left, top, right, bottom } = document.getElementById(id).getBoundingClientRect();
  return [id, { left, top, right, bottom }];
}))`;

/**
 * The picture: where moving bodies are on the page, the pixels that all bodies span, the floor below the
 * camera's target, and the eye's height above the floor.
 */
const kPicture = `(async () => {
  const { Bounds } = await import("./bounds.js");
  const { guide, stage } = takt.viewer;
  const { rig, floor } = stage;
  const span = { left: innerWidth, right: 0, top: innerHeight, bottom: 0 };
  for (const body of takt.client.bodies()) {
    const { low, high, isEmpty } = body.shapes.reduce(
      (bounds, shape) => (bounds.addShape(body, shape), bounds),
      new Bounds(),
    );
    for (let corner = 0; corner < 8 && !isEmpty; ++corner) {
      const at = takt.toPage(low.map((value, axis) => (corner & (1 << axis) ? high[axis] : value)));
      if (at === null) continue;
      span.left = Math.max(0, Math.min(span.left, at.x));
      span.right = Math.min(innerWidth, Math.max(span.right, at.x));
      span.top = Math.max(0, Math.min(span.top, at.y));
      span.bottom = Math.min(innerHeight, Math.max(span.bottom, at.y));
    }
  }
  const bodies = takt.client.bodies().filter(({ motion }) => motion === "dynamic")
    .map(({ position }) => takt.toPage(position));
  const [x, , z] = rig.target;
  const floorY = floor.heightAt(x, z);
  return {
    bodies,
    span,
    isFramed: guide.isFramed,
    floor: Number.isFinite(floorY) ? takt.toPage([x, floorY, z]) : null,
    clearance: stage.clearanceOf(...rig.eye),
    targetY: rig.target[1],
  };
})()`;

/** Throws unless nothing covers the middle fifth across and down, by what is under a grid of its points. */
async function expectFreeMiddle(page, what) {
  const covered = await page.read(`(() => {
    const covered = [];
    for (let i = 0; i <= 6; ++i) for (let k = 0; k <= 6; ++k) {
      const x = innerWidth * (0.4 + i / 30), y = innerHeight * (0.4 + k / 30);
      const found = document.elementFromPoint(x, y);
      if (found?.id !== "world") covered.push(found?.closest("[id]")?.id ?? "nothing");
    }
    return covered;
  })()`);
  assert.deepEqual(covered, [], what);
}

const apart = (a, b) => a.left >= b.right || b.left >= a.right || a.top >= b.bottom || b.top >= a.bottom;

for (const [view, options] of Object.entries(kViews)) {
  for (const scene of kScenes) {
    test(`${scene} on a ${view}: the scene, the floor and the next thing to do`, () =>
      withServer(
        [...serve(scene), "--scenes", kScenesDir],
        async (page, second) => {
          await page.until("takt.viewer.guide.isFramed && !document.getElementById('hint').hidden", "framed");
          if (scene === "cradle") {
            await page.until("takt.viewer.stage.ropes.length === 20", "each ball hangs on two cords");
          }
          const framed = await page.read(kPicture);
          second.client.resume();
          await page.until("takt.client.room.paused === false", "the room runs");
          await sleep(600);
          await page.screenshot(`invite_${scene}_${view}`);
          const { width, height } = options.viewport;
          const rects = await page.read(kRects);
          for (const [id, { left, top, right, bottom }] of Object.entries(rects)) {
            assert.ok(left >= 0 && top >= 0 && right <= width && bottom <= height, `${id} is cut`);
          }
          const names = Object.keys(rects);
          for (const a of names) {
            for (const b of names) assert.ok(a === b || apart(rects[a], rects[b]), `${a} covers ${b}`);
          }
          await expectFreeMiddle(page, `${scene} on a ${view}`);

          const picture = await page.read(kPicture);
          const isFree = ({ x, y }) =>
            x >= 0 &&
            x <= width &&
            y >= 0 &&
            y <= height &&
            Object.values(rects).every(
              ({ left, top, right, bottom }) => x < left || x > right || y < top || y > bottom,
            );
          const seen = picture.bodies.filter((at) => at !== null && isFree(at));
          assert.ok(
            seen.length >= 0.8 * picture.bodies.length,
            `${seen.length} of ${picture.bodies.length} bodies are in the free part of the page`,
          );
          const across = framed.span.right - framed.span.left;
          const down = Math.max(framed.span.bottom, framed.floor?.y ?? 0) - framed.span.top;
          assert.ok(
            // On a phone the beam of chains.json has 24 of the 29.5 m in which a ball swings, and 340 of 390
            // pixels are free of margins: 0.71 of the width, and less in perspective.
            view === "phone" ? across > 0.65 * width : across > width / 3 || down > height / 3,
            `the scene takes ${across} x ${down} pixels`,
          );
          assert.ok(
            picture.floor !== null && isFree(picture.floor),
            `the floor is visible at ${JSON.stringify(picture.floor)}`,
          );
          assert.ok(picture.clearance > 0, "the eye is above the floor");
        },
        { ...options, isPaused: true, query: "&quality=high" }, // as a graphics card draws it
      ));
  }
}

test("the hint names what a person can do here, and goes after the first throw", () =>
  withServer([...serve("stack"), "--scenes", kScenesDir], async (page) => {
    const hint = () => page.read("document.getElementById('hint').innerText");
    await page.until("!document.getElementById('hint').hidden", "the hint");
    assert.match(await hint(), /[Dd]rag a body.*space.*pick another scene/s);
    await page.page.mouse.move(640, 300);
    await page.page.keyboard.press("Space");
    await page.until("document.getElementById('hint').hidden", "the hint is gone");
    await sleep(1200);
    assert.equal(await page.read("document.getElementById('hint').hidden"), true, "and stays so");
  }));

test("the panel folds at every width, never covers the middle, and remembers the choice", () =>
  withServer(serve("stack"), async (page) => {
    const isFolded = () => page.read("document.getElementById('panel').classList.contains('is-folded')");
    assert.equal(await isFolded(), true);
    const sizes = [
      [390, 844],
      [844, 390],
      [701, 700],
      [761, 640],
      [1280, 720],
      [1920, 1080],
    ];
    for (const [width, height] of sizes) {
      await page.page.setViewportSize({ width, height });
      for (const wanted of [true, false]) {
        if ((await isFolded()) !== wanted) await page.page.click("#panel-fold");
        assert.equal(await isFolded(), wanted);
        await expectFreeMiddle(page, `${width} x ${height}, folded: ${wanted}`);
      }
    }
    await page.page.reload();
    await page.until("window.takt?.frameCount() > 2", "drawn again");
    assert.equal(await isFolded(), false, "open, as it was left");
  }));

test("without other scenes the page says why; a recording says so too", async () => {
  const isShown = (id) => `!document.getElementById("${id}").hidden`;
  await withServer(serve("stack"), async (page) => {
    await page.until(isShown("scenes-why"), "the reason");
    assert.match(await page.read("document.getElementById('scenes-why').innerText"), /--scenes/);
    assert.equal(await page.page.locator("#scenes").isVisible(), false);
  });
  await withServer([...serve("stack"), "--scenes", kScenesDir], async (page) => {
    await page.until(isShown("scenes"), "the scenes");
    assert.equal(await page.page.locator("#scenes-why").isVisible(), false);
    assert.equal(await page.page.locator("#scenes").isVisible(), true);
  });
});

test("the time line and its picture keep their width while digits come and go", async () => {
  const recording = join(kArtefactsDir, "digits.takt");
  const made = await run(
    ...["run", join(kScenesDir, "stack.json"), "--ticks", "1200", "--record", recording, "--force"],
  );
  assert.equal(made.code, 0, made.stderr);
  await withServer(["replay", "play", recording, "--admin", "loopback"], async (page) => {
    if (!(await page.read("takt.client.room.paused"))) await page.page.keyboard.press("p");
    assert.match(await page.read("document.getElementById('scenes-why').innerText"), /recording/);
    const { hint } = await page.read(kRects);
    const foot = await page.read("takt.toPage([0.5, 0, 0.5])");
    assert.ok(foot.y < hint.top, `the foot of the stack is at ${foot.y}, the hint at ${hint.top}`);
    const widths = new Set();
    for (const tick of [0, 7, 11, 88, 111, 999, 1111, 1200]) {
      await page.read(`void takt.client.seek(${tick})`);
      await page.until(
        `document.getElementById("timeline-now").textContent === "${tick} / 1200"`,
        `tick ${tick} is displayed`,
      );
      widths.add(await page.read("document.querySelector('.timeline canvas').getBoundingClientRect().width"));
    }
    assert.equal(widths.size, 1, `widths of the bar: ${[...widths]}`);
    await page.screenshot("invite_recording");
  });
});

test("a long title is not cut, on a phone too", async () => {
  const path = join(kArtefactsDir, "long_title.json");
  const title = "A scene with a title that its author did not keep short, on purpose";
  writeFileSync(path, JSON.stringify({ title, bodies: [{ shapes: [{ sphere: { radius: 1 } }] }] }));
  for (const [view, options] of Object.entries(kViews)) {
    await withServer(
      ["serve", "--scene", path],
      async (page) => {
        const { text, isCut, rect } = await page.read(`(() => {
          const element = document.getElementById("scene-title");
          const { left, right, bottom } = element.getBoundingClientRect();
          return {
            text: element.innerText,
            isCut: element.scrollWidth > element.clientWidth + 1 ||
              element.scrollHeight > element.clientHeight + 1,
            rect: { left, right, bottom },
          };
        })()`);
        assert.equal(text, title);
        assert.equal(isCut, false);
        const rects = await page.read(kRects);
        assert.ok(apart({ ...rect, top: 0 }, rects.panel), `${view}: the title is under the panel`);
      },
      options,
    );
  }
});

/** A rope that hangs, a ball on a wire far below the view, and a floor. */
const kHanging = {
  title: "Hanging",
  camera: { eye: [0, 12, 9], target: [0, 12, 0] },
  bodies: [
    { name: "floor", type: "static", shapes: [{ half_space: {} }] },
    { name: "beam", type: "static", position: [0, 14, 0], shapes: [{ box: { size: [4, 0.2, 0.2] } }] },
    { name: "ball", position: [5, 3, 0], gravity_scale: 0, shapes: [{ sphere: { radius: 0.4 } }] },
    { name: "box", position: [0, 12, 0], gravity_scale: 0, shapes: [{ box: { size: [1, 1, 1] } }] },
  ],
  ropes: [
    { nodes: 24, segment_length: 0.3, radius: 0.03, start: [-1, 14, 0], end: [-1, 7.1, 0], pins: [{}] },
  ],
};

test("H shows everything, hanging things too, from any side; the camera stays above the floor", async () => {
  const path = join(kArtefactsDir, "hanging.json");
  writeFileSync(path, JSON.stringify(kHanging));
  for (const options of Object.values(kViews)) {
    await withServer(
      ["serve", "--scene", path],
      async (page) => {
        await page.until("takt.client.ropes().length === 1 && takt.viewer.guide.isFramed", "the rope");
        const { width, height } = options.viewport;
        // Far aside and down: a drag beside all bodies turns the camera towards the sky, below a floor that
        // is not there.
        await page.page.mouse.move(0.1 * width, 0.3 * height);
        await page.page.mouse.down({ button: "left" });
        await page.page.mouse.move(0.1 * width + 60, 0.95 * height - 120, { steps: 4 });
        await page.page.mouse.up();
        await page.read("takt.viewer.stage.rig.rotate(0.4, -2)");
        await sleep(500);
        assert.ok((await page.read(kPicture)).clearance > 0, "the eye is above the floor");
        await page.page.keyboard.press("h");
        await sleep(1000);
        const pixels = await page.read(`[
          ...takt.client.bodies().filter(({ motion }) => motion === "dynamic")
            .map(({ position }) => [...position]),
          ...takt.client.ropes().map(({ positions }) => [...positions.slice(-3)]),
        ].map((position) => takt.toPage(position))`);
        for (const pixel of pixels) {
          assert.ok(
            pixel && pixel.x > 0 && pixel.x < width && pixel.y > 0 && pixel.y < height,
            JSON.stringify(pixels),
          );
        }
        assert.ok((await page.read(kPicture)).clearance > 0);
        await page.screenshot(`invite_all_${width}`);
      },
      options,
    );
  }
});

test("C follows a body that rolls away, and a pan stops it", async () => {
  const path = join(kArtefactsDir, "rolling.json");
  const scene = {
    bodies: [
      { type: "static", shapes: [{ half_space: {} }] },
      { name: "ball", position: [0, 0.5, 0], velocity: [8, 0, 0], shapes: [{ sphere: { radius: 0.5 } }] },
    ],
  };
  writeFileSync(path, JSON.stringify(scene));
  await withServer(["serve", "--scene", path], async (page) => {
    await page.page.keyboard.press("c");
    await page.until(
      "document.getElementById('follow').getAttribute('aria-pressed') === 'true'",
      "the button says so",
    );
    const from = await page.read("takt.viewer.stage.rig.eye[0]");
    await page.until(`takt.viewer.stage.rig.eye[0] > ${from} + 8`, "the camera follows");
    const { x } = await page.pixelOf(1);
    assert.ok(Math.abs(x - kDesktop.width / 2) < 150, `the ball is at ${x}`);
    await page.page.mouse.move(300, 500);
    await page.page.mouse.down({ button: "right" });
    await page.page.mouse.move(340, 500, { steps: 3 });
    await page.page.mouse.up({ button: "right" });
    await page.until(
      "document.getElementById('follow').getAttribute('aria-pressed') === 'false'",
      "a pan stops it",
    );
  });
});

test("a page that changes its size before anybody moved the camera is framed again", () =>
  withServer(serve("pyramid"), async (page) => {
    await page.until("takt.viewer.guide.isFramed", "framed");
    await page.page.setViewportSize(kPhone);
    await page.until(
      `takt.client.bodies().filter(({ motion }) => motion === "dynamic").every(({ position }) => {
        const at = takt.toPage(position);
        return at && at.x > 0 && at.x < ${kPhone.width};
      })`,
      "the whole pyramid is on the phone",
    );
  }));

test("the scene of ./dev run is alive after 40 s of its time", async () => {
  const [, path] = /scene=\(--scene (\S+)\)/.exec(readFileSync(join(kSourceDir, "dev"), "utf8"));
  await withServer(serve(basename(path, ".json")), async (page) => {
    await page.read("void takt.client.setSpeed(10)");
    await page.until("takt.client.stats().serverTick > 2400", "40 s at 60 Hz", 60_000);
    await page.until("takt.bodies().some(({ speed }) => speed > 0.3)", "a body moves");
  });
});
