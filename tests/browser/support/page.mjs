// A browser with the viewer open: one headless Chromium for a test file, one page for a test. It keeps every
// line of a page's console; `expectQuiet` fails on errors and warnings.
import assert from "node:assert/strict";
import { join } from "node:path";
import { chromium, kArtefactsDir, kChromium } from "./surroundings.mjs";

const kFlags = [
  "--no-sandbox",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
  "--disable-dev-shm-usage",
];
const kWaitMs = 60_000; // a starved machine draws a first picture after tens of seconds

export const kDesktop = { width: 1280, height: 720 };
export const kPhone = { width: 390, height: 844 };

export class Browser {
  #browser;

  /** `flags` of Chromium, beside the usual ones. */
  static async start(flags = []) {
    const browser = new Browser();
    browser.#browser = await chromium.launch({ executablePath: kChromium, args: [...kFlags, ...flags] });
    return browser;
  }

  /**
   * Opens the viewer and waits until bodies are drawn and the room has described itself, or for another
   * condition.
   */
  async open(
    url,
    {
      viewport = kDesktop,
      hasTouch = false,
      colorScheme = "light",
      condition = "window.takt?.client.room && takt.bodies().length > 0 && takt.frameCount() > 2",
    } = {},
  ) {
    const context = await this.#browser.newContext({
      viewport,
      hasTouch,
      colorScheme,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    const viewer = new ViewerPage(page);
    try {
      await page.goto(url, { waitUntil: "commit" });
      await viewer.until(condition, "bodies are drawn, or what the test names");
    } catch (error) {
      await context.close(); // a page left open goes on drawing and takes the machine from the next
      throw error;
    }
    return viewer;
  }

  close() {
    return this.#browser.close();
  }
}

export class ViewerPage {
  words = [];

  constructor(page) {
    this.page = page;
    page.setDefaultTimeout(kWaitMs);
    page.on("console", (message) => this.words.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => this.words.push(`error: ${error.stack ?? error.message}`));
  }

  /** The value of an expression in the page; ids (bigint) come as text. */
  read(expression) {
    return this.page.evaluate(expression);
  }

  /**
   * Waits until an expression in the page is true. (Playwright's own waiting evaluates inside the page, which
   * the server's Content-Security-Policy forbids.)
   */
  async until(expression, what, timeoutMs = kWaitMs) {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const state = await this.page.evaluate(`(${expression}) === true`).catch((error) => error);
      if (state === true) return;
      if (Date.now() > deadline) {
        const shown = await this.page.evaluate("document.body.innerText").catch(() => "(no page)");
        throw new Error(
          `waited for: ${what} (${state})\nthe page shows: ${shown.replace(/\s+/g, " ")}\n` +
            `its console: ${this.words.join("\n") || "nothing"}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Where a body is on the page, CSS pixels. */
  async pixelOf(index) {
    return this.read(`takt.toPage(takt.bodies().find((body) => body.index === ${index}).position)`);
  }

  async screenshot(name) {
    await this.page.screenshot({ path: join(kArtefactsDir, `${name}.png`) });
  }

  expectQuiet() {
    assert.deepEqual(
      this.words.filter((word) => /^(error|warning|assert)/.test(word)),
      [],
    );
  }

  close() {
    return this.page.context().close();
  }
}
