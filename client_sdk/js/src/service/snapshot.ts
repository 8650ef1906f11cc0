// Snapshot is states of a world or a batch in the memory of the service.
import { invalid } from "../argument.js";
import { TaktError } from "../error.js";
import type { Connection } from "./connection.js";
import { kNoWorldIndex } from "./schema.js";

export class Snapshot {
  /** Tick of the first captured state. */
  readonly tick: number;
  /** The number of captured worlds. */
  readonly length: number;
  private readonly handle: number;
  private readonly connection: Connection;

  /** @internal */
  constructor(connection: Connection, handle: number, tick: number, length: number) {
    this.connection = connection;
    this.handle = handle;
    this.tick = tick;
    this.length = length;
  }

  /**
   * @internal The handle of a snapshot of this connection: handles of another one name other states. Throws
   * invalid-argument; refused with the reason "mismatch".
   */
  static handleOf(field: string, state: unknown, connection: Connection, takes = "a Snapshot"): number {
    if (!(state instanceof Snapshot)) return invalid(field, takes, state);
    if (state.connection === connection) return state.handle;
    const text = `${field} is a snapshot of another connection; restore() takes World.save() of it`;
    throw new TaktError("refused", text, "mismatch");
  }

  /** Gives its memory back. */
  destroy(): Promise<void> {
    const target = { handle: this.handle, worldIndex: kNoWorldIndex };
    return this.connection.call(
      target,
      () => 0,
      "Destroy",
      () => ({}),
      () => undefined,
    );
  }
}
