// Service is a connection to `takt service`, with the worlds and batches that it makes.
import { readFile } from "node:fs/promises";

import { boolean, byteArray, integer, invalid, list, object, oneOf, outOfRange } from "../argument.js";
import { TaktError } from "../error.js";
import { utf8 } from "../text.js";
import type { ArrayName } from "./arrays.js";
import { kArrayNames } from "./arrays.js";
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

/** The bytes at once, except for those of a file. */
function sceneBytes(call: string, scene: unknown): Uint8Array | Promise<Uint8Array> {
  const field = `${call}: scene`;
  if (scene instanceof Uint8Array) return scene;
  if (typeof scene === "string") return scene.includes("{") ? utf8(scene) : fileBytes(field, scene);
  if (Object.prototype.toString.call(scene) === "[object Object]") return jsonBytes(field, scene);
  return invalid(field, "an object, JSON text, a path or a Uint8Array", scene);
}

async function fileBytes(field: string, path: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `${field} is no file that can be read, and no JSON text: ${why}`;
    throw new TaktError("refused", text, "file");
  }
}

function jsonBytes(field: string, scene: unknown): Uint8Array {
  let why = "toJSON() returns no value of JSON";
  try {
    const text: unknown = JSON.stringify(scene);
    if (typeof text === "string") return utf8(text);
  } catch (error) {
    [why] = (error instanceof Error ? error.message : String(error)).split("\n") as [string];
  }
  throw new TaktError("invalid-argument", `${field} takes an object that JSON can hold: ${why}`);
}

function lanesOf(call: string, value: unknown = 0): number {
  const field = `${call}: options.lanes`;
  const lanes = integer(field, value, 0, 16);
  return [0, 1, 4, 8, 16].includes(lanes) ? lanes : outOfRange(field, "0, 1, 4, 8 or 16", lanes);
}

/** A copy of the checked names. */
function namesOf(call: string, names: unknown): readonly ArrayName[] | undefined {
  if (names === undefined) return undefined;
  const field = `${call}: options.observe`;
  return list(field, names).map((name, i) => oneOf(`${field}[${i}]`, name, kArrayNames));
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
    const fields = newFields("world()", options);
    const names = namesOf("world()", options.observe);
    const given = sceneBytes("world()", scene);
    const bytes = given instanceof Uint8Array ? given : await given; // without a file, the request leaves now
    return this.newWorld({ ...fields, scene: bytes }, names);
  }

  /** The world of World.save(). `scene` gives names to its bodies and joints. */
  async worldFromImage(
    image: Uint8Array,
    scene?: SceneLike,
    options: Omit<WorldOptions, "numbers"> = {},
  ): Promise<World> {
    object("worldFromImage(): options", options, ["lanes", "observe"]);
    const fields = {
      lanes: lanesOf("worldFromImage()", options.lanes),
      image: byteArray("worldFromImage(): image", image),
    };
    const names = namesOf("worldFromImage()", options.observe);
    const given = scene === undefined ? undefined : sceneBytes("worldFromImage()", scene);
    const bytes = given instanceof Promise ? await given : given;
    return this.newWorld({ ...fields, scene: bytes }, names);
  }

  /** n worlds of the scene at tick 0. */
  async batch(scene: SceneLike, n: number, options: BatchOptions = {}): Promise<BatchWorld> {
    object("batch(): options", options, ["numbers", "lanes", "threads", "observe"]);
    const fields = {
      ...newFields("batch()", options),
      threads: integer("batch(): options.threads", options.threads ?? 1, 1, kThreadsMax),
      batch_worlds: integer("batch(): n", n, 1, kBatchWorldsMax),
    };
    const names = namesOf("batch()", options.observe);
    const given = sceneBytes("batch()", scene);
    const bytes = given instanceof Uint8Array ? given : await given;
    const handle = await this.ask("NewWorlds", { ...fields, scene: bytes }, (reply) => reply.handle);
    return observed(new BatchWorld(this.connection, handle, n), names);
  }

  /**
   * Takes over the world of World.key() from a connection that was lost, within the lease of the service. A
   * connection that still has the world ends.
   */
  async attach(key: Uint8Array): Promise<World> {
    const { handle } = await this.attachTo("attach()", key, 0);
    return new World(this.connection, handle);
  }
  /** Takes over the batch of BatchWorld.key(). */
  async attachBatch(key: Uint8Array): Promise<BatchWorld> {
    const { handle, worlds } = await this.attachTo("attachBatch()", key, 1);
    return new BatchWorld(this.connection, handle, worlds);
  }

  /**
   * Ends the connection after the replies to what was sent, and with it the worlds. `now` does not wait for
   * the replies, so it ends the connection of a service that hangs too: calls that wait reject with closed.
   */
  close(options: { readonly now?: boolean } = {}): void {
    object("close(): options", options, ["now"]);
    this.connection.close(boolean("close(): options.now", options.now ?? false));
  }

  private async newWorld(fields: Fields, observe: readonly ArrayName[] | undefined): Promise<World> {
    const handle = await this.ask("NewWorlds", fields, (reply) => reply.handle);
    return observed(new World(this.connection, handle), observe);
  }

  /** A connection that still has the world needs a moment to end. */
  private async attachTo(
    call: string,
    key: Uint8Array,
    kind: number,
  ): Promise<{ handle: number; worlds: number }> {
    byteArray(`${call}: key`, key);
    if (key.length !== kKeyBytes) outOfRange(`${call}: key`, `a key of ${kKeyBytes} bytes`, key);
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

function newFields(call: string, options: WorldOptions): Fields {
  const { numbers = "float", lanes } = options;
  const name = oneOf(`${call}: options.numbers`, numbers, kNumbers);
  return { numbers: kNumbers.indexOf(name) + 1, lanes: lanesOf(call, lanes) };
}

/** The new worlds with their first arrays. Without them they are nobody's, and end. */
async function observed<Of extends World | BatchWorld>(
  of: Of,
  names: readonly ArrayName[] | undefined,
): Promise<Of> {
  if (names === undefined) return of;
  try {
    await of.observe(...names);
  } catch (error) {
    await of.destroy().catch(() => undefined);
    throw error;
  }
  return of;
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
