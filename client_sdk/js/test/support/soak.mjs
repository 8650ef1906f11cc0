// Load test of one real server: WebSocket clients of this SDK, UDP bots of `takt bot`, and one stalled
// reader. It measures punctuality of ticks, memory, and interference between clients. `node
// test/support/soak.mjs [seconds [clients [bots]]]` runs it by hand.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";

import { Client } from "../../dist/index.js";
import { FrameReader, limits, readMessage, writeFrame, writeMessage } from "../../dist/protocol.js";
import { Program, program, serve } from "./takt_program.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A wall of 210 boxes with room for 256 players; a scene takes 64 unless it says more. */
const kScene = {
  title: "Soak",
  players: { max_players: 256, max_spawned: 4 },
  bodies: [{ type: "static", shapes: [{ half_space: {} }] }],
  generators: [{ pyramid: { base: 20 } }],
};

/** Resident memory of a process, MB. */
function residentMb(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1000;
}

async function until(what, seconds, ask) {
  for (const deadline = performance.now() + seconds * 1000; !ask(); await sleep(50)) {
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
  }
}

/** Ticks a second between two of the server's reports. */
function rateOf(first, last) {
  return ((last.tick - first.tick) * 1000) / (last.atMs - first.atMs);
}

/** Joins, says that it is alive, and never reads again. `hasJoined()` tells whether the server let it in. */
function stall(url) {
  const socket = new WebSocket(url);
  let firstMessage;
  const send = (message) =>
    socket.readyState === WebSocket.OPEN && socket.send(writeFrame("reliable", writeMessage(message)));
  socket.on("open", () => {
    const request = {
      type: "ConnectRequest",
      protocolVersion: limits.kProtocolVersion,
      sceneHash: 0n,
      numbersMode: "any",
      mode: "snapshot",
      role: "player",
      playerName: "stalled",
      nonce: 5n,
      token: new Uint8Array(),
      tokenVerifier: new Uint8Array(),
      ciphers: 0,
    };
    send(request);
  });
  socket.once("message", (bytes) => {
    new FrameReader().handleBytes(new Uint8Array(bytes), (messageClass, message) => {
      firstMessage ??= readMessage(message, messageClass).message?.type;
      return true;
    });
    socket.pause();
  });
  socket.on("error", () => {});
  const alive = setInterval(() => send({ type: "KeepAlive" }), 500);
  return {
    hasJoined: () => firstMessage === "Accept",
    stop() {
      clearInterval(alive);
      socket.terminate();
    },
  };
}

/** One client that is polled, pushes bodies about, and keeps what its session went through. */
class Guest {
  longestGapMs = 0;
  disconnects = 0;
  refused = 0;
  reports = [];
  #pushed = 0;

