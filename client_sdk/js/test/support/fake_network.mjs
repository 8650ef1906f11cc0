// A server and its network in one process, for a client with a manual clock: a transport factory, and a
// handle of each connection.
import { FrameReader, readMessage } from "../../dist/protocol.js";
import { Client } from "../../dist/index.js";
import { frame, record } from "./server_messages.mjs";

export class FakeNetwork {
  connections = [];
  nowMs = 1000;
  /** Set to refuse the next opens. */
  isDown = false;
  /** The connections from now on say that they are web sockets. */
  isWebSocket = false;

  factory = (handlers) => {
    const connection = new Connection(handlers);
    this.connections.push(connection);
    connection.isDown = this.isDown;
    connection.isWebSocket = this.isWebSocket;
    return connection;
  };

  get newest() {
    return this.connections[this.connections.length - 1];
  }

  client(options = {}) {
    return new Client(this.factory, { clock: () => this.nowMs, random: () => 0, timer: false, ...options });
  }

  /** Lets time pass in steps of 16 ms, polling. `each`: called before each poll. */
  pass(client, ms, each = () => {}) {
    for (const end = this.nowMs + ms; this.nowMs < end;) {
      this.nowMs += 16;
      each(this.nowMs);
      client.poll();
    }
  }
}

export class Connection {
  isOpen = false;
  isClosed = false; // by the client
  bufferedBytes = 0;
  received = []; // messages of the client, in order
  #frames = new FrameReader();

  constructor(handlers) {
    this.handlers = handlers;
  }
  send(bytes) {
    this.#frames.handleBytes(bytes, (messageClass, message) => {
      const read = readMessage(message, messageClass);
      if (!read.ok) throw new Error(`the client said something unreadable: ${read.error}`);
      return this.received.push(read.message) > 0;
    });
  }
  close() {
    this.isClosed = true;
  }

  // ------------------------------------------------------------ the server's side

  open() {
    this.isOpen = true;
    this.handlers.handleOpen();
  }
  /** Sends messages: [kind, fields] each. */
  deliver(...messages) {
    for (const [kind, fields] of messages) this.handlers.handleBytes(frame(kind, fields));
  }
  deliverBytes(bytes) {
    this.handlers.handleBytes(bytes);
  }
  accept(fields = {}) {
    const { nonce } = this.of("ConnectRequest")[0];
    this.deliver([
      "Accept",
      { nonce, player_id: 1, tick_rate_hz: 60, current_tick: 100, numbers_mode: "float", ...fields },
    ]);
  }
  lose(why = "gone") {
    this.handlers.handleClose(why);
  }
  /** Received messages of this type. */
  of(type) {
    return this.received.filter((message) => message.type === type);
  }
}

/** All events so far, those of these types alone if any are named. */
export function eventsOf(client, ...types) {
  const events = [];
  for (let event = client.nextEvent(); event !== undefined; event = client.nextEvent()) events.push(event);
  return types.length === 0 ? events : events.filter((event) => types.includes(event.type));
}

export const kBall = { kind: 0, dimensions: { x: 0.5 }, local_rotation: { w: 1 } };
export const idOf = (index, generation = 1) => (BigInt(generation) << 32n) | BigInt(index);

/** A client that has joined, its server and their network. */
export function joined(network = new FakeNetwork(), options = {}) {
  const client = network.client(options);
  client.connect();
  network.newest.open();
  network.newest.accept();
  return { network, client, server: network.newest };
}

/**
 * A server that sends a snapshot each 16 ms in which body 1 moves along x by one metre a tick, from the
 * tick's number of metres.
 */
export function moving(server, firstTick, fields = {}) {
  let tick = firstTick;
  let serial = 0;
  return () => {
    ++tick;
    server.deliver([
      "Snapshot",
      { serial: ++serial, tick, part_count: 1, bodies: [record(1, [tick, 0, 0])], ...fields },
    ]);
  };
}
