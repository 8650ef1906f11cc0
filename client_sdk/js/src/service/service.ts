// Service is a connection to `takt service`, with the worlds and batches that it makes.
import { readFile } from "node:fs/promises";

import { byteArray, integer, invalid, list, object, oneOf, outOfRange } from "../argument.js";
import { TaktError } from "../error.js";
import { utf8 } from "../text.js";
import type { ArrayName } from "./arrays.js";
import { BatchWorld } from "./batch.js";
import { Connection } from "./connection.js";
import type { Reply, Welcome } from "./reply.js";
import type { Fields } from "./request.js";
import { kNoTarget } from "./request.js";
import { kKeyBytes, kTokenBytesMax } from "./schema.js";
import { World } from "./world.js";

/** An object, JSON text (with a brace in it), the path of a file, or the bytes of one. */
export type SceneLike = string | Uint8Array | Readonly<Record<string, unknown>>;

export interface ConnectOptions {
  /** The line of the service's token file. */
  readonly token?: string | Uint8Array;
}
export interface WorldOptions {
  /** Default "float". */
  readonly numbers?: "float" | "fixed";
  /** Constraints solved at a time: 0 = automatic, 1, 4, 8 or 16. Changes no bit. */
  readonly lanes?: number;
  /** Arrays that are there from the start: World.observe(). */
  readonly observe?: readonly ArrayName[];
}
export interface BatchOptions extends WorldOptions {
  /** Worlds stepped at a time, at most the threads of the service. Changes no bit. Default 1. */
  readonly threads?: number;
}

const kNumbers = ["float", "fixed"] as const;
const kBatchWorldsMax = 65_536;
const kThreadsMax = 64;
const kAttachMs = 5000;
const kAttachPauseMs = 10;

async function sceneBytes(scene: unknown): Promise<Uint8Array> {
  if (scene instanceof Uint8Array) return scene;
  if (typeof scene === "string") {
    return scene.includes("{") ? utf8(scene) : new Uint8Array(await readFile(scene));
  }
  if (Object.prototype.toString.call(scene) === "[object Object]") return utf8(JSON.stringify(scene));
  return invalid("scene", "an object, JSON text, a path or a Uint8Array", scene);
}

function lanesOf(value: unknown): number {
  const lanes = integer("options.lanes", value, 0, 16);
  return [0, 1, 4, 8, 16].includes(lanes) ? lanes : outOfRange("options.lanes", "0, 1, 4, 8 or 16", lanes);
}

/**
 * A connection to a service. Its worlds end with it. A call of a world is one round trip; calls that are not
 * awaited leave together and act in their order.
 */
export class Service {
  private readonly connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.connection = connection;
  }

  get address(): string {
    return this.connection.address;
  }
  /** False after close() and after the loss of the connection. */
  get isOpen(): boolean {
    return this.connection.isOpen;
  }
  /** The limits of the service by their names. */
  get limits(): Welcome {
    return this.connection.welcome;
  }

  /** A world of the scene at tick 0. */
  async world(scene: SceneLike, options: WorldOptions = {}): Promise<World> {
    object("world(): options", options, ["numbers", "lanes", "observe"]);
    const bytes = await sceneBytes(scene);
    return this.newWorld({ ...newFields(options), scene: bytes }, options.observe);
  }

  /** The world of World.save(). `scene` gives names to its bodies and joints. */
  async worldFromImage(
    image: Uint8Array,
    scene?: SceneLike,
    options: Omit<WorldOptions, "numbers"> = {},
  ): Promise<World> {
    object("worldFromImage(): options", options, ["lanes", "observe"]);
    const bytes = scene === undefined ? undefined : await sceneBytes(scene);
    const given = byteArray("worldFromImage(): image", image);
    return this.newWorld({ lanes: lanesOf(options.lanes ?? 0), scene: bytes, image: given }, options.observe);
  }

  /** n worlds of the scene at tick 0. */
  async batch(scene: SceneLike, n: number, options: BatchOptions = {}): Promise<BatchWorld> {
    object("batch(): options", options, ["numbers", "lanes", "threads", "observe"]);
    const fields = {
      ...newFields(options),
      threads: integer("batch(): options.threads", options.threads ?? 1, 1, kThreadsMax),
      batch_worlds: integer("batch(): n", n, 1, kBatchWorldsMax),
      scene: await sceneBytes(scene),
    };
    const handle = await this.ask("NewWorlds", fields, (reply) => reply.handle);
    const batch = new BatchWorld(this.connection, handle, n);
    await observed(batch, options.observe);
    return batch;
  }

  /**
   * Takes over the world of World.key() from a connection that was lost, within the lease of the service. A
   * connection that still has the world ends.
   */
  async attach(key: Uint8Array): Promise<World> {
    const { handle } = await this.attachTo(key, 0);
    return new World(this.connection, handle);
  }
  /** Takes over the batch of BatchWorld.key(). */
  async attachBatch(key: Uint8Array): Promise<BatchWorld> {
    const { handle, worlds } = await this.attachTo(key, 1);
    return new BatchWorld(this.connection, handle, worlds);
  }

  /** Ends the connection after the replies to what was sent, and with it the worlds. */
  close(): void {
    this.connection.close();
  }

  private async newWorld(fields: Fields, observe: readonly ArrayName[] | undefined): Promise<World> {
    const handle = await this.ask("NewWorlds", fields, (reply) => reply.handle);
    const world = new World(this.connection, handle);
    await observed(world, observe);
    return world;
  }

  /** A connection that still has the world needs a moment to end. */
  private async attachTo(key: Uint8Array, kind: number): Promise<{ handle: number; worlds: number }> {
    byteArray("attach(): key", key);
    if (key.length !== kKeyBytes) outOfRange("attach(): key", `a key of ${kKeyBytes} bytes`, key);
    const deadline = performance.now() + kAttachMs;
    for (;;) {
      try {
        return await this.ask("Attach", { key, kind }, ({ handle, worlds }) => ({ handle, worlds }));
      } catch (error) {
        const isBusy = error instanceof TaktError && error.reason === "busy";
        if (!isBusy || performance.now() > deadline) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, kAttachPauseMs));
    }
  }

  private ask<Result>(
    body: "NewWorlds" | "Attach",
    fields: Fields,
    read: (reply: Reply) => Result,
  ): Promise<Result> {
    return this.connection.call(
      kNoTarget,
      () => 0,
      body,
      () => fields,
      read,
    );
  }
}

function newFields(options: WorldOptions): Fields {
  const numbers = oneOf("options.numbers", options.numbers ?? "float", kNumbers);
  return { numbers: kNumbers.indexOf(numbers) + 1, lanes: lanesOf(options.lanes ?? 0) };
}

async function observed(of: World | BatchWorld, names: readonly ArrayName[] | undefined): Promise<void> {
  if (names === undefined) return;
  list("options.observe", names);
  await of.observe(...names);
}

/**
 * Connects to `takt service` at "unix:PATH" or "tcp:HOST:PORT" within 10 s. Rejects with bad-url; network
 * without a service there; refused with the reason "token"; limit with the reason "clients".
 */
export async function connect(address: string, options: ConnectOptions = {}): Promise<Service> {
  object("connect(): options", options, ["token"]);
  const { token = "" } = options;
  const bytes = byteArray("connect(): options.token", typeof token === "string" ? utf8(token) : token);
  if (bytes.length > kTokenBytesMax) {
    outOfRange("connect(): options.token", `at most ${kTokenBytesMax} bytes`, bytes);
  }
  return new Service(await Connection.open(address, bytes));
}
