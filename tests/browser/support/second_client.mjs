// A client beside the browser, in Node over TCP. It has the server's state, independent of the page.
import { Client, tcp } from "./surroundings.mjs";

export class SecondClient {
  #timer;

  static async join(port) {
    const second = new SecondClient();
    second.client = new Client(tcp(`tcp://127.0.0.1:${port}`), { playerName: "second", reconnect: false });
    second.client.connect();
    second.#timer = setInterval(() => {
      second.client.poll();
      while (second.client.nextEvent());
    }, 10);
    await second.until(() => second.client.bodies().length > 0, "the second client has bodies");
    return second;
  }

  body(index) {
    return this.client.bodies().find((body) => body.index === index);
  }

  async until(condition, what, timeoutMs = 20_000) {
    const deadline = Date.now() + timeoutMs;
    while (!condition()) {
      if (Date.now() > deadline) throw new Error(`waited for: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  close() {
    clearInterval(this.#timer);
    this.client.close();
  }
}

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
