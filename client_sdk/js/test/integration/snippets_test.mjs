// The JavaScript snippets of client_sdk/js/README.md and docs/JAVASCRIPT.md, word for word, against a real
// server with bodies, geometries, a mover, a joint and a rope. The test replaces only imports, addresses and
// the console.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";

import * as takt from "../../dist/index.js";
import * as node from "../../dist/node.js";
import * as protocol from "../../dist/protocol.js";
import { LiveClient } from "../support/live_client.mjs";
import { sourceText } from "../support/source_tree.mjs";
import { serve } from "../support/takt_program.mjs";

// Node before 22 has no WebSocket of its own.
globalThis.WebSocket ??= WebSocket;

const kModules = { takt, "takt/node": node, "takt/protocol": protocol, ws: { WebSocket } };
const kScene = {
  title: "Snippets",
  players: {
    push: "anything",
    grab: "anything",
    move: "anything",
    teleport: "anything",
    despawn: "anything",
  },
  bodies: [
    { type: "static", shapes: [{ half_space: {} }] },
    { name: "post", type: "static", position: [-6, 1, 0], shapes: [{ box: { size: [0.2, 2, 0.2] } }] },
    { name: "door", position: [-5, 1, 0], shapes: [{ box: { size: [1.4, 1.6, 0.1] } }] },
    { name: "ann", position: [0, 0.92, 5], mover: {} },
    { name: "stone", position: [8, 2, 0], shapes: [{ hull: { points: corners() } }] },
  ],
  joints: [{ kind: "revolute", a: "post", b: "door", anchor: [-5.8, 1, 0], axis: [0, 1, 0] }],
  ropes: [{ start: [-4, 5, 3], end: [-1, 5, 3], nodes: 20, segment_length: 0.2, pins: [{}, { node: 19 }] }],
};

/** The corners of a pyramid. */
function corners() {
  return [
    [-1, 0, -1],
    [1, 0, -1],
    [-1, 0, 1],
    [1, 0, 1],
    [0, 1, 0],
  ];
}

/** A camera at the origin that looks along -z, 90 degrees wide, near 1 and far 3. */
const kViewProjection = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -2, -1, 0, 0, -3, 0];

/** The `js` blocks of a document. */
function snippetsOf(path) {
  return [...sourceText(path).matchAll(/^```js\n([^]*?)^```/gm)].map(([, code]) => code);
}

/**
 * Runs a snippet with the names in scope and its imports from the built modules. Returns the printed lines.
 */
async function run(code, names) {
  const printed = [];
  const scope = {
    modules: kModules,
    console: { log: (...values) => printed.push(values.map(String).join(" ")) },
    requestAnimationFrame() {},
    draw() {},
    ...names,
  };
  const body = code.replace(/^import (\{[^}]*\}) from "([^"]*)";$/gm, 'const $1 = modules["$2"];');
  assert.doesNotMatch(body, /^import/m);
  const { constructor: asyncFunction } = async () => {};
  await asyncFunction(...Object.keys(scope), body)(...Object.values(scope));
  return printed;
}

