// schemas/service.fbs as data: the fields of each table in order, and the size of each struct. The reader and
// the writer of frames use it. It is handwritten, as ../schema.ts is; test/unit/service_layout_test.mjs
// parses service.fbs and compares every field.
import type { FieldType, ScalarName, TableLayout } from "../schema.js";
import { kScalarBytes } from "../schema.js";

export const kServiceVersion = 1;
export const kIdentifier = "TKSV";
export const kFrameHeadBytes = 8;
export const kFrameBytesMax = 32 << 20;
export const kTokenBytesMax = 256;
export const kKeyBytes = 24;
/** World index of a request for a whole batch. */
export const kNoWorldIndex = 0xffffffff;
/** Id of a last reply that answers no request. */
export const kNoRequest = 0xffffffffffffffffn;
/** Limits of the verifier, as in service/wire/values.h. */
export const kVerifierDepth = 8;
export const kVerifierTables = 16;

/** Bytes of each struct. AnswerItem is aligned to 4 bytes, every other one to 8. */
export const kStructBytes = {
  Vec3: 24,
  Quat: 32,
  QueryItem: 136,
  AnswerItem: 16,
  HitItem: 88,
  ContactItem: 80,
  EventItem: 120,
} as const;

/** Members of the union in the order of the wire: a member's number is its index + 1. */
export const kBodyMembers = [
  "Hello",
  "NewWorlds",
  "Fork",
  "Destroy",
  "Step",
  "Observe",
  "Hash",
  "Info",
  "Find",
  "List",
  "JointState",
  "Capture",
  "Rollback",
  "Save",
  "Restore",
  "Query",
  "Contacts",
  "Events",
  "Impulse",
  "Force",
  "Teleport",
  "Spawn",
  "Despawn",
  "Move",
  "CutRope",
  "JointMotor",
  "JointDrive",
  "JointLimit",
  "JointFriction",
  "JointEnable",
  "DestroyJoint",
  "BatchForce",
  "BatchTeleport",
  "Stop",
  "Key",
  "Attach",
  "Record",
  "RecordBytes",
  "RecordStop",
  "ChangeJoint",
  "CreateJoint",
  "ChangeBody",
  "SetTarget",
  "ChangeShape",
  "TuneMover",
  "CreateRope",
  "DestroyRope",
  "RopeLength",
  "PinRope",
  "UnpinRope",
  "Grab",
  "MoveGrab",
  "Release",
  "CreateMover",
] as const;
export type BodyName = (typeof kBodyMembers)[number];

