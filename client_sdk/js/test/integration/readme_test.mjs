// The page of the repository's README.md, word for word, against a real server. A substitute for the page's
// canvas counts drawn squares. The test replaces only the address of the server and the path of the package.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { WebSocket } from "ws";

import { sourceText } from "../support/source_tree.mjs";
import { serve } from "../support/takt_program.mjs";

const html = /## In a browser[^]*?```html\n([^]*?)```/.exec(sourceText("README.md"))[1];
const script = /<script type="module">\n([^]*?)<\/script>/.exec(html)[1];

test("it has the twenty lines that it promises", () => {
  const lines = script.split("\n").filter((line) => line.trim() !== "");
  assert.ok(lines.length <= 20, `${lines.length} lines`);
});

test("it draws a moving world, and a click drops a ball", async () => {
  const server = await serve("pyramid");
  assert.match(script, /ws:\/\/localhost:8080\/ws/);
  assert.match(script, /"\.\/node_modules\/takt\/dist\/index\.js"/);
  const code = script
    .replace("ws://localhost:8080/ws", server.wsUrl)
    .replace("./node_modules/takt/dist/index.js", new URL("../../dist/index.js", import.meta.url).href);

  const frames = [];
  const canvas = {
    width: 900,
    height: 600,
    getContext: () => ({
      clearRect: () => frames.push([]),
      fillRect: (x, y, width, height) => frames.at(-1).push([x, y, width, height]),
    }),
  };
  let isRunning = true;
  const globals = {
    document: {
      getElementById(id) {
        assert.match(html, new RegExp(`<canvas id="${id}"`));
        return canvas;
      },
    },
    requestAnimationFrame: (draw) => isRunning && setTimeout(draw, 16),
    WebSocket: globalThis.WebSocket ?? WebSocket,
  };
  Object.assign(globalThis, globals);
  const folder = mkdtempSync(join(tmpdir(), "takt-readme-"));
  const until = async (what, ask) => {
    for (
      const deadline = performance.now() + 20_000;
      !ask();
      await new Promise((resolve) => setTimeout(resolve, 20))
    ) {
      if (performance.now() > deadline) throw new Error(`not within 20 s: ${what}`);
    }
  };
  try {
    writeFileSync(join(folder, "page.mjs"), code);
    await import(pathToFileURL(join(folder, "page.mjs")));
    await until("the pyramid is drawn", () => frames.at(-1).length === 210);
    for (const [x, y, width, height] of frames.at(-1)) {
      assert.ok(x >= 0 && y >= 0 && x + width <= 900 && y + height <= 600, `${x} ${y}`);
    }
    await canvas.onclick();
    await until("the ball is drawn", () => frames.at(-1).length === 211);
    const lowest = (frame) => Math.min(...frame.map(([, y]) => y)); // the highest on the canvas
    const start = lowest(frames.at(-1));
    await until("the ball falls", () => lowest(frames.at(-1)) > start + 24);
  } finally {
    isRunning = false;
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
  }
});
