// `takt shot` as a user runs it: pictures and clips of exact ticks, the same every time, and remedies for
// wrong options.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { chromium, kArtefactsDir, kChromium, kScenesDir } from "./support/surroundings.mjs";
import { run } from "./support/takt.mjs";

const file = (name) => join(kArtefactsDir, name);
const scene = (name) => join(kScenesDir, `${name}.json`);

/** Width and height of a PNG. */
function sizeOfPng(path) {
  const bytes = readFileSync(path);
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

test("a picture of a tick, the same bytes twice", async () => {
  for (const name of ["shot_one.png", "shot_two.png"]) {
    const { code, stderr } = await run(
      "shot",
      scene("dominoes"),
      "--ticks",
      "90",
      "--out",
      file(name),
      "--size",
      "640x360",
    );
    assert.equal(code, 0, stderr);
    assert.deepEqual(sizeOfPng(file(name)), [640, 360]);
  }
  assert.ok(readFileSync(file("shot_one.png")).equals(readFileSync(file("shot_two.png"))));
  assert.ok(statSync(file("shot_one.png")).size > 20_000, "an empty sky would be smaller");
});

test("other ticks, cameras and themes give other pictures", async () => {
  const pictures = [];
  for (const [name, ...args] of [
    ["tick", "--ticks", "10"],
    ["later", "--ticks", "200"],
    ["camera", "--ticks", "10", "--camera", "3,2,9,0,1,0"],
    ["dark", "--ticks", "10", "--theme", "dark"],
  ]) {
    const { code, stderr } = await run(
      "shot",
      scene("stack"),
      "--out",
      file(`shot_${name}.png`),
      "--size",
      "320x180",
      ...args,
    );
    assert.equal(code, 0, stderr);
    pictures.push(readFileSync(file(`shot_${name}.png`)).toString("base64"));
  }
  assert.equal(new Set(pictures).size, pictures.length);
});

test("a scene 1,000 km from the origin looks byte for byte like the same scene at the origin", async () => {
  for (const name of ["pyramid", "far"]) {
    const { code, stderr } = await run(
      "shot",
      scene(name),
      "--ticks",
      "60",
      "--size",
      "640x360",
      "--out",
      file(`shot_${name}.png`),
    );
    assert.equal(code, 0, stderr);
  }
  assert.ok(readFileSync(file("shot_far.png")).equals(readFileSync(file("shot_pyramid.png"))));
});

test("a clip: a GIF of the frames that were asked for", async () => {
  const { code, stderr } = await run(
    "shot",
    scene("dominoes"),
    "--ticks",
    "60",
    "--gif",
    file("shot.gif"),
    "--size",
    "320x180",
    "--seconds",
    "1",
    "--fps",
    "10",
  );
  assert.equal(code, 0, stderr);
  const bytes = readFileSync(file("shot.gif"));
  assert.equal(bytes.subarray(0, 6).toString(), "GIF89a");
  assert.deepEqual([bytes.readUInt16LE(6), bytes.readUInt16LE(8)], [320, 180]);
  // A graphic control extension begins each frame.
  let frames = 0;
  for (
    let at = bytes.indexOf("\x21\xf9\x04", 0, "latin1");
    at >= 0;
    at = bytes.indexOf("\x21\xf9\x04", at + 1, "latin1")
  )
    ++frames;
  assert.equal(frames, 10);
});

test("a film: a WebM that a browser plays, of the length and size that were asked for", async () => {
  const { code, stderr } = await run(
    "shot",
    scene("dominoes"),
    "--ticks",
    "60",
    "--webm",
    file("shot.webm"),
    "--size",
    "320x180",
    "--seconds",
    "1",
    "--fps",
    "10",
  );
  assert.equal(code, 0, stderr);
  const browser = await chromium.launch({ executablePath: kChromium, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    const base64 = readFileSync(file("shot.webm")).toString("base64");
    const film = await page.evaluate(async (source) => {
      const video = document.createElement("video");
      video.src = source;
      await new Promise((resolve, reject) => {
        video.onloadeddata = resolve;
        video.onerror = () => reject(new Error(video.error.message));
      });
      video.currentTime = 0.95;
      await new Promise((resolve) => (video.onseeked = resolve));
      return [video.videoWidth, video.videoHeight, video.duration, video.currentTime];
    }, `data:video/webm;base64,${base64}`);
    assert.deepEqual(film, [320, 180, 1, 0.95]);
  } finally {
    await browser.close();
  }
});

test("wrong words are refused with the remedy", async () => {
  for (const [args, remedy] of [
    [["shot", scene("stack"), "--ticks", "10"], /--out/],
    [["shot", scene("stack"), "--ticks", "10", "--out", "/nowhere/at/all.png"], /nowhere/],
    [["shot", scene("stack"), "--ticks", "10", "--out", file("x.png"), "--size", "12"], /WIDTHxHEIGHT/],
    [["shot", scene("stack"), "--ticks", "10", "--out", file("x.png"), "--camera", "1,2,3"], /six numbers/],
    [
      ["shot", scene("stack"), "--ticks", "10", "--out", file("x.png"), "--browser", "/no/such/browser"],
      /setup web shot/,
    ],
    [["shot", "no_such_scene.json", "--ticks", "10", "--out", file("x.png")], /no_such_scene/],
  ]) {
    const { code, stderr } = await run(...args);
    assert.notEqual(code, 0, args.join(" "));
    assert.match(stderr, remedy);
  }
});
