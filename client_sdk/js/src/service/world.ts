// World is a world of a service: steps, edits, arrays, snapshots and queries. Each method sends its request
// before it returns, so calls act in their order, awaited or not.
import { finite, integer, object, printable, unitQuaternion, unsigned64, vector3 } from "../argument.js";
import type { ArrayName, Arrays } from "./arrays.js";
import { ArrayFields, ObservedArrays, kArrayColumns } from "./arrays.js";
import type { BatchWorld } from "./batch.js";
import type { Rotation, Vector3 } from "./body.js";
import { Body, Joint, kPositionMax, kVectorMax } from "./body.js";
import type { Connection } from "./connection.js";
import type { NewJoint, NewMover, NewRope } from "./definitions.js";
import { grabFields, newJointFields, newMoverFields, newRopeFields } from "./definitions.js";
import type { Contact, Hits, Overlap, QueryParts, ShapeName, WorldEvent } from "./queries.js";
import {
  contactsOf,
  eventsOf,
  kQueryKinds,
  kQueryModes,
  kUnitTolerance,
  nearestOf,
  overlapsOf,
  queriesOf,
  shapeParts,
} from "./queries.js";
import { Recording } from "./recording.js";
import type { Reply, WorldInfo } from "./reply.js";
import type { Fields, QueryItem, Target } from "./request.js";
import type { Rows } from "./rows.js";
import type { BodyName } from "./schema.js";
import { kNoWorldIndex } from "./schema.js";
import { Snapshot } from "./snapshot.js";

const kUnsigned32Max = 0xffffffff;

export interface Spawn {
  /** Default "sphere". */
  readonly shape?: ShapeName;
  /** Radius; radius and half length; half extents. m, default 0.5. */
  readonly dimensions?: number | ArrayLike<number>;
  /** m. */
  readonly position?: Vector3;
  readonly rotation?: Rotation;
  /** m/s. */
  readonly linearVelocity?: Vector3;
  /** rad/s. */
  readonly angularVelocity?: Vector3;
  /** kg/m^3, default 1000. */
  readonly density?: number;
  /** Default 0.6. */
  readonly friction?: number;
  /** Default 0. */
  readonly restitution?: number;
  /** The body's user tag, default 0. */
  readonly tag?: number;
}
const kSpawnFields = [
  "shape",
  "dimensions",
  "position",
  "rotation",
  "linearVelocity",
  "angularVelocity",
  "density",
  "friction",
  "restitution",
  "tag",
];

export interface QueryOptions {
  /** m, default 1000. */
  readonly maxDistance?: number;
  /** A body that is not found. */
  readonly ignore?: Body;
}
export interface CastOptions extends QueryOptions {
  readonly rotation?: Rotation;
}

export function ticksOfStep(ticks: unknown): number {
  return integer("step(): ticks", ticks, 0, kUnsigned32Max);
}

export class World extends ArrayFields {
  /** The batch that the world belongs to. */
  readonly batch: BatchWorld | undefined;
  private readonly connection: Connection;
  private readonly target: Target;
  private readonly arrays = new ObservedArrays(0);

  /** @internal */
  constructor(connection: Connection, handle: number, batch?: BatchWorld, index = kNoWorldIndex) {
    super();
    this.connection = connection;
    this.target = { handle, worldIndex: index };
    this.batch = batch;
  }

  // ------------------------------------------------------------ arrays

  /**
   * Selects arrays, and returns when they are there. Replies to later changes bring them too. A world of a
   * batch has the arrays of its batch.
   */
  observe(...names: ArrayName[]): Promise<void> {
    if (this.batch !== undefined) return this.batch.observe(...names);
    return this.ask(
      "Observe",
      () => {
        this.arrays.add("observe(): name", names);
        return {};
      },
      (reply) => this.arrays.store(reply),
      () => this.arrays.mask,
    );
  }

  /** The newest values of an array: a view of the last reply, or of the batch. */
  array<Name extends ArrayName>(name: Name): Arrays[Name] {
    if (this.batch === undefined) return this.arrays.get(name);
    const size = this.batch.rows * kArrayColumns[name];
    const at = this.target.worldIndex * size;
    return this.batch.array(name).subarray(at, at + size) as Arrays[Name];
  }
  get rows(): number {
    return this.batch?.rows ?? this.arrays.rows;
  }

