// The viewer on a server with a Game (examples/balloons): the game's messages are notices.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { Browser } from "./support/page.mjs";
import { kProgram } from "./support/surroundings.mjs";

const kViewerDir = join(dirname(kProgram), "..", "share", "takt", "viewer");

let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

test("the viewer shows what the game says", async () => {
  const game = spawn(process.env.TAKT_GAME, ["serve", kViewerDir], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(game, "close");
  let page;
  try {
    let output = "";
    const url = await new Promise((resolve) => {
      game.stdout.setEncoding("utf8").on("data", (text) => {
        output += text;
        const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(output)?.[0];
        if (found !== undefined) resolve(found);
      });
      void closed.then(() => resolve(undefined));
    });
    assert.ok(url, `the game ended: ${output}`);
    page = await browser.open(url);
    const notices = "[...document.getElementById('notices').children].map((notice) => notice.textContent)";
    await page.until(`${notices}.some((text) => /^time [0-9]+$/.test(text))`, "the time of the round");
    await page.screenshot("game_messages");
    page.expectQuiet();
  } finally {
    await page?.close();
    game.kill();
    await closed;
  }
});
