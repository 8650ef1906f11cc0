// BatchWorld is n worlds of one scene at a service, which step together.
import { integer, object, printable } from "../argument.js";
import type { ArrayName, Arrays } from "./arrays.js";
import { ArrayFields, ObservedArrays } from "./arrays.js";
import { ticksOf } from "./body.js";
import type { Connection } from "./connection.js";
import type { Reply } from "./reply.js";
import type { Fields, Target } from "./request.js";
import type { Bodies, Rows, Where } from "./rows.js";
import { bodiesOf, maskOf, rowsOf } from "./rows.js";
import type { BodyName } from "./schema.js";
import { kNoWorldIndex } from "./schema.js";
import { Snapshot } from "./snapshot.js";
import { World, ticksOfStep } from "./world.js";

/** Rows for one body of each world; a field that is left out keeps its values. */
export interface Poses {
  /** m: n x 3. */
  readonly positions?: Rows;
  /** x y z w: n x 4. */
  readonly rotations?: Rows;
  /** m/s: n x 3. */
  readonly linearVelocities?: Rows;
  /** rad/s: n x 3. */
  readonly angularVelocities?: Rows;
}

/** Threads, n and the place in the batch change no bit. `where` selects worlds; without it all are. */
export class BatchWorld extends ArrayFields {
  /** The number of worlds. */
  readonly length: number;
  private readonly connection: Connection;
  private readonly handle: number;
  private readonly arrays: ObservedArrays;
  /** The request for the arrays that the calls of this turn share. */
  private refreshing: Promise<void> | null = null;

  /** @internal */
  constructor(connection: Connection, handle: number, length: number) {
    super();
    this.connection = connection;
    this.handle = handle;
    this.length = length;
    this.arrays = new ObservedArrays(length);
  }

