// Arguments of Client.impulse(), spawn() and the other commands, and their conversion to commands of the
// wire. Vectors are {x, y, z} (such as three.js has) or three numbers; positions are metres. A wrong argument
// throws a TaktError.
import {
  between,
  boolean,
  finite,
  integer,
  invalid,
  object,
  oneOf,
  outOfRange,
  positive,
  unitQuaternion,
  unsigned64,
  vector3,
} from "./argument.js";
import type { Body } from "./body.js";
import { faultOf, kSpawnKinds } from "./command_check.js";
import {
  kDensityMax,
  kDimensionMax,
  kQuaternionNormTolerance,
  kVectorComponentMax,
} from "./command_fields.js";
import { TaktError } from "./error.js";
import type { Quadruple, Shape, Triple, WireCommand, WirePosition } from "./message.js";

/** {x, y, z} or three numbers. */
export type Vec3Like = { readonly x: number; readonly y: number; readonly z: number } | ArrayLike<number>;
/** A unit quaternion: {x, y, z, w} or four numbers, w last. */
export type QuatLike =
  { readonly x: number; readonly y: number; readonly z: number; readonly w: number } | ArrayLike<number>;
/** A body or its id. */
export type BodyLike = Body | bigint;

/** A body to spawn. Only `shape` and `position` have no default. */
export interface SpawnDefinition {
  /** sphere(), capsule(), box(), cylinder(), cone(), or { kind, dimensions } as in Body.shapes. */
  shape: ShapeLike;
  /** m, world. */
  position: Vec3Like;
  /** Default: no rotation. */
  rotation?: QuatLike | undefined;
  /** m/s, world; default 0. */
  linearVelocity?: Vec3Like | undefined;
  /** rad/s, world; default 0. */
  angularVelocity?: Vec3Like | undefined;
  /** kg/m^3, above 0, at most 1e9; default 1000. */
  density?: number | undefined;
  /** Dimensionless, 0 to 1e9; default 0.6. */
  friction?: number | undefined;
  /** Dimensionless, 0 to 1; default 0. */
  restitution?: number | undefined;
  /** A number of the game, 0 to 2^32 - 1; default 0. */
  userKind?: number | undefined;
}

/** A shape that a body may be spawned with, or that a query may use. */
export interface ShapeLike {
  kind: "sphere" | "capsule" | "box" | "cylinder" | "cone";
  /** m: (radius, 0, 0), (radius, half length, 0), half extents, (radius, half height, 0) twice. */
  dimensions: Vec3Like;
  /** m, body frame; default 0. */
  localPosition?: Vec3Like | undefined;
  /** Default: no rotation. */
  localRotation?: QuatLike | undefined;
}

/** The state in which teleport() leaves a body. */
export interface TeleportMotion {
  /** Default: no rotation. */
  rotation?: QuatLike | undefined;
  /** m/s, world; default 0. */
  linearVelocity?: Vec3Like | undefined;
  /** rad/s, world; default 0. */
  angularVelocity?: Vec3Like | undefined;
}

/** Options of move(). */
export interface MoveOptions {
  /** rad/s about +y; default 0. */
  turn?: number | undefined;
  /** The velocity is in the mover's own frame, z forwards; default false: in the world. */
  inHeadingFrame?: boolean | undefined;
  /** Jump once; default false. */
  jump?: boolean | undefined;
}

const kWords32 = 2 ** 32 - 1;
const kIdentity: Quadruple = [0, 0, 0, 1];
/** Fields of Body.shapes as well, so that one of them may be passed on. */
const kShapeFields = ["kind", "dimensions", "localPosition", "localRotation", "rounding", "geometry"];
const kSpawnFields = [
  "shape",
  "position",
  "rotation",
  "linearVelocity",
  "angularVelocity",
  "density",
  "friction",
  "restitution",
  "userKind",
];

// ------------------------------------------------------------ shapes

