// The program under test: servers on loopback with their own ports, and runs to their end. Its output becomes
// part of a failing test's message.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { kProgram } from "./surroundings.mjs";

/** Runs `takt ARGUMENTS` to its end: { code, stdout, stderr }. */
export async function run(...args) {
  const child = spawn(kProgram, args, { stdio: ["ignore", "pipe", "pipe"] });
  const result = { code: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (result.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (result.stderr += text));
  [result.code] = await once(child, "close");
  return result;
}

/** A `takt serve` or `takt replay play` that serves the viewer. */
export class Server {
  output = "";
  #child;

  /** `args`: the command and what it needs, without ports. `earlier`: a stopped server whose ports this one
   *  takes; without it the program takes free ones. */
  static async start(args, earlier) {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const server = new Server();
      server.isTls = args.includes("--tls-cert");
      const ports = ["--port", String(earlier?.port ?? 0), "--http", String(earlier?.httpPort ?? "auto")];
      server.#child = spawn(kProgram, [...args, ...ports], { stdio: ["ignore", "pipe", "pipe"] });
      for (const stream of [server.#child.stdout, server.#child.stderr])
        stream.setEncoding("utf8").on("data", (text) => (server.output += text));
      if (await server.#isReady(deadline)) return server;
      // A connection of another program may hold the earlier server's port for a moment.
      const isTaken = earlier && /another program uses the port/.test(server.output);
      server.#child.kill();
      if (!isTaken || Date.now() > deadline) throw new Error(`the server is not ready:\n${server.output}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  get url() {
    return `${this.isTls ? "https" : "http"}://127.0.0.1:${this.httpPort}/?play=1`;
  }

  async stop(signal = "SIGINT") {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill(signal);
    await once(this.#child, "close");
  }

  /** Waits until the program has printed all of its start; false when it ended before or time is over. */
  async #isReady(deadline) {
    while (!this.output.includes("stop with Ctrl-C")) {
      if (this.#child.exitCode !== null || Date.now() > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    this.httpPort = Number(/watch it at https?:\/\/[^/]*:(\d+)\//.exec(this.output)[1]);
    this.port = Number(/on UDP port (\d+)/.exec(this.output)[1]);
    return true;
  }
}
