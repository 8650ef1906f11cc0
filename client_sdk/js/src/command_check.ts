// Whether the numbers of a command or shape may be sent: finite, and within bounds far outside any sensible world. The same rules as
// protocol/messages/command.cpp, on both ends. Whether a player may do it is the server's policy.
import { kCustomBytesMax, kQueryIgnoredMax, kQueryLengthMax } from "./limits.js";
import type { ChangeJoint, LocalFrame, Quadruple, Query, Shape, Softness, Triple, WireCommand } from "./message.js";

export const kVectorComponentMax = 1e9;
export const kDimensionMax = 1e6;
export const kDensityMax = 1e9;
export const kQuaternionNormTolerance = Math.fround(1e-3);
export const kForceTicksMax = 3600;
export const kJointLockedMax = 63;

export type Finding = "ok" | "not-finite" | "out-of-range";

/** Gathers the worst finding over several fields; not-finite outranks out-of-range because it is the more telling one. */
class Check {
  private notFinite = false;
  private outOfRange = false;

  get finding(): Finding {
    return this.notFinite ? "not-finite" : this.outOfRange ? "out-of-range" : "ok";
  }
  between(value: number, low: number, high: number): this {
    if (!Number.isFinite(value)) this.notFinite = true;
    return this.require(value >= low && value <= high);
  }
  positive(value: number, high: number): this {
    return this.between(value, 0, high).require(value !== 0);
  }
  vector(v: Triple): this {
    for (const component of v) this.between(component, -kVectorComponentMax, kVectorComponentMax);
    return this;
  }
  rotation(q: Quadruple): this {
    for (const component of q) if (!Number.isFinite(component)) this.notFinite = true;
    return this.unit(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  }
  direction(v: Triple): this {
    return this.vector(v).unit(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
  body(id: bigint): this {
    return this.require(id >> 32n !== 0n);
  }
  require(holds: boolean): this {
    if (!holds) this.outOfRange = true;
    return this;
  }
  number(value: number): this {
    if (!Number.isFinite(value)) this.notFinite = true;
    return this;
  }
  /** Infinity says that there is no bound. */
  bound(value: number): this {
    if (Number.isNaN(value)) this.notFinite = true;
    return this;
  }
  most(value: number): this {
    return this.bound(value).require(value >= 0);
  }
  softness(s: Softness): this {
    return this.number(s.first).number(s.second).require(s.first >= 0 && s.second >= 0);
  }
  frame(p: LocalFrame): this {
    for (const component of p.position) this.number(component);
    return this.rotation(p.rotation);
  }
  shape(shape: Shape): this {
    this.vector(shape.dimensions).vector(shape.localPosition).rotation(shape.localRotation).between(shape.rounding, 0, kDimensionMax);
    const [x, y, z] = shape.dimensions;
    switch (shape.kind) {
      case "sphere":
        return this.positive(x, kDimensionMax);
      case "capsule":
        return this.positive(x, kDimensionMax).between(y, 0, kDimensionMax);
      case "cylinder":
      case "cone":
        return this.positive(x, kDimensionMax).positive(y, kDimensionMax);
      case "hull":
      case "box":
        return this.positive(x, kDimensionMax).positive(y, kDimensionMax).positive(z, kDimensionMax);
      case "mesh":
      case "height_field":
        return this.between(x, 0, kDimensionMax).between(y, 0, kDimensionMax).between(z, 0, kDimensionMax);
      case "half_space":
        return this.direction(shape.dimensions);
    }
  }
  private unit(norm2: number): this {
    return this.require(Math.abs(norm2 - 1) <= kQuaternionNormTolerance);
  }
}

export function checkShape(shape: Shape): Finding {
  return new Check().shape(shape).finding;
}

export function checkQuery(q: Query): Finding {
  const check = new Check();
  const hasTranslation = q.kind === "ray" || q.kind === "shape_cast";
  const hasShape = q.kind === "shape_cast" || q.kind === "overlap";
  check.require(q.kind !== "none" && q.mode !== "none" && q.ignore.length <= kQueryIgnoredMax);
  if (hasTranslation) {
    for (const component of q.translation) check.between(component, -kQueryLengthMax, kQueryLengthMax);
    check.require(Math.hypot(...q.translation) <= kQueryLengthMax);
  }
  if (q.kind === "closest_point") check.between(q.maxDistance, 0, kQueryLengthMax);
  if (hasShape) {
    if (q.shape === null) return "out-of-range";
    const { kind } = q.shape;
    check.shape(q.shape).rotation(q.rotation);
    check.require(kind === "sphere" || kind === "capsule" || kind === "box" || kind === "cylinder" || kind === "cone");
  }
  return check.finding;
}

export function checkCommand(c: WireCommand): Finding {
  const check = new Check();
  switch (c.type) {
    case "Impulse":
      check.body(c.body).vector(c.impulse);
      return (c.pointLocal === null ? check : check.vector(c.pointLocal)).finding;
    case "Force":
      return check
        .body(c.body)
        .vector(c.force)
        .vector(c.torque)
        .require(Number.isInteger(c.ticks) && c.ticks >= 1 && c.ticks <= kForceTicksMax).finding;
    case "Spawn":
      return check
        .shape(c.shape)
        .require(c.shape.kind !== "half_space") // endless: it has no mass to spawn with
        .require(c.shape.kind !== "hull" && c.shape.kind !== "mesh" && c.shape.kind !== "height_field") // a command has no place for corners
        .rotation(c.rotation)
        .vector(c.linearVelocity)
        .vector(c.angularVelocity)
        .positive(c.density, kDensityMax)
        .between(c.friction, 0, kVectorComponentMax)
        .between(c.restitution, 0, 1).finding;
    case "Despawn":
      return check.body(c.body).finding;
    case "Grab":
      return check.body(c.body).vector(c.pointLocal).between(c.maxForce, 0, kVectorComponentMax).finding;
    case "MoveGrab":
    case "Release":
      return "ok";
    case "Teleport":
      return check.body(c.body).rotation(c.rotation).vector(c.linearVelocity).vector(c.angularVelocity).finding;
    case "Custom":
      return check.require(c.bytes.length <= kCustomBytesMax).finding;
    case "Move":
      return check.body(c.body).vector(c.velocity).between(c.turn, -kVectorComponentMax, kVectorComponentMax).finding;
    case "Cut":
      return check.body(c.rope).finding;
    case "ChangeJoint":
      return checkJointChange(check, c);
    case "DestroyJoint":
      return check.body(c.joint).finding;
  }
}

function checkJointChange(check: Check, c: ChangeJoint): Finding {
  check.body(c.joint);
  if (c.locked !== undefined) check.require(Number.isInteger(c.locked) && c.locked >= 0 && c.locked <= kJointLockedMax);
  for (const frame of [c.frameA, c.frameB]) if (frame !== undefined) check.frame(frame);
  for (const softness of [c.linear, c.angular]) if (softness !== undefined) check.softness(softness);
  for (const most of [c.maxForce, c.maxTorque, c.breakForce, c.breakTorque, c.friction]) if (most !== undefined) check.most(most);
  for (const number of [c.ratio, c.length]) if (number !== undefined) check.number(number);
  if (c.limit !== undefined) check.bound(c.limit.lower).bound(c.limit.upper).softness(c.limit.softness);
  if (c.hold !== undefined) check.number(c.hold.target).most(c.hold.most).softness(c.hold.softness);
  if (c.motor !== undefined) check.number(c.motor.speed).most(c.motor.most);
  return check.finding;
}
