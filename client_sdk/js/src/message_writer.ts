// Messages to bytes: all messages that a client sends, with FlatBuffers' own builder. schema.ts has the field
// numbers. The writer omits defaults as flatc's code does, so protocol/messages/message_reader.cpp reads the
// same values. It checks types, not ranges (command_check.ts does). Keys of tables are names of
// schemas/protocol.fbs.
import { Builder } from "flatbuffers";

import { integer, invalid, list, oneOf, printable } from "./argument.js";
import { checkShape, faultOf } from "./command_check.js";
import type { CommandField, WireCommand } from "./command_fields.js";
import { isAbsent, kCommandMembers, kFieldsOfCommand } from "./command_fields.js";
import type {
  ChallengeResponse,
  ConnectRequest,
  Control,
  Disconnect,
  Input,
  Inspect,
  KeepAlive,
  Ping,
  Quadruple,
  Query,
  QueryRequest,
  RoomEntered,
  Shape,
  Triple,
  WirePosition,
} from "./message.js";
import { kEnums, kMessageMembers, kStructBytes, kTableLayouts } from "./schema.js";
import type { TableName } from "./schema.js";

export type Outgoing =
  | ConnectRequest
  | ChallengeResponse
  | KeepAlive
  | Ping
  | Disconnect
  | Control
  | RoomEntered
  | Inspect
  | QueryRequest
  | { type: "Inputs"; inputs: readonly Input[] };

/** The value of a field. The builder omits a default of 0, or of `or`; no number equals an `or` of NaN. */
type Value =
  | { u8: number; or?: number }
  | { u32: number; or?: number }
  | { u64: bigint }
  | { f32: number; or?: number }
  | { f64: number; or?: number }
  | { cells: readonly Cell[] } // a struct of eight-byte cells
  | { triple64: Triple }
  | { ref: number } // offset of a string, vector or table written before
  | { triple: Triple }
  | { quadruple: Quadruple }
  | { position: WirePosition }
  | { shape: Shape };

/** A binary64, or a byte and its padding. */
type Cell = number | { byte: number };

const builder = new Builder(2048);

/** The bytes of the message, valid until the next call. Throws invalid-argument for a wrong field. */
export function writeMessage(m: Outgoing): Uint8Array {
  if (typeof m !== "object" || (m as unknown) === null) invalid("writeMessage(): message", "an object", m);
  builder.clear();
  const table = writeMember(m);
  const packet = writeTable("Packet", {
    message_type: { u8: kMessageMembers.indexOf(m.type) + 1 },
    message: { ref: table },
  });
  builder.finish(packet, "TKTP");
  return builder.asUint8Array();
}

function writeMember(m: Outgoing): number {
  switch (m.type) {
    case "ConnectRequest":
      return writeRequest(m);
    case "ChallengeResponse":
      return writeTable(m.type, {
        request: { ref: writeRequest(m.request) },
        cookie: { ref: writeBytes(m.cookie) },
        key: { ref: writeBytes(m.key) },
        proof: { ref: writeBytes(m.proof) },
      });
    case "KeepAlive":
      return writeTable(m.type, {});
    case "Ping":
      return writeTable(m.type, { client_time_us: { u64: m.clientTimeUs } });
    case "Disconnect":
      return writeTable(m.type, {
        reason: word("Disconnect.reason", m.reason, kEnums.DisconnectReason),
        text: text("Disconnect.text", m.text),
      });
    case "Control":
      return writeTable(m.type, {
        request: { u32: m.request },
        action: word("Control.action", m.action, kEnums.ControlAction),
        speed: { f32: m.speed, or: 1 },
        tick: tickOf("Control.tick", m.tick),
        scene: text("Control.scene", m.scene),
      });
    case "RoomEntered":
      return writeTable(m.type, { epoch: { u32: m.epoch }, first_input: { u32: m.firstInput } });
    case "Inspect":
      return writeTable(m.type, { what: { u32: m.what } });
    case "QueryRequest": {
      const queries = list("QueryRequest.queries", m.queries).map((query) => writeQuery(query as Query));
      builder.startVector(4, queries.length, 4);
      for (let i = queries.length; i-- > 0;) builder.addOffset(queries[i]!);
      return writeTable(m.type, {
        at_tick: tickOf("QueryRequest.atTick", m.atTick),
        queries: { ref: builder.endVector() },
        request: { u32: m.request },
      });
    }
    case "Inputs":
      return writeInputs(list("Inputs.inputs", m.inputs) as readonly Input[]);
    default:
      return invalid(
        "writeMessage(): message.type",
        "a type of message that a client sends",
        (m as { type?: unknown }).type,
      );
  }
}

