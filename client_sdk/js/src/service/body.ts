// Body and Joint are things of a world, by their ids. They have no state of their own.
import {
  bound,
  boundFromZero,
  boolean,
  finite,
  integer,
  list,
  object,
  oneOf,
  outOfRange,
  unitQuaternion,
  unsigned64,
  vector3,
} from "../argument.js";
import type { Triple } from "../message.js";
import { kEnums } from "../schema.js";
import type { BodyChange, MoverTuning } from "./definitions.js";
import { bodyChangeFields, tuningFields } from "./definitions.js";
import { kUnitTolerance } from "./queries.js";
import type { Fields } from "./request.js";
import { Shape } from "./shape.js";
import type { World } from "./world.js";

/** Three numbers, or {x, y, z}. */
export type Vector3 = ArrayLike<number> | { readonly x: number; readonly y: number; readonly z: number };
/** A unit quaternion: four numbers x y z w, or {x, y, z, w}. */
export type Rotation =
  ArrayLike<number> | { readonly x: number; readonly y: number; readonly z: number; readonly w: number };

/** Names of the axes of joints, by their number. */
export type JointAxis = (typeof kEnums.JointAxis)[number];

/** Bound of the components of vectors of edits. */
export const kVectorMax = 1e9;
export const kPositionMax = 5e8;
const kForceTicksMax = 3600;

export interface Pose {
  /** m. */
  readonly position?: Vector3;
  readonly rotation?: Rotation;
  /** m/s. */
  readonly linearVelocity?: Vector3;
  /** rad/s. */
  readonly angularVelocity?: Vector3;
}

/** A vector, or undefined where none is given. */
function vectorOrNone(field: string, value: unknown, max = kVectorMax): Triple | undefined {
  return value === undefined ? undefined : vector3(field, value, max);
}

export function ticksOf(field: string, ticks: unknown): number {
  return integer(field, ticks, 1, kForceTicksMax);
}

export class Body {
  readonly world: World;
  readonly id: bigint;

  constructor(world: World, id: bigint) {
    this.world = world;
    this.id = unsigned64("Body(): id", id);
  }

  /** The row in the arrays of its world. Throws not-observed without ids, out-of-range if it is gone. */
  get row(): number {
    const row = this.world.ids.indexOf(this.id);
    return row >= 0 ? row : outOfRange("Body.row", "a living body", this.id);
  }
  /** Position of the origin, m. Throws as `row`, and without positions. */
  get position(): Triple {
    const { positions } = this.world;
    const at = 3 * this.row;
    return [positions[at]!, positions[at + 1]!, positions[at + 2]!];
  }

  /** Changes the velocities of a dynamic body, N s, at its centre of mass or a point of its frame, m. */
  applyImpulse(impulse: Vector3, localPoint?: Vector3): Promise<void> {
    return this.world.edit("Impulse", () => ({
      body: this.id,
      impulse: vector3("applyImpulse(): impulse", impulse, kVectorMax),
      local_point: vectorOrNone("applyImpulse(): localPoint", localPoint),
    }));
  }

  /** A force (N) and torque (N m) on a dynamic body during the next `ticks` steps, 1 to 3600. */
  applyForce(force: Vector3, torque?: Vector3, ticks = 1): Promise<void> {
    return this.world.edit("Force", () => ({
      body: this.id,
      force: vector3("applyForce(): force", force, kVectorMax),
      torque: vectorOrNone("applyForce(): torque", torque),
      ticks: ticksOf("applyForce(): ticks", ticks),
    }));
  }

  /** Sets pose and velocities; a field that is left out keeps its value. */
  teleport(pose: Pose): Promise<void> {
    return this.world.edit("Teleport", () => {
      object("teleport(): pose", pose, ["position", "rotation", "linearVelocity", "angularVelocity"]);
      const { position, rotation, linearVelocity, angularVelocity } = pose;
      return {
        body: this.id,
        position: vectorOrNone("teleport(): pose.position", position, kPositionMax),
        rotation:
          rotation === undefined
            ? undefined
            : unitQuaternion("teleport(): pose.rotation", rotation, kUnitTolerance),
        linear_velocity: vectorOrNone("teleport(): pose.linearVelocity", linearVelocity),
        angular_velocity: vectorOrNone("teleport(): pose.angularVelocity", angularVelocity),
      };
    });
  }

  /** The input of a mover until the next one: m/s relative to the ground, rad/s of the heading. */
  move(
    velocity: Vector3,
    options: { readonly turn?: number; readonly inHeadingFrame?: boolean; readonly jump?: boolean } = {},
  ): Promise<void> {
    return this.world.edit("Move", () => {
      object("move(): options", options, ["turn", "inHeadingFrame", "jump"]);
      const { turn = 0, inHeadingFrame = false, jump = false } = options;
      return {
        body: this.id,
        velocity: vector3("move(): velocity", velocity, kVectorMax),
        turn: finite("move(): options.turn", turn),
        in_heading_frame: Number(boolean("move(): options.inHeadingFrame", inHeadingFrame)),
        jump: Number(boolean("move(): options.jump", jump)),
      };
    });
  }

