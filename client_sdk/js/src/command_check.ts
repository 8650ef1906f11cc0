// Checks of the numbers of a command, shape or query: finite, and within bounds far outside any sensible
// world. Both ends of a session apply the same rules (protocol/messages/command.cpp). Rights of players are
// the server's policy.
import { described, invalid } from "./argument.js";
import type { CommandField, WireCommand } from "./command_fields.js";
import {
  isAbsent,
  kCommandMembers,
  kDimensionMax,
  kFieldsOfCommand,
  kQuaternionNormTolerance,
  kVectorComponentMax,
} from "./command_fields.js";
import { kQueryIgnoredMax, kQueryLengthMax } from "./limits.js";
import type { Quadruple, Query, Shape, Triple } from "./message.js";

/** Kinds of shapes with an inside that need no geometry: a command spawns them, a query casts them. */
export const kSpawnKinds = ["sphere", "capsule", "box", "cylinder", "cone"] as const;

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
  /** A shape of one of kSpawnKinds. */
  solid(field: string, shape: Shape): this {
    this.shape(field, shape);
    return this.require(`${field}.kind`, (kSpawnKinds as readonly string[]).includes(shape.kind));
  }
  /** A field of a command by its definition. The writer checks the types of the fields without a case. */
  field(name: string, value: unknown, definition: CommandField): void {
    const { members, min = -Infinity, max = Infinity, above } = definition;
    if (members !== undefined) {
      const record = recordOf(name, value as Readonly<Record<string, unknown>>);
      for (const [member, inner] of Object.entries(members)) {
        this.field(`${name}.${member}`, record[member], inner);
      }
      return;
    }
    switch (definition.type) {
      case "ulong":
        this.id(name, value as bigint);
        break;
      case "uint":
      case "ubyte":
        if (max < Infinity) {
          this.require(name, Number.isInteger(value) && (value as number) >= min && (value as number) <= max);
        }
        break;
      case "float":
      case "double": {
        const number = value as number;
        if (definition.canBeInfinite === undefined) this.number(name, number);
        else this.bound(name, number);
        this.require(name, number >= min && number <= max && (above === undefined || number > above));
        break;
      }
      case "Vec3f":
        this.vector(name, value as Triple);
        break;
      case "Vec3d":
        for (const component of numbersOf(name, value as Triple, 3)) this.number(name, component);
        break;
      case "Quatf":
      case "Quatd":
        this.rotation(name, value as Quadruple);
        break;
      case "ShapeInfo":
        this.solid(name, value as Shape);
        break;
      case "[ubyte]":
        if (!(value instanceof Uint8Array)) invalid(name, "a Uint8Array", value);
        this.require(name, value.length <= max);
        break;
      default:
        break;
    }
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
  /** Infinity means that there is no bound. */
  private bound(field: string, value: number): void {
    if (typeof value !== "number") invalid(field, "a number or Infinity", value);
    if (Number.isNaN(value)) this.notFinite ??= field;
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
    check.solid("shape", q.shape).rotation("rotation", q.rotation);
  }
  return check.fault;
}

/** The fault of a command. Throws invalid-argument for an object that is no WireCommand. */
export function faultOf(command: WireCommand): Fault {
  const { type } = recordOf("command", command);
  if (!kCommandMembers.includes(type)) invalid("command.type", "a type of command", described(type));
  const values = command as Readonly<Record<string, unknown>>;
  const check = new Check();
  for (const field of kFieldsOfCommand[type]) {
    const value = values[field.name];
    if (!isAbsent(field, value)) check.field(field.name, value, field);
  }
  return check.fault;
}

/** The finding of a command. Throws invalid-argument for an object that is no WireCommand. */
export function checkCommand(command: WireCommand): Finding {
  return faultOf(command).finding;
}