  /** Selects arrays, and returns when they are there. Replies to later changes bring them too. */
  observe(...names: ArrayName[]): Promise<void> {
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
  array<Name extends ArrayName>(name: Name): Arrays[Name] {
    return this.arrays.get(name);
  }
  get rows(): number {
    return this.arrays.rows;
  }

  /** One world of the batch, with all that a World has. Its arrays are parts of those of the batch. */
  at(index: number): World {
    return new World(this.connection, this.handle, this, integer("at(): index", index, 0, this.length - 1));
  }

  /** Advances the selected worlds by `ticks`, on all threads of the batch. */
  step(ticks = 1, where?: Where): Promise<void> {
    const fields = (): Fields => ({ ticks: ticksOfStep(ticks), where: this.mask("step()", where) });
    return this.connection.recordings.follow(this.target, ticks, this.change("Step", fields));
  }
  /**
   * Ends the step that the service is computing, between two ticks; worlds may then differ in their tick. The
   * service reads it only while fewer than 256 calls before it wait.
   */
  stop(): Promise<void> {
    return this.ask("Stop", () => ({}), ignored);
  }
  /** State hashes of all worlds. */
  hashes(): Promise<BigUint64Array> {
    return this.ask(
      "Hash",
      () => ({}),
      ({ ids }) => ids,
    );
  }
  /** Captures all n worlds in the memory of the service. */
  capture(): Promise<Snapshot> {
    return this.ask(
      "Capture",
      () => ({}),
      ({ handle, tick, worlds }) => new Snapshot(this.connection, handle, Number(tick), worlds),
    );
  }
  /** Rolls the selected worlds back: each to its own state of a batch, or all to that of one world. */
  restore(state: Snapshot, where?: Where): Promise<void> {
    return this.change("Rollback", () => ({
      snapshot: Snapshot.handleOf("restore(): state", state, this.connection),
      where: this.mask("restore()", where),
    }));
  }
  /** 24 bytes that name the batch beyond its connection: Service.attachBatch(). Keep them secret. */
  key(): Promise<Uint8Array> {
    return this.ask(
      "Key",
      () => ({}),
      (reply) => reply.data.slice(),
    );
  }
  /** Destroys the worlds, and ends their recordings first. Rejects with the error of a recording. */
  destroy(): Promise<void> {
    const destroyed = (): Promise<void> => this.ask("Destroy", () => ({}), ignored);
    return this.connection.recordings.destroy(this.target, () => this.stop(), destroyed);
  }

  /** Ids of the body of this name in each world. */
  body(name: string): Promise<BigUint64Array> {
    return this.connection.call(
      { handle: this.handle, worldIndex: 0 },
      () => 0,
      "Find",
      () => ({ kind: 0, name: printable("body(): name", name) }),
      (reply) => new BigUint64Array(this.length).fill(reply.id64),
    );
  }

  /**
   * A force (N) and torque (N m) on one body of each world during the next `ticks` steps. Stops at the first
   * world that fails: worlds before it have the force, worlds after it do not.
   */
  applyForce(
    bodies: Bodies,
    forces: Rows,
    options: { readonly torques?: Rows; readonly ticks?: number; readonly where?: Where } = {},
  ): Promise<void> {
    return this.change("BatchForce", () => {
      object("applyForce(): options", options, ["torques", "ticks", "where"]);
      const { torques, ticks = 1, where } = options;
      return {
        bodies: bodiesOf("applyForce(): bodies", bodies, this.length),
        forces: rowsOf("applyForce(): forces", forces, 3, this.length),
        torques: this.rowsOrNone("applyForce(): options.torques", torques, 3),
        ticks: ticksOf("applyForce(): options.ticks", ticks),
        where: this.mask("applyForce()", where),
      };
    });
  }

  /**
   * Sets pose and velocities of one body of each world. Stops at the first world that fails: worlds before it
   * are changed, worlds after it are not.
   */
  teleport(bodies: Bodies, poses: Poses, where?: Where): Promise<void> {
    return this.change("BatchTeleport", () => {
      object("teleport(): poses", poses, ["positions", "rotations", "linearVelocities", "angularVelocities"]);
      const rows = (name: keyof Poses, columns: number): Float64Array | undefined =>
        this.rowsOrNone(`teleport(): poses.${name}`, poses[name], columns);
      return {
        bodies: bodiesOf("teleport(): bodies", bodies, this.length),
        positions: rows("positions", 3),
        rotations: rows("rotations", 4),
        linear_velocities: rows("linearVelocities", 3),
        angular_velocities: rows("angularVelocities", 3),
        where: this.mask("teleport()", where),
      };
    });
  }

  /**
   * @internal Brings the arrays and those of `names` again, if there are some. All calls of one turn of the
   * event loop share one request behind the last of them: its reply has the rows of all worlds.
   */
  refresh(...names: ArrayName[]): Promise<void> {
    this.arrays.add("observe(): name", names);
    if (this.arrays.mask === 0) return Promise.resolve();
    this.refreshing ??= new Promise((resolve, reject) => {
      this.connection.atEndOfTurn(() => {
        this.refreshing = null;
        this.observe().then(resolve, reject);
      });
    });
    return this.refreshing;
  }

  private get target(): Target {
    return { handle: this.handle, worldIndex: kNoWorldIndex };
  }
  private rowsOrNone(field: string, values: unknown, columns: number): Float64Array | undefined {
    return values === undefined ? undefined : rowsOf(field, values, columns, this.length);
  }
  private mask(call: string, where: Where | undefined): Uint8Array | undefined {
    return maskOf(`${call}: where`, where, this.length);
  }
  private ask<Result>(
    body: BodyName,
    fields: () => Fields,
    read: (reply: Reply) => Result,
    columns: () => number = () => 0,
  ): Promise<Result> {
    return this.connection.call(this.target, columns, body, fields, read);
  }
  /** A request that changes worlds, and brings their arrays. A failed one may have changed some. */
  private async change(body: BodyName, fields: () => Fields): Promise<void> {
    try {
      await this.ask(
        body,
        fields,
        (reply) => this.arrays.store(reply),
        () => this.arrays.mask,
      );
    } catch (error) {
      await this.refresh().catch(ignored);
      throw error;
    }
  }
}

function ignored(): void {
  // The reply has no result.
}