function writeRequest(m: ConnectRequest): number {
  return writeTable(m.type, {
    protocol_version: { u32: m.protocolVersion },
    scene_hash: { u64: m.sceneHash },
    numbers_mode: word("ConnectRequest.numbersMode", m.numbersMode, kEnums.NumbersMode),
    mode: word("ConnectRequest.mode", m.mode, kEnums.ReplicationMode),
    player_name: text("ConnectRequest.playerName", m.playerName),
    nonce: { u64: m.nonce },
    role: word("ConnectRequest.role", m.role, kEnums.Role),
    ...(m.token.length > 0 ? { token: { ref: writeBytes(m.token) } } : {}),
    ...(m.tokenVerifier.length > 0 ? { token_verifier: { ref: writeBytes(m.tokenVerifier) } } : {}),
    ciphers: { u8: m.ciphers },
  });
}

function text(field: string, value: unknown): Value {
  return { ref: builder.createString(printable(field, value)) };
}

function word(field: string, value: unknown, words: readonly string[]): Value {
  return { u8: words.indexOf(oneOf(field, value, words)) };
}

function tickOf(field: string, value: unknown): Value {
  return { u64: BigInt(integer(field, value, 0, Number.MAX_SAFE_INTEGER)) };
}

function writeInputs(inputs: readonly Input[]): number {
  const tables = inputs.map((input) => {
    if (typeof input !== "object" || (input as unknown) === null) {
      invalid("Inputs.inputs", "an array of inputs", input);
    }
    return writeTable("Input", {
      command: { ref: writeCommand(input.command) },
      command_type: { u8: kCommandMembers.indexOf(input.command.type) + 1 },
      tick: tickOf("Input.tick", input.tick),
      sequence: { u32: input.sequence },
    });
  });
  builder.startVector(4, tables.length, 4);
  for (let i = tables.length; i-- > 0;) builder.addOffset(tables[i]!);
  return writeTable("Inputs", { inputs: { ref: builder.endVector() } });
}

function writeQuery(q: Query): number {
  if (typeof q !== "object" || (q as unknown) === null) {
    invalid("QueryRequest.queries", "an array of queries", q);
  }
  let ignore = 0;
  if (list("Query.ignore", q.ignore).length > 0) {
    builder.startVector(8, q.ignore.length, 8);
    for (let i = q.ignore.length; i-- > 0;) builder.addInt64(BigInt.asIntN(64, q.ignore[i]!));
    ignore = builder.endVector();
  }
  return writeTable("Query", {
    ignore: { ref: ignore },
    position: { position: q.position },
    translation: { triple64: q.translation },
    ...(q.shape === null ? {} : { shape: { shape: q.shape } }),
    rotation: { quadruple: q.rotation },
    max_distance: { f64: q.maxDistance },
    category: { u32: q.category, or: 1 },
    mask: { u32: q.mask, or: 0xffffffff },
    group: { u32: q.group },
    find_sensors: { u8: Number(q.findSensors) },
    kind: word("Query.kind", q.kind, kEnums.QueryKind),
    mode: word("Query.mode", q.mode, kEnums.QueryMode),
  });
}

function writeCommand(c: WireCommand): number {
  if (typeof c !== "object" || (c as unknown) === null) invalid("Input.command", "a command", c);
  faultOf(c); // throws for an object that is no command
  const given = c as Readonly<Record<string, unknown>>;
  const values: Record<string, Value> = {};
  for (const field of kFieldsOfCommand[c.type]) {
    const value = given[field.name];
    if (!isAbsent(field, value)) values[field.wireName] = valueOf(field, value);
  }
  return writeTable(c.type, values);
}

/** The value of a field of a command. checkValue() checks the types that faultOf() does not. */
function valueOf(field: CommandField, value: unknown): Value {
  const { type, absent, members } = field;
  if (members !== undefined) return { cells: cellsOf(members, value as object) };
  // A field with a meaning of its absence has no default.
  const or = absent === "kept" ? NaN : Number(field.or ?? 0);
  switch (type) {
    case "bool":
      return { u8: Number(value), or };
    case "ubyte":
      return { u8: value as number, or };
    case "uint":
      return { u32: value as number, or };
    case "ulong":
      return { u64: value as bigint };
    case "float":
      return { f32: value as number, or };
    case "double":
      return { f64: value as number, or };
    case "Vec3f":
      return { triple: value as Triple };
    case "Quatf":
      return { quadruple: value as Quadruple };
    case "Position":
      return { position: value as WirePosition };
    case "ShapeInfo":
      return { shape: value as Shape };
    case "[ubyte]":
      return { ref: writeBytes(value as Uint8Array) };
    default:
      return { u8: indexIn(type, value), or: NaN };
  }
}

function writeBytes(bytes: Uint8Array): number {
  builder.startVector(1, bytes.length, 1);
  for (let i = bytes.length; i-- > 0;) builder.addInt8(bytes[i]!);
  return builder.endVector();
}