/** Fields as in service.fbs: "name:type", in order, without the union of Request. */
export const kTableTexts = {
  Hello: "version:uint token:[ubyte] rings:bool",
  NewWorlds: "scene:[ubyte] image:[ubyte] numbers:uint threads:uint lanes:uint batch_worlds:uint",
  Fork: "",
  Destroy: "",
  Step: "ticks:uint where:[ubyte] keeps_events:bool",
  Observe: "",
  Hash: "",
  Info: "",
  Find: "kind:uint name:string",
  List: "kind:uint body:ulong",
  JointState: "joint:ulong axis:uint",
  Capture: "into:uint",
  Rollback: "snapshot:uint where:[ubyte]",
  Save: "",
  Restore: "image:[ubyte]",
  Query: "queries:[QueryItem]",
  Contacts: "",
  Events: "",
  Stop: "",
  Key: "",
  Attach: "key:[ubyte] kind:uint",
  Record: "",
  RecordBytes: "",
  RecordStop: "",
  Impulse: "body:ulong impulse:Vec3 local_point:Vec3",
  Force: "body:ulong force:Vec3 torque:Vec3 ticks:uint",
  Teleport: "body:ulong position:Vec3 rotation:Quat linear_velocity:Vec3 angular_velocity:Vec3",
  Spawn:
    "shape:uint dimensions:Vec3 position:Vec3 rotation:Quat linear_velocity:Vec3 angular_velocity:Vec3 " +
    "density:double friction:double restitution:double tag:uint",
  Despawn: "body:ulong",
  Move: "body:ulong velocity:Vec3 turn:double in_heading_frame:uint jump:uint",
  CutRope: "rope:ulong segment:uint",
  JointMotor: "joint:ulong axis:uint speed:double max:double",
  JointDrive: "joint:ulong axis:uint on:uint target:double frequency:double damping_ratio:double max:double",
  JointLimit: "joint:ulong axis:uint lower:double upper:double",
  JointFriction: "joint:ulong axis:uint friction:double",
  JointEnable: "joint:ulong enabled:uint",
  DestroyJoint: "joint:ulong",
  ChangeJoint:
    "joint:ulong fields:uint collide_connected:uint locked:uint position_a:Vec3 rotation_a:Quat " +
    "position_b:Vec3 rotation_b:Quat linear_frequency:double linear_damping_ratio:double " +
    "angular_frequency:double angular_damping_ratio:double max_force:double max_torque:double " +
    "break_force:double break_torque:double ratio:double length:double direct:uint axis:uint lower:double " +
    "upper:double limit_frequency:double limit_damping_ratio:double",
  CreateJoint:
    "kind:uint body_a:ulong body_b:ulong position_a:Vec3 rotation_a:Quat position_b:Vec3 rotation_b:Quat " +
    "locked:uint collide_connected:uint enabled:uint direct:uint linear_frequency:double " +
    "linear_damping_ratio:double angular_frequency:double angular_damping_ratio:double max_force:double " +
    "max_torque:double break_force:double break_torque:double length:double joint_1:ulong joint_2:ulong " +
    "axis_1:uint axis_2:uint ratio:double ground_a:Vec3 ground_b:Vec3 tag:ulong",
  ChangeBody:
    "body:ulong fields:uint type:uint enabled:uint locked:uint gravity_scale:double linear_damping:double " +
    "angular_damping:double tag:ulong",
  SetTarget: "body:ulong position:Vec3 rotation:Quat",
  ChangeShape:
    "shape:ulong fields:uint category:uint mask:uint group:int friction:double restitution:double " +
    "surface_velocity:Vec3",
  TuneMover: "body:ulong fields:uint values:[double]",
  CreateRope:
    "node_count:uint start:Vec3 end:Vec3 segment_length:double radius:double mass:double " +
    "linear_density:double compliant:uint passes:uint stiffness:double compliance:double damping:double " +
    "drag:double gravity_scale:double friction:double collides:uint collides_with_pinned:uint " +
    "can_sleep:uint category:uint mask:uint group:int tag:ulong points:[double]",
  DestroyRope: "rope:ulong",
  RopeLength: "rope:ulong segment_length:double",
  PinRope: "rope:ulong node:uint body:ulong point:Vec3",
  UnpinRope: "rope:ulong node:uint",
  CreateMover:
    "position:Vec3 heading:double radius:double half_length:double friction:double restitution:double " +
    "category:uint mask:uint group:int tag:ulong fields:uint values:[double]",
  Grab: "body:ulong local_point:Vec3 target:Vec3 max_force:double",
  MoveGrab: "target:Vec3",
  Release: "",
  BatchForce: "bodies:[ulong] forces:[double] torques:[double] ticks:uint where:[ubyte]",
  BatchTeleport:
    "bodies:[ulong] positions:[double] rotations:[double] linear_velocities:[double] " +
    "angular_velocities:[double] where:[ubyte]",
  Request: "id:ulong handle:uint world_index:uint observe:uint body:RequestBody",
  Welcome:
    "version:uint frame_bytes_max:uint window:uint worlds_max:uint step_ticks_max:uint threads:uint " +
    "memory_max:ulong program:string request_ring_bytes:uint reply_ring_bytes:uint",
  WorldInfo:
    "numbers:uint tick:ulong scene_hash:ulong body_count:uint rope_count:uint tick_rate_hz:uint " +
    "substeps:uint gravity:Vec3",
  Observation: "columns:uint worlds:uint rows:uint data:[ulong]",
  Reply:
    "id:ulong status:int text:string handle:uint worlds:uint tick:ulong value:double rate:double " +
    "ids:[ulong] bytes:[ubyte] info:WorldInfo welcome:Welcome observation:Observation " +
    "answers:[AnswerItem] hits:[HitItem] contacts:[ContactItem] events:[EventItem] " +
    "bytes_left:ulong recording:uint",
} as const;
export type ServiceTable = keyof typeof kTableTexts;

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly slot: number;
}

function fieldsOf(text: string): readonly Field[] {
  return text
    .split(" ")
    .filter((word) => word !== "")
    .map((word, slot) => {
      const colon = word.indexOf(":");
      return { name: word.slice(0, colon), type: word.slice(colon + 1), slot };
    });
}

/** Fields of the tables without a union. */
export const kFields: Readonly<Record<ServiceTable, readonly Field[]>> = Object.fromEntries(
  Object.entries(kTableTexts).map(([name, text]) => [name, fieldsOf(text)]),
) as Record<ServiceTable, readonly Field[]>;

function bytesOf(type: string): number | undefined {
  return type in kScalarBytes
    ? kScalarBytes[type as ScalarName]
    : (kStructBytes as Readonly<Record<string, number | undefined>>)[type];
}

function fieldType(type: string): FieldType {
  const bytes = bytesOf(type);
  if (bytes !== undefined) {
    return type in kScalarBytes
      ? { kind: "scalar", bytes, align: bytes }
      : { kind: "struct", bytes, align: 8 };
  }
  if (type === "string") return { kind: "string" };
  if (type.startsWith("[")) return { kind: "vector", bytes: bytesOf(type.slice(1, -1))! };
  return { kind: "table", table: type };
}

/** Layouts of what a service sends, for the verifier. */
export const kReplyLayouts: Readonly<Record<string, TableLayout>> = Object.fromEntries(
  (["Reply", "Welcome", "WorldInfo", "Observation"] as const).map((name) => [
    name,
    {
      name,
      fields: kFields[name].map(({ type }) => fieldType(type)),
      at: Object.fromEntries(kFields[name].map((field) => [field.name, field.slot])),
    },
  ]),
);
