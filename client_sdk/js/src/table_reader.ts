// Fields of a verified table by name, as plain values. Absent scalars have the schema's default; absent
// structs that of the plain object. A refused value leaves the reader as an exception, which
// message_reader.ts catches.
import { metres } from "./body_state.js";
import type { FlatBuffer } from "./flat_buffer.js";
import type { Quadruple, Records, Shape, Triple, WirePosition } from "./message.js";
import { kTableLayouts } from "./schema.js";
import type { TableName } from "./schema.js";
import { readPrintable } from "./text.js";

export type ReadError =
  "too_short" | "too_long" | "verifier_failed" | "bad_type" | "missing_field" | "out_of_range" | "not_finite";

const kNone: Records = { view: new DataView(new ArrayBuffer(0)), offset: 0, count: 0 };

/** Leaves a read; never leaves readMessage(). */
export class Refused extends Error {
  constructor(readonly error: ReadError) {
    super(error);
  }
}
export function refuse(error: ReadError): never {
  throw new Refused(error);
}

export class Table {
  private readonly at: Readonly<Record<string, number>>;
  readonly view: DataView;
  constructor(
    readonly buffer: FlatBuffer,
    readonly table: number,
    name: TableName,
  ) {
    this.at = kTableLayouts[name].at;
    this.view = buffer.view;
  }
  u8(field: string): number {
    return this.buffer.u8(this.table, this.at[field]!);
  }
  u16(field: string, absent = 0): number {
    return this.buffer.u16(this.table, this.at[field]!, absent);
  }
  u32(field: string, absent = 0): number {
    return this.buffer.u32(this.table, this.at[field]!, absent);
  }
  i32(field: string): number {
    return this.buffer.i32(this.table, this.at[field]!);
  }
  u64(field: string): bigint {
    return this.buffer.u64(this.table, this.at[field]!);
  }
  f32(field: string, absent = 0): number {
    return this.buffer.f32(this.table, this.at[field]!, absent);
  }
  f64(field: string): number {
    return this.buffer.f64(this.table, this.at[field]!);
  }
  bool(field: string): boolean {
    return this.u8(field) !== 0;
  }
  tick(field: string): number {
    const at = this.buffer.field(this.table, this.at[field]!);
    return at === 0 ? 0 : tickAt(this.view, at);
  }
  oneOf<Values extends readonly string[]>(field: string, values: Values): Values[number] {
    return named(this.u8(field), values);
  }
  /** Position of a struct; 0 = absent. */
  struct(field: string): number {
    return this.buffer.field(this.table, this.at[field]!);
  }
  reference(field: string): number {
    return this.buffer.reference(this.table, this.at[field]!);
  }
  text(field: string, bytesMax: number): string {
    return textOf(this.buffer, this.reference(field), bytesMax);
  }
  bytes(field: string, bytesMax: number): Uint8Array {
    const span = this.buffer.span(this.reference(field));
    return span.length <= bytesMax ? span.slice() : refuse("out_of_range");
  }
  triple(field: string): Triple {
    const at = this.struct(field);
    return at === 0 ? [0, 0, 0] : tripleAt(this.view, at);
  }
  quadruple(field: string): Quadruple {
    const at = this.struct(field);
    return at === 0 ? [0, 0, 0, 1] : quadrupleAt(this.view, at);
  }
  /** A vector of structs or scalars, in place. */
  records(field: string): Records {
    const vector = this.reference(field);
    return vector === 0 ? kNone : { view: this.view, offset: vector + 4, count: this.buffer.count(vector) };
  }
}

export function named<Values extends readonly string[]>(value: number, values: Values): Values[number] {
  return values[value] ?? refuse("out_of_range");
}
export function textOf(buffer: FlatBuffer, string: number, bytesMax: number): string {
  const span = buffer.span(string);
  if (span.length > bytesMax) refuse("out_of_range");
  return readPrintable(span) ?? refuse("out_of_range");
}
export function tickAt(view: DataView, at: number): number {
  const high = view.getUint32(at + 4, true);
  return high < 0x200000 ? high * 0x100000000 + view.getUint32(at, true) : refuse("out_of_range");
}
export function tripleAt(view: DataView, at: number): Triple {
  return [view.getFloat32(at, true), view.getFloat32(at + 4, true), view.getFloat32(at + 8, true)];
}
export function quadrupleAt(view: DataView, at: number): Quadruple {
  return [
    view.getFloat32(at, true),
    view.getFloat32(at + 4, true),
    view.getFloat32(at + 8, true),
    view.getFloat32(at + 12, true),
  ];
}
export function metresAt(view: DataView, at: number): Triple {
  return [metres(view, at), metres(view, at + 8), metres(view, at + 16)];
}
export function positionAt(view: DataView, at: number): WirePosition {
  return [view.getBigInt64(at, true), view.getBigInt64(at + 8, true), view.getBigInt64(at + 16, true)];
}
export function finite<Numbers extends readonly number[]>(numbers: Numbers): Numbers {
  for (const number of numbers) if (!Number.isFinite(number)) refuse("not_finite");
  return numbers;
}
export function shapeAt(view: DataView, at: number, kind: Shape["kind"]): Shape {
  return {
    kind,
    dimensions: tripleAt(view, at + 4),
    localPosition: tripleAt(view, at + 16),
    localRotation: quadrupleAt(view, at + 28),
    rounding: view.getFloat32(at + 44, true),
    geometry: view.getBigUint64(at + 48, true),
  };
}

/** Number of a part and number of parts. */
export function readPart(t: Table, partsMax: number): { part: number; partCount: number } {
  const part = t.u16("part");
  const partCount = t.u16("part_count");
  if (partCount < 1 || partCount > partsMax || part >= partCount) refuse("out_of_range");
  return { part, partCount };
}
