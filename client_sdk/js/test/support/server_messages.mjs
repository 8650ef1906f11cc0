// Writer of a server's messages for tests: any table of the schema from plain values, with FlatBuffers' own
// builder, and frames of it. The SDK itself writes a client's messages only.
import {
  writeFrame,
  kCommandMembers,
  kEnums,
  kMessageMembers,
  kTableTexts,
  kStructBytes,
} from "../../dist/protocol.js";
import { Builder } from "../../dist/vendor/flatbuffers/builder.js";

const kScalars = {
  bool: ["Int8", 1],
  ubyte: ["Int8", 1],
  ushort: ["Int16", 2],
  uint: ["Int32", 4],
  int: ["Int32", 4],
  ulong: ["Int64", 8],
  long: ["Int64", 8],
  float: ["Float32", 4],
  double: ["Float64", 8],
};
const kDefaults = {
  "Force.ticks": 1,
  "Spawn.density": 1000,
  "Spawn.friction": Math.fround(0.6),
  "Control.speed": 1,
  "RoomState.speed": 1,
  "Query.category": 1,
  "Query.mask": 0xffffffff | 0,
};
// Absent means something else than 0: written whatever it is.
for (const field of [
  "enabled",
  "collide_connected",
  "direct",
  "locked",
  "max_force",
  "max_torque",
  "break_force",
  "break_torque",
  "ratio",
  "length",
  "axis",
  "friction",
]) {
  kDefaults[`ChangeJoint.${field}`] = NaN;
}

// A struct's members in order: [type, name]; the writer goes through them backwards.
const kStructs = {
  Position: [
    ["long", "x"],
    ["long", "y"],
    ["long", "z"],
  ],
  Vec3f: [
    ["float", "x"],
    ["float", "y"],
    ["float", "z"],
  ],
  Quatf: [
    ["float", "x"],
    ["float", "y"],
    ["float", "z"],
    ["float", "w"],
  ],
  ShapeInfo: [
    ["ubyte", "kind"],
    ["Vec3f", "dimensions"],
    ["Vec3f", "local_position"],
    ["Quatf", "local_rotation"],
    ["float", "rounding"],
    ["ulong", "geometry"],
  ],
  InputOutcome: [
    ["uint", "sequence"],
    ["ubyte", "status"],
    ["ulong", "tick"],
  ],
  BodyState: [
    ["ulong", "id"],
    ["Position", "position"],
    ["Quatf", "rotation"],
    ["Vec3f", "linear_velocity"],
    ["Vec3f", "angular_velocity"],
    ["uint", "flags"],
  ],
  MoverInput: [
    ["ulong", "body"],
    ["Vec3f", "velocity"],
    ["float", "turn"],
    ["uint", "flags"],
  ],
  TimelineMark: [
    ["ulong", "tick"],
    ["uint", "count"],
    ["ubyte", "kind"],
  ],
  ContactPoint: [
    ["ulong", "body_a"],
    ["ulong", "body_b"],
    ["Position", "position"],
    ["Vec3f", "normal"],
    ["float", "impulse"],
    ["float", "separation"],
  ],
  Vec3d: [
    ["double", "x"],
    ["double", "y"],
    ["double", "z"],
  ],
  Quatd: [
    ["double", "x"],
    ["double", "y"],
    ["double", "z"],
    ["double", "w"],
  ],
  Softness: [
    ["ubyte", "form"],
    ["double", "first"],
    ["double", "second"],
  ],
  JointPlace: [
    ["Vec3d", "position"],
    ["Quatd", "rotation"],
  ],
  JointLimit: [
    ["double", "lower"],
    ["double", "upper"],
    ["Softness", "softness"],
  ],
  JointHold: [
    ["double", "target"],
    ["Softness", "softness"],
    ["double", "most"],
    ["bool", "on"],
  ],
  JointMotor: [
    ["double", "speed"],
    ["double", "most"],
  ],
  QueryHit: [
    ["ulong", "body"],
    ["Position", "point"],
    ["Vec3d", "normal"],
    ["double", "fraction"],
    ["double", "distance"],
    ["uint", "shape"],
    ["uint", "triangle"],
  ],
  QueryAnswer: [
    ["ubyte", "status"],
    ["bool", "found"],
    ["uint", "hit_count"],
    ["uint", "total"],
  ],
  JointState: [
    ["ulong", "id"],
    ["Quatf", "rotation_b"],
    ["float", "force"],
    ["float", "torque"],
    ["uint", "flags"],
  ],
  JointFrame: [
    ["ulong", "body_a"],
    ["ulong", "body_b"],
    ["Position", "anchor_a"],
    ["Position", "anchor_b"],
    ["Quatf", "rotation"],
    ["uint", "kind"],
  ],
};

function alignment(type) {
  if (type in kStructs) return Math.max(...kStructs[type].map(([member]) => alignment(member)));
  return kScalars[type][1];
}

