// What a caller hands to Client.changeJoint(), and how it becomes a command of the wire. Numbers travel as they are, binary64.
import { TaktError } from "./error.js";
import type { QuatLike, Vec3Like } from "./command.js";
import type { ChangeJoint, JointAxis, LocalFrame, Quadruple, Softness, Triple } from "./message.js";

/**
 * How stiff: exactly; a spring of natural frequency hertz and damping ratio (1 = critical); of stiffness (N/m or N m/rad) and damping (N s/m or N m s/rad);
 * or the shares and softness of one substep, as solvers have them.
 */
export type SoftnessLike =
  | "rigid"
  | { hertz: number; dampingRatio: number }
  | { stiffness: number; damping: number }
  | { erp: number; cfm: number }
  | { beta: number; gamma: number };

/** A place and its axes on a body, m, body frame. */
export interface LocalFrameLike {
  position: Vec3Like;
  rotation?: QuatLike;
}

/** What of a joint changes; the rest stays as it is. Forces in N, torques in N m, Infinity for no bound. */
export interface JointChange {
  /** true: a torn one acts again too */
  enabled?: boolean;
  /** whether the two bodies' shapes touch */
  collideConnected?: boolean;
  /** whether it takes part in the direct solve of its tree */
  direct?: boolean;
  /** all that are locked from now on, of the first six */
  locked?: readonly JointAxis[];
  frameA?: LocalFrameLike;
  frameB?: LocalFrameLike;
  /** of the locked linear and angular coordinates */
  linear?: SoftnessLike;
  angular?: SoftnessLike;
  maxForce?: number;
  maxTorque?: number;
  /** a larger one breaks the joint */
  breakForce?: number;
  breakTorque?: number;
  /** of gears and pulleys */
  ratio?: number;
  /** m, of pulleys */
  length?: number;
  /** which coordinate the rest is about; "angular_x" when absent: a hinge's */
  axis?: JointAxis;
  /** m or rad; null: none from now on */
  limit?: { lower?: number; upper?: number; softness?: SoftnessLike } | null;
  /** a spring towards `target`; null: none from now on */
  hold?: { target: number; softness?: SoftnessLike; most?: number } | null;
  /** towards a speed, m/s or rad/s, with at most `most`; 0 = none */
  motor?: { speed: number; most: number };
  friction?: number;
}

const kRigid: Softness = { form: "rigid", first: 0, second: 0 };

function softnessOf(s: SoftnessLike | undefined): Softness {
  if (s === undefined || s === "rigid") return kRigid;
  if ("hertz" in s) return { form: "frequency", first: s.hertz, second: s.dampingRatio };
  if ("stiffness" in s) return { form: "spring", first: s.stiffness, second: s.damping };
  if ("erp" in s) return { form: "erp_cfm", first: s.erp, second: s.cfm };
  return { form: "beta_gamma", first: s.beta, second: s.gamma };
}

function placeOf({ position: p, rotation: q = [0, 0, 0, 1] }: LocalFrameLike): LocalFrame {
  const position: Triple = "x" in p ? [p.x, p.y, p.z] : [p[0]!, p[1]!, p[2]!];
  const rotation: Quadruple = "x" in q ? [q.x, q.y, q.z, q.w] : [q[0]!, q[1]!, q[2]!, q[3]!];
  return { position, rotation };
}

const kLockable: readonly JointAxis[] = ["linear_x", "linear_y", "linear_z", "angular_x", "angular_y", "angular_z"];

function locksOf(axes: readonly JointAxis[]): number {
  let locked = 0;
  for (const axis of axes) {
    const bit = kLockable.indexOf(axis);
    if (bit < 0) throw new TaktError("out-of-range", `ChangeJoint: ${axis} cannot be locked; hold or limit it`);
    locked |= 1 << bit;
  }
  return locked;
}

/** Not yet checked. */
export function jointChangeCommand(joint: bigint, change: JointChange): ChangeJoint {
  const { locked, frameA, frameB, linear, angular, axis, limit, hold, motor, ...plain } = change;
  const command: ChangeJoint = { type: "ChangeJoint", joint, axis: axis ?? "angular_x", ...plain };
  if (locked !== undefined) command.locked = locksOf(locked);
  if (frameA !== undefined) command.frameA = placeOf(frameA);
  if (frameB !== undefined) command.frameB = placeOf(frameB);
  if (linear !== undefined) command.linear = softnessOf(linear);
  if (angular !== undefined) command.angular = softnessOf(angular);
  if (limit !== undefined) {
    command.limit = { lower: limit?.lower ?? -Infinity, upper: limit?.upper ?? Infinity, softness: softnessOf(limit?.softness) };
  }
  if (hold !== undefined) {
    command.hold = { on: hold !== null, target: hold?.target ?? 0, softness: softnessOf(hold?.softness), most: hold?.most ?? Infinity };
  }
  if (motor !== undefined) command.motor = { speed: motor.speed, most: motor.most };
  return command;
}