  // ------------------------------------------------------------ steps and state

  /** Advances by `ticks`. Rejects with "stopped" after stop(). */
  step(ticks = 1): Promise<void> {
    const stepped = this.edit("Step", () => ({ ticks: ticksOfStep(ticks) }));
    return this.connection.recordings.follow(this.target, ticks, stepped);
  }

  /**
   * Ends the step that the service is computing, between two ticks. The service reads it only while fewer
   * than 256 calls before it wait.
   */
  stop(): Promise<void> {
    return this.ask("Stop", nothing, ignored);
  }

  /** The state hash, as `takt run` prints it. */
  hash(): Promise<bigint> {
    return this.ask("Hash", nothing, (reply) => reply.id64);
  }
  info(): Promise<WorldInfo> {
    return this.ask("Info", nothing, (reply) => reply.info);
  }
  async tick(): Promise<number> {
    return (await this.info()).tick;
  }

  /** Captures the state in the memory of the service; `into` is a snapshot whose memory is reused. */
  capture(into?: Snapshot): Promise<Snapshot> {
    return this.ask(
      "Capture",
      () => ({
        into: into === undefined ? 0 : Snapshot.handleOf("capture(): into", into, this.connection),
      }),
      ({ handle, tick, worlds }) => new Snapshot(this.connection, handle, Number(tick), worlds),
    );
  }
  /** The portable image of the state, for other processes and machines. */
  save(): Promise<Uint8Array> {
    return this.ask("Save", nothing, (reply) => reply.data);
  }
  /** Returns to a captured state, or to that of an image of the same scene and numbers mode. */
  restore(state: Snapshot | Uint8Array): Promise<void> {
    if (state instanceof Uint8Array) return this.edit("Restore", () => ({ image: state }));
    return this.edit("Rollback", () => ({
      snapshot: Snapshot.handleOf("restore(): state", state, this.connection, "a Snapshot or a Uint8Array"),
    }));
  }
  /** An independent world with equal state and future. It observes nothing. */
  fork(): Promise<World> {
    return this.ask("Fork", nothing, ({ handle }) => new World(this.connection, handle));
  }
  /** 24 bytes that name the world beyond its connection: Service.attach(). Keep them secret. */
  key(): Promise<Uint8Array> {
    return this.ask("Key", nothing, (reply) => reply.data.slice());
  }
  /**
   * Destroys the world. One that records ends the step that is computed, and the recording, first; the
   * promise rejects with the error of the recording. One of a batch ends with the batch.
   */
  destroy(): Promise<void> {
    const destroyed = (): Promise<void> => this.ask("Destroy", nothing, ignored);
    if (this.batch !== undefined) return destroyed();
    return this.connection.recordings.destroy(this.target, () => this.stop(), destroyed);
  }

  /**
   * Records each step and edit from now on into a file of this process, which `takt replay verify` checks.
   * The file has its name when the promise resolves, and all bytes after Recording.stop(). Rejects with
   * refused: "recording" when the world is recording, "file" when the file cannot be made; with limit.
   */
  record(path: string): Promise<Recording> {
    return Recording.begin(this.connection, this.target, path);
  }

  // ------------------------------------------------------------ things

  /** The body of this name in the scene. */
  body(name: string): Promise<Body> {
    return this.find(0, "body(): name", name, (id) => new Body(this, id));
  }
  /** The joint of this name in the scene. */
  joint(name: string): Promise<Joint> {
    return this.find(1, "joint(): name", name, (id) => new Joint(this, id));
  }
  /** All living bodies, in the order of the arrays' rows. */
  async bodies(): Promise<Body[]> {
    await (this.batch === undefined ? this.observe("ids") : this.batch.refresh("ids"));
    return Array.from(
      this.ids.filter((id) => id !== 0n),
      (id) => new Body(this, id),
    );
  }
  joints(): Promise<Joint[]> {
    return this.ask(
      "List",
      () => ({ kind: 1 }),
      ({ ids }) => Array.from(ids, (id) => new Joint(this, id)),
    );
  }
  /** Ids of the ropes. */
  ropes(): Promise<BigUint64Array> {
    return this.ask(
      "List",
      () => ({ kind: 2 }),
      ({ ids }) => ids,
    );
  }
  /** Cuts a rope between node `segment` and the next. */
  cutRope(rope: bigint, segment: number): Promise<void> {
    return this.edit("CutRope", () => ({
      rope: unsigned64("cutRope(): rope", rope),
      segment: integer("cutRope(): segment", segment, 0, kUnsigned32Max),
    }));
  }

