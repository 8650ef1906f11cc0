// schemas/protocol.fbs as data: the fields of each table in order (the field's slot in its vtable), and the
// size of each struct. The verifier, the reader and the writer use it. It is handwritten (docs/JAVASCRIPT.md
// has the reason), except for the commands, which command_fields.ts defines. test/unit/layout_test.mjs parses
// protocol.fbs and compares every field.
import { kCommandMembers, kFieldsOfCommand } from "./command_fields.js";
import type { CommandName } from "./command_fields.js";

export { kCommandMembers };

/** Bytes of each struct. */
export const kStructBytes = {
  Position: 24,
  Vec3f: 12,
  Quatf: 16,
  ShapeInfo: 56,
  InputOutcome: 16,
  ResumePoint: 24,
  BodyState: 80,
  MoverInput: 32,
  TimelineMark: 16,
  ContactPoint: 64,
  JointFrame: 88,
  JointState: 40,
  Vec3d: 24,
  Quatd: 32,
  Softness: 24,
  JointPlace: 56,
  JointLimit: 40,
  JointHold: 48,
  JointMotor: 16,
  QueryHit: 80,
  QueryAnswer: 12,
} as const;
export type StructName = keyof typeof kStructBytes;
/** Structs aligned to 4 bytes; every other struct has a member of 8. */
const kFloatStructs: ReadonlySet<string> = new Set(["Vec3f", "Quatf"]);

export const kScalarBytes = {
  bool: 1,
  ubyte: 1,
  ushort: 2,
  uint: 4,
  int: 4,
  ulong: 8,
  long: 8,
  float: 4,
  double: 8,
} as const;
export type ScalarName = keyof typeof kScalarBytes;

/** Type of a field. */
export type FieldType =
  | { kind: "scalar"; bytes: number; align: number }
  | { kind: "struct"; bytes: number; align: number }
  | { kind: "string" }
  | { kind: "table"; table: string }
  | { kind: "vector"; bytes: number } // of scalars or structs
  | { kind: "tables"; table: string } // vector of tables
  | { kind: "strings" }
  | { kind: "union"; members: readonly string[] }; // two slots: type and value

export interface TableLayout {
  readonly name: string;
  /** By slot of the vtable. The type slot of a union is a scalar of one byte, its value slot the union. */
  readonly fields: readonly FieldType[];
  /** Slots by name of the field. */
  readonly at: Readonly<Record<string, number>>;
}

/** Members of the union in the order of the wire: a member's number is its index + 1. */
export const kMessageMembers = [
  "ConnectRequest",
  "Challenge",
  "ChallengeResponse",
  "Accept",
  "Refuse",
  "Disconnect",
  "KeepAlive",
  "Ping",
  "Pong",
  "Inputs",
  "InputAck",
  "Snapshot",
  "JoinImage",
  "BodiesAdded",
  "BodiesRemoved",
  "GameEvent",
  "ServerStats",
  "Control",
  "ControlResult",
  "RoomState",
  "RoomEntered",
  "Inspect",
  "Contacts",
  "JointFrames",
  "Geometry",
  "QueryRequest",
  "QueryResult",
  "JointsBroken",
  "Confirmed",
  "DesyncProbe",
  "DesyncAnswer",
  "SealedAccept",
  "ModeSwitch",
] as const;
export type MessageName = (typeof kMessageMembers)[number];

const kUnions: Record<string, readonly string[]> = { Command: kCommandMembers, Message: kMessageMembers };

