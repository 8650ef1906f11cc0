// Clients of a server with a Game (examples/balloons): messages, tickets and the game's words to a refusal,
// over web sockets and TCP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { sphere } from "../../dist/index.js";
import { LiveClient } from "../support/live_client.mjs";
import { Program } from "../support/takt_program.mjs";

const kPuff = Uint8Array.of(1);
const textOf = (event) => new TextDecoder("utf-8", { fatal: true }).decode(event.bytes);

let game;
const urls = {};
before(async () => {
  game = new Program(process.env.TAKT_GAME, ["serve"]);
  const [, port, httpPort] = await game.waitFor(/port (\d+), http:\/\/127\.0\.0\.1:(\d+)/);
  urls["a web socket"] = `ws://127.0.0.1:${httpPort}/ws`;
  urls.TCP = `tcp://127.0.0.1:${port}`;
});
after(() => game.stop());

for (const name of ["a web socket", "TCP"]) {
  test(`the game's messages arrive once and in order over ${name}`, async () => {
    const live = new LiveClient(urls[name]);
    const other = new LiveClient(urls[name]);
    try {
      await Promise.all([live.joined(), other.joined()]);
      const { player } = live.client;
      const said = (one) => one.events.filter(({ type }) => type === "gameMessage").map(textOf);
      await live.event("gameMessage", (event) => textOf(event) === `welcome, player ${player}`);
      // Puffs until the goal is reached; the score goes to all.
      const puffs = [live.client.custom(kPuff), live.client.custom(kPuff)];
      const isScore = (event) => textOf(event) === `score player ${player}: 1`;
      await Promise.all([live.event("gameMessage", isScore), other.event("gameMessage", isScore)]);
      assert.ok(!said(other).includes(`welcome, player ${player}`), "it was for one player");
      assert.equal(said(live).filter((text) => text === `welcome, player ${player}`).length, 1);
      assert.equal(said(live).filter((text) => text === `score player ${player}: 1`).length, 1);
      const ticks = live.events.filter(({ type }) => type === "gameMessage").map(({ tick }) => tick);
      assert.ok(ticks.every((tick, i) => i === 0 || tick >= ticks[i - 1]));
      const sequences = live.events.filter(({ type }) => type === "commandOutcome").map((e) => e.sequence);
      assert.ok(sequences.every((sequence) => puffs.includes(sequence)));
    } finally {
      live.close();
      other.close();
    }
  });

  test(`a refusal has the game's words, a spawned body its ticket over ${name}`, async () => {
    const live = new LiveClient(urls[name]);
    try {
      await live.joined();
      const ticket = live.client.spawn({ shape: sphere(0.3), position: [0, 2, 8] });
      const mine = await live.event("bodyAdded", (event) => event.ticket === ticket);
      assert.equal(mine.player, live.client.player);
      assert.equal(live.events.filter((event) => typeof event.ticket === "number").length, 1);

      const unknown = live.client.custom(Uint8Array.of(7));
      const plain = await live.event("commandOutcome", (e) => e.sequence === unknown && e.status !== "moved");
      assert.deepEqual([plain.status, plain.refusal, plain.text], ["refused_invalid", "game_refused", ""]);
      // Five a round, and one round may end in between.
      for (let i = 0; i < 11; ++i) live.client.custom(kPuff);
      const refused = await live.event("commandOutcome", ({ text }) => text !== "");
      assert.equal(refused.text, "no puffs are left in this round");
      const [ground] = await live.until(
        "bodies",
        () => live.client.bodies().length > 0 && live.client.bodies(),
      );
      const forbidden = live.client.despawn(ground);
      const last = await live.event(
        "commandOutcome",
        (event) => event.sequence === forbidden && event.refusal !== "none",
      );
      assert.equal(last.refusal, "forbidden");
    } finally {
      live.close();
    }
  });
}