let folder;
let server;
let live;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "takt-snippets-"));
  const path = join(folder, "snippets.json");
  writeFileSync(path, JSON.stringify(kScene));
  server = await serve(path, { args: ["--admin", "loopback"] });
  live = new LiveClient(server.wsUrl);
  await live.joined();
  live.client.inspect({ contacts: true, joints: true, ropes: true });
  await live.until("the whole scene", () => {
    const { client } = live;
    return (
      client.bodies().length === 5 && client.ropes().length === 1 && client.jointFrames()?.items.length === 1
    );
  });
});
after(async () => {
  live.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

// service_test.mjs runs the program of takt/service.
const kReadme = snippetsOf("client_sdk/js/README.md").filter((code) => !code.includes('"takt/service"'));

test("the README has its ten snippets", () => assert.equal(kReadme.length, 10));

for (const [i, code] of kReadme.entries()) {
  test(`README snippet ${i + 1}: ${code.split("\n").find((line) => !/^import|^$/.test(line))}`, async () => {
    const { client } = live;
    const [body] = client.bodies().filter(({ motion }) => motion === "dynamic");
    const [mover] = client.bodies().filter(({ motion }) => motion === "kinematic");
    const [rope] = client.ropes();
    const [joint] = client.jointFrames().items;
    const own = code
      .replace("ws://localhost:8080/ws", server.wsUrl)
      .replace("ws://127.0.0.1:8080/ws", server.wsUrl)
      .replace("tcp://127.0.0.1:7777", server.tcpUrl);
    const makesClient = /const client =/.test(own);
    const eventCount = live.events.length;
    const view = { viewProjection: kViewProjection, pageX: 450, pageY: 300, width: 900, height: 600 };
    const names = makesClient ? {} : { client, body, mover, rope, joint, ...view };
    const printed = await run(makesClient ? `${own}\nclient.close();` : own, names);
    if (own.includes("box(1, 1, 1)")) {
      const [, promised] = /This prints `([^`]*)`/.exec(
        sourceText("client_sdk/js/README.md").replace(/\n/g, " "),
      );
      assert.deepEqual(printed, [promised]);
    }
    if (own.includes("geometry?.kind")) assert.ok(printed.length > 0, "the hull was printed");
    if (own.includes("client.query")) {
      const result = await live.event("queryResult");
      assert.deepEqual(
        result.answers.map(({ status, found }) => [status, found]),
        Array(4).fill(["answered", true]),
      );
    }
    // A round trip: every command has acted or was refused by then.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const refused = live.events
      .slice(eventCount)
      .filter(({ type, status }) => type === "commandOutcome" && status !== "moved");
    // Only a server with a Game takes bytes for it.
    const expected = own.includes("client.custom") ? ["refused_invalid"] : [];
    assert.deepEqual(
      refused.map(({ status }) => status),
      expected,
    );
    if (expected.length > 0) assert.equal(refused[0].refusal, "no_game");
    if (own.includes("event.ticket")) {
      const tickets = live.events.slice(eventCount).filter(({ ticket }) => typeof ticket === "number");
      assert.equal(tickets.length, 1, "the spawned body carries its ticket");
    }
    assert.equal(client.state, "joined");
  });
}

for (const [i, code] of snippetsOf("docs/GAME.md").entries()) {
  test(`docs/GAME.md snippet ${i + 1}`, async () => {
    const eventCount = live.events.length;
    let handle;
    // The test hands over the events, as the page's loop does, and adds one that only a Game sends.
    const printed = await run(`${code}\ntake(handle);`, {
      client: live.client,
      take: (taken) => (handle = taken),
    });
    await live.until("the ticket", () => live.events.slice(eventCount).some(({ ticket }) => ticket > 0));
    live.events.slice(eventCount).forEach((event) => handle(event));
    handle({ type: "gameMessage", tick: 1, bytes: new TextEncoder().encode("hello") });
    assert.deepEqual(printed, ["the ball is mine", "the game: hello"]);
  });
}

for (const [i, code] of snippetsOf("docs/JAVASCRIPT.md").entries()) {
  test(`docs/JAVASCRIPT.md snippet ${i + 1}`, async () =>
    assert.deepEqual(await run(code, {}), ["KeepAlive"]));
}

test("the README lists every option, event, error code, kind of shape and method", () => {
  const readme = sourceText("client_sdk/js/README.md");
  const listed = (words) =>
    words.filter((word) => !readme.includes(`\`${word}`) && !readme.includes(`"${word}"`));
  const source = (name) => sourceText(`client_sdk/js/src/${name}.ts`);
  const options = [...source("client_options").matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name);
  const events = [...source("event").matchAll(/^ {2}type: "(\w+)";/gm)].map(([, name]) => name);
  const [, codes] = /export type ErrorCode =([^;]*);/.exec(
    source("error").replace(/;.*$/gm, (end) => (end === ";" ? end : "")),
  );
  const errors = [...codes.matchAll(/\| "([a-z-]+)"/g)].map(([, name]) => name);
  const methods = Object.getOwnPropertyNames(takt.Client.prototype).filter((name) => {
    const isPrivate = new RegExp(`private ${name}\\(`).test(source("client"));
    return !isPrivate && !["constructor", "close", "connect"].includes(name);
  });
  assert.ok(options.length === 15 && events.length === 14 && errors.length === 15 && methods.length > 30);
  assert.deepEqual(listed(options), []);
  assert.deepEqual(listed(events), []);
  assert.deepEqual(listed(protocol.kEnums.ShapeKind), []);
  assert.deepEqual(
    errors.filter((name) => !readme.includes(`\`${name}\``)),
    ["internal"],
  );
  assert.deepEqual(
    methods.filter((name) => !new RegExp(`\\b${name}\\b`).test(readme)),
    [],
  );
});