/** A ball. `radius`: m, above 0. */
export function sphere(radius: number): ShapeLike {
  return { kind: "sphere", dimensions: [size("sphere(): radius", radius), 0, 0] };
}
/** A capsule about the local y axis. `halfLength`: m, half of the axis without the caps, at least 0. */
export function capsule(radius: number, halfLength: number): ShapeLike {
  const length = between("capsule(): halfLength", halfLength, 0, kDimensionMax);
  return { kind: "capsule", dimensions: [size("capsule(): radius", radius), length, 0] };
}
/** A cylinder about the local y axis. `radius`, `halfHeight`: m, above 0. */
export function cylinder(radius: number, halfHeight: number): ShapeLike {
  const height = size("cylinder(): halfHeight", halfHeight);
  return { kind: "cylinder", dimensions: [size("cylinder(): radius", radius), height, 0] };
}
/** A cone about the local y axis with its tip up. `radius` of its base, `halfHeight`: m, above 0. */
export function cone(radius: number, halfHeight: number): ShapeLike {
  const height = size("cone(): halfHeight", halfHeight);
  return { kind: "cone", dimensions: [size("cone(): radius", radius), height, 0] };
}
/** A box. `halfExtents`: {x, y, z} or three numbers, m, each above 0: box([0.5, 1, 2]). */
export function box(halfExtents: Vec3Like): ShapeLike {
  const extents = vector3("box(): halfExtents", halfExtents, kDimensionMax);
  extents.forEach((extent, i) => positive(`box(): halfExtents[${i}]`, extent, kDimensionMax));
  return { kind: "box", dimensions: extents };
}

function size(field: string, value: unknown): number {
  return positive(field, value, kDimensionMax);
}

/** The shape as the wire has it. */
export function shapeOf(field: string, shape: unknown): Shape {
  const fields = object(field, shape, kShapeFields);
  const kind = oneOf(`${field}.kind`, fields.kind, kSpawnKinds);
  const dimensions = triple(`${field}.dimensions`, fields.dimensions, kDimensionMax);
  const sizes = kind === "box" ? 3 : kind === "sphere" ? 1 : 2;
  for (let i = 0; i < sizes; ++i) {
    const name = `${field}.dimensions[${i}]`;
    if (kind === "capsule" && i === 1) between(name, dimensions[i], 0, kDimensionMax);
    else positive(name, dimensions[i], kDimensionMax);
  }
  return {
    kind,
    dimensions,
    localPosition: optional(fields.localPosition, [0, 0, 0], (v) => triple(`${field}.localPosition`, v)),
    localRotation: optional(fields.localRotation, kIdentity, (v) => quadruple(`${field}.localRotation`, v)),
    rounding: 0,
    geometry: 0n,
  };
}

// ------------------------------------------------------------ numbers and ids

/** Returns `absent` for undefined, the result of `read` for everything else, null included. */
export function optional<Value>(value: unknown, absent: Value, read: (value: unknown) => Value): Value {
  return value === undefined ? absent : read(value);
}

/** A vector in binary32, the precision of the wire. */
export function triple(field: string, value: unknown, max = kVectorComponentMax): Triple {
  const [x, y, z] = vector3(field, value, max);
  return [Math.fround(x), Math.fround(y), Math.fround(z)];
}

/** A unit quaternion in binary32, the precision of the wire. */
export function quadruple(field: string, value: unknown): Quadruple {
  const [x, y, z, w] = unitQuaternion(field, value, kQuaternionNormTolerance);
  return [Math.fround(x), Math.fround(y), Math.fround(z), Math.fround(w)];
}

/** Metres to Q31.32, to the nearest; out-of-range beyond +-2^31 m. */
export function fixed(field: string, value: unknown): bigint {
  const takes = "a position from -2147483648 to 2147483648 m";
  const metres = finite(field, value, takes);
  if (!(metres >= -2147483648 && metres < 2147483648)) outOfRange(field, takes, value);
  const high = Math.floor(metres);
  const fraction = BigInt(Math.round((metres - high) * 4294967296)); // the difference is exact
  const sum = (BigInt(high) << 32n) + fraction;
  return sum < 1n << 63n ? sum : outOfRange(field, takes, value);
}

