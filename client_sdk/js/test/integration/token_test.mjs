// The back end of examples/tokens/mint_token.mjs: its tokens have the golden bytes, and takt opens them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { sourceDir } from "../support/source_tree.mjs";
import { LiveClient } from "../support/live_client.mjs";
import { program, serve } from "../support/takt_program.mjs";

// A copy beside node_modules, where Node looks for libsodium-wrappers.
const example = join(process.cwd(), "mint_token.mjs");
copyFileSync(join(sourceDir, "examples/tokens/mint_token.mjs"), example);
const { mintToken } = await import(example);
const folder = mkdtempSync(join(tmpdir(), "takt-token-"));
after(() => rmSync(folder, { recursive: true }));

function counted(first, count) {
  return Buffer.from(Array.from({ length: count }, (_, i) => first + i));
}

test("tokens of the example have the golden bytes", () => {
  const lines = readFileSync(join(sourceDir, "tests/unit/crypto/golden_tokens.txt"), "utf8").split("\n");
  const golden = Object.fromEntries(
    lines.filter((line) => /^\w/.test(line)).map((line) => line.split(/ (.*)/, 2)),
  );
  const key = { id: 8, bytes: counted(0x80, 32) };
  const random = counted(0x20, 88);
  const times = { issued: 1764129600, expires: 1764129600 + 3600 };
  assert.equal(mintToken(key, { user: 1n, ...times }, random), golden.plain);
  const full = {
    user: 0x0102030405060708n,
    room: 42n,
    spectator: true,
    admin: true,
    modes: 2,
    bodiesMax: 64,
    commandsPerSecondMax: 120,
    graceSeconds: 45,
    name: "Zoë",
    servers: ["eu1.example.com:7777", "192.0.2.1:7777"],
    userData: [1, 0, 255],
    ...times,
  };
  assert.equal(mintToken(key, full, random), golden.full);
});

test("the example refuses what servers refuse", () => {
  const key = { id: 8, bytes: counted(0x80, 32) };
  const issued = 1764129600;
  const sound = { user: 1n, issued, expires: issued + 400 * 86400 };
  assert.ok(mintToken(key, sound));
  const changes = [
    { user: 0n },
    { user: 1n << 64n },
    { expires: issued },
    { expires: issued - 1 },
    { expires: sound.expires + 1 },
    { modes: 0 },
    { modes: 16 },
    { modes: 1.5 },
    { modes: 257 },
    { name: "a".repeat(33) },
    { name: "a\nb" },
    { name: "\x7f" },
    { name: "\x85" },
    { servers: [""] },
    { servers: ["a b:1"] },
    { servers: ["zöe:1"] },
    { servers: ["a:1\n"] },
    { servers: ["a".repeat(256)] },
    { servers: Array(9).fill("a:1") },
    { servers: Array(8).fill("a".repeat(120)) },
    { userData: Array(257).fill(0) },
  ];
  for (const change of changes) {
    assert.throws(() => mintToken(key, { ...sound, ...change }), RangeError, Object.keys(change)[0]);
  }
  // The sealed part, behind 64 bytes of keys, has at most 912 bytes: 166 and those of servers and user data.
  const long = { ...sound, userData: Array(256).fill(0), servers: ["a".repeat(255), "b".repeat(233)] };
  const bytes = Buffer.from(mintToken(key, long).replace("takt1_", ""), "base64url");
  assert.equal(bytes.length, 64 + 912);
  const tooLong = { ...long, servers: ["a".repeat(255), "b".repeat(234)] };
  assert.throws(() => mintToken(key, tooLong), RangeError);
});

test("takt opens a token of the example", () => {
  const keys = join(folder, "keys");
  const stdio = ["ignore", "pipe", "pipe"];
  const takt = (...words) => execFileSync(program, ["token", ...words], { stdio });
  takt("keygen", keys);
  takt("keygen", keys);
  const token = execFileSync(process.execPath, [example, keys, "77", "Ada", "a:1", "b:2"]);
  const file = join(folder, "token");
  writeFileSync(file, token);
  const opened = JSON.parse(takt("inspect", file, "--keys", keys, "--server", "b:2", "--json"));
  assert.equal(opened.refusal, null);
  assert.equal(opened.key_id, 2);
  assert.equal(opened.claims.user, "77");
  assert.equal(opened.claims.name, "Ada");
});

test("a client joins by the tokens that its function fetches, and nobody without one", async () => {
  const keys = join(folder, "server-keys");
  execFileSync(program, ["token", "keygen", keys], { stdio: "ignore" });
  const mint = () => execFileSync(process.execPath, [example, keys, "77", "Ada"]).toString();
  const server = await serve("stack", { args: ["--token-keys", keys] });
  try {
    for (const url of [server.wsUrl, server.tcpUrl]) {
      const guest = new LiveClient(url);
      const refused = await guest.event("disconnected");
      assert.deepEqual([refused.reason, refused.willReconnect], ["token_required", false]);
      guest.close();
      const live = new LiveClient(url, { token: async () => mint() });
      await live.joined();
      await server.waitFor(/user 77 in room 0 as "Ada"/);
      live.close();
      server.output = "";
    }
  } finally {
    await server.stop();
  }
});
