// The argument of Client.changeJoint() and its conversion to a command of the wire. The wire carries its
// numbers as binary64, unchanged. A wrong argument throws a TaktError.
import {
  bound,
  boundFromZero,
  boolean,
  finite,
  invalid,
  list,
  object,
  oneOf,
  unitQuaternion,
  vector3,
} from "./argument.js";
import type { QuatLike, Vec3Like } from "./command.js";
import { optional } from "./command.js";
import { kQuaternionNormTolerance } from "./command_fields.js";
import { TaktError } from "./error.js";
import type { ChangeJoint, JointAxis, LocalFrame, Softness } from "./message.js";
import { kEnums } from "./schema.js";

/**
 * Stiffness of a part of a joint: rigid; a spring of natural frequency (Hz) and damping ratio (1 = critical);
 * a spring of stiffness (N/m or N m/rad) and damping (N s/m or N m s/rad); or coefficients of one substep, as
 * in ODE (erp, cfm) or Box2D (beta, gamma).
 */
export type SoftnessLike =
  | "rigid"
  | { hertz: number; dampingRatio: number }
  | { stiffness: number; damping: number }
  | { erp: number; cfm: number }
  | { beta: number; gamma: number };

/** Position and axes of a joint on a body, m, body frame. */
export interface LocalFrameLike {
  position: Vec3Like;
  /** Default: no rotation. */
  rotation?: QuatLike | undefined;
}

/**
 * Changes of a joint. Absent fields keep their value. Forces are in N, torques in N m; Infinity = no bound.
 */
export interface JointChange {
  /** true also restores a broken joint. */
  enabled?: boolean | undefined;
  /** The shapes of the two bodies collide. */
  collideConnected?: boolean | undefined;
  /** The joint takes part in the direct solution of its tree. */
  direct?: boolean | undefined;
  /** The complete list of locked coordinates: linear_x to angular_z. */
  locked?: readonly JointAxis[] | undefined;
  frameA?: LocalFrameLike | undefined;
  frameB?: LocalFrameLike | undefined;
  /** Stiffness of the locked linear coordinates. */
  linear?: SoftnessLike | undefined;
  /** Stiffness of the locked angular coordinates. */
  angular?: SoftnessLike | undefined;
  maxForce?: number | undefined;
  maxTorque?: number | undefined;
  /** A larger force breaks the joint. */
  breakForce?: number | undefined;
  /** A larger torque breaks the joint. */
  breakTorque?: number | undefined;
  /** Ratio of a gear or pulley. */
  ratio?: number | undefined;
  /** m, of a pulley. */
  length?: number | undefined;
  /** The coordinate of limit, drive, motor and friction; default "angular_x", the axis of a hinge. */
  axis?: JointAxis | undefined;
  /** Bounds, m or rad; null removes them. */
  limit?: JointLimitChange | null | undefined;
  /** A spring to `target`; null removes it. */
  drive?: JointDriveChange | null | undefined;
  /** A drive to a speed; a `maxForce` of 0 removes it. */
  motor?: JointMotorChange | undefined;
  /** N or N m. */
  friction?: number | undefined;
}
/** Bounds of a coordinate, m or rad; default: none. */
export interface JointLimitChange {
  lower?: number | undefined;
  upper?: number | undefined;
  softness?: SoftnessLike | undefined;
}
/** A spring of a coordinate. */
export interface JointDriveChange {
  /** m or rad. */
  target: number;
  softness?: SoftnessLike | undefined;
  /** N or N m; default Infinity. */
  maxForce?: number | undefined;
}
/** A motor of a coordinate. */
export interface JointMotorChange {
  /** m/s or rad/s. */
  speed: number;
  /** N or N m. */
  maxForce: number;
}

const kRigid: Softness = { form: "rigid", first: 0, second: 0 };
const kSoftnessForms = [
  { form: "frequency", names: ["hertz", "dampingRatio"] },
  { form: "spring", names: ["stiffness", "damping"] },
  { form: "erp_cfm", names: ["erp", "cfm"] },
  { form: "beta_gamma", names: ["beta", "gamma"] },
] as const;
const kSoftnessTakes =
  '"rigid", { hertz, dampingRatio }, { stiffness, damping }, { erp, cfm } or { beta, gamma }';
const kLockable = ["linear_x", "linear_y", "linear_z", "angular_x", "angular_y", "angular_z"] as const;
const kFlagNames = ["enabled", "collideConnected", "direct"] as const;
const kForceNames = ["maxForce", "maxTorque", "breakForce", "breakTorque", "friction"] as const;
const kNumberNames = ["ratio", "length"] as const;
const kPartNames = [
  "locked",
  "frameA",
  "frameB",
  "linear",
  "angular",
  "axis",
  "limit",
  "drive",
  "motor",
] as const;
const kFieldNames = [...kFlagNames, ...kForceNames, ...kNumberNames, ...kPartNames];

