// The commands: their fields on the wire, to a caller, and the accepted values. The table is the only
// definition of a command. From it follow the layout (schema.ts), the type WireCommand, the writer
// (message_writer.ts), the reader (input_reader.ts), the check (command_check.ts) and the bound of the bytes
// (input_sender.ts). test/unit/layout_test.mjs compares the table with schemas/protocol.fbs.
//
// Names are camelCase; the wire's name is the same in snake_case. The order of commands and fields is the
// wire's: it decides the numbers of the union and the slots.
import { kCustomBytesMax } from "./limits.js";
import type { Quadruple, Shape, Triple, WirePosition } from "./message.js";
import type { kEnums } from "./schema.js";

/** Bound of each component of a vector, forces and velocities alike. */
export const kVectorComponentMax = 1e9;
/** m. */
export const kDimensionMax = 1e6;
/** kg/m^3. */
export const kDensityMax = 1e9;
/** Bound of | |q|^2 - 1 |. */
export const kQuaternionNormTolerance = Math.fround(1e-3);
/** A force acts for at most one minute at 60 ticks a second. */
export const kForceTicksMax = 3600;
/** All six lock bits. */
export const kJointLockedMax = 63;

/** Values of a field by its type in protocol.fbs. */
interface ValueTypes {
  bool: boolean;
  ubyte: number;
  uint: number;
  ulong: bigint;
  float: number;
  double: number;
  Vec3f: Triple;
  Vec3d: Triple;
  Quatf: Quadruple;
  Quatd: Quadruple;
  Position: WirePosition;
  ShapeInfo: Shape;
  "[ubyte]": Uint8Array;
}
type EnumName = keyof typeof kEnums;
type RecordName = "JointPlace" | "Softness" | "JointLimit" | "JointHold" | "JointMotor";

/** A field of a command, or a member of a struct that consists of cells of eight bytes. */
export interface CommandField {
  /** Type in protocol.fbs. ulong: an id; Vec3f: within kVectorComponentMax; ShapeInfo: one to spawn. */
  readonly type: keyof ValueTypes | EnumName | RecordName;
  /**
   * A command without the field is invalid, has null, or has no such property. By default the reader
   * returns `or`, or else the zero of the type.
   */
  readonly absent?: "invalid" | "null" | "kept";
  /** Default of the schema. */
  readonly or?: number | string;
  /** Bounds, both included. An integer without `max` and a number without either have none. */
  readonly min?: number;
  readonly max?: number;
  /** Bound, not included. */
  readonly above?: number;
  /** Infinity is accepted: there is no bound. */
  readonly canBeInfinite?: true;
  /** Members of a struct, in order. */
  readonly members?: Readonly<Record<string, CommandField>>;
}

type Definition = Readonly<Record<string, CommandField>>;

const kId = { type: "ulong" } as const;
const kFlag = { type: "bool" } as const;
const kNumber = { type: "double" } as const;
const kBound = { type: "double", canBeInfinite: true } as const;
const kBoundFromZero = { ...kBound, min: 0 } as const;
const kVector = { type: "Vec3f" } as const;
const kRotation = { type: "Quatf" } as const;
const kPosition = { type: "Position", absent: "invalid" } as const;
/** Stiffness of a part of a joint: its form and the two numbers in the order of the form's name. */
const kSoftness = {
  type: "Softness",
  members: {
    form: { type: "SoftnessForm" },
    first: { type: "double", min: 0 },
    second: { type: "double", min: 0 },
  },
} as const;
/** Position and axes of a joint on a body, m, body frame. */
const kFrame = {
  type: "JointPlace",
  members: { position: { type: "Vec3d" }, rotation: { type: "Quatd" } },
} as const;
const kLimit = {
  type: "JointLimit",
  members: { lower: kBound, upper: kBound, softness: kSoftness },
} as const;
const kHold = {
  type: "JointHold",
  members: { target: kNumber, softness: kSoftness, most: kBoundFromZero, on: kFlag },
} as const;
const kMotor = { type: "JointMotor", members: { speed: kNumber, most: kBoundFromZero } } as const;

/** A field that keeps the joint's value if it is absent. */
function kept<const Field extends CommandField>(field: Field): Field & { readonly absent: "kept" } {
  return { ...field, absent: "kept" };
}

