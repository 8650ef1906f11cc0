// Requests to frames, with FlatBuffers' own builder: the fields of schema.ts by their names. The writer
// checks no ranges; the calls and the service do.
import { Builder } from "flatbuffers";

import type { Quadruple, Triple } from "../message.js";
import type { BodyName, Field } from "./schema.js";
import {
  kBodyMembers,
  kFields,
  kFrameHeadBytes,
  kIdentifier,
  kNoWorldIndex,
  kStructBytes,
} from "./schema.js";

/** A takt_query. */
export interface QueryItem {
  readonly kind: number;
  readonly mode: number;
  readonly shape: number;
  readonly flags: number;
  readonly position: Triple;
  readonly translation: Triple;
  readonly rotation: Quadruple;
  readonly dimensions: Triple;
  readonly maxDistance: number;
  readonly ignore: bigint;
}

/** A field; undefined leaves it out, which is the null pointer of takt.h or the default. */
export type FieldValue =
  | number
  | bigint
  | string
  | Uint8Array
  | BigUint64Array
  | Float64Array
  | Triple
  | Quadruple
  | readonly QueryItem[]
  | undefined;
export type Fields = Readonly<Record<string, FieldValue>>;

/** A world, batch or snapshot in a request. */
export interface Target {
  readonly handle: number;
  readonly worldIndex: number;
}
export const kNoTarget: Target = { handle: 0, worldIndex: kNoWorldIndex };

/** A builder that has grown beyond it is not kept. */
const kKeptBytes = 1 << 20;
let builder = new Builder(1024);

/** The request as a frame, in bytes of its own. */
export function writeRequest(
  id: number,
  target: Target,
  observe: number,
  body: BodyName,
  fields: Fields,
): Uint8Array {
  builder.clear();
  const own = kFields[body];
  const references = own.map((field) => writeReference(field, fields[field.name]));
  builder.startObject(own.length);
  own.forEach((field, i) => writeField(field, fields[field.name], references[i]!));
  const table = builder.endObject();
  builder.startObject(kFields.Request.length + 1); // a union has two slots
  builder.addFieldInt64(0, BigInt(id), 0n);
  builder.addFieldInt32(1, target.handle | 0, 0);
  builder.addFieldInt32(2, target.worldIndex | 0, kNoWorldIndex | 0);
  builder.addFieldInt32(3, observe, 0);
  builder.addFieldInt8(4, kBodyMembers.indexOf(body) + 1, 0);
  builder.addFieldOffset(5, table, 0);
  builder.finish(builder.endObject(), kIdentifier);
  const message = builder.asUint8Array();
  const frame = new Uint8Array(kFrameHeadBytes + message.length);
  new DataView(frame.buffer).setUint32(0, message.length, true);
  frame.set(message, kFrameHeadBytes);
  if (message.length > kKeptBytes) builder = new Builder(1024);
  return frame;
}

/** The offset of a string or vector; 0 for every other field. */
function writeReference({ type }: Field, value: FieldValue): number {
  if (value === undefined) return 0;
  switch (type) {
    case "string":
      return builder.createString(value as string);
    case "[ubyte]":
      return writeBytes(value as Uint8Array);
    case "[ulong]": {
      const rows = value as BigUint64Array;
      builder.startVector(8, rows.length, 8);
      for (let i = rows.length; i-- > 0;) builder.addInt64(rows[i]!);
      return builder.endVector();
    }
    case "[double]": {
      const rows = value as Float64Array;
      builder.startVector(8, rows.length, 8);
      for (let i = rows.length; i-- > 0;) builder.addFloat64(rows[i]!);
      return builder.endVector();
    }
    case "[QueryItem]": {
      const queries = value as readonly QueryItem[];
      builder.startVector(kStructBytes.QueryItem, queries.length, 8);
      for (let i = queries.length; i-- > 0;) writeQuery(queries[i]!);
      return builder.endVector();
    }
    default:
      return 0;
  }
}

/** Copies at once: scenes and images have megabytes. */
function writeBytes(bytes: Uint8Array): number {
  builder.startVector(1, bytes.length, 1); // makes room for all
  const to = builder.dataBuffer();
  const at = to.capacity() - builder.offset() - bytes.length;
  builder.pad(bytes.length);
  to.bytes().set(bytes, at);
  return builder.endVector();
}

/** Writes a struct in place. The builder writes backwards, so the last member comes first. */
function writeQuery(query: QueryItem): void {
  builder.prep(8, kStructBytes.QueryItem);
  builder.writeInt64(BigInt.asIntN(64, query.ignore));
  builder.writeFloat64(query.maxDistance);
  for (const numbers of [query.dimensions, query.rotation, query.translation, query.position]) {
    writeNumbers(numbers);
  }
  builder.writeInt32(query.flags);
  builder.writeInt32(query.shape);
  builder.writeInt32(query.mode);
  builder.writeInt32(query.kind);
}

function writeNumbers(numbers: readonly number[]): void {
  for (let i = numbers.length; i-- > 0;) builder.writeFloat64(numbers[i]!);
}

function writeField({ type, slot }: Field, value: FieldValue, reference: number): void {
  if (value === undefined) return;
  switch (type) {
    case "bool":
      builder.addFieldInt8(slot, value as number, 0);
      break;
    case "uint":
    case "int":
      builder.addFieldInt32(slot, (value as number) | 0, 0);
      break;
    case "ulong":
      builder.addFieldInt64(slot, BigInt.asIntN(64, value as bigint), 0n);
      break;
    case "double":
      builder.addFieldFloat64(slot, value as number, 0);
      break;
    case "Vec3":
    case "Quat":
      builder.prep(8, kStructBytes[type]);
      writeNumbers(value as readonly number[]);
      builder.addFieldStruct(slot, builder.offset(), 0);
      break;
    default:
      builder.addFieldOffset(slot, reference, 0);
  }
}
