// The viewer on a server with a Game (examples/game): the game's messages are notices.
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
  let page;
  try {
    let output = "";
    let url;
    for await (const text of game.stdout.setEncoding("utf8")) {
      output += text;
      url = /http:\/\/127\.0\.0\.1:\d+\//.exec(output)?.[0];
      if (url !== undefined) break;
    }
    assert.ok(url, output);
    page = await browser.open(url);
    const notices = "[...document.getElementById('notices').children].map((notice) => notice.textContent)";
    await page.until(`${notices}.some((text) => /^time [0-9]$/.test(text))`, "the time of the round");
    await page.screenshot("game_messages");
    page.expectQuiet();
  } finally {
    await page?.close();
    game.kill();
    await once(game, "close");
  }
});
