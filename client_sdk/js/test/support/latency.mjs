// Delay of the interpolation of one client on loopback, beside bots: settled, and after the client's own
// thread stalled. A second client in a thread of its own never stalls: its delay is the machine's and the
// server's share. `node test/support/latency.mjs [seconds [bots [stalls]]]` runs it by hand.
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { WebSocket } from "ws";

import { Client } from "../../dist/index.js";
import { Program, program, serve } from "./takt_program.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Blocks this thread, as a long computation of a page does. */
export function block(ms) {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/** Polls a client every 16 ms and keeps the delay of every poll. */
class Watch {
  samples = [];
  pushedMs = 0;

  constructor(url) {
    this.client = new Client(url, { WebSocket });
    this.client.connect();
    this.timer = setInterval(() => this.poll(), 16);
  }
  poll() {
    this.client.poll();
    while (this.client.nextEvent() !== undefined);
    if (this.client.bodies().length === 0) return;
    this.pushNow();
    const { bufferMs, starvations } = this.client.stats();
    this.samples.push({ atMs: performance.now(), bufferMs, starvations });
  }
  /** Pushes a body twice a second, so that the latency of inputs is measured. */
  pushNow() {
    if (performance.now() - this.pushedMs < 500) return;
    const body = this.client.bodies().find(({ motion }) => motion === "dynamic");
    if (body === undefined) return;
    this.pushedMs = performance.now();
    this.client.impulse(body, [0, 0.1, 0]);
  }
  get firstMs() {
    return this.samples[0]?.atMs ?? Infinity;
  }
  /** The largest delay between two times, ms; -1 = no sample. */
  maxBufferMs(fromMs, toMs = Infinity) {
    const between = this.samples.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    return Math.max(-1, ...between.map(({ bufferMs }) => bufferMs));
  }
  /** ms after `fromMs` from which the delay stays at or below `boundMs` until `toMs`. */
  settlesAfterMs(fromMs, toMs, boundMs) {
    const above = this.samples.filter(
      ({ atMs, bufferMs }) => atMs >= fromMs && atMs <= toMs && bufferMs > boundMs,
    );
    return above.length === 0 ? 0 : above.at(-1).atMs - fromMs;
  }
  close() {
    clearInterval(this.timer);
    this.client.close();
  }
}

/** A Watch in a thread of its own, which no stall of this thread delays. */
class Control {
  constructor(url) {
    this.worker = new Worker(new URL(import.meta.url), { workerData: { watchedUrl: url } });
  }
  /** Its largest delay so far, ms; -1 = no sample. */
  async maxBufferMs() {
    this.worker.postMessage("max");
    const [maxMs] = await once(this.worker, "message");
    return maxMs;
  }
  async close() {
    await this.worker.terminate();
  }
}

/**
 * Returns the delays of `seconds` on loopback beside `bots`, then of `stalls` stalls of 250 ms, 3 s apart.
 * `controlMaxMs` is the largest delay of the client that did not stall, until then.
 */
export async function latency({ seconds, bots, stalls, scene = "stack" }) {
  const server = await serve(scene);
  const bot = new Program(program, [
    ...["bot", "--connect", `127.0.0.1:${server.port}`, "--udp", "--count", String(bots)],
    ...["--for", String(seconds + 10 + 3 * stalls)],
  ]);
  const control = new Control(server.wsUrl);
  const watch = new Watch(server.wsUrl);
  try {
    while (watch.samples.length === 0) await sleep(16);
    await sleep(seconds * 1000);
    const settledMs = watch.maxBufferMs(watch.firstMs + 3000);
    const startMs = watch.maxBufferMs(watch.firstMs, watch.firstMs + 3000);
    const after = [];
    for (let i = 0; i < stalls; ++i) {
      const beforeMs = watch.samples.at(-1).bufferMs;
      block(250);
      const stalledMs = performance.now();
      await sleep(3000);
      after.push({
        beforeMs,
        controlMaxMs: await control.maxBufferMs(),
        maxMs: watch.maxBufferMs(stalledMs),
        afterOneSecondMs: watch.maxBufferMs(stalledMs + 1000),
        under60AfterMs: watch.settlesAfterMs(stalledMs, Infinity, 60),
      });
    }
    const { starvations, starvedMs, jitterMs, rttMs, inputToSeenMs } = watch.client.stats();
    return { startMs, settledMs, after, starvations, starvedMs, jitterMs, rttMs, inputToSeenMs };
  } finally {
    watch.close();
    await control.close();
    await bot.stop("SIGINT");
    await server.stop("SIGINT");
  }
}

if (!isMainThread && workerData?.watchedUrl !== undefined) {
  const watch = new Watch(workerData.watchedUrl);
  parentPort.on("message", () => parentPort.postMessage(watch.maxBufferMs(0)));
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [seconds = 60, bots = 20, stalls = 3] = process.argv.slice(2).map(Number);
  console.log(JSON.stringify(await latency({ seconds, bots, stalls }), null, 1));
}