function softnessOf(field: string, value: unknown): Softness {
  if (value === undefined || value === "rigid") return kRigid;
  if (typeof value !== "object" || value === null) return invalid(field, kSoftnessTakes, value);
  const given = value as Readonly<Record<string, unknown>>;
  const form = kSoftnessForms.find(({ names }) => names[0] in given);
  if (form === undefined) return invalid(field, kSoftnessTakes, value);
  object(field, given, form.names);
  const [first, second] = form.names.map((name) => {
    const number = finite(`${field}.${name}`, given[name]);
    if (number < 0) {
      throw new TaktError("out-of-range", `${field}.${name} takes a number from 0, not ${number}`);
    }
    return number;
  }) as [number, number];
  return { form: form.form, first, second };
}

function frameOf(field: string, value: unknown): LocalFrame {
  const { position, rotation } = object(field, value, ["position", "rotation"]);
  return {
    position: vector3(`${field}.position`, position, Number.MAX_VALUE),
    rotation: optional(rotation, [0, 0, 0, 1], (q) =>
      unitQuaternion(`${field}.rotation`, q, kQuaternionNormTolerance),
    ),
  };
}

function locksOf(field: string, axes: unknown): number {
  let locked = 0;
  list(field, axes, "an array of axes").forEach((axis, i) => {
    locked |= 1 << kLockable.indexOf(oneOf(`${field}[${i}]`, axis, kLockable));
  });
  return locked;
}

function limitOf(field: string, value: unknown): NonNullable<ChangeJoint["limit"]> {
  if (value === null) return { lower: -Infinity, upper: Infinity, softness: kRigid };
  const limit = object(field, value, ["lower", "upper", "softness"]);
  const lower = optional(limit.lower, -Infinity, (v) => bound(`${field}.lower`, v));
  const upper = optional(limit.upper, Infinity, (v) => bound(`${field}.upper`, v));
  if (lower > upper) {
    throw new TaktError(
      "out-of-range",
      `${field}.lower takes at most ${field}.upper, not ${lower} > ${upper}`,
    );
  }
  return { lower, upper, softness: softnessOf(`${field}.softness`, limit.softness) };
}

function driveOf(field: string, value: unknown): NonNullable<ChangeJoint["hold"]> {
  if (value === null) return { on: false, target: 0, softness: kRigid, most: Infinity };
  const drive = object(field, value, ["target", "softness", "maxForce"]);
  return {
    on: true,
    target: finite(`${field}.target`, drive.target),
    softness: softnessOf(`${field}.softness`, drive.softness),
    most: optional(drive.maxForce, Infinity, (v) => boundFromZero(`${field}.maxForce`, v)),
  };
}

function motorOf(field: string, value: unknown): NonNullable<ChangeJoint["motor"]> {
  const motor = object(field, value, ["speed", "maxForce"]);
  return {
    speed: finite(`${field}.speed`, motor.speed),
    most: boundFromZero(`${field}.maxForce`, motor.maxForce),
  };
}

/** The ChangeJoint command of a change. */
export function jointChangeCommand(joint: bigint, change: unknown): ChangeJoint {
  const c = object("changeJoint(): change", change, kFieldNames);
  const name = (field: string): string => `changeJoint(): change.${field}`;
  const axis = optional(c.axis, "angular_x", (value): JointAxis =>
    oneOf(name("axis"), value, kEnums.JointAxis),
  );
  const command: ChangeJoint = { type: "ChangeJoint", joint, axis };
  for (const flag of kFlagNames) if (c[flag] !== undefined) command[flag] = boolean(name(flag), c[flag]);
  for (const force of kForceNames) {
    if (c[force] !== undefined) command[force] = boundFromZero(name(force), c[force]);
  }
  for (const number of kNumberNames) {
    if (c[number] !== undefined) command[number] = finite(name(number), c[number]);
  }
  if (c.locked !== undefined) command.locked = locksOf(name("locked"), c.locked);
  if (c.frameA !== undefined) command.frameA = frameOf(name("frameA"), c.frameA);
  if (c.frameB !== undefined) command.frameB = frameOf(name("frameB"), c.frameB);
  if (c.linear !== undefined) command.linear = softnessOf(name("linear"), c.linear);
  if (c.angular !== undefined) command.angular = softnessOf(name("angular"), c.angular);
  if (c.limit !== undefined) command.limit = limitOf(name("limit"), c.limit);
  if (c.drive !== undefined) command.hold = driveOf(name("drive"), c.drive);
  if (c.motor !== undefined) command.motor = motorOf(name("motor"), c.motor);
  return command;
}
