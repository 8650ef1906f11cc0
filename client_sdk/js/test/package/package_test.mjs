// The package for a new user: npm packs it and installs it into an empty project without the network. Node
// imports it, TypeScript compiles against it, and a browser loads it without a bundler, because every import
// is relative and inside the package.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const packageDir = fileURLToPath(new URL("../../", import.meta.url));
const tsc = join(packageDir, "node_modules/typescript/bin/tsc");
let project;
let installed;

function run(command, args) {
  try {
    return execFileSync(command, args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${command} ${args.join(" ")}: ${error.stdout}${error.stderr}`);
  }
}

before(() => {
  project = mkdtempSync(join(tmpdir(), "takt-package-"));
  installed = join(project, "node_modules/takt");
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "stranger", private: true, type: "module" }),
  );
  const [packed] = JSON.parse(run("npm", ["pack", packageDir, "--json", "--loglevel=error"]));
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", `./${packed.filename}`]);
});
after(() => rmSync(project, { recursive: true, force: true }));

test("the package has built modules, types, licences and README, and installs no other package", () => {
  assert.deepEqual(
    readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith(".")),
    ["takt"],
  );
  for (const file of [
    "dist/index.js",
    "dist/index.d.ts",
    "dist/node.js",
    "dist/protocol.d.ts",
    "dist/vendor/flatbuffers/LICENSE.txt",
    "README.md",
    "LICENSE",
  ]) {
    assert.ok(existsSync(join(installed, file)), file);
  }
  for (const name of readdirSync(installed)) {
    assert.ok(["dist", "README.md", "LICENSE", "package.json"].includes(name), name);
  }
});

test("packing and installing run no script", () => {
  const { scripts } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const lifecycle = ["prepare", "prepack", "postpack", "preinstall", "install", "postinstall"];
  assert.deepEqual(
    lifecycle.filter((name) => name in scripts),
    [],
  );
});

test("every module a browser loads imports relatively and finds what it imports", () => {
  const seen = new Set();
  const visit = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(
      /^(?:import|export)\b[^;]*?\bfrom\s*["']([^"']+)["']/gm,
    )) {
      assert.match(specifier, /^\.\.?\/.*\.js$/, `${relative(installed, file)} imports ${specifier}`);
      visit(join(dirname(file), specifier));
    }
  };
  visit(join(installed, "dist/index.js"));
  visit(join(installed, "dist/drawing.js"));
  visit(join(installed, "dist/protocol.js"));
  assert.ok(seen.size > 25, `${seen.size} modules`);
});

test("Node imports all five entries", () => {
  writeFileSync(
    join(project, "use.mjs"),
    `
    import { Client, TaktError, sphere } from "takt";
    import { tcp } from "takt/node";
    import { rotate } from "takt/drawing";
    import { connect } from "takt/service";
    import { readMessage, writeMessage } from "takt/protocol";
    const client = new Client(tcp("tcp://127.0.0.1:7777"));
    const read = readMessage(writeMessage({ type: "KeepAlive" }), "reliable");
    console.log(client.state, client.bodies().length, sphere(1).kind, read.ok, typeof rotate);
    await connect("shm:/tmp/none").catch(({ code }) => console.log(code));
    try { client.release(); } catch (error) { console.log(error instanceof TaktError, error.code); }
  `,
  );
  assert.equal(run(process.execPath, ["use.mjs"]), "idle 0 sphere true function\nbad-url\ntrue not-joined\n");
});

for (const [module, resolution] of [
  ["NodeNext", "NodeNext"],
  ["ES2022", "bundler"],
]) {
  test(`TypeScript compiles against the types (resolution ${resolution}) and finds a wrong use`, () => {
    writeFileSync(
      join(project, "use.ts"),
      `
      import { Client, sphere, type Body, type ClientOptions, type Event, type Room, type Stats } from "takt";
      import type { CommandRefusal, SpawnTicket } from "takt";
      import { connect, type BatchWorld, type Hits, type Service } from "takt/service";
      export async function use(): Promise<bigint | undefined> {
        const service: Service = await connect("unix:/tmp/takt.sock", { token: "secret" });
        const batch: BatchWorld = await service.batch({ bodies: [] }, 2, { observe: ["positions"] });
        const hits: Hits = await batch.at(1).raycast([0, 9, 0], [0, -1, 0]);
        return (await batch.hashes())[0] ?? hits.body[0];
      }
      const options: ClientOptions = { playerName: "a", reconnect: true };
      const client = new Client("ws://127.0.0.1:8080/ws", options);
      client.connect();
      client.poll();
      const heights: number[] = client.bodies().map((body: Body) => body.position[1]!);
      const event: Event | undefined = client.nextEvent();
      if (event?.type === "commandOutcome") {
        const refusal: CommandRefusal = event.refusal;
        console.log(event.status.length, refusal === "not_dynamic", event.text.length);
      }
      const room: Room | null = client.room;
      const stats: Stats = client.stats();
      const position = { x: 0, y: heights[0] ?? 0, z: stats.rttMs };
      const ticket: SpawnTicket = client.spawn({ shape: sphere(0.5), position });
      const sequence: number = ticket;
      console.log(room?.scenes, sequence, event?.type === "bodyAdded" && event.ticket === ticket);
    `,
    );
    writeFileSync(
      join(project, "misuse.ts"),
      `import { Client } from "takt";\nnew Client("ws://a/ws").impulse("body 5", [0, 1, 0]);\n`,
    );
    writeFileSync(
      join(project, "no_ticket.ts"),
      `import { Client, type SpawnTicket } from "takt";\n` +
        `export const ticket: SpawnTicket = new Client("ws://a/ws").release();\n`,
    );
    // One run compiles all three; a second compiler would read the same types again.
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        ...[tsc, "--noEmit", "--pretty", "false", "--strict", "--target", "ES2022", "--lib", "ES2022,DOM"],
        ...["--module", module, "--moduleResolution", resolution],
        ...["use.ts", "misuse.ts", "no_ticket.ts"],
      ],
      { cwd: project, encoding: "utf8" },
    );
    assert.notEqual(status, 0);
    const errors = stdout
      .split("\n")
      .filter((line) => /^\S/.test(line))
      .sort();
    assert.equal(errors.length, 2, stdout);
    assert.match(errors[0], /^misuse\.ts\(2,\d+\): error TS/);
    assert.match(errors[1], /^no_ticket\.ts\(2,\d+\): error TS/);
  });
}