  /** Creates a rope and returns its id. */
  createRope(rope: NewRope): Promise<bigint> {
    return this.change(
      "CreateRope",
      () => newRopeFields(rope),
      (reply) => reply.id64,
    );
  }
  destroyRope(rope: bigint): Promise<void> {
    return this.edit("DestroyRope", () => ({ rope: unsigned64("destroyRope(): rope", rope) }));
  }
  /** Sets the rest length of each segment, m, as a winch does. */
  setRopeLength(rope: bigint, segmentLength: number): Promise<void> {
    return this.edit("RopeLength", () => ({
      rope: unsigned64("setRopeLength(): rope", rope),
      segment_length: finite("setRopeLength(): segmentLength", segmentLength),
    }));
  }
  /** Pins a node to a point of a body (its frame), or of the world without one; default where the node is. */
  pinRope(
    rope: bigint,
    node: number,
    options: { readonly body?: Body; readonly point?: Vector3 } = {},
  ): Promise<void> {
    return this.edit("PinRope", () => {
      object("pinRope(): options", options, ["body", "point"]);
      const { body, point } = options;
      return {
        rope: unsigned64("pinRope(): rope", rope),
        node: integer("pinRope(): node", node, 0, kUnsigned32Max),
        body: body?.id ?? 0n,
        point: point === undefined ? undefined : vector3("pinRope(): options.point", point, kPositionMax),
      };
    });
  }
  unpinRope(rope: bigint, node: number): Promise<void> {
    return this.edit("UnpinRope", () => ({
      rope: unsigned64("unpinRope(): rope", rope),
      node: integer("unpinRope(): node", node, 0, kUnsigned32Max),
    }));
  }

  /** Creates a mover; Body.move() moves it. Body.destroy() destroys it with its body. */
  createMover(mover: NewMover): Promise<Body> {
    return this.change(
      "CreateMover",
      () => newMoverFields(mover),
      (reply) => new Body(this, reply.id64),
    );
  }

  /** Creates a joint between two bodies. */
  createJoint(joint: NewJoint): Promise<Joint> {
    return this.change(
      "CreateJoint",
      () => newJointFields(joint),
      (reply) => new Joint(this, reply.id64),
    );
  }

  /** Pulls a point of a dynamic body (its frame) to a target with at most `maxForce` N, until release(). */
  grab(body: Body, target: Vector3, maxForce: number, localPoint?: Vector3): Promise<void> {
    return this.edit("Grab", () => grabFields(body, target, maxForce, localPoint));
  }
  moveGrab(target: Vector3): Promise<void> {
    return this.edit("MoveGrab", () => ({ target: vector3("moveGrab(): target", target, kPositionMax) }));
  }
  release(): Promise<void> {
    return this.edit("Release", nothing);
  }

  /** Creates a dynamic body of one shape. */
  spawn(spawn: Spawn = {}): Promise<Body> {
    return this.change(
      "Spawn",
      () => {
        object("spawn()", spawn, kSpawnFields);
        const [shape, dimensions] = shapeParts("spawn()", spawn.shape ?? "sphere", spawn.dimensions ?? 0.5);
        const still = [0, 0, 0];
        return {
          shape,
          dimensions,
          position: vector3("spawn(): position", spawn.position ?? still, kPositionMax),
          rotation: unitQuaternion("spawn(): rotation", spawn.rotation ?? [0, 0, 0, 1], kUnitTolerance),
          linear_velocity: vector3("spawn(): linearVelocity", spawn.linearVelocity ?? still, kVectorMax),
          angular_velocity: vector3("spawn(): angularVelocity", spawn.angularVelocity ?? still, kVectorMax),
          density: finite("spawn(): density", spawn.density ?? 1000),
          friction: finite("spawn(): friction", spawn.friction ?? 0.6),
          restitution: finite("spawn(): restitution", spawn.restitution ?? 0),
          tag: integer("spawn(): tag", spawn.tag ?? 0, 0, kUnsigned32Max),
        };
      },
      (reply) => new Body(this, reply.id64),
    );
  }

