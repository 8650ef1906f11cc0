// Checks of arguments of the public API. Every function takes a value of unknown type and the name of its
// field, and returns the value or throws a TaktError. The message names the field, the accepted values and
// the given one. It knows no commands; command.ts, joint_change.ts, query.ts and client_options.ts combine
// these checks.
import type { ErrorCode } from "./error.js";
import { TaktError } from "./error.js";
import type { Quadruple, Triple } from "./message.js";
import { isPrintable, utf8 } from "./text.js";

/** Fields of an argument after the check that it is an object. */
export type Fields = Readonly<Record<string, unknown>>;

const kTextShownMax = 40;

/** The value as an error message shows it, at most a few words. */
export function described(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > kTextShownMax ? `${value.slice(0, kTextShownMax)}...` : value);
  }
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} of ${value.byteLength} bytes`;
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

function error(code: ErrorCode, field: string, takes: string, value: unknown): TaktError {
  return new TaktError(code, `${field} takes ${takes}, not ${described(value)}`);
}

/** Throws invalid-argument with the field's name. */
export function invalid(field: string, takes: string, value: unknown): never {
  throw error("invalid-argument", field, takes, value);
}

/** Throws out-of-range with the field's name. */
export function outOfRange(field: string, takes: string, value: unknown): never {
  throw error("out-of-range", field, takes, value);
}

/** A finite number. */
export function finite(field: string, value: unknown, takes = "a finite number"): number {
  if (typeof value !== "number") throw error("invalid-argument", field, takes, value);
  if (!Number.isFinite(value)) throw error("not-finite", field, takes, value);
  return value;
}

/** A number that is not NaN. Infinity means that there is no bound. */
export function bound(field: string, value: unknown): number {
  const takes = "a number or Infinity";
  if (typeof value !== "number") throw error("invalid-argument", field, takes, value);
  if (Number.isNaN(value)) throw error("not-finite", field, takes, value);
  return value;
}

/** A number from 0 to Infinity, both included. */
export function boundFromZero(field: string, value: unknown): number {
  return bound(field, value) >= 0
    ? (value as number)
    : outOfRange(field, "a number from 0 to Infinity", value);
}

/** A finite number in [min, max]. */
export function between(field: string, value: unknown, min: number, max: number): number {
  const takes = `a number from ${min} to ${max}`;
  const number = finite(field, value, takes);
  return number >= min && number <= max ? number : outOfRange(field, takes, value);
}

/** A finite number in (0, max] that stays positive in binary32. */
export function positive(field: string, value: unknown, max: number): number {
  const takes = `a number above 0, at most ${max}`;
  const number = finite(field, value, takes);
  return Math.fround(number) > 0 && number <= max ? number : outOfRange(field, takes, value);
}

/** A whole number in [min, max]. */
export function integer(field: string, value: unknown, min: number, max: number): number {
  const takes = `a whole number from ${min} to ${max}`;
  const number = finite(field, value, takes);
  return Number.isInteger(number) && number >= min && number <= max
    ? number
    : outOfRange(field, takes, value);
}

/** A bigint of 64 bits without a sign. */
export function unsigned64(field: string, value: unknown, takes = "a bigint from 0 to 2^64 - 1"): bigint {
  if (typeof value !== "bigint") throw error("invalid-argument", field, takes, value);
  return BigInt.asUintN(64, value) === value ? value : outOfRange(field, takes, value);
}

/** true or false. */
export function boolean(field: string, value: unknown): boolean {
  return typeof value === "boolean" ? value : invalid(field, "true or false", value);
}

/** One of the words. */
export function oneOf<const Words extends readonly string[]>(
  field: string,
  value: unknown,
  words: Words,
): Words[number] {
  if (typeof value === "string" && words.includes(value)) return value;
  return invalid(field, `one of ${words.map((word) => JSON.stringify(word)).join(", ")}`, value);
}

/** A text without control characters, of at most `bytesMax` bytes of UTF-8. */
export function printable(field: string, value: unknown, bytesMax = Infinity): string {
  const takes = bytesMax < Infinity ? `a printable text of at most ${bytesMax} bytes` : "a printable text";
  if (typeof value !== "string") throw error("invalid-argument", field, takes, value);
  return isPrintable(value) && utf8(value).length <= bytesMax ? value : outOfRange(field, takes, value);
}

/** A Uint8Array of at most `bytesMax` bytes. */
export function byteArray(field: string, value: unknown, bytesMax = Infinity): Uint8Array {
  const takes = bytesMax < Infinity ? `a Uint8Array of at most ${bytesMax} bytes` : "a Uint8Array";
  if (!(value instanceof Uint8Array)) return invalid(field, takes, value);
  return value.length <= bytesMax ? value : outOfRange(field, takes, value);
}

/** A function. The caller knows its signature. */
export function callable(field: string, value: unknown, takes = "a function"): void {
  if (typeof value !== "function") invalid(field, takes, value);
}

/** An array. The caller checks its elements. */
export function list(field: string, value: unknown, takes = "an array"): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : invalid(field, takes, value);
}

/** An object whose fields all have one of the names. An unknown field is most likely a misspelt one. */
export function object(field: string, value: unknown, names: readonly string[]): Fields {
  const takes = `an object with ${names.length === 1 ? "the field" : "fields of"} ${names.join(", ")}`;
  if (Object.prototype.toString.call(value) !== "[object Object]") return invalid(field, takes, value);
  for (const name of Object.keys(value as object)) {
    if (!names.includes(name)) {
      throw new TaktError("invalid-argument", `${field}.${name} is unknown: ${field} takes ${takes}`);
    }
  }
  return value as Fields;
}

/**
 * The components of {x, y, z} or of three numbers, in an array or a typed array. Each is finite, within
 * +-`max`.
 */
export function vector3(field: string, value: unknown, max: number): Triple {
  const [x, y, z] = components(field, value, ["x", "y", "z"], "{x, y, z} or 3 numbers");
  return [
    within(`${field}${x![0]}`, x![1], max),
    within(`${field}${y![0]}`, y![1], max),
    within(`${field}${z![0]}`, z![1], max),
  ];
}

/**
 * The components of a unit quaternion {x, y, z, w} or of four numbers. `tolerance`: of the squared length.
 */
export function unitQuaternion(field: string, value: unknown, tolerance: number): Quadruple {
  const takes = "a unit quaternion {x, y, z, w} or 4 numbers";
  const [x, y, z, w] = components(field, value, ["x", "y", "z", "w"], takes).map(([name, component]) =>
    finite(`${field}${name}`, component),
  ) as Quadruple;
  const squared = x * x + y * y + z * z + w * w;
  if (!(Math.abs(squared - 1) <= tolerance)) {
    throw new TaktError("out-of-range", `${field} takes ${takes}, not one of length ${Math.sqrt(squared)}`);
  }
  return [x, y, z, w];
}

function within(field: string, value: unknown, max: number): number {
  const takes = `a finite number from ${-max} to ${max}`;
  const number = finite(field, value, takes);
  return Math.abs(number) <= max ? number : outOfRange(field, takes, value);
}

function components(
  field: string,
  value: unknown,
  names: readonly string[],
  takes: string,
): [string, unknown][] {
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) {
    const array = value as ArrayLike<unknown>;
    if (array.length !== names.length) invalid(field, takes, value);
    return names.map((_, i) => [`[${i}]`, array[i]]);
  }
  if (typeof value !== "object" || value === null) return invalid(field, takes, value);
  return names.map((name) => {
    if (!(name in value)) {
      throw new TaktError("invalid-argument", `${field}.${name} is missing: ${field} takes ${takes}`);
    }
    return [`.${name}`, (value as Fields)[name]];
  });
}