/** The bytes of a struct from {name: value}; missing members are 0. */
export function structBytes(type, value) {
  const bytes = new Uint8Array(kStructBytes[type]);
  putStruct(new DataView(bytes.buffer), 0, type, value);
  return bytes;
}
function putStruct(view, at, type, value) {
  let offset = at;
  for (const [member, name] of kStructs[type]) {
    const align = alignment(member);
    offset = at + Math.ceil((offset - at) / align) * align;
    const field = value?.[name];
    if (member in kStructs) {
      putStruct(view, offset, member, field);
      offset += kStructBytes[member];
    } else {
      if (member === "float") view.setFloat32(offset, field ?? 0, true);
      else if (member === "double") view.setFloat64(offset, field ?? 0, true);
      else if (member === "ulong" || member === "long") {
        view.setBigInt64(offset, BigInt.asIntN(64, BigInt(field ?? 0)), true);
      } else if (member === "uint" || member === "int") view.setUint32(offset, field ?? 0, true);
      else view.setUint8(offset, field ?? 0);
      offset += kScalars[member][1];
    }
  }
}

function putBytes(builder, bytes) {
  for (let i = bytes.length; i-- > 0;) builder.writeInt8(bytes[i]);
}

function writeVector(builder, element, values) {
  if (element === "string") {
    return offsets(
      builder,
      values.map((text) => builder.createString(text)),
    );
  }
  if (element in kStructs) {
    const size = kStructBytes[element];
    builder.startVector(size, values.length, alignment(element));
    for (let i = values.length; i-- > 0;) putBytes(builder, structBytes(element, values[i]));
    return builder.endVector();
  }
  if (element in kScalars) {
    const [name, size] = kScalars[element];
    builder.startVector(size, values.length, size);
    for (let i = values.length; i-- > 0;) builder[`add${name}`](size === 8 ? BigInt(values[i]) : values[i]);
    return builder.endVector();
  }
  if (element in kEnums) {
    const numbers = values.map((word) => (typeof word === "string" ? kEnums[element].indexOf(word) : word));
    return writeVector(builder, "ubyte", numbers);
  }
  return offsets(
    builder,
    values.map((value) => writeTable(builder, element, value)),
  );
}
function offsets(builder, tables) {
  builder.startVector(4, tables.length, 4);
  for (let i = tables.length; i-- > 0;) builder.addOffset(tables[i]);
  return builder.endVector();
}

function writeTable(builder, name, values) {
  const fields = kTableTexts[name]
    .split(" ")
    .filter(Boolean)
    .map((field) => field.split(":"));
  const made = fields.map(([field, type]) => {
    const value = values[field];
    if (value === undefined) return undefined;
    if (type === "string") return builder.createString(value);
    if (type.startsWith("[")) return writeVector(builder, type.slice(1, -1), value);
    if (type === "Command") return writeTable(builder, value.type, value);
    if (type in kTableTexts) return writeTable(builder, type, value);
    return undefined;
  });
  builder.startObject(fields.length + (name === "Input" || name === "Packet" ? 1 : 0));
  let slot = 0;
  for (const [i, [field, type]] of fields.entries()) {
    const value = values[field];
    if (type === "Command") {
      if (value !== undefined) {
        builder.addFieldInt8(slot, kCommandMembers.indexOf(value.type) + 1, 0);
        builder.addFieldOffset(slot + 1, made[i], 0);
      }
      slot += 2;
      continue;
    }
    if (made[i] !== undefined) builder.addFieldOffset(slot, made[i], 0);
    else if (value !== undefined && type in kStructs) {
      builder.prep(alignment(type), kStructBytes[type]);
      putBytes(builder, structBytes(type, value));
      builder.addFieldStruct(slot, builder.offset(), 0);
    } else if (value !== undefined) {
      const [method] = kScalars[type] ?? ["Int8"];
      const number =
        typeof value === "string"
          ? kEnums[type].indexOf(value)
          : typeof value === "boolean"
            ? Number(value)
            : value;
      const absent = kDefaults[`${name}.${field}`] ?? 0;
      const isLong = method === "Int64";
      builder[`addField${method}`](
        slot,
        isLong ? BigInt.asIntN(64, BigInt(number)) : number,
        isLong ? 0n : absent,
      );
    }
    ++slot;
  }
  return builder.endObject();
}

/** The bytes of a message: its kind and its table's fields by the schema's names. */
export function message(kind, values = {}) {
  const builder = new Builder(1024);
  const table = writeTable(builder, kind, values);
  builder.startObject(2);
  builder.addFieldInt8(0, kMessageMembers.indexOf(kind) + 1, 0);
  builder.addFieldOffset(1, table, 0);
  builder.finish(builder.endObject(), "TKTP");
  return builder.asUint8Array().slice();
}

/** A message in a frame of the reliable channel. */
export function frame(kind, values = {}) {
  return writeFrame("reliable", message(kind, values));
}

/** Metres as Q31.32. */
export function fixed(metres) {
  return BigInt(Math.round(metres * 2 ** 32));
}
export function position(x, y, z) {
  return { x: fixed(x), y: fixed(y), z: fixed(z) };
}
/** A record of a snapshot. */
export function record(index, slot, more = {}) {
  const [x, y, z] = slot;
  return {
    id: (1n << 32n) | BigInt(index),
    position: position(x, y, z),
    rotation: { x: 0, y: 0, z: 0, w: 1 },
    ...more,
  };
}
