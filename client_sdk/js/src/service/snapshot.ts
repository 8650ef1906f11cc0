// Snapshot is states of a world or a batch in the memory of the service.
import type { Connection } from "./connection.js";
import { kNoWorldIndex } from "./schema.js";

export class Snapshot {
  /** Tick of the first captured state. */
  readonly tick: number;
  /** The number of captured worlds. */
  readonly length: number;
  /** @internal */
  readonly handle: number;
  private readonly connection: Connection;

  /** @internal */
  constructor(connection: Connection, handle: number, tick: number, length: number) {
    this.connection = connection;
    this.handle = handle;
    this.tick = tick;
    this.length = length;
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
