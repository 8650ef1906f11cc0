// The page of README.md in a real browser, word for word, beside nothing but the SDK as it was built: no bundler, no import map. Only the address of the
// server is put in. That the script does what it says without a browser is tested in client_sdk/js/test/integration/readme_test.mjs.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { test } from "node:test";
import { chromium, kArtefactsDir, kChromium, kScenesDir, kSourceDir } from "./support/surroundings.mjs";
import { Server } from "./support/takt.mjs";

const html = /## In a browser[^]*?```html\n([^]*?)```/.exec(readFileSync(join(kSourceDir, "README.md"), "utf8"))[1];
const packageDir = process.env.TAKT_JS_DIR;

/** A page's folder as any static server would give it: index.html, and the package below node_modules. */
async function serveFolder(index) {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const file = /^\/node_modules\/takt\/(.*)$/.exec(path)?.[1];
    try {
      const body = path === "/" ? index : readFileSync(join(packageDir, file ?? "nothing"));
      response.writeHead(200, { "content-type": path.endsWith(".js") ? "text/javascript" : "text/html; charset=utf-8" }).end(body);
    } catch {
      response.writeHead(path === "/favicon.ico" ? 204 : 404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

test("the page loads in a browser without a bundler, draws the pyramid, and a click drops a ball that falls", async () => {
  const takt = await Server.start(["serve", "--scene", join(kScenesDir, "pyramid.json")]);
  const folder = await serveFolder(html.replace("ws://localhost:8080/ws", `ws://127.0.0.1:${takt.httpPort}/ws`));
  const browser = await chromium.launch({ executablePath: kChromium, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  const words = [];
  try {
    const page = await browser.newPage({ viewport: { width: 940, height: 640 } });
    page.on("console", (message) => message.type() === "error" && words.push(message.text())); // a warning is about our reading pixels back
    page.on("pageerror", (error) => words.push(String(error.stack)));
    await page.goto(`http://127.0.0.1:${folder.address().port}/`);
    // How many pixels are painted, and how high up the highest of them is.
    const painted = `(() => {
      const { width, height } = world;
      const { data } = world.getContext("2d").getImageData(0, 0, width, height);
      let count = 0, top = height;
      for (let at = 3; at < data.length; at += 4) if (data[at] > 0) (++count, (top = Math.min(top, Math.floor(at / 4 / width))));
      return { count, top };
    })()`;
    // 210 squares of 22 pixels, which touch and hardly overlap.
    await page.waitForFunction(`${painted}.count > 95000`, undefined, { timeout: 30_000 });
    const { top } = await page.evaluate(painted);
    await page.click("#world");
    await page.waitForFunction(`${painted}.top < ${top - 20}`, undefined, { timeout: 30_000 });
    await page.screenshot({ path: join(kArtefactsDir, "readme_page.png") });
    await page.waitForFunction(`${painted}.top >= ${top - 2}`, undefined, { timeout: 30_000 });
    assert.deepEqual(words, []);
  } finally {
    await browser.close();
    folder.close();
    await takt.stop();
  }
});
