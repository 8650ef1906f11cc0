// The page of README.md in a real browser, word for word, with the built SDK alone: no bundler, no import
// map. The test replaces only the address of the server. client_sdk/js/test/integration/readme_test.mjs tests
// the script without a browser.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { test } from "node:test";
import { chromium, kArtefactsDir, kChromium, kScenesDir, kSourceDir } from "./support/surroundings.mjs";
import { Server } from "./support/takt.mjs";

const html = /## In a browser[^]*?```html\n([^]*?)```/.exec(
  readFileSync(join(kSourceDir, "README.md"), "utf8"),
)[1];
const packageDir = process.env.TAKT_JS_DIR;
const kWaitMs = 60_000;

/** A page's folder as any static server would give it: index.html, and the package below node_modules. */
async function serveFolder(index) {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const file = /^\/node_modules\/takt\/(.*)$/.exec(path)?.[1];
    try {
      const body = path === "/" ? index : readFileSync(join(packageDir, file ?? "nothing"));
      response
        .writeHead(200, {
          "content-type": path.endsWith(".js") ? "text/javascript" : "text/html; charset=utf-8",
        })
        .end(body);
    } catch {
      response.writeHead(path === "/favicon.ico" ? 204 : 404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

test("the page loads without a bundler, draws the pyramid, and a click drops a ball that falls", async () => {
  const takt = await Server.start(["serve", "--scene", join(kScenesDir, "pyramid.json")]);
  const folder = await serveFolder(
    html.replace("ws://localhost:8080/ws", `ws://127.0.0.1:${takt.httpPort}/ws`),
  );
  const browser = await chromium.launch({
    executablePath: kChromium,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  const words = [];
  try {
    const page = await browser.newPage({ viewport: { width: 940, height: 640 } });
    page.on("console", (message) => message.type() === "error" && words.push(message.text()));
    page.on("pageerror", (error) => words.push(String(error.stack)));
    // The page itself notes what each frame draws: the ball is above the pyramid for half a second, and a
    // look from outside may come too late.
    await page.addInitScript(() => {
      const pen = CanvasRenderingContext2D.prototype;
      const { clearRect, fillRect } = pen;
      let frame = { squares: 0, top: Infinity };
      window.highest = Infinity;
      pen.clearRect = function (...box) {
        window.shown = frame;
        window.highest = Math.min(window.highest, frame.top);
        frame = { squares: 0, top: Infinity };
        clearRect.apply(this, box);
      };
      pen.fillRect = function (x, y, width, height) {
        ++frame.squares;
        frame.top = Math.min(frame.top, y);
        fillRect.call(this, x, y, width, height);
      };
    });
    await page.goto(`http://127.0.0.1:${folder.address().port}/`);
    await page.waitForFunction("window.shown?.squares === 210", undefined, { timeout: kWaitMs });
    // They touch and hardly overlap: 22 pixels wide and high, of which the edges may be half painted.
    const painted = await page.evaluate(
      `world.getContext("2d").getImageData(0, 0, 900, 600)
        .data.filter((value, at) => at % 4 === 3 && value > 0).length`,
    );
    assert.ok(painted >= 210 * 21 * 21 && painted <= 210 * 24 * 24, `${painted} pixels are painted`);
    const top = await page.evaluate("shown.top");
    await page.click("#world");
    await page.waitForFunction(`highest < ${top - 20}`, undefined, { timeout: kWaitMs });
    await page.screenshot({ path: join(kArtefactsDir, "readme_page.png") });
    await page.waitForFunction(`shown.squares === 211 && shown.top >= ${top - 2}`, undefined, {
      timeout: kWaitMs,
    });
    assert.deepEqual(words, []);
  } finally {
    await browser.close();
    folder.close();
    await takt.stop();
  }
});