export const kCommandFields = {
  Impulse: {
    body: kId,
    impulse: { type: "Vec3f", absent: "invalid" },
    /** null = the centre of mass. */
    pointLocal: { type: "Vec3f", absent: "null" },
  },
  Force: {
    body: kId,
    force: kVector,
    torque: kVector,
    ticks: { type: "uint", or: 1, min: 1, max: kForceTicksMax },
  },
  Spawn: {
    shape: { type: "ShapeInfo", absent: "invalid" },
    position: kPosition,
    rotation: kRotation,
    linearVelocity: kVector,
    angularVelocity: kVector,
    density: { type: "float", or: 1000, above: 0, max: kDensityMax },
    friction: { type: "float", or: Math.fround(0.6), min: 0, max: kVectorComponentMax },
    restitution: { type: "float", min: 0, max: 1 },
    userKind: { type: "uint" },
  },
  Despawn: { body: kId },
  Grab: {
    body: kId,
    pointLocal: kVector,
    target: kPosition,
    maxForce: { type: "float", min: 0, max: kVectorComponentMax },
  },
  MoveGrab: { target: kPosition },
  Release: {},
  Teleport: {
    body: kId,
    position: kPosition,
    rotation: kRotation,
    linearVelocity: kVector,
    angularVelocity: kVector,
  },
  Custom: { bytes: { type: "[ubyte]", max: kCustomBytesMax } },
  Move: {
    body: kId,
    velocity: kVector,
    turn: { type: "float", min: -kVectorComponentMax, max: kVectorComponentMax },
    inHeadingFrame: kFlag,
    jump: kFlag,
  },
  Cut: { rope: kId, segment: { type: "uint" } },
  ChangeJoint: {
    joint: kId,
    enabled: kept(kFlag),
    collideConnected: kept(kFlag),
    direct: kept(kFlag),
    /** Bits 0 to 5: linear x, y, z, angular x, y, z. */
    locked: { type: "ubyte", absent: "kept", min: 0, max: kJointLockedMax },
    frameA: kept(kFrame),
    frameB: kept(kFrame),
    linear: kept(kSoftness),
    angular: kept(kSoftness),
    maxForce: kept(kBoundFromZero),
    maxTorque: kept(kBoundFromZero),
    breakForce: kept(kBoundFromZero),
    breakTorque: kept(kBoundFromZero),
    ratio: kept(kNumber),
    length: kept(kNumber),
    /** The coordinate of the fields below. */
    axis: { type: "JointAxis", or: "angular_x" },
    limit: kept(kLimit),
    hold: kept(kHold),
    motor: kept(kMotor),
    friction: kept(kBoundFromZero),
  },
  DestroyJoint: { joint: kId },
} as const satisfies Readonly<Record<string, Definition>>;

// ------------------------------------------------------------ types of the values

export type CommandName = keyof typeof kCommandFields;

type ValueOf<Field> = Field extends { members: infer Members }
  ? { -readonly [Name in keyof Members]: ValueOf<Members[Name]> }
  : Field extends { type: infer Type }
    ? Type extends keyof ValueTypes
      ? ValueTypes[Type] | (Field extends { absent: "null" } ? null : never)
      : Type extends EnumName
        ? (typeof kEnums)[Type][number]
        : never
    : never;
/** Names of the fields that a command may lack. */
type Kept<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { absent: "kept" } ? Name : never;
}[keyof Fields];
type Flat<Type> = { [Name in keyof Type]: Type[Name] };
type Command<Name extends CommandName, Fields = (typeof kCommandFields)[Name]> = Flat<
  { type: Name } & {
    -readonly [Field in keyof Fields as Exclude<Field, Kept<Fields>>]: ValueOf<Fields[Field]>;
  } & { -readonly [Field in keyof Fields as Extract<Field, Kept<Fields>>]?: ValueOf<Fields[Field]> }
>;

/** A command as the wire has it; positions are Q31.32. */
export type WireCommand = { [Name in CommandName]: Command<Name> }[CommandName];
/** Changes of a joint. Absent fields keep their value. Infinity = no bound. */
export type ChangeJoint = Command<"ChangeJoint">;
/** Stiffness of a part of a joint: its form and the two numbers in the order of the form's name. */
export type Softness = ValueOf<typeof kSoftness>;
/** Position and axes of a joint on a body, m, body frame. */
export type LocalFrame = ValueOf<typeof kFrame>;

// ------------------------------------------------------------ the table for loops

/** A field with both of its names. */
export interface NamedField extends CommandField {
  readonly name: string;
  readonly wireName: string;
}

/** Members of the union in the order of the wire: a member's number is its index + 1. */
export const kCommandMembers = Object.keys(kCommandFields) as readonly CommandName[];

function named(fields: Definition): readonly NamedField[] {
  return Object.entries(fields).map(([name, field]) => ({
    ...field,
    name,
    wireName: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  }));
}

/** The fields of each command in the order of the wire. */
export const kFieldsOfCommand = Object.fromEntries(
  Object.entries(kCommandFields).map(([command, fields]) => [command, named(fields)]),
) as Readonly<Record<CommandName, readonly NamedField[]>>;

/** Returns true for the value by which a caller omits a field that a command may lack. */
export function isAbsent({ absent }: CommandField, value: unknown): boolean {
  return (absent === "kept" && value === undefined) || (absent === "null" && value === null);
}
