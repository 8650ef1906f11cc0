// Body and Joint are things of a world, by their ids. They have no state of their own.
import {
  bound,
  boundFromZero,
  boolean,
  finite,
  integer,
  object,
  oneOf,
  outOfRange,
  unitQuaternion,
  unsigned64,
  vector3,
} from "../argument.js";
import type { Triple } from "../message.js";
import { kEnums } from "../schema.js";
import { kUnitTolerance } from "./queries.js";
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

  /** Destroys the body and its joints. */
  destroy(): Promise<void> {
    return this.world.edit("Despawn", () => ({ body: this.id }));
  }
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
