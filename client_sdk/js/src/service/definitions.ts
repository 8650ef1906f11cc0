// Fields of requests that change what scenes define: bodies, shapes, movers, joints and ropes. Each
// function checks the argument of a call and returns the fields of its table in schemas/service.fbs.
import {
  between,
  bound,
  boundFromZero,
  boolean,
  finite,
  integer,
  list,
  object,
  oneOf,
  outOfRange,
  unsigned64,
  vector3,
} from "../argument.js";
import { kEnums } from "../schema.js";
import type { Body, Joint, JointAxis, JointFrame, JointSoftness, Vector3 } from "./body.js";
import { frameFields, kPositionMax, kVectorMax, lockedBits, softnessFields } from "./body.js";
import type { Fields } from "./request.js";

const kUnsigned32Max = 0xffffffff;
const kBodyTypes = ["static", "kinematic", "dynamic"] as const;
const kJointKinds = [
  "generic",
  "point",
  "revolute",
  "prismatic",
  "weld",
  "distance",
  "angle",
  "wheel",
  "parallel",
  "motor",
  "target",
  "pulley",
  "gear",
] as const;
/** Bits of the axes that each kind locks, in the order of kJointKinds: takt_joint_defaults. */
const kLockedBits = [0, 7, 55, 62, 63, 0, 56, 30, 48, 63, 7, 0, 0] as const;

/** Values for Body.change(); a field that is left out keeps its value. */
export interface BodyChange {
  readonly type?: (typeof kBodyTypes)[number];
  /** false: the body takes no part. */
  readonly enabled?: boolean;
  /** World axes along and about which the body does not move, of "linear_x" to "angular_z". */
  readonly locked?: readonly JointAxis[];
  /** Within +-1000. */
  readonly gravityScale?: number;
  /** 1/s, 0 to 1000, linear and angular. */
  readonly damping?: readonly [number, number];
  /** The body's user tag. */
  readonly tag?: bigint;
}

/** Two shapes collide when each one's mask has a bit of the other's category. */
export interface Filter {
  /** Bits, default 1. */
  readonly category?: number;
  /** Bits, default all. */
  readonly mask?: number;
  /** Shapes of one group always collide if it is above 0, never if it is below; default 0 = none. */
  readonly group?: number;
}

/** Values for Shape.change(); a field that is left out keeps its value. */
export interface ShapeChange {
  readonly filter?: Filter;
  /** 0 to 100. */
  readonly friction?: number;
  /** 0 to 1. */
  readonly restitution?: number;
  /** m/s in the shape's frame, as of a conveyor belt, each within +-1000. */
  readonly surfaceVelocity?: Vector3;
}

/**
 * Values for Body.tune() and World.createMover(); a field that is left out keeps its value, or has its
 * default. docs/MOVER.md has their meaning and ranges.
 */
export interface MoverTuning {
  /** rad. */
  readonly maxSlope?: number;
  /** m. */
  readonly stepHeight?: number;
  /** m. */
  readonly stickDistance?: number;
  /** m. */
  readonly skin?: number;
  /** m/s. */
  readonly maxSpeed?: number;
  /** m/s^2. */
  readonly acceleration?: number;
  /** m/s^2. */
  readonly airAcceleration?: number;
  /** m/s. */
  readonly jumpSpeed?: number;
  /** m/s. */
  readonly maxFallSpeed?: number;
  readonly gravityScale?: number;
  /** N. */
  readonly pushForce?: number;
  /** kg. */
  readonly mass?: number;
  /** m/s. */
  readonly recoverySpeed?: number;
}
const kTuningNames = [
  "maxSlope",
  "stepHeight",
  "stickDistance",
  "skin",
  "maxSpeed",
  "acceleration",
  "airAcceleration",
  "jumpSpeed",
  "maxFallSpeed",
  "gravityScale",
  "pushForce",
  "mass",
  "recoverySpeed",
] as const;