  /** Changes the body from the next step on. */
  change(change: BodyChange): Promise<void> {
    return this.world.edit("ChangeBody", () => ({ body: this.id, ...bodyChangeFields(change) }));
  }

  /** Moves a kinematic body to a pose within the next step. */
  setTarget(position: Vector3, rotation: Rotation = [0, 0, 0, 1]): Promise<void> {
    return this.world.edit("SetTarget", () => ({
      body: this.id,
      position: vector3("setTarget(): position", position, kPositionMax),
      rotation: unitQuaternion("setTarget(): rotation", rotation, kUnitTolerance),
    }));
  }

  /** Changes the tuning of a mover. */
  tune(tuning: MoverTuning): Promise<void> {
    return this.world.edit("TuneMover", () => ({ body: this.id, ...tuningFields("tune(): tuning", tuning) }));
  }

  /** The shapes of the body in order of creation. */
  shapes(): Promise<Shape[]> {
    return this.world.ask(
      "List",
      () => ({ kind: 3, body: this.id }),
      ({ ids }) => Array.from(ids, (id) => new Shape(this.world, id)),
    );
  }

  /** Destroys the body and its joints. */
  destroy(): Promise<void> {
    return this.world.edit("Despawn", () => ({ body: this.id }));
  }
}

/** A place and directions in the frame of a body. */
export interface JointFrame {
  /** m, default the origin of the body. */
  readonly position?: Vector3;
  readonly rotation?: Rotation;
}
/** Spring of the locked axes. */
export interface JointSoftness {
  /** Hz; 0 = rigid. */
  readonly frequency: number;
  /** Default 1 = critical. */
  readonly dampingRatio?: number;
}
/** Values for Joint.change(); a field that is left out keeps its value. */
export interface JointChange {
  /** The bodies of the joint collide with each other. */
  readonly collideConnected?: boolean;
  /** All axes that are locked from now on: "linear_x" to "angular_z". */
  readonly locked?: readonly JointAxis[];
  readonly frameA?: JointFrame;
  readonly frameB?: JointFrame;
  readonly linear?: JointSoftness;
  readonly angular?: JointSoftness;
  /** N, of the locked linear axes; Infinity = none. */
  readonly maxForce?: number;
  /** N m, of the locked angular axes; Infinity = none. */
  readonly maxTorque?: number;
  /** N; beyond it the joint breaks; Infinity = never. */
  readonly breakForce?: number;
  /** N m. */
  readonly breakTorque?: number;
  /** Ratio of gears and pulleys. */
  readonly ratio?: number;
  /** m, of pulleys. */
  readonly length?: number;
  /** true: solved directly with its joint tree. */
  readonly direct?: boolean;
  /** Bounds of a coordinate, m or rad, and the spring at them; default rigid. */
  readonly limit?: {
    readonly axis: JointAxis;
    readonly lower?: number;
    readonly upper?: number;
    readonly softness?: JointSoftness;
  };
}
/** Fields of JointChange and their bits, TAKT_JOINT_*. */
const kChangeBits = {
  collideConnected: 1,
  locked: 2,
  frameA: 4,
  frameB: 8,
  linear: 16,
  angular: 32,
  maxForce: 64,
  maxTorque: 128,
  breakForce: 256,
  breakTorque: 512,
  ratio: 1024,
  length: 2048,
  direct: 4096,
  limit: 8192,
} as const;
type ChangeName = keyof typeof kChangeBits;
const kLockableAxes = kEnums.JointAxis.slice(0, 6);

/** Bits of the axes of a list of names. */
export function lockedBits(field: string, locked: readonly JointAxis[]): number {
  return list(field, locked).reduce<number>((bits, axis, i) => {
    const name = oneOf(`${field}[${i}]`, axis, kLockableAxes);
    return bits | (1 << kLockableAxes.indexOf(name));
  }, 0);
}

export function frameFields(name: "a" | "b", field: string, frame: JointFrame | undefined): Fields {
  if (frame === undefined) return {};
  object(field, frame, ["position", "rotation"]);
  const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = frame;
  return {
    [`position_${name}`]: vector3(`${field}.position`, position, kPositionMax),
    [`rotation_${name}`]: unitQuaternion(`${field}.rotation`, rotation, kUnitTolerance),
  };
}

export function softnessFields(
  name: "linear" | "angular" | "limit",
  field: string,
  of: JointSoftness | undefined,
): Fields {
  if (of === undefined) return {};
  object(field, of, ["frequency", "dampingRatio"]);
  return {
    [`${name}_frequency`]: boundFromZero(`${field}.frequency`, of.frequency),
    [`${name}_damping_ratio`]: boundFromZero(`${field}.dampingRatio`, of.dampingRatio ?? 1),
  };
}

function limitFields(field: string, limit: JointChange["limit"]): Fields {
  if (limit === undefined) return {};
  object(field, limit, ["axis", "lower", "upper", "softness"]);
  const { lower = -Infinity, upper = Infinity, softness } = limit;
  return {
    axis: kEnums.JointAxis.indexOf(oneOf(`${field}.axis`, limit.axis, kEnums.JointAxis)),
    lower: bound(`${field}.lower`, lower),
    upper: bound(`${field}.upper`, upper),
    ...softnessFields("limit", `${field}.softness`, softness),
  };
}