/** The cells of a struct of eight-byte cells. */
function cellsOf(members: Readonly<Record<string, CommandField>>, record: object): Cell[] {
  const values = record as Readonly<Record<string, unknown>>;
  return Object.entries(members).flatMap(([name, { type, members: inner }]): readonly Cell[] => {
    const value = values[name];
    if (inner !== undefined) return cellsOf(inner, value as object);
    if (type === "double") return [value as number];
    if (type === "Vec3d" || type === "Quatd") return value as readonly number[];
    return [{ byte: type === "bool" ? Number(value) : indexIn(type, value) }];
  });
}

/** The number of a word of an enum. */
function indexIn(type: string, word: unknown): number {
  return (kEnums as Readonly<Record<string, readonly unknown[]>>)[type]!.indexOf(word);
}

function writeTable(name: TableName, values: Record<string, Value>): number {
  const layout = kTableLayouts[name];
  for (const [field, value] of Object.entries(values)) checkValue(name, field, value);
  builder.startObject(layout.fields.length);
  for (const [field, value] of Object.entries(values)) writeField(layout.at[field]!, value);
  return builder.endObject();
}

/** Numbers and bigints of a table. The message names the field as message.ts does. */
function checkValue(table: string, field: string, value: Value): void {
  const [form, given] = Object.entries(value)[0]! as [string, unknown];
  if (form === "u8" || form === "u32" || form === "f32" || form === "f64") {
    if (typeof given !== "number") invalid(named(table, field), "a number", given);
  } else if (form === "u64") {
    if (typeof given !== "bigint") invalid(named(table, field), "a bigint", given);
  } else if (form === "shape") {
    checkShape(given as Shape);
  } else if (form in kStructLengths) {
    const [length, type] = kStructLengths[form]!;
    const isRight =
      Array.isArray(given) && given.length === length && given.every((one) => typeof one === type);
    if (!isRight) invalid(named(table, field), `an array of ${length} ${type}s`, given);
  }
}

const kStructLengths: Readonly<Record<string, readonly [number, string]>> = {
  triple: [3, "number"],
  triple64: [3, "number"],
  quadruple: [4, "number"],
  position: [3, "bigint"],
};

function named(table: string, field: string): string {
  return `${table}.${field.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}`;
}

function writeField(slot: number, value: Value): void {
  if ("u8" in value) builder.addFieldInt8(slot, value.u8, value.or ?? 0);
  else if ("u32" in value) builder.addFieldInt32(slot, value.u32 | 0, (value.or ?? 0) | 0);
  else if ("u64" in value) builder.addFieldInt64(slot, value.u64, 0n);
  else if ("f32" in value) builder.addFieldFloat32(slot, value.f32, value.or ?? 0);
  else if ("f64" in value) builder.addFieldFloat64(slot, value.f64, value.or ?? 0);
  else if ("ref" in value) builder.addFieldOffset(slot, value.ref, 0);
  else {
    writeStruct(value);
    builder.addFieldStruct(slot, builder.offset(), 0);
  }
}

type StructValue = Extract<
  Value,
  | { cells: unknown }
  | { triple64: unknown }
  | { triple: unknown }
  | { quadruple: unknown }
  | { position: unknown }
  | { shape: unknown }
>;

/** Writes a struct in place. The builder writes backwards, so the last member comes first. */
function writeStruct(value: StructValue): void {
  if ("triple" in value) {
    builder.prep(4, 12);
    writeFloats(value.triple);
  } else if ("triple64" in value) {
    builder.prep(8, 24);
    for (let axis = 3; axis-- > 0;) builder.writeFloat64(value.triple64[axis]!);
  } else if ("cells" in value) {
    builder.prep(8, 8 * value.cells.length);
    for (let i = value.cells.length; i-- > 0;) {
      const cell = value.cells[i]!;
      if (typeof cell === "number") builder.writeFloat64(cell);
      else {
        builder.pad(7);
        builder.writeInt8(cell.byte);
      }
    }
  } else if ("quadruple" in value) {
    builder.prep(4, 16);
    writeFloats(value.quadruple);
  } else if ("position" in value) {
    builder.prep(8, 24);
    for (let axis = 3; axis-- > 0;) builder.writeInt64(BigInt.asIntN(64, value.position[axis]!));
  } else {
    builder.prep(8, kStructBytes.ShapeInfo);
    builder.writeInt64(BigInt.asIntN(64, value.shape.geometry));
    builder.writeFloat32(value.shape.rounding);
    writeFloats(value.shape.localRotation);
    writeFloats(value.shape.localPosition);
    writeFloats(value.shape.dimensions);
    builder.pad(3);
    builder.writeInt8(kEnums.ShapeKind.indexOf(value.shape.kind));
  }
}

function writeFloats(numbers: readonly number[]): void {
  for (let i = numbers.length; i-- > 0;) builder.writeFloat32(numbers[i]!);
}
