// What a caller hands to Client.impulse(), spawn() and their like, and how it becomes a command of the wire. Vectors are {x, y, z} (such as
// three.js has) or three numbers; positions are metres. Throws TaktError, so it is for the caller's side only.
import type { Body } from "./body.js";
import { checkCommand } from "./command_check.js";
import { TaktError } from "./error.js";
import type { Quadruple, Shape, Triple, WireCommand, WirePosition } from "./message.js";

export type Vec3Like = { readonly x: number; readonly y: number; readonly z: number } | ArrayLike<number>;
export type QuatLike = { readonly x: number; readonly y: number; readonly z: number; readonly w: number } | ArrayLike<number>;
export type BodyLike = Body | bigint;

/** What to spawn. Everything but shape and position has a default. */
export interface SpawnDefinition {
  /** sphere(), capsule(), box(), or { kind, dimensions } as in Body.shapes */
  shape: ShapeLike;
  /** m, world */
  position: Vec3Like;
  rotation?: QuatLike;
  /** m/s */
  linearVelocity?: Vec3Like;
  /** rad/s */
  angularVelocity?: Vec3Like;
  /** kg/m^3, > 0 */
  density?: number;
  friction?: number;
  /** 0 .. 1 */
  restitution?: number;
  /** the game's own word for it */
  userKind?: number;
}
export interface ShapeLike {
  kind: "sphere" | "capsule" | "box" | "cylinder" | "cone";
  dimensions: Vec3Like;
  localPosition?: Vec3Like;
  localRotation?: QuatLike;
}

export function sphere(radius: number): ShapeLike {
  return { kind: "sphere", dimensions: [radius, 0, 0] };
}
/** A cylinder with round ends about the local y axis; halfLength is that of the axis without the caps. */
export function capsule(radius: number, halfLength: number): ShapeLike {
  return { kind: "capsule", dimensions: [radius, halfLength, 0] };
}
/** About the local y axis. */
export function cylinder(radius: number, halfHeight: number): ShapeLike {
  return { kind: "cylinder", dimensions: [radius, halfHeight, 0] };
}
/** About the local y axis, its tip up. */
export function cone(radius: number, halfHeight: number): ShapeLike {
  return { kind: "cone", dimensions: [radius, halfHeight, 0] };
}
export function box(halfExtents: Vec3Like): ShapeLike {
  return { kind: "box", dimensions: halfExtents };
}

// binary32, as the wire has it: what is checked here is what arrives.
function f32(value: number): number {
  if (!Number.isFinite(value)) throw new TaktError("not-finite", "a number is NaN, infinite or missing");
  return Math.fround(value);
}

export function triple(v: Vec3Like): Triple {
  return "x" in v ? [f32(v.x), f32(v.y), f32(v.z)] : [f32(v[0]!), f32(v[1]!), f32(v[2]!)];
}
export function quadruple(q: QuatLike): Quadruple {
  return "x" in q ? [f32(q.x), f32(q.y), f32(q.z), f32(q.w)] : [f32(q[0]!), f32(q[1]!), f32(q[2]!), f32(q[3]!)];
}

/** Metres to Q31.32, to the nearest; out-of-range beyond +-2^31 m. */
export function fixed(value: number): bigint {
  if (!Number.isFinite(value)) throw new TaktError("not-finite", "a position is NaN, infinite or missing");
  if (!(value >= -2147483648 && value < 2147483648)) throw new TaktError("out-of-range", `${value} m is outside the world, +-2147483648 m`);
  const high = Math.floor(value);
  return (BigInt(high) << 32n) + BigInt(Math.round((value - high) * 4294967296)); // the difference is exact
}
export function position(v: Vec3Like): WirePosition {
  const [x, y, z] = "x" in v ? [v.x, v.y, v.z] : [v[0]!, v[1]!, v[2]!];
  return [fixed(x), fixed(y), fixed(z)];
}
export function idOf(body: BodyLike): bigint {
  return typeof body === "bigint" ? body : body.id;
}

export function shapeOf(shape: ShapeLike): Shape {
  return {
    kind: shape.kind,
    dimensions: triple(shape.dimensions),
    localPosition: triple(shape.localPosition ?? [0, 0, 0]),
    localRotation: quadruple(shape.localRotation ?? [0, 0, 0, 1]),
    rounding: 0,
    geometry: 0n,
  };
}

export function spawnCommand(d: SpawnDefinition): WireCommand {
  return {
    type: "Spawn",
    shape: shapeOf(d.shape),
    position: position(d.position),
    rotation: quadruple(d.rotation ?? [0, 0, 0, 1]),
    linearVelocity: triple(d.linearVelocity ?? [0, 0, 0]),
    angularVelocity: triple(d.angularVelocity ?? [0, 0, 0]),
    density: f32(d.density ?? 1000),
    friction: f32(d.friction ?? 0.6),
    restitution: f32(d.restitution ?? 0),
    userKind: d.userKind ?? 0,
  };
}

/** The command, or a TaktError that names what may not be sent. */
export function checked(command: WireCommand): WireCommand {
  const finding = checkCommand(command);
  if (finding === "not-finite") throw new TaktError("not-finite", `${command.type}: a number is NaN or infinite`);
  if (finding === "out-of-range") throw new TaktError("out-of-range", `${command.type}: a number is outside what may be sent, or the body is null`);
  return command;
}
