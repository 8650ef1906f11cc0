// The viewer on a server with TLS and connect tokens: the page comes by https and its session by wss, a token
// comes from the form or the fragment, and no log, address, state or storage has it.
import assert from "node:assert/strict";
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeAuthority } from "../../client_sdk/js/test/support/test_ca.mjs";
import { Browser } from "./support/page.mjs";
import { kScenesDir } from "./support/surroundings.mjs";
import { run, Server } from "./support/takt.mjs";

const folder = mkdtempSync(join(tmpdir(), "takt-browser-token-"));
const keys = join(folder, "keys.txt");
let browser, server, args;

async function mint(user) {
  const minted = await run("token", "mint", "--keys", keys, "--user", String(user), "--name", `user${user}`);
  assert.equal(minted.code, 0, minted.stderr);
  return minted.stdout.trim();
}

before(async () => {
  const authority = makeAuthority(folder);
  assert.equal((await run("token", "keygen", keys)).code, 0);
  args = ["serve", "--scene", join(kScenesDir, "stack.json"), "--token-keys", keys, "--log", "trace"];
  args.push(...authority.serverArguments);
  server = await Server.start(args);
  // The browser trusts the test's authority by its key.
  browser = await Browser.start([`--ignore-certificate-errors-spki-list=${authority.publicKeyDigest}`]);
});
after(async () => {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const kSecrets =
  "JSON.stringify([location.href, history.state, {...localStorage}, {...sessionStorage}, document.cookie])";

/** Bytes of a token that its client keeps, before the sealed part. */
const kKeyBytes = 64;

function sealedPart(token) {
  return Buffer.from(token.slice("takt1_".length), "base64url").subarray(kKeyBytes);
}

/** A text has bytes of the nonce or of the end of a sealed token, in hex or in base64 at any alignment. */
function shows(text, token) {
  const sealed = sealedPart(token);
  const starts = [20, 21, 22, sealed.length - 17, sealed.length - 16, sealed.length - 15];
  return starts.some((start) => {
    const part = sealed.subarray(start, start + 15);
    return (
      text.toLowerCase().includes(part.toString("hex")) ||
      text.includes(part.toString("base64url")) ||
      text.includes(part.toString("base64"))
    );
  });
}

test("a log with a sealed token is found", async () => {
  const token = await mint(3);
  const sealed = sealedPart(token);
  assert.equal(sealed.subarray(0, 4).toString(), "TKCT");
  for (const form of ["hex", "base64", "base64url"]) {
    for (const start of [0, 1, 2, 20]) {
      assert.ok(shows(`token ${sealed.subarray(start, 44).toString(form)}...`, token), `${form}, ${start}`);
      assert.ok(shows(`token ${sealed.subarray(50 + start).toString(form)}`, token), `${form}, ${start}`);
    }
  }
  assert.ok(shows(`token ${sealed.toString("hex").toUpperCase()}`, token));
  assert.ok(!shows(`token ${sealed.subarray(0, 20).toString("hex")}`, token));
});

test("a page without a token asks for one, joins with it and keeps it to itself", async () => {
  const token = await mint(1);
  const formIsThere = "document.getElementById('token').hidden === false";
  const page = await browser.open(server.url, { condition: formIsThere });
  assert.match(await page.read("document.getElementById('banner').textContent"), /asks for a connect token/);
  const field = await page.read(`(() => {
    const { type, name, id, autocomplete } = document.querySelector("#token input");
    const { webkitTextSecurity } = getComputedStyle(document.querySelector("#token input"));
    return { type, name, id, autocomplete, webkitTextSecurity };
  })()`);
  const expected = {
    type: "text",
    name: "",
    id: "",
    autocomplete: "one-time-code",
    webkitTextSecurity: "disc",
  };
  assert.deepEqual(field, expected, "no browser offers to keep it");
  await page.page.fill("#token input", "no token");
  await page.page.click("#token button");
  assert.equal(await page.read("document.querySelector('#token input').validity.valid"), false);
  await page.page.fill("#token input", token);
  await page.page.click("#token button");
  await page.until("window.takt?.client.state === 'joined' && takt.bodies().length === 11", "the page joins");
  assert.ok(!(await page.read(kSecrets)).includes("takt1_"));
  assert.equal(await page.read("location.protocol"), "https:");
  assert.match(server.output, /joined from .* over websocket, user 1 in room 0 as "user1"/);
  assert.ok(!shows(server.output, token));
  await page.close();
});

test("a fragment has a token, which outlives a lost connection and is seen nowhere", async () => {
  const token = await mint(2);
  const page = await browser.open(`${server.url}#token=${token}`);
  assert.ok(!(await page.read(kSecrets)).includes("takt1_"));
  const before = server.output;
  await server.stop("SIGKILL");
  server = await Server.start(args, server);
  await page.until("takt.client.state === 'joined'", "the page joins again");
  assert.match(server.output, /user 2 in room 0 as "user2"/);
  assert.ok(!shows(before + server.output, token));
  await page.close();
});
