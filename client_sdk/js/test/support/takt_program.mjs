// The real `takt serve` on free ports, for integration tests. TAKT_PROGRAM names the program; stop() ends all
// processes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { sourceDir } from "./source_tree.mjs";

export const program = process.env.TAKT_PROGRAM ?? join(sourceDir, "build/dev/bin/takt");

export function scenePath(name) {
  return join(sourceDir, "examples/scenes", `${name}.json`);
}

/** A process whose output is kept and can be waited for. */
export class Program {
  output = "";
  #child;
  #ended;

  constructor(command, args) {
    this.#child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on("data", (text) => (this.output += text));
    }
    this.#ended = once(this.#child, "exit");
  }
  get pid() {
    return this.#child.pid;
  }
  get isRunning() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
  /** The match of the pattern in the output, as soon as it is there. */
  async waitFor(pattern, seconds = 20) {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) return match;
      if (!this.isRunning || performance.now() > deadline) {
        throw new Error(`no ${pattern} in the output of ${this.#child.spawnargs.join(" ")}:\n${this.output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  /** Waits for its end; returns the exit code. */
  async end() {
    await this.#ended;
    return this.#child.exitCode;
  }
  async stop(signal = "SIGTERM") {
    if (this.isRunning) this.#child.kill(signal);
    return this.end();
  }
}

/** `takt serve` of a scene, by its name or its path. Waits until it listens. */
export async function serve(scene, { port = 0, httpPort = "auto", args = [] } = {}) {
  const path = scene.endsWith(".json") ? scene : scenePath(scene);
  const where = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--http",
    String(httpPort),
    "--http-bind",
    "127.0.0.1",
  ];
  const server = new Program(program, ["serve", "--scene", path, ...where, ...args]);
  server.port = Number((await server.waitFor(/TCP port (\d+)/))[1]);
  const [, secure, webPort] = await server.waitFor(/watch it at http(s?):\/\/127\.0\.0\.1:(\d+)/);
  server.tcpUrl = `tcp://127.0.0.1:${server.port}`;
  server.wsUrl = `ws${secure}://127.0.0.1:${webPort}/ws`;
  server.httpPort = Number(webPort);
  return server;
}
