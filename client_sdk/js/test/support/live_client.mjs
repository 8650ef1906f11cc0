// A client in real time for integration tests: it is polled every 16 ms, keeps its events, and waits for
// conditions.
import { WebSocket } from "ws";

import { Client } from "../../dist/index.js";
import { tcp } from "../../dist/node.js";

export class LiveClient {
  events = [];

  /** `address`: a URL of either transport. */
  constructor(address, options = {}) {
    this.client = new Client(address.startsWith("tcp:") ? tcp(address) : address, { WebSocket, ...options });
    this.client.connect();
    this.interval = setInterval(() => this.poll(), 16);
  }
  poll() {
    this.client.poll();
    for (let event = this.client.nextEvent(); event !== undefined; event = this.client.nextEvent()) {
      this.events.push(event);
    }
  }
  /** Waits until `ask` returns a truthy value, and returns it. */
  async until(what, ask, seconds = 20) {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      this.poll();
      const answer = ask();
      if (answer) return answer;
      if (performance.now() > deadline) {
        throw new Error(
          `not within ${seconds} s: ${what}; last events: ${JSON.stringify(this.events.slice(-5), asText)}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 8));
    }
  }
  joined() {
    return this.until("joined", () => this.client.state === "joined");
  }
  /** An event of this type that `isIt` accepts, past or to come. */
  event(type, isIt = () => true) {
    return this.until(type, () => this.events.find((event) => event.type === type && isIt(event)));
  }
  body(id) {
    return this.client.bodies().find((body) => body.id === id);
  }
  close() {
    clearInterval(this.interval);
    this.client.close();
  }
}

function asText(_, value) {
  return typeof value === "bigint" ? String(value) : value;
}
