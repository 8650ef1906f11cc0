// Reader of the inputs of an Inputs message, for tools and tests; a client sends inputs only. It follows the
// rules of protocol/messages/message_reader.cpp.
import { checkCommand } from "./command_check.js";
import type { CommandField, NamedField, WireCommand } from "./command_fields.js";
import { kCommandMembers, kFieldsOfCommand } from "./command_fields.js";
import * as limits from "./limits.js";
import type { Input, Message } from "./message.js";
import { kEnums, kStructBytes } from "./schema.js";
import { Table, positionAt, quadrupleAt, refuse, shapeAt, tripleAt } from "./table_reader.js";

type ReadValue = (view: DataView, at: number) => unknown;

function doublesAt(view: DataView, at: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => view.getFloat64(at + 8 * i, true));
}

/** Readers of values by type. They return undefined for a kind of shape that this protocol lacks. */
const kValueReaders: Readonly<Record<string, ReadValue>> = {
  bool: (view, at) => view.getUint8(at) !== 0,
  ubyte: (view, at) => view.getUint8(at),
  uint: (view, at) => view.getUint32(at, true),
  ulong: (view, at) => view.getBigUint64(at, true),
  float: (view, at) => view.getFloat32(at, true),
  double: (view, at) => view.getFloat64(at, true),
  Vec3f: tripleAt,
  Vec3d: (view, at) => doublesAt(view, at, 3),
  Quatf: quadrupleAt,
  Quatd: (view, at) => doublesAt(view, at, 4),
  Position: positionAt,
  ShapeInfo: (view, at) => {
    const kind = kEnums.ShapeKind[view.getUint8(at)];
    return kind === undefined ? undefined : shapeAt(view, at, kind);
  },
};

/** Returns undefined for an unknown word of an enum. */
function valueAt({ type, members }: CommandField, view: DataView, at: number): unknown {
  if (members !== undefined) return recordAt(members, view, at);
  const read = kValueReaders[type];
  if (read !== undefined) return read(view, at);
  return (kEnums as Readonly<Record<string, readonly string[]>>)[type]![view.getUint8(at)];
}

/** A struct of eight-byte cells. */
function recordAt(members: Readonly<Record<string, CommandField>>, view: DataView, at: number): unknown {
  const record: Record<string, unknown> = {};
  let cell = at;
  for (const [name, member] of Object.entries(members)) {
    const value = valueAt(member, view, cell);
    if (value === undefined) return undefined;
    record[name] = value;
    cell += (kStructBytes as Readonly<Record<string, number | undefined>>)[member.type] ?? 8;
  }
  return record;
}

/** The value of an absent field that has one. */
function valueOfAbsent({ type, or }: CommandField): unknown {
  switch (type) {
    case "bool":
      return false;
    case "ulong":
      return 0n;
    case "Vec3f":
      return [0, 0, 0];
    case "Quatf":
      return [0, 0, 0, 1];
    default:
      return or ?? 0;
  }
}

/** Returns undefined for a value without which the command is invalid. */
function readField(c: Table, field: NamedField): unknown {
  if (field.type === "[ubyte]") {
    const bytes = c.buffer.span(c.reference(field.wireName));
    return bytes.length <= (field.max ?? Infinity) ? bytes.slice() : undefined;
  }
  const at = c.struct(field.wireName);
  if (at !== 0) return valueAt(field, c.view, at);
  if (field.absent === "null") return null;
  return field.absent === "invalid" ? undefined : valueOfAbsent(field);
}

/**
 * Returns null for an unknown command, one without its struct, or one with an unknown word. Then the input is
 * invalid, not the message.
 */
function readCommand(t: Table): WireCommand | null {
  const type = kCommandMembers[t.u8("command_type") - 1];
  const table = t.reference("command");
  if (type === undefined || table === 0) return null;
  const c = new Table(t.buffer, table, type);
  const command: Record<string, unknown> = { type };
  for (const field of kFieldsOfCommand[type]) {
    if (field.absent === "kept" && c.struct(field.wireName) === 0) continue;
    const value = readField(c, field);
    if (value === undefined) return null;
    command[field.name] = value;
  }
  return command as WireCommand;
}

export function readInputs(t: Table): Message {
  const vector = t.reference("inputs");
  if (vector === 0) refuse("missing_field");
  const count = t.buffer.count(vector);
  if (count > limits.kInputsPerMessage) refuse("out_of_range");
  const inputs: Input[] = [];
  const invalidSequences: number[] = [];
  let previous = 0;
  for (let i = 0; i < count; ++i) {
    const input = new Table(t.buffer, t.buffer.element(vector, i), "Input");
    const sequence = input.u32("sequence");
    if (sequence <= previous) refuse("out_of_range"); // sequences start at 1 and ascend
    previous = sequence;
    const command = readCommand(input);
    if (command !== null && checkCommand(command) === "ok") {
      inputs.push({ tick: input.tick("tick"), sequence, command });
    } else invalidSequences.push(sequence);
  }
  return { type: "Inputs", inputs, invalidSequences };
}
