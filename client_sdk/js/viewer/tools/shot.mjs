// The browser's side of `takt shot`: opens the viewer of a server that is paused at a tick and writes its
// pictures. The program starts it with the server's address; it knows no scenes.
//
//   node shot.mjs --browser PROGRAM --url http://127.0.0.1:PORT/ --tick N --size WxH [--theme light|dark]
//                 [--camera ex,ey,ez,tx,ty,tz] [--out FILE.png] [--gif FILE.gif] [--webm FILE.webm]
//                 [--frames N --every TICKS --delay MS]
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Chromium } from "./chromium.mjs";
import { encodePng } from "./png.mjs";

const text = { type: "string" };
const { values } = parseArgs({
  options: {
    browser: text,
    url: text,
    tick: text,
    size: text,
    theme: text,
    camera: text,
    out: text,
    gif: text,
    webm: text,
    frames: text,
    every: text,
    delay: text,
  },
});

async function main() {
  const [width, height] = values.size.split("x").map(Number);
  const tick = Number(values.tick);
  const query = new URLSearchParams({
    hold: "1",
    bare: "1",
    quality: "high",
    name: "takt shot",
    theme: values.theme ?? "light",
  });
  if (values.camera) query.set("camera", values.camera);
  const browser = await Chromium.start(values.browser, { width, height });
  try {
    await browser.navigate(`${values.url}?${query}`);
    // The page's own words when it could not start.
    const failure = await browser.evaluate(
      "window.takt ? null : document.getElementById('banner')?.textContent || 'the page has no viewer'",
    );
    if (failure) throw new Error(failure);
    if (values.out) {
      const { width, height, pixels } = await browser.evaluate(`takt.capture.picture(${tick})`);
      await writeFile(values.out, encodePng(width, height, Buffer.from(pixels, "base64")));
    }
    // The room is at the tick; making a clip moves it on, so a second clip begins where the first ended: the
    // program asks for one.
    const clip = JSON.stringify({
      frames: Number(values.frames),
      ticks: Number(values.every),
      delayMs: Number(values.delay),
    });
    if (values.gif) await write(values.gif, await browser.evaluate(`takt.capture.gif(${tick}, ${clip})`));
    else if (values.webm) {
      await write(values.webm, await browser.evaluate(`takt.capture.webm(${tick}, ${clip})`));
    }
  } finally {
    await browser.close();
  }
}

async function write(file, base64) {
  await writeFile(file, Buffer.from(base64, "base64"));
}

main().catch((error) => {
  process.stderr.write(`takt: shot: ${error.message}\n`);
  process.exitCode = 1;
});