/** A mover for World.createMover(): a character, an upright capsule on a kinematic body of its own. */
export interface NewMover {
  /** m, world: of the capsule's centre. */
  readonly position: Vector3;
  /** rad about +y, default 0: looks along +z. */
  readonly heading?: number;
  /** m, 0.005 to 100, default 0.4. */
  readonly radius?: number;
  /** m, 0.005 to 100, of the axis without the caps, default 0.5. */
  readonly halfLength?: number;
  /** 0 to 100, of the capsule, default 0.6. */
  readonly friction?: number;
  /** 0 to 1, of the capsule, default 0. */
  readonly restitution?: number;
  /** Default meets all shapes. */
  readonly filter?: Filter;
  readonly tag?: bigint;
  readonly tuning?: MoverTuning;
}
const kNewMoverNames = [
  "position",
  "heading",
  "radius",
  "halfLength",
  "friction",
  "restitution",
  "filter",
  "tag",
  "tuning",
];

/** A joint for World.createJoint(). Motors, drives, limits and friction come from calls of the joint. */
export interface NewJoint {
  readonly kind: (typeof kJointKinds)[number];
  /** One of the two is dynamic. */
  readonly a: Body;
  readonly b: Body;
  readonly frameA?: JointFrame;
  readonly frameB?: JointFrame;
  /** Default those of the kind. */
  readonly locked?: readonly JointAxis[];
  /** Default only of gears and pulleys. */
  readonly collideConnected?: boolean;
  readonly enabled?: boolean;
  /** Default true: solved directly with its joint tree. */
  readonly direct?: boolean;
  /** Softness of the locked linear axes, of a distance, a suspension or a pulley; default rigid. */
  readonly linear?: JointSoftness;
  readonly angular?: JointSoftness;
  /** N, default Infinity. */
  readonly maxForce?: number;
  readonly maxTorque?: number;
  readonly breakForce?: number;
  readonly breakTorque?: number;
  /** m, of a distance or pulley. */
  readonly length?: number;
  /** A gear couples coordinates of two joints. */
  readonly joint1?: Joint;
  readonly joint2?: Joint;
  readonly axis1?: JointAxis;
  readonly axis2?: JointAxis;
  /** Default 1; gears and pulleys have it. */
  readonly ratio?: number;
  /** m, world, of a pulley. */
  readonly groundA?: Vector3;
  readonly groundB?: Vector3;
  readonly tag?: bigint;
}
const kNewJointNames = [
  "kind",
  "a",
  "b",
  "frameA",
  "frameB",
  "locked",
  "collideConnected",
  "enabled",
  "direct",
  "linear",
  "angular",
  "maxForce",
  "maxTorque",
  "breakForce",
  "breakTorque",
  "length",
  "joint1",
  "joint2",
  "axis1",
  "axis2",
  "ratio",
  "groundA",
  "groundB",
  "tag",
];

/** A rope for World.createRope(): nodes on a line from start to end, or at points. */
export interface NewRope {
  /** m, world. */
  readonly start?: Vector3;
  readonly end?: Vector3;
  /** 2 to 4096, default 16. */
  readonly nodes?: number;
  /** m, world: a node each, in place of start, end and nodes. */
  readonly points?: readonly Vector3[];
  /** m at rest; default the mean distance of the nodes. */
  readonly segmentLength?: number;
  /** m, default 0.02. */
  readonly radius?: number;
  /** kg of the rope, default 1. */
  readonly mass?: number;
  /** kg/m in place of the mass. */
  readonly linearDensity?: number;
  /** Default false: inextensible. */
  readonly compliant?: boolean;
  /** 1 to 64, default 4. */
  readonly passes?: number;
  /** Above 0, at most 1, default 1. */
  readonly stiffness?: number;
  /** m/N, 0 to 1, default 1e-6. */
  readonly compliance?: number;
  /** N s/m. */
  readonly damping?: number;
  /** 1/s, default 0.2. */
  readonly drag?: number;
  readonly gravityScale?: number;
  /** Default 0.6. */
  readonly friction?: number;
  readonly collides?: boolean;
  readonly collidesWithPinned?: boolean;
  readonly canSleep?: boolean;
  readonly filter?: Filter;
  readonly tag?: bigint;
}
const kNewRopeNames = [
  "start",
  "end",
  "nodes",
  "points",
  "segmentLength",
  "radius",
  "mass",
  "linearDensity",
  "compliant",
  "passes",
  "stiffness",
  "compliance",
  "damping",
  "drag",
  "gravityScale",
  "friction",
  "collides",
  "collidesWithPinned",
  "canSleep",
  "filter",
  "tag",
];

