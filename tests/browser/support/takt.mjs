// The program under test: servers on loopback with their own ports, and runs to their end. Its output becomes
// part of a failing test's message.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { kProgram } from "./surroundings.mjs";

/** A port that was free a moment ago. */
export async function freePort() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

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

  /** `args`: the command and what it needs, without ports. */
  static async start(args, { port, httpPort } = {}) {
    const server = new Server();
    server.port = port ?? (await freePort());
    server.httpPort = httpPort ?? (await freePort());
    server.isTls = args.includes("--tls-cert");
    server.#child = spawn(
      kProgram,
      [...args, "--port", String(server.port), "--http", String(server.httpPort)],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    for (const stream of [server.#child.stdout, server.#child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (server.output += text));
    await server.#untilReady();
    return server;
  }

  get url() {
    return `${this.isTls ? "https" : "http"}://127.0.0.1:${this.httpPort}/?play=1`;
  }

  async stop(signal = "SIGINT") {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill(signal);
    await once(this.#child, "close");
  }

  async #untilReady() {
    const deadline = Date.now() + 20_000;
    for (;;) {
      if (this.isTls && this.output.includes("stop with Ctrl-C")) return;
      try {
        if (!this.isTls && (await fetch(`http://127.0.0.1:${this.httpPort}/readyz`)).ok) return;
      } catch {
        // not listening yet
      }
      if (this.#child.exitCode !== null || Date.now() > deadline)
        throw new Error(`the server is not ready:\n${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
