// The real `takt serve` on free ports, for integration tests. The program is named by the build (TAKT_PROGRAM); nothing outlives its stop().
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { source_dir } from "./source_tree.mjs";

export const program = process.env.TAKT_PROGRAM ?? join(source_dir, "build/dev/bin/takt");

export function scene_path(name) {
  return join(source_dir, "examples/scenes", `${name}.json`);
}

/** A process whose output is kept and can be waited for. */
export class Program {
  output = "";
  #child;
  #ended;

  constructor(command, args) {
    this.#child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.on("data", (text) => (this.output += text));
    this.#ended = once(this.#child, "exit");
  }
  get pid() {
    return this.#child.pid;
  }
  get is_running() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
  /** The match of the pattern in the output, as soon as it is there. */
  async wait_for(pattern, seconds = 20) {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) return match;
      if (!this.is_running || performance.now() > deadline)
        throw new Error(`no ${pattern} in the output of ${this.#child.spawnargs.join(" ")}:\n${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  /** Waits for its end; returns the exit code. */
  async end() {
    await this.#ended;
    return this.#child.exitCode;
  }
  async stop(signal = "SIGTERM") {
    if (this.is_running) this.#child.kill(signal);
    return this.end();
  }
}

/** `takt serve` of a scene, by its name or its path. Waits until it listens. */
export async function serve(scene, { port = 0, http_port = "auto", args = [] } = {}) {
  const path = scene.endsWith(".json") ? scene : scene_path(scene);
  const where = ["--port", String(port), "--bind", "127.0.0.1", "--http", String(http_port), "--http-bind", "127.0.0.1"];
  const server = new Program(program, ["serve", "--scene", path, ...where, ...args]);
  server.port = Number((await server.wait_for(/TCP port (\d+)/))[1]);
  const [, web_port] = await server.wait_for(/http:\/\/127\.0\.0\.1:(\d+)/);
  server.tcp_url = `tcp://127.0.0.1:${server.port}`;
  server.ws_url = `ws://127.0.0.1:${web_port}/ws`;
  server.http_port = Number(web_port);
  return server;
}