/** Enums of one byte by name: the number of a value is its index. */
export const kEnums = {
  NumbersMode: ["any", "float", "fixed"],
  ReplicationMode: ["snapshot", "rollback", "lockstep", "predicted"],
  Role: ["player", "spectator"],
  RefuseReason: [
    "none",
    "version_mismatch",
    "scene_mismatch",
    "numbers_mismatch",
    "mode_unsupported",
    "server_full",
    "shutting_down",
    "bad_request",
    "challenge_failed",
    "token_required",
    "token_malformed",
    "token_wrong_version",
    "token_expired",
    "token_too_long_lived",
    "token_wrong_key",
    "token_wrong_server",
    "token_forged",
    "token_reused",
    "token_wrong_room",
    "token_wrong_role",
    "token_wrong_mode",
  ],
  DisconnectReason: [
    "none",
    "client_left",
    "server_stopped",
    "timed_out",
    "kicked",
    "protocol_error",
    "slow_reader",
    "connection_lost",
    "replaced",
  ],
  ShapeKind: ["sphere", "capsule", "box", "half_space", "cylinder", "cone", "hull", "mesh", "height_field"],
  SoftnessForm: ["rigid", "beta_gamma", "erp_cfm", "spring", "frequency"],
  JointAxis: ["linear_x", "linear_y", "linear_z", "angular_x", "angular_y", "angular_z", "distance", "swing"],
  GeometryKind: ["hull", "mesh", "height_field"],
  InputStatus: [
    "applied",
    "moved",
    "refused_invalid",
    "refused_permission",
    "refused_rate",
    "refused_unknown_body",
    "refused_late",
    "refused_limit",
    "refused_early",
  ],
  CommandRefusal: [
    "none",
    "wrong_tick",
    "not_joined",
    "already_joined",
    "too_many_players",
    "server_only",
    "stale_sequence",
    "rate_limited",
    "not_finite",
    "out_of_range",
    "over_limit",
    "unknown_body",
    "forbidden",
    "not_dynamic",
    "too_many_spawned",
    "world_full",
    "already_grabbing",
    "not_grabbing",
    "too_many_forces",
    "no_game",
    "game_refused",
    "payload_too_long",
    "bad_shape",
    "not_mover",
    "unknown_rope",
    "unknown_joint",
    "bad_softness",
    "limits_crossed",
    "bad_joint_axis",
    "bad_coupling",
    "too_late",
    "too_early",
    "too_many_waiting",
    "malformed",
    "server_rate",
    "other_world",
    "playback",
    "spectator",
    "too_crowded",
    "too_many_bodies",
    "too_many_ropes",
    "overloaded",
  ],
  ControlAction: ["pause", "resume", "step", "set_speed", "load_scene", "seek"],
  ControlStatus: [
    "done",
    "refused_permission",
    "refused_range",
    "refused_unknown_scene",
    "refused_not_here",
    "failed",
  ],
  DesyncStatus: ["answered", "forgotten"],
  QueryKind: ["none", "ray", "shape_cast", "overlap", "closest_point"],
  QueryMode: ["none", "closest", "all", "any"],
  QueryStatus: ["answered", "refused_invalid", "refused_rate", "refused_busy", "refused_late"],
  MarkKind: ["join", "leave", "input", "image", "break"],
} as const;

const kCommandTables = Object.fromEntries(
  kCommandMembers.map((name) => [
    name,
    kFieldsOfCommand[name].map(({ wireName, type }) => `${wireName}:${type}`).join(" "),
  ]),
) as Readonly<Record<CommandName, string>>;

