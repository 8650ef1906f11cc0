// Arrays of a world or a batch: views into the newest reply that has them. Each reply has memory of its own,
// so an array that the caller keeps never changes.
import { oneOf } from "../argument.js";
import { TaktError } from "../error.js";
import type { Reply } from "./reply.js";
import { corrupt, doubles, signed64s, unsigned64s } from "./reply.js";

export interface Arrays {
  /** Ids of the bodies. */
  ids: BigUint64Array;
  /** Positions of the origins, m: rows x 3. */
  positions: Float64Array;
  /** Exact positions, 2**-32 m: rows x 3. */
  positionsRaw: BigInt64Array;
  /** Unit quaternions x y z w: rows x 4. */
  rotations: Float64Array;
  /** Velocities of the centres of mass, m/s: rows x 3. */
  linearVelocities: Float64Array;
  /** rad/s, world axes: rows x 3. */
  angularVelocities: Float64Array;
  /** 1 asleep, 2 disabled, 4 quarantined; 16 kinematic, 32 dynamic. */
  flags: Uint8Array;
}
export type ArrayName = keyof Arrays;

/** By their bit in Request.observe. */
export const kArrayNames = [
  "ids",
  "positions",
  "positionsRaw",
  "rotations",
  "linearVelocities",
  "angularVelocities",
  "flags",
] as const satisfies readonly ArrayName[];

/** Numbers of a row. */
export const kArrayColumns = {
  ids: 1,
  positions: 3,
  positionsRaw: 3,
  rotations: 4,
  linearVelocities: 3,
  angularVelocities: 3,
  flags: 1,
} as const;

const kMakers: { readonly [Name in ArrayName]: (bytes: Uint8Array) => Arrays[Name] } = {
  ids: unsigned64s,
  positions: doubles,
  positionsRaw: signed64s,
  rotations: doubles,
  linearVelocities: doubles,
  angularVelocities: doubles,
  flags: (bytes) => bytes,
};

/** The arrays in use, and their newest values. */
export class ObservedArrays {
  /** Bits of the arrays in use. */
  mask = 0;
  /** Bodies of the newest reply; of a batch, those of its largest world. */
  rows = 0;
  private readonly worlds: number;
  private readonly bytes = new Map<ArrayName, Uint8Array>();
  private readonly made = new Map<ArrayName, Arrays[ArrayName]>();

  /** `worlds` of a batch; 0 for a world. */
  constructor(worlds: number) {
    this.worlds = worlds;
  }

  /** Selects all of the names, or throws invalid-argument and selects none. */
  add(field: string, names: readonly unknown[]): void {
    const checked = names.map((name) => oneOf(field, name, kArrayNames));
    for (const name of checked) this.mask |= 1 << kArrayNames.indexOf(name);
  }

  /** Takes the columns of a reply. Throws corrupt-message when they do not fill it. */
  store(reply: Reply): void {
    const observation = reply.observation;
    if (observation === undefined) return;
    const { columns, worlds, rows, bytes } = observation;
    if (worlds !== this.worlds) throw corrupt("arrays of another number of worlds");
    const count = Math.max(worlds, 1) * rows;
    this.bytes.clear();
    this.made.clear();
    this.rows = rows;
    let at = 0;
    for (const [bit, name] of kArrayNames.entries()) {
      if (((columns >> bit) & 1) === 0) continue;
      const size = count * kArrayColumns[name] * (name === "flags" ? 1 : 8);
      this.bytes.set(name, bytes.subarray(at, at + size));
      at += Math.ceil(size / 8) * 8;
    }
    if (at !== bytes.length) throw corrupt("arrays of another length");
  }

  /** Throws not-observed. */
  get<Name extends ArrayName>(name: Name): Arrays[Name] {
    const known = this.made.get(name);
    if (known !== undefined) return known as Arrays[Name];
    const bytes = this.bytes.get(name);
    if (bytes === undefined) {
      const text = `${name} is not observed: await observe("${name}") first; later calls refresh the array`;
      throw new TaktError("not-observed", text);
    }
    const made = kMakers[name](bytes);
    this.made.set(name, made);
    return made;
  }
}

/**
 * The arrays of a world, or of a batch, whose arrays have a first axis of worlds: number k of row r of world
 * w is at (w * rows + r) * columns + k. Rows are living bodies in id order. observe() selects arrays; each
 * step, edit and restore that is awaited then brings new ones. Rows past the end of a smaller world of a
 * batch are 0. Getters throw not-observed for an array that observe() has not selected.
 */
export abstract class ArrayFields {
  /** The newest values of an array. */
  abstract array<Name extends ArrayName>(name: Name): Arrays[Name];
  /** The number of rows of each world. */
  abstract get rows(): number;

  get ids(): BigUint64Array {
    return this.array("ids");
  }
  get positions(): Float64Array {
    return this.array("positions");
  }
  get positionsRaw(): BigInt64Array {
    return this.array("positionsRaw");
  }
  get rotations(): Float64Array {
    return this.array("rotations");
  }
  get linearVelocities(): Float64Array {
    return this.array("linearVelocities");
  }
  get angularVelocities(): Float64Array {
    return this.array("angularVelocities");
  }
  get flags(): Uint8Array {
    return this.array("flags");
  }
}
