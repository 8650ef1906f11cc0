// A headless Chromium, controlled over its DevTools protocol through a pipe (file descriptors 3 and 4,
// messages ended by a zero byte). It needs no package, so a program that is installed without npm can make
// pictures. It opens one page; tests/browser uses Playwright instead.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const kFlags = [
  "--headless",
  "--remote-debugging-pipe",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-extensions",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--hide-scrollbars",
  "--mute-audio",
  "--force-color-profile=srgb",
  "--disable-dev-shm-usage",
  // The processor draws: the same picture on every machine, with or without a graphics card.
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
  // The only page ever loaded is this program's own, from loopback; Chromium's sandbox does not start for
  // root and in most containers.
  "--no-sandbox",
];

export class Chromium {
  #process;
  #profile;
  #pending = new Map();
  #listeners = new Map();
  #next = 1;
  #text = "";
  #session;

  /** Starts the browser and opens an empty page of that size, CSS pixels. */
  static async start(program, { width, height }) {
    const browser = new Chromium();
    await browser.#open(program);
    const { targetId } = await browser.#send("Target.createTarget", { url: "about:blank" });
    browser.#session = (await browser.#send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    await browser.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await browser.send("Runtime.enable");
    await browser.send("Page.enable");
    return browser;
  }

  /** A command for the page; the answer's result. */
  send(method, parameters = {}) {
    return this.#send(method, parameters, this.#session);
  }

  /** The value of a script's expression, awaited when it is a promise; throws what the page threw. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description?.split("\n")[0] ?? exceptionDetails.text);
    }
    return result.value;
  }

  async navigate(url) {
    const loaded = new Promise((resolve) => this.#listeners.set("Page.loadEventFired", resolve));
    const { errorText } = await this.send("Page.navigate", { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    await loaded;
  }

  async close() {
    this.#process.kill();
    await new Promise((resolve) =>
      this.#process.exitCode === null && this.#process.signalCode === null
        ? this.#process.once("exit", resolve)
        : resolve(),
    );
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async #open(program) {
    this.#profile = await mkdtemp(join(tmpdir(), "takt-shot-"));
    this.#process = spawn(program, [...kFlags, `--user-data-dir=${this.#profile}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    const fail = (error) => {
      for (const { reject } of this.#pending.values()) reject(error);
      this.#pending.clear();
    };
    this.#process.on("error", (error) => fail(new Error(`${program} did not start: ${error.message}`)));
    this.#process.on("exit", (code, signal) =>
      fail(new Error(`${program} ended (${signal ?? `exit code ${code}`})`)),
    );
    this.#process.stdio[3].on("error", () => {}); // the exit above says more
    this.#process.stdio[4].setEncoding("utf8");
    this.#process.stdio[4].on("data", (text) => this.#handleText(text));
  }

  #handleText(text) {
    this.#text += text;
    for (let end = this.#text.indexOf("\0"); end >= 0; end = this.#text.indexOf("\0")) {
      const message = JSON.parse(this.#text.slice(0, end));
      this.#text = this.#text.slice(end + 1);
      if (message.id === undefined) {
        this.#listeners.get(message.method)?.(message.params);
        continue;
      }
      const waiting = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error) waiting?.reject(new Error(message.error.message));
      else waiting?.resolve(message.result);
    }
  }

  #send(method, params, sessionId) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      if (this.#process.exitCode !== null) {
        return reject(new Error(`the browser ended (exit code ${this.#process.exitCode})`));
      }
      this.#pending.set(id, { resolve, reject });
      this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }
}