// Fields as in protocol.fbs: "name:type", in order.
const kTables = {
  ...kCommandTables,
  ConnectRequest:
    "protocol_version:uint scene_hash:ulong numbers_mode:NumbersMode mode:ReplicationMode " +
    "player_name:string nonce:ulong padding:[ubyte] role:Role token:[ubyte] " +
    "token_verifier:[ubyte] ciphers:ubyte resume:ResumePoint",
  Challenge: "nonce:ulong cookie:[ubyte] lasting_key:[ubyte] short_lived_key:[ubyte]",
  ChallengeResponse: "cookie:[ubyte] request:ConnectRequest key:[ubyte] proof:[ubyte]",
  Accept:
    "nonce:ulong session:ulong player_id:uint tick_rate_hz:uint substeps:uint current_tick:ulong " +
    "scene_hash:ulong numbers_mode:NumbersMode mode:ReplicationMode role:Role cipher:ubyte " +
    "resumed:bool epoch:uint input_offset:uint",
  Refuse: "nonce:ulong reason:RefuseReason text:string",
  Disconnect: "reason:DisconnectReason text:string",
  KeepAlive: "",
  Ping: "client_time_us:ulong",
  Pong: "client_time_us:ulong tick:ulong tick_fraction:uint",
  Input: "tick:ulong sequence:uint command:Command",
  Inputs: "inputs:[Input]",
  InputAck:
    "received_through:uint tick:ulong margin_ticks:int outcomes:[InputOutcome] " +
    "refusals:[CommandRefusal] texts:[string]",
  Snapshot:
    "serial:uint tick:ulong part:ushort part_count:ushort baseline:uint deferred:uint " +
    "bodies:[BodyState] removed:[ulong] epoch:uint ropes:[ubyte] removed_ropes:[ulong] " +
    "deferred_ropes:uint movers:[MoverInput] mode_epoch:uint",
  JoinImage: "tick:ulong total_bytes:ulong hash:ulong offset:ulong bytes:[ubyte]",
  Geometry: "digest:ulong kind:GeometryKind total_bytes:uint offset:uint bytes:[ubyte]",
  BodyInfo: "id:ulong user_kind:uint player:uint shapes:[ShapeInfo] sequence:uint",
  BodiesAdded: "tick:ulong bodies:[BodyInfo]",
  BodiesRemoved: "tick:ulong ids:[ulong]",
  GameEvent: "tick:ulong bytes:[ubyte]",
  ServerStats:
    "tick:ulong state_hash:ulong body_count:uint awake_count:uint client_count:uint tick_time_us:uint " +
    "tick_time_p99_us:uint contact_count:uint dropped_ticks:ulong",
  Control: "request:uint action:ControlAction speed:float tick:ulong scene:string",
  ControlResult: "request:uint status:ControlStatus text:string",
  RoomState:
    "epoch:uint tick:ulong paused:bool speed:float admin:bool is_recording:bool first_tick:ulong " +
    "end_tick:ulong tick_rate_hz:uint scene_hash:ulong scene:string title:string scenes:[string] " +
    "camera_eye:Position camera_target:Position marks:[TimelineMark]",
  RoomEntered: "epoch:uint first_input:uint",
  Inspect: "what:uint",
  Contacts: "tick:ulong total:uint part:ushort part_count:ushort points:[ContactPoint] epoch:uint",
  JointFrames:
    "tick:ulong total:uint part:ushort part_count:ushort joints:[JointFrame] states:[JointState] " +
    "epoch:uint",
  JointsBroken: "tick:ulong joints:[ulong]",
  Confirmed: "bytes:[ubyte] offset:uint total_bytes:uint mode_epoch:uint",
  DesyncProbe: "tick:ulong path:string answer:string mode_epoch:uint",
  DesyncAnswer: "tick:ulong path:string answer:string status:DesyncStatus",
  SealedAccept: "nonce:ulong sealed:[ubyte]",
  ModeSwitch: "mode:ReplicationMode text:string request:uint refused:bool mode_epoch:uint",
  Query:
    "kind:QueryKind mode:QueryMode position:Position translation:Vec3d shape:ShapeInfo rotation:Quatf " +
    "max_distance:double category:uint mask:uint group:int find_sensors:bool ignore:[ulong]",
  QueryRequest: "request:uint queries:[Query] at_tick:ulong",
  QueryResult:
    "request:uint status:QueryStatus tick:ulong answers:[QueryAnswer] hits:[QueryHit] work_exceeded:uint",
  Packet: "message:Message",
} as const;
export type TableName = keyof typeof kTables;

function fixedBytes(type: string): number | undefined {
  if (type in kScalarBytes) return kScalarBytes[type as ScalarName];
  if (type in kEnums) return 1;
  return undefined;
}

function fieldType(type: string): FieldType {
  const scalar = fixedBytes(type);
  if (scalar !== undefined) return { kind: "scalar", bytes: scalar, align: scalar };
  if (type in kStructBytes) {
    return {
      kind: "struct",
      bytes: kStructBytes[type as StructName],
      align: kFloatStructs.has(type) ? 4 : 8,
    };
  }
  if (type === "string") return { kind: "string" };
  if (type.startsWith("[")) {
    const element = type.slice(1, -1);
    if (element === "string") return { kind: "strings" };
    const structBytes: Readonly<Record<string, number | undefined>> = kStructBytes;
    const bytes = fixedBytes(element) ?? structBytes[element];
    return bytes !== undefined ? { kind: "vector", bytes } : { kind: "tables", table: element };
  }
  return { kind: "table", table: type };
}

function layout(name: string, text: string): TableLayout {
  const fields: FieldType[] = [];
  const at: Record<string, number> = {};
  for (const field of text.split(" ").filter((word) => word !== "")) {
    const colon = field.indexOf(":");
    const fieldName = field.slice(0, colon);
    const type = field.slice(colon + 1);
    if (type in kUnions) {
      at[`${fieldName}_type`] = fields.length;
      fields.push({ kind: "scalar", bytes: 1, align: 1 });
      at[fieldName] = fields.length;
      fields.push({ kind: "union", members: kUnions[type]! });
    } else {
      at[fieldName] = fields.length;
      fields.push(fieldType(type));
    }
  }
  return { name, fields, at };
}

export const kTableLayouts: Readonly<Record<TableName, TableLayout>> = Object.fromEntries(
  Object.entries(kTables).map(([name, text]) => [name, layout(name, text)]),
) as unknown as Record<TableName, TableLayout>;

/** The texts above, for the comparison with protocol.fbs. */
export const kTableTexts: Readonly<Record<TableName, string>> = kTables;