/** Bits of the names of `given` that have a value, in the order of `names`. */
function bitsOf(names: readonly string[], given: object): number {
  const values = given as Readonly<Record<string, unknown>>;
  return names.reduce((bits, name, i) => bits | (values[name] === undefined ? 0 : 1 << i), 0);
}

function flag(field: string, value: boolean | undefined, absent: boolean): number {
  return Number(value === undefined ? absent : boolean(field, value));
}

function tagOf(field: string, tag: bigint | undefined): bigint {
  return tag === undefined ? 0n : unsigned64(field, tag);
}

function filterFields(field: string, filter: Filter = {}): Fields {
  object(field, filter, ["category", "mask", "group"]);
  const { category = 1, mask = kUnsigned32Max, group = 0 } = filter;
  return {
    category: integer(`${field}.category`, category, 0, kUnsigned32Max),
    mask: integer(`${field}.mask`, mask, 0, kUnsigned32Max),
    group: integer(`${field}.group`, group, -0x80000000, 0x7fffffff),
  };
}

export function bodyChangeFields(change: BodyChange): Fields {
  const call = "change(): change";
  const names = ["type", "enabled", "locked", "gravityScale", "damping", "tag"];
  object(call, change, names);
  const { type, enabled, locked, gravityScale, damping } = change;
  const [linear, angular] = damping === undefined ? [0, 0] : list(`${call}.damping`, damping);
  return {
    fields: bitsOf(names, change),
    type: type === undefined ? 0 : kBodyTypes.indexOf(oneOf(`${call}.type`, type, kBodyTypes)),
    enabled: flag(`${call}.enabled`, enabled, false),
    locked: locked === undefined ? 0 : lockedBits(`${call}.locked`, locked),
    gravity_scale: between(`${call}.gravityScale`, gravityScale ?? 1, -1000, 1000),
    linear_damping: between(`${call}.damping[0]`, linear, 0, 1000),
    angular_damping: between(`${call}.damping[1]`, angular, 0, 1000),
    tag: tagOf(`${call}.tag`, change.tag),
  };
}

export function shapeChangeFields(change: ShapeChange): Fields {
  const call = "change(): change";
  const names = ["filter", "friction", "restitution", "surfaceVelocity"];
  object(call, change, names);
  const { filter, friction, restitution, surfaceVelocity } = change;
  return {
    fields: bitsOf(names, change),
    ...filterFields(`${call}.filter`, filter),
    friction: between(`${call}.friction`, friction ?? 0, 0, 100),
    restitution: between(`${call}.restitution`, restitution ?? 0, 0, 1),
    surface_velocity: vector3(`${call}.surfaceVelocity`, surfaceVelocity ?? [0, 0, 0], 1000),
  };
}

export function tuningFields(call: string, tuning: MoverTuning): Fields {
  object(call, tuning, kTuningNames);
  return {
    fields: bitsOf(kTuningNames, tuning),
    values: Float64Array.from(kTuningNames, (name) => finite(`${call}.${name}`, tuning[name] ?? 0)),
  };
}

export function newMoverFields(mover: NewMover): Fields {
  const call = "createMover()";
  object(call, mover, kNewMoverNames);
  const number = (name: "heading" | "radius" | "halfLength" | "friction" | "restitution", absent: number) =>
    finite(`${call}: ${name}`, mover[name] ?? absent);
  return {
    position: vector3(`${call}: position`, mover.position, kPositionMax),
    heading: number("heading", 0),
    radius: number("radius", 0.4),
    half_length: number("halfLength", 0.5),
    friction: number("friction", 0.6),
    restitution: number("restitution", 0),
    ...filterFields(`${call}: filter`, mover.filter),
    tag: tagOf(`${call}: tag`, mover.tag),
    ...tuningFields(`${call}: tuning`, mover.tuning ?? {}),
  };
}

