// A server and its network in one process, for a client with a clock that only moves when told: a transport factory, and a handle on each connection.
import { FrameReader, readMessage } from "../../dist/protocol.js";
import { Client } from "../../dist/index.js";
import { frame, record } from "./server_messages.mjs";

export class FakeNetwork {
  connections = [];
  now_ms = 1000;
  /** Set to refuse the next opens. */
  is_down = false;

  factory = (handlers) => {
    const connection = new Connection(handlers);
    this.connections.push(connection);
    connection.is_down = this.is_down;
    return connection;
  };

  get newest() {
    return this.connections[this.connections.length - 1];
  }

  client(options = {}) {
    return new Client(this.factory, { clock: () => this.now_ms, random: () => 0, timer: false, ...options });
  }

  /** Lets time pass in steps of 16 ms, polling. `each`: called before each poll. */
  pass(client, ms, each = () => {}) {
    for (const end = this.now_ms + ms; this.now_ms < end; ) {
      this.now_ms += 16;
      each(this.now_ms);
      client.poll();
    }
  }
}

export class Connection {
  is_open = false;
  is_closed = false; // by the client
  buffered_bytes = 0;
  received = []; // messages the client said, in order
  #frames = new FrameReader();

  constructor(handlers) {
    this.handlers = handlers;
  }
  send(bytes) {
    this.#frames.handle_bytes(bytes, (message_class, message) => {
      const read = readMessage(message, message_class);
      if (!read.ok) throw new Error(`the client said something unreadable: ${read.error}`);
      return this.received.push(read.message) > 0;
    });
  }
  close() {
    this.is_closed = true;
  }

  // ------------------------------------------------------------ the server's side

  open() {
    this.is_open = true;
    this.handlers.handle_open();
  }
  /** Sends messages: [kind, fields] each. */
  say(...messages) {
    for (const [kind, fields] of messages) this.handlers.handle_bytes(frame(kind, fields));
  }
  say_bytes(bytes) {
    this.handlers.handle_bytes(bytes);
  }
  accept(fields = {}) {
    const { nonce } = this.of("ConnectRequest")[0];
    this.say(["Accept", { nonce, player_id: 1, tick_rate_hz: 60, current_tick: 100, numbers_mode: "float", ...fields }]);
  }
  lose(why = "gone") {
    this.handlers.handle_close(why);
  }
  /** What the client said of this kind. */
  of(type) {
    return this.received.filter((message) => message.type === type);
  }
}

/** All events so far, those of these types alone if any are named. */
export function events_of(client, ...types) {
  const events = [];
  for (let event = client.nextEvent(); event !== undefined; event = client.nextEvent()) events.push(event);
  return types.length === 0 ? events : events.filter((event) => types.includes(event.type));
}

export const kBall = { kind: 0, dimensions: { x: 0.5 }, local_rotation: { w: 1 } };
export const id_of = (index, generation = 1) => (BigInt(generation) << 32n) | BigInt(index);

/** A client that has joined, its server and their network. */
export function joined(network = new FakeNetwork(), options = {}) {
  const client = network.client(options);
  client.connect();
  network.newest.open();
  network.newest.accept();
  return { network, client, server: network.newest };
}

/** A server that sends a snapshot each 16 ms in which body 1 moves along x by one metre a tick, from the tick's number of metres. */
export function moving(server, first_tick, fields = {}) {
  let tick = first_tick;
  let serial = 0;
  return () => {
    ++tick;
    server.say(["Snapshot", { serial: ++serial, tick, part_count: 1, bodies: [record(1, [tick, 0, 0])], ...fields }]);
  };
}
