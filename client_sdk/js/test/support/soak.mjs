// Many clients at once against one real server: WebSocket clients of this SDK, UDP bots of `takt bot`, and one reader that stalls.
// Measures whether ticks stay on time, memory stays flat and nobody disturbs anybody. `node test/support/soak.mjs [seconds [clients [bots]]]` runs
// it by hand.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";

import { Client } from "../../dist/index.js";
import { writeFrame, writeMessage } from "../../dist/protocol.js";
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
function resident_mb(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1000;
}

async function until(what, seconds, ask) {
  for (const deadline = performance.now() + seconds * 1000; !ask(); await sleep(50))
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
}

/** Ticks a second between two of the server's reports. */
function rate_of(first, last) {
  return ((last.tick - first.tick) * 1000) / (last.at_ms - first.at_ms);
}

/** Joins, says that it is alive, and never reads again. */
function stall(url) {
  const socket = new WebSocket(url);
  const say = (message) => socket.readyState === WebSocket.OPEN && socket.send(writeFrame("reliable", writeMessage(message)));
  socket.on("open", () => {
    const request = {
      type: "ConnectRequest",
      protocolVersion: 2,
      sceneHash: 0n,
      numbersMode: "any",
      mode: "snapshot",
      playerName: "stalled",
      nonce: 5n,
    };
    say(request);
  });
  socket.once("message", () => socket.pause());
  socket.on("error", () => {});
  const alive = setInterval(() => say({ type: "KeepAlive" }), 500);
  return () => {
    clearInterval(alive);
    socket.terminate();
  };
}

/** One client that is polled, pushes bodies about, and keeps what its session went through. */
class Guest {
  longest_gap_ms = 0;
  disconnects = 0;
  refused = 0;
  reports = [];
  #pushed = 0;

  constructor(address, name) {
    this.client = new Client(address, { playerName: name, WebSocket, reconnect: false });
    this.client.connect();
  }
  poll(now_ms) {
    this.client.poll();
    for (let event = this.client.nextEvent(); event !== undefined; event = this.client.nextEvent()) {
      if (event.type === "disconnected") ++this.disconnects;
      if (event.type === "commandDecided" && event.fate !== "moved") ++this.refused;
      if (event.type === "serverReport") this.reports.push({ ...event, at_ms: now_ms });
    }
    if (this.client.state !== "joined") return;
    const bodies = this.client.bodies();
    if (now_ms - this.#pushed < 1000 || bodies.length === 0) return;
    this.#pushed = now_ms;
    const body = bodies[(this.client.player * 37) % bodies.length];
    if (body.motion === "dynamic") this.client.impulse(body, [0, 50, 0]);
  }
}

/** Runs it; the figures, without judging them. */
export async function soak({ seconds, clients, bots }) {
  const folder = mkdtempSync(join(tmpdir(), "takt-soak-"));
  const scene = join(folder, "soak.json");
  writeFileSync(scene, JSON.stringify(kScene));
  const server = await serve(scene, { args: ["--players", "256"] });
  rmSync(folder, { recursive: true });
  // First one client alone: what this machine can do for it now.
  const guests = [new Guest(server.ws_url, "guest 0")];
  const timer = setInterval(() => {
    const now_ms = performance.now();
    for (const guest of guests) guest.poll(now_ms);
  }, 33);
  await until("the first client has four reports", 30, () => guests[0].reports.length >= 4);
  const alone = rate_of(guests[0].reports[0], guests[0].reports.at(-1));

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
  // A server drops one in the end (20 s without an answer to a web socket's ping), so there is always a fresh one.
  const stalled = [stall(server.ws_url)];
  const stalling = setInterval(() => stalled.push(stall(server.ws_url)), 10_000);
  for (let i = 1; i < clients; ++i) guests.push(new Guest(server.ws_url, `guest ${i}`));
  await until("every client is shown bodies", 60, () => guests.every((guest) => guest.client.bodies().length > 0));
  await sleep(2000); // and everything that is of joining is over

  const before = guests.map((guest) => guest.client.stats());
  const began_ms = performance.now();
  const first_report = guests[0].reports.at(-1);
  const server_mb = [];
  const heap_mb = [];
  while (performance.now() - began_ms < seconds * 1000) {
    await sleep(1000);
    server_mb.push(resident_mb(server.pid));
    heap_mb.push(process.memoryUsage().heapUsed / 1e6);
  }
  const lasted_s = (performance.now() - began_ms) / 1000;
  const after = guests.map((guest) => guest.client.stats());
  const last_report = guests[0].reports.at(-1);

  clearInterval(timer);
  const disconnects = guests.reduce((sum, guest) => sum + guest.disconnects, 0);
  const refused = guests.reduce((sum, guest) => sum + guest.refused, 0);
  for (const guest of guests) guest.client.close();
  clearInterval(stalling);
  for (const stop of stalled) stop();
  await bot.end();
  await server.stop("SIGINT");

  const rates = after.map((stats, i) => (stats.snapshots - before[i].snapshots) / lasted_s).sort((a, b) => a - b);
  const quarter = (values, k) => values.slice(Math.floor((values.length * k) / 4), Math.floor((values.length * (k + 1)) / 4));
  const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
  return {
    clients,
    bots,
    seconds: lasted_s,
    bodies: last_report.bodyCount,
    clients_told: last_report.clientCount,
    ticks_per_s_alone: alone,
    ticks_per_s: rate_of(first_report, last_report),
    dropped_ticks: last_report.droppedTicks - first_report.droppedTicks,
    tick_ms_median: last_report.tickTimeUs / 1000,
    tick_ms_p99: last_report.tickTimeP99Us / 1000,
    snapshots_per_s_least: rates[0],
    snapshots_per_s_median: median(rates),
    starved_ms_most: Math.max(...after.map((stats, i) => stats.starvedMs - before[i].starvedMs)),
    rtt_ms_median: median(after.map((stats) => stats.rttMs)),
    disconnects,
    refused,
    server_mb_second_quarter: median(quarter(server_mb, 1)),
    server_mb_last_quarter: median(quarter(server_mb, 3)),
    heap_mb_second_quarter: Math.min(...quarter(heap_mb, 1)),
    heap_mb_last_quarter: Math.min(...quarter(heap_mb, 3)),
    stalled_readers: stalled.length,
    bot_exit_code: await bot.end(),
    bot_output: bot.output.trim().split("\n").at(-1),
    server_output: server.output.trim().split("\n").slice(-4),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [seconds = 60, clients = 50, bots = 50] = process.argv.slice(2).map(Number);
  console.log(JSON.stringify(await soak({ seconds, clients, bots }), null, 1));
}