export function newJointFields(joint: NewJoint): Fields {
  const call = "createJoint()";
  object(call, joint, kNewJointNames);
  const kind = kJointKinds.indexOf(oneOf(`${call}: kind`, joint.kind, kJointKinds));
  const couples = joint.kind === "gear" || joint.kind === "pulley";
  const axis = (name: "axis1" | "axis2"): number =>
    kEnums.JointAxis.indexOf(oneOf(`${call}: ${name}`, joint[name] ?? "angular_x", kEnums.JointAxis));
  const most = (name: "maxForce" | "maxTorque" | "breakForce" | "breakTorque"): number =>
    boundFromZero(`${call}: ${name}`, joint[name] ?? Infinity);
  return {
    kind: kind + 1,
    body_a: unsigned64(`${call}: a`, joint.a.id),
    body_b: unsigned64(`${call}: b`, joint.b.id),
    ...frameFields("a", `${call}: frameA`, joint.frameA ?? {}),
    ...frameFields("b", `${call}: frameB`, joint.frameB ?? {}),
    locked: joint.locked === undefined ? kLockedBits[kind] : lockedBits(`${call}: locked`, joint.locked),
    collide_connected: flag(`${call}: collideConnected`, joint.collideConnected, couples),
    enabled: flag(`${call}: enabled`, joint.enabled, true),
    direct: flag(`${call}: direct`, joint.direct, true),
    ...softnessFields("linear", `${call}: linear`, joint.linear ?? { frequency: 0 }),
    ...softnessFields("angular", `${call}: angular`, joint.angular ?? { frequency: 0 }),
    max_force: most("maxForce"),
    max_torque: most("maxTorque"),
    break_force: most("breakForce"),
    break_torque: most("breakTorque"),
    length: finite(`${call}: length`, joint.length ?? 0),
    joint_1: joint.joint1?.id ?? 0n,
    joint_2: joint.joint2?.id ?? 0n,
    axis_1: axis("axis1"),
    axis_2: axis("axis2"),
    ratio: finite(`${call}: ratio`, joint.ratio ?? 1),
    ground_a: vector3(`${call}: groundA`, joint.groundA ?? [0, 0, 0], kPositionMax),
    ground_b: vector3(`${call}: groundB`, joint.groundB ?? [0, 0, 0], kPositionMax),
    tag: tagOf(`${call}: tag`, joint.tag),
  };
}

export function newRopeFields(rope: NewRope): Fields {
  const call = "createRope()";
  object(call, rope, kNewRopeNames);
  const { points } = rope;
  const isLine = rope.start !== undefined && rope.end !== undefined;
  if (isLine === (points !== undefined)) outOfRange(call, "start and end, or points", rope);
  const rows = points === undefined ? [] : list(`${call}: points`, points);
  const place = (name: string, value: unknown): readonly number[] =>
    vector3(`${call}: ${name}`, value, kPositionMax);
  const number = (name: keyof NewRope, absent: number): number =>
    bound(`${call}: ${name}`, rope[name] ?? absent);
  const nodes = points === undefined ? (rope.nodes ?? 16) : rows.length;
  return {
    node_count: integer(`${call}: ${points === undefined ? "nodes" : "points"}`, nodes, 2, 4096),
    start: vector3(`${call}: start`, rope.start ?? [0, 0, 0], kPositionMax),
    end: vector3(`${call}: end`, rope.end ?? [0, -1, 0], kPositionMax),
    segment_length: number("segmentLength", 0),
    radius: number("radius", 0.02),
    mass: number("mass", 1),
    linear_density: number("linearDensity", 0),
    compliant: flag(`${call}: compliant`, rope.compliant, false),
    passes: integer(`${call}: passes`, rope.passes ?? 4, 1, 64),
    stiffness: number("stiffness", 1),
    compliance: number("compliance", 1e-6),
    damping: number("damping", 0),
    drag: number("drag", 0.2),
    gravity_scale: number("gravityScale", 1),
    friction: number("friction", 0.6),
    collides: flag(`${call}: collides`, rope.collides, true),
    collides_with_pinned: flag(`${call}: collidesWithPinned`, rope.collidesWithPinned, false),
    can_sleep: flag(`${call}: canSleep`, rope.canSleep, true),
    ...filterFields(`${call}: filter`, rope.filter),
    tag: tagOf(`${call}: tag`, rope.tag),
    points:
      points === undefined
        ? undefined
        : Float64Array.from(rows.flatMap((point, i) => [...place(`points[${i}]`, point)])),
  };
}

export function grabFields(body: Body, target: Vector3, maxForce: number, localPoint?: Vector3): Fields {
  return {
    body: body.id,
    local_point: localPoint === undefined ? undefined : vector3("grab(): localPoint", localPoint, kVectorMax),
    target: vector3("grab(): target", target, kPositionMax),
    max_force: finite("grab(): maxForce", maxForce),
  };
}