  // ------------------------------------------------------------ queries

  /**
   * The first hit of n rays: n x 3 numbers each, or one row for all, of the origins or the directions.
   * Directions need no unit length.
   */
  raycast(origins: Rows, directions: Rows, options: QueryOptions = {}): Promise<Hits> {
    return this.nearest("raycast()", ["maxDistance", "ignore"], options, {
      kind: kQueryKinds.ray,
      positions: origins,
      directions,
    });
  }
  /** The first hit of a shape, as in spawn(), along n directions. */
  shapecast(
    shape: ShapeName,
    dimensions: number | ArrayLike<number>,
    origins: Rows,
    directions: Rows,
    options: CastOptions = {},
  ): Promise<Hits> {
    return this.nearest("shapecast()", ["maxDistance", "ignore", "rotation"], options, {
      kind: kQueryKinds.cast,
      positions: origins,
      directions,
      shape,
      dimensions,
    });
  }
  /** The nearest point of any shape to each of n points. */
  closest(points: Rows, options: QueryOptions = {}): Promise<Hits> {
    return this.nearest("closest()", ["maxDistance", "ignore"], options, {
      kind: kQueryKinds.closest,
      positions: points,
    });
  }
  /** All shapes that a shape overlaps at n positions. */
  overlap(
    shape: ShapeName,
    dimensions: number | ArrayLike<number>,
    positions: Rows,
    rotation?: Rotation,
  ): Promise<Overlap[]> {
    const parts = {
      kind: kQueryKinds.overlap,
      mode: kQueryModes.all,
      positions,
      shape,
      dimensions,
      rotation,
    };
    return this.ask("Query", () => ({ queries: queriesOf("overlap()", parts) }), overlapsOf);
  }
  /** Contact points of the last step. */
  contacts(): Promise<Contact[]> {
    return this.ask("Contacts", nothing, contactsOf);
  }
  /** Events of the last call that stepped the world, of all its ticks. */
  events(): Promise<WorldEvent[]> {
    return this.ask("Events", nothing, eventsOf);
  }

  // ------------------------------------------------------------ requests

  /** @internal A request that changes nothing. */
  ask<Result>(
    body: BodyName,
    fields: () => Fields,
    read: (reply: Reply) => Result,
    columns: () => number = () => 0,
  ): Promise<Result> {
    return this.connection.call(this.target, columns, body, fields, read);
  }
  /** @internal */
  edit(body: BodyName, fields: () => Fields): Promise<void> {
    return this.change(body, fields, ignored);
  }

  /** A request that changes the world, and brings its arrays. A failed one may have changed it too. */
  private async change<Result>(
    body: BodyName,
    fields: () => Fields,
    read: (reply: Reply) => Result,
  ): Promise<Result> {
    const done = this.ask(
      body,
      fields,
      (reply) => {
        this.arrays.store(reply);
        return read(reply);
      },
      () => this.arrays.mask,
    );
    const owner = this.batch?.refresh();
    owner?.catch(ignored); // it may fail while `done` still waits; both are awaited below
    let result: Result;
    try {
      result = await done;
    } catch (error) {
      if (this.arrays.mask !== 0) await this.observe().catch(ignored);
      await owner?.catch(ignored);
      throw error;
    }
    await owner; // arrays that cannot come must not stay old in silence
    return result;
  }

  private find<Thing>(
    kind: number,
    field: string,
    name: string,
    make: (id: bigint) => Thing,
  ): Promise<Thing> {
    return this.ask(
      "Find",
      () => ({ kind, name: printable(field, name) }),
      (reply) => make(reply.id64),
    );
  }

  private nearest(
    call: string,
    names: readonly string[],
    options: CastOptions,
    parts: Omit<QueryParts, "mode">,
  ): Promise<Hits> {
    let queries: QueryItem[] = [];
    return this.ask(
      "Query",
      () => {
        object(`${call}: options`, options, names);
        const { maxDistance = 1000, ignore, rotation } = options;
        queries = queriesOf(call, { ...parts, mode: kQueryModes.closest, maxDistance, ignore, rotation });
        return { queries };
      },
      (reply) => nearestOf(reply, queries.length),
    );
  }
}

function nothing(): Fields {
  return {};
}
function ignored(): void {
  // The reply has no result.
}
