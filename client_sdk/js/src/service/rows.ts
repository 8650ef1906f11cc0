// Rows of numbers in arguments: flat lists, lists of rows, and one row for all.
import { finite, integer, invalid, unsigned64 } from "../argument.js";

/** n rows: flat numbers (an array or a typed array), or an array of rows. One row stands for each of n. */
export type Rows = ArrayLike<number> | readonly ArrayLike<number>[];

/** Worlds of a batch: n booleans, or a list of indices. */
export type Where = readonly boolean[] | readonly number[];

/** Bodies: one id for each world of a batch, or one for all. */
export type Bodies = bigint | BigUint64Array | readonly bigint[];

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

/** Flat finite numbers of `count` rows, or of as many as the value has. */
export function rowsOf(field: string, value: unknown, columns: number, count?: number): Float64Array {
  const takes = `${count ?? "n"} rows of ${columns} finite numbers, or one row for all`;
  if (!isList(value)) return invalid(field, takes, value);
  const flat: unknown[] = [];
  for (let i = 0; i < value.length; ++i) {
    const row = value[i];
    if (!isList(row)) flat.push(row);
    else if (row.length === columns) flat.push(...Array.from(row));
    else invalid(`${field}[${i}]`, `${columns} numbers`, row);
  }
  const numbers = Float64Array.from(flat, (number, i) => finite(`${field}[${i}]`, number, "a finite number"));
  if (numbers.length === 0 || numbers.length % columns !== 0) return invalid(field, takes, value);
  if (count === undefined || numbers.length === count * columns) return numbers;
  if (numbers.length !== columns) return invalid(field, takes, value);
  const all = new Float64Array(count * columns);
  for (let i = 0; i < count; ++i) all.set(numbers, i * columns);
  return all;
}

/** A byte for each world; undefined selects all. */
export function maskOf(field: string, where: unknown, worlds: number): Uint8Array | undefined {
  if (where === undefined) return undefined;
  const takes = `${worlds} booleans, or indices of worlds`;
  if (!Array.isArray(where)) return invalid(field, takes, where);
  const given = where as readonly unknown[];
  const mask = new Uint8Array(worlds);
  if (typeof given[0] === "boolean") {
    if (given.length !== worlds) return invalid(field, takes, where);
    given.forEach((isSelected, i) => {
      if (typeof isSelected !== "boolean") invalid(`${field}[${i}]`, "true or false", isSelected);
      mask[i] = Number(isSelected);
    });
  } else {
    given.forEach((index, i) => (mask[integer(`${field}[${i}]`, index, 0, worlds - 1)] = 1));
  }
  return mask;
}

export function bodiesOf(field: string, bodies: unknown, worlds: number): BigUint64Array {
  if (typeof bodies === "bigint") return new BigUint64Array(worlds).fill(unsigned64(field, bodies));
  const takes = `a bigint, or ${worlds} of them`;
  const isFit = bodies instanceof BigUint64Array || Array.isArray(bodies);
  if (!isFit || bodies.length !== worlds) return invalid(field, takes, bodies);
  if (bodies instanceof BigUint64Array) return bodies;
  return BigUint64Array.from(bodies, (id, i) => unsigned64(`${field}[${i}]`, id));
}