  constructor(address, name) {
    this.client = new Client(address, { playerName: name, WebSocket, reconnect: false });
    this.client.connect();
  }
  poll(nowMs) {
    this.client.poll();
    for (let event = this.client.nextEvent(); event !== undefined; event = this.client.nextEvent()) {
      if (event.type === "disconnected") ++this.disconnects;
      if (event.type === "commandOutcome" && event.status !== "moved") ++this.refused;
      if (event.type === "serverReport") this.reports.push({ ...event, atMs: nowMs });
    }
    if (this.client.state !== "joined") return;
    const bodies = this.client.bodies();
    if (nowMs - this.#pushed < 1000 || bodies.length === 0) return;
    this.#pushed = nowMs;
    const body = bodies[(this.client.player * 37) % bodies.length];
    if (body.motion === "dynamic") this.client.impulse(body, [0, 50, 0]);
  }
}

/** Runs the soak and returns its statistics, without judging them. */
export async function soak({ seconds, clients, bots }) {
  const folder = mkdtempSync(join(tmpdir(), "takt-soak-"));
  const scene = join(folder, "soak.json");
  writeFileSync(scene, JSON.stringify(kScene));
  const server = await serve(scene, { args: ["--players", "256"] });
  rmSync(folder, { recursive: true });
  // First one client alone: what this machine can do for it now.
  const guests = [new Guest(server.wsUrl, "guest 0")];
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const guest of guests) guest.poll(nowMs);
  }, 33);
  await until("the first client has four reports", 30, () => guests[0].reports.length >= 4);
  const alone = rateOf(guests[0].reports[0], guests[0].reports.at(-1));

  const bot = new Program(program, [
    "bot",
    "--connect",
    `127.0.0.1:${server.port}`,
    "--udp",
    "--count",
    String(bots),
    "--for",
    String(seconds + 4),
    "--json",
  ]);
  // A server drops one in the end (20 s without an answer to a web socket's ping), so there is always a fresh
  // one.
  const stalled = [stall(server.wsUrl)];
  const stalling = setInterval(() => stalled.push(stall(server.wsUrl)), 10_000);
  for (let i = 1; i < clients; ++i) guests.push(new Guest(server.wsUrl, `guest ${i}`));
  await until("every client is shown bodies", 60, () =>
    guests.every((guest) => guest.client.bodies().length > 0),
  );
  await sleep(2000); // and everything that is of joining is over

  const before = guests.map((guest) => guest.client.stats());
  const beganMs = performance.now();
  const firstReport = guests[0].reports.at(-1);
  const serverMb = [];
  const heapMb = [];
  while (performance.now() - beganMs < seconds * 1000) {
    await sleep(1000);
    serverMb.push(residentMb(server.pid));
    heapMb.push(process.memoryUsage().heapUsed / 1e6);
  }
  const lastedS = (performance.now() - beganMs) / 1000;
  const after = guests.map((guest) => guest.client.stats());
  const lastReport = guests[0].reports.at(-1);

  clearInterval(timer);
  const disconnects = guests.reduce((sum, guest) => sum + guest.disconnects, 0);
  const refused = guests.reduce((sum, guest) => sum + guest.refused, 0);
  for (const guest of guests) guest.client.close();
  clearInterval(stalling);
  for (const reader of stalled) reader.stop();
  await bot.end();
  await server.stop("SIGINT");

  const rates = after
    .map((stats, i) => (stats.snapshots - before[i].snapshots) / lastedS)
    .sort((a, b) => a - b);
  const quarter = (values, k) =>
    values.slice(Math.floor((values.length * k) / 4), Math.floor((values.length * (k + 1)) / 4));
  const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
  return {
    clients,
    bots,
    seconds: lastedS,
    bodies: lastReport.bodyCount,
    clientsReported: lastReport.clientCount,
    ticksPerSAlone: alone,
    ticksPerS: rateOf(firstReport, lastReport),
    dropped_ticks: lastReport.droppedTicks - firstReport.droppedTicks,
    tickMsMedian: lastReport.tickTimeUs / 1000,
    tickMsP99: lastReport.tickTimeP99Us / 1000,
    snapshotsPerSMin: rates[0],
    snapshotsPerSMedian: median(rates),
    starvedMsMax: Math.max(...after.map((stats, i) => stats.starvedMs - before[i].starvedMs)),
    rttMsMedian: median(after.map((stats) => stats.rttMs)),
    disconnects,
    refused,
    serverMbSecondQuarter: median(quarter(serverMb, 1)),
    serverMbLastQuarter: median(quarter(serverMb, 3)),
    heapMbSecondQuarter: Math.min(...quarter(heapMb, 1)),
    heapMbLastQuarter: Math.min(...quarter(heapMb, 3)),
    stalledReaders: stalled.filter((reader) => reader.hasJoined()).length,
    botExitCode: await bot.end(),
    botOutput: bot.output.trim().split("\n").at(-1),
    serverOutput: server.output.trim().split("\n").slice(-4),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [seconds = 60, clients = 50, bots = 50] = process.argv.slice(2).map(Number);
  console.log(JSON.stringify(await soak({ seconds, clients, bots }), null, 1));
}