/** A position as the wire has it. */
export function position(field: string, value: unknown): WirePosition {
  const [x, y, z] = vector3(field, value, 2 ** 31);
  return [fixed(`${field}[0]`, x), fixed(`${field}[1]`, y), fixed(`${field}[2]`, z)];
}

/** The id of a body, rope or joint: `value` itself, or its `id`. */
export function idOf(field: string, value: unknown, noun = "body"): bigint {
  const takes = `a ${noun} or its id (a bigint that is not null)`;
  const id = typeof value === "object" && value !== null ? (value as { id?: unknown }).id : value;
  if (typeof id !== "bigint") return invalid(field, takes, value);
  return unsigned64(field, id, takes) >> 32n === 0n ? outOfRange(field, takes, id) : id;
}

/** A number of the game. */
export function word32(field: string, value: unknown): number {
  return integer(field, value, 0, kWords32);
}

// ------------------------------------------------------------ commands

/** The Spawn command of a definition. */
export function spawnCommand(definition: unknown): WireCommand {
  const d = object("spawn(): definition", definition, kSpawnFields);
  const name = (field: string): string => `spawn(): definition.${field}`;
  const number = (field: string, absent: number, read: (field: string, value: unknown) => number): number =>
    Math.fround(optional(d[field], absent, (value) => read(name(field), value)));
  return {
    type: "Spawn",
    shape: shapeOf(name("shape"), d.shape),
    position: position(name("position"), d.position),
    rotation: optional(d.rotation, kIdentity, (v) => quadruple(name("rotation"), v)),
    linearVelocity: optional(d.linearVelocity, [0, 0, 0], (v) => triple(name("linearVelocity"), v)),
    angularVelocity: optional(d.angularVelocity, [0, 0, 0], (v) => triple(name("angularVelocity"), v)),
    density: number("density", 1000, (field, value) => positive(field, value, kDensityMax)),
    friction: number("friction", 0.6, (field, value) => between(field, value, 0, kVectorComponentMax)),
    restitution: number("restitution", 0, (field, value) => between(field, value, 0, 1)),
    userKind: optional(d.userKind, 0, (value) => word32(name("userKind"), value)),
  };
}

/** The Teleport command of its arguments. */
export function teleportCommand(body: unknown, to: unknown, motion: unknown): WireCommand {
  const m = object("teleport(): motion", motion, ["rotation", "linearVelocity", "angularVelocity"]);
  const name = (field: string): string => `teleport(): motion.${field}`;
  return {
    type: "Teleport",
    body: idOf("teleport(): body", body),
    position: position("teleport(): to", to),
    rotation: optional(m.rotation, kIdentity, (v) => quadruple(name("rotation"), v)),
    linearVelocity: optional(m.linearVelocity, [0, 0, 0], (v) => triple(name("linearVelocity"), v)),
    angularVelocity: optional(m.angularVelocity, [0, 0, 0], (v) => triple(name("angularVelocity"), v)),
  };
}

/** The Move command of its arguments. */
export function moveCommand(body: unknown, velocity: unknown, options: unknown): WireCommand {
  const o = object("move(): options", options, ["turn", "inHeadingFrame", "jump"]);
  const name = (field: string): string => `move(): options.${field}`;
  return {
    type: "Move",
    body: idOf("move(): body", body),
    velocity: triple("move(): velocity", velocity),
    turn: Math.fround(
      optional(o.turn, 0, (value) => between(name("turn"), value, -kVectorComponentMax, kVectorComponentMax)),
    ),
    inHeadingFrame: optional(o.inHeadingFrame, false, (value) => boolean(name("inHeadingFrame"), value)),
    jump: optional(o.jump, false, (value) => boolean(name("jump"), value)),
  };
}

/** The command, or a TaktError that names the field that the server would refuse. */
export function checked(command: WireCommand): WireCommand {
  const { finding, field } = faultOf(command);
  if (finding === "ok") return command;
  const why = finding === "not-finite" ? "is NaN or infinite" : "is outside the accepted range";
  throw new TaktError(finding, `${command.type}.${field} ${why}`);
}