function changeFields(change: JointChange): Fields {
  const call = "change(): change";
  object(call, change, Object.keys(kChangeBits));
  const given = (Object.keys(kChangeBits) as ChangeName[]).filter((name) => change[name] !== undefined);
  const number = (name: "maxForce" | "maxTorque" | "breakForce" | "breakTorque"): number | undefined =>
    change[name] === undefined ? undefined : boundFromZero(`${call}.${name}`, change[name]);
  const { collideConnected, locked, ratio, length, direct, limit } = change;
  return {
    fields: given.reduce((bits, name) => bits | kChangeBits[name], 0),
    collide_connected:
      collideConnected === undefined
        ? undefined
        : Number(boolean(`${call}.collideConnected`, collideConnected)),
    locked: locked === undefined ? undefined : lockedBits(`${call}.locked`, locked),
    ...frameFields("a", `${call}.frameA`, change.frameA),
    ...frameFields("b", `${call}.frameB`, change.frameB),
    ...softnessFields("linear", `${call}.linear`, change.linear),
    ...softnessFields("angular", `${call}.angular`, change.angular),
    max_force: number("maxForce"),
    max_torque: number("maxTorque"),
    break_force: number("breakForce"),
    break_torque: number("breakTorque"),
    ratio: ratio === undefined ? undefined : finite(`${call}.ratio`, ratio),
    length: length === undefined ? undefined : finite(`${call}.length`, length),
    direct: direct === undefined ? undefined : Number(boolean(`${call}.direct`, direct)),
    ...limitFields(`${call}.limit`, limit),
  };
}

export class Joint {
  readonly world: World;
  readonly id: bigint;

  constructor(world: World, id: bigint) {
    this.world = world;
    this.id = unsigned64("Joint(): id", id);
  }

  /** The present coordinate (m or rad) and its rate (m/s or rad/s). */
  state(axis: JointAxis): Promise<{ coordinate: number; rate: number }> {
    return this.world.ask(
      "JointState",
      () => this.on("state()", axis),
      ({ value, rate }) => ({ coordinate: value, rate }),
    );
  }

  /** Keeps a speed (m/s or rad/s) with at most `max` N or N m; 0 ends the motor. */
  setMotor(axis: JointAxis, speed: number, max: number): Promise<void> {
    return this.world.edit("JointMotor", () => ({
      ...this.on("setMotor()", axis),
      speed: finite("setMotor(): speed", speed),
      max: boundFromZero("setMotor(): max", max),
    }));
  }

  /** A spring to a target, m or rad: Hz, damping ratio, maximum N or N m. A null target ends the drive. */
  setDrive(
    axis: JointAxis,
    target: number | null,
    options: { readonly frequency?: number; readonly dampingRatio?: number; readonly max?: number } = {},
  ): Promise<void> {
    return this.world.edit("JointDrive", () => {
      object("setDrive(): options", options, ["frequency", "dampingRatio", "max"]);
      const { frequency = 2, dampingRatio = 1, max = Infinity } = options;
      return {
        ...this.on("setDrive()", axis),
        on: Number(target !== null),
        target: finite("setDrive(): target", target ?? 0),
        frequency: finite("setDrive(): options.frequency", frequency),
        damping_ratio: finite("setDrive(): options.dampingRatio", dampingRatio),
        max: boundFromZero("setDrive(): options.max", max),
      };
    });
  }

  /** Bounds of a coordinate, m or rad. */
  setLimit(axis: JointAxis, lower = -Infinity, upper = Infinity): Promise<void> {
    return this.world.edit("JointLimit", () => ({
      ...this.on("setLimit()", axis),
      lower: bound("setLimit(): lower", lower),
      upper: bound("setLimit(): upper", upper),
    }));
  }

  /** N or N m. */
  setFriction(axis: JointAxis, friction: number): Promise<void> {
    return this.world.edit("JointFriction", () => ({
      ...this.on("setFriction()", axis),
      friction: finite("setFriction(): friction", friction),
    }));
  }

  /** Changes other values of the joint from the next step on. */
  change(change: JointChange): Promise<void> {
    return this.world.edit("ChangeJoint", () => ({ joint: this.id, ...changeFields(change) }));
  }

  /** Enables (and repairs) or disables the joint. */
  enable(enabled = true): Promise<void> {
    return this.world.edit("JointEnable", () => ({
      joint: this.id,
      enabled: Number(boolean("enable(): enabled", enabled)),
    }));
  }

  destroy(): Promise<void> {
    return this.world.edit("DestroyJoint", () => ({ joint: this.id }));
  }

  private on(call: string, axis: unknown): { joint: bigint; axis: number } {
    return { joint: this.id, axis: kEnums.JointAxis.indexOf(oneOf(`${call}: axis`, axis, kEnums.JointAxis)) };
  }
}
