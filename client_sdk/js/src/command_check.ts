// Checks of the numbers of a command, shape or query: finite, and within bounds far outside any sensible
// world. Both ends of a session apply the same rules (protocol/messages/command.cpp). Rights of players are
// the server's policy.
import { described, invalid } from "./argument.js";
import { kCustomBytesMax, kQueryIgnoredMax, kQueryLengthMax } from "./limits.js";
import type {
  ChangeJoint,
  LocalFrame,
  Quadruple,
  Query,
  Shape,
  Softness,
  Triple,
  WireCommand,
} from "./message.js";

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

/** Result of a check. */
export type Finding = "ok" | "not-finite" | "out-of-range";

/** A finding, and the field that caused it; empty for "ok". */
export interface Fault {
  finding: Finding;
  field: string;
}

/** Collects findings over several fields. not-finite outranks out-of-range, because it names the cause. */
class Check {
  private notFinite: string | undefined;
  private outOfRange: string | undefined;

  get fault(): Fault {
    if (this.notFinite !== undefined) return { finding: "not-finite", field: this.notFinite };
    if (this.outOfRange !== undefined) return { finding: "out-of-range", field: this.outOfRange };
    return { finding: "ok", field: "" };
  }
  require(field: string, isInRange: boolean): this {
    if (!isInRange) this.outOfRange ??= field;
    return this;
  }
  number(field: string, value: number): this {
    if (typeof value !== "number") invalid(field, "a number", value);
    if (!Number.isFinite(value)) this.notFinite ??= field;
    return this;
  }
  between(field: string, value: number, min: number, max: number): this {
    return this.number(field, value).require(field, value >= min && value <= max);
  }
  positive(field: string, value: number, max: number): this {
    return this.between(field, value, 0, max).require(field, value !== 0);
  }
  /** Infinity means that there is no bound. */
  bound(field: string, value: number): this {
    if (typeof value !== "number") invalid(field, "a number or Infinity", value);
    if (Number.isNaN(value)) this.notFinite ??= field;
    return this;
  }
  boundFromZero(field: string, value: number): this {
    return this.bound(field, value).require(field, value >= 0);
  }
  vector(field: string, v: Triple): this {
    for (const component of numbersOf(field, v, 3)) {
      this.between(field, component, -kVectorComponentMax, kVectorComponentMax);
    }
    return this;
  }
  rotation(field: string, q: Quadruple): this {
    for (const component of numbersOf(field, q, 4)) this.number(field, component);
    return this.unit(field, q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  }
  direction(field: string, v: Triple): this {
    return this.vector(field, v).unit(field, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
  /** The id of a body, rope or joint; a generation of 0 is null. */
  id(field: string, id: bigint): this {
    if (typeof id !== "bigint") invalid(field, "a bigint", id);
    return this.require(field, id >> 32n !== 0n);
  }
  softness(field: string, s: Softness): this {
    const { first, second } = recordOf(field, s);
    this.number(`${field}.first`, first).number(`${field}.second`, second);
    return this.require(`${field}.first`, first >= 0).require(`${field}.second`, second >= 0);
  }
  frame(field: string, f: LocalFrame): this {
    const { position, rotation } = recordOf(field, f);
    for (const component of numbersOf(`${field}.position`, position, 3)) {
      this.number(`${field}.position`, component);
    }
    return this.rotation(`${field}.rotation`, rotation);
  }
  shape(field: string, shape: Shape): this {
    const { dimensions, localPosition, localRotation, rounding, kind } = recordOf(field, shape);
    const size = `${field}.dimensions`;
    this.vector(size, dimensions).vector(`${field}.localPosition`, localPosition);
    this.rotation(`${field}.localRotation`, localRotation).between(
      `${field}.rounding`,
      rounding,
      0,
      kDimensionMax,
    );
    const [x, y, z] = dimensions;
    switch (kind) {
      case "sphere":
        return this.positive(size, x, kDimensionMax);
      case "capsule":
        return this.positive(size, x, kDimensionMax).between(size, y, 0, kDimensionMax);
      case "cylinder":
      case "cone":
        return this.positive(size, x, kDimensionMax).positive(size, y, kDimensionMax);
      case "hull":
      case "box":
        return this.positive(size, x, kDimensionMax)
          .positive(size, y, kDimensionMax)
          .positive(size, z, kDimensionMax);
      case "mesh":
      case "height_field":
        return this.between(size, x, 0, kDimensionMax)
          .between(size, y, 0, kDimensionMax)
          .between(size, z, 0, kDimensionMax);
      case "half_space":
        return this.direction(size, dimensions);
      default:
        return invalid(`${field}.kind`, "a kind of shape", kind);
    }
  }
  private unit(field: string, squared: number): this {
    return this.require(field, Math.abs(squared - 1) <= kQuaternionNormTolerance);
  }
}

function numbersOf(field: string, value: readonly number[], count: number): readonly number[] {
  const isRight = Array.isArray(value) && value.length === count;
  return isRight ? (value as readonly number[]) : invalid(field, `an array of ${count} numbers`, value);
}

function recordOf<Value extends object>(field: string, value: Value): Value {
  return typeof value === "object" && (value as unknown) !== null
    ? value
    : invalid(field, "an object", value);
}

/** The finding of a shape. Throws invalid-argument for an object that is no Shape. */
export function checkShape(shape: Shape): Finding {
  return new Check().shape("shape", shape).fault.finding;
}

/** The fault of a query. */
export function checkQuery(q: Query): Fault {
  const check = new Check();
  const hasTranslation = q.kind === "ray" || q.kind === "shape_cast";
  const hasShape = q.kind === "shape_cast" || q.kind === "overlap";
  check.require("kind", q.kind !== "none").require("mode", q.mode !== "none");
  check.require("ignore", q.ignore.length <= kQueryIgnoredMax);
  if (hasTranslation) {
    for (const component of q.translation) {
      check.between("translation", component, -kQueryLengthMax, kQueryLengthMax);
    }
    check.require("translation", Math.hypot(...q.translation) <= kQueryLengthMax);
  }
  if (q.kind === "closest_point") check.between("maxDistance", q.maxDistance, 0, kQueryLengthMax);
  if (hasShape) {
    if (q.shape === null) return check.require("shape", false).fault;
    const { kind } = q.shape;
    check.shape("shape", q.shape).rotation("rotation", q.rotation);
    const hasEnd =
      kind === "sphere" || kind === "capsule" || kind === "box" || kind === "cylinder" || kind === "cone";
    check.require("shape.kind", hasEnd);
  }
  return check.fault;
}

/** The fault of a command. Throws invalid-argument for an object that is no WireCommand. */
export function faultOf(command: WireCommand): Fault {
  const c = recordOf("command", command);
  const check = new Check();
  switch (c.type) {
    case "Impulse":
      check.id("body", c.body).vector("impulse", c.impulse);
      return (c.pointLocal === null ? check : check.vector("pointLocal", c.pointLocal)).fault;
    case "Force":
      return check
        .id("body", c.body)
        .vector("force", c.force)
        .vector("torque", c.torque)
        .require("ticks", Number.isInteger(c.ticks) && c.ticks >= 1 && c.ticks <= kForceTicksMax).fault;
    case "Spawn":
      return check
        .shape("shape", c.shape)
        .require("shape.kind", c.shape.kind !== "half_space") // no bounds, so no mass
        .require(
          "shape.kind",
          c.shape.kind !== "hull" && c.shape.kind !== "mesh" && c.shape.kind !== "height_field",
        )
        .rotation("rotation", c.rotation)
        .vector("linearVelocity", c.linearVelocity)
        .vector("angularVelocity", c.angularVelocity)
        .positive("density", c.density, kDensityMax)
        .between("friction", c.friction, 0, kVectorComponentMax)
        .between("restitution", c.restitution, 0, 1).fault;
    case "Despawn":
      return check.id("body", c.body).fault;
    case "Grab":
      return check
        .id("body", c.body)
        .vector("pointLocal", c.pointLocal)
        .between("maxForce", c.maxForce, 0, kVectorComponentMax).fault;
    case "MoveGrab":
    case "Release":
      return check.fault;
    case "Teleport":
      return check
        .id("body", c.body)
        .rotation("rotation", c.rotation)
        .vector("linearVelocity", c.linearVelocity)
        .vector("angularVelocity", c.angularVelocity).fault;
    case "Custom":
      if (!(c.bytes instanceof Uint8Array)) invalid("bytes", "a Uint8Array", c.bytes);
      return check.require("bytes", c.bytes.length <= kCustomBytesMax).fault;
    case "Move":
      return check
        .id("body", c.body)
        .vector("velocity", c.velocity)
        .between("turn", c.turn, -kVectorComponentMax, kVectorComponentMax).fault;
    case "Cut":
      return check.id("rope", c.rope).fault;
    case "ChangeJoint":
      return faultOfJointChange(check, c);
    case "DestroyJoint":
      return check.id("joint", c.joint).fault;
    default:
      return invalid("command.type", "a type of command", described((c as { type?: unknown }).type));
  }
}

/** The finding of a command. Throws invalid-argument for an object that is no WireCommand. */
export function checkCommand(command: WireCommand): Finding {
  return faultOf(command).finding;
}

function faultOfJointChange(check: Check, c: ChangeJoint): Fault {
  check.id("joint", c.joint);
  if (c.locked !== undefined) {
    check.require("locked", Number.isInteger(c.locked) && c.locked >= 0 && c.locked <= kJointLockedMax);
  }
  for (const name of ["frameA", "frameB"] as const) if (c[name] !== undefined) check.frame(name, c[name]);
  for (const name of ["linear", "angular"] as const) if (c[name] !== undefined) check.softness(name, c[name]);
  for (const name of ["maxForce", "maxTorque", "breakForce", "breakTorque", "friction"] as const) {
    if (c[name] !== undefined) check.boundFromZero(name, c[name]);
  }
  for (const name of ["ratio", "length"] as const) if (c[name] !== undefined) check.number(name, c[name]);
  if (c.limit !== undefined) {
    check.bound("limit.lower", c.limit.lower).bound("limit.upper", c.limit.upper);
    check.softness("limit.softness", c.limit.softness);
  }
  if (c.hold !== undefined) {
    check.number("hold.target", c.hold.target).boundFromZero("hold.most", c.hold.most);
    check.softness("hold.softness", c.hold.softness);
  }
  if (c.motor !== undefined) {
    check.number("motor.speed", c.motor.speed).boundFromZero("motor.most", c.motor.most);
  }
  return check.fault;
}
