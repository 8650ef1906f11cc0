// Bytes from a stranger to a message: size, verifier, known kind, fields present, enums known, numbers finite and in range, text printable. The same
// rules in the same order as protocol/message_reader.cpp. It returns an error and never throws for any bytes.
import { kBodyStateBytes } from "./limits.js";
import * as limits from "./limits.js";
import { is_finite_record, metres } from "./body_state.js";
import { check_command, check_shape } from "./command_check.js";
import { FlatBuffer } from "./flat_buffer.js";
import type {
  BodyInfo, ConnectRequest, ContactPoint, Input, InputOutcome, JointFrame, Message, Quadruple, Records, Shape, TimelineMark, Triple, WireCommand, WirePosition,
} from "./message.js";
import { kCommandMembers, kEnums, kMessageMembers, kStructBytes, kTableLayouts } from "./schema.js";
import type { CommandName, MessageName, TableName } from "./schema.js";
import { read_printable } from "./text.js";

/** Which limits a message is under: those of a datagram, or those of the reliable channel. */
export type MessageClass = "datagram" | "reliable";
export type ReadError = "too_short" | "too_long" | "verifier_failed" | "bad_type" | "missing_field" | "out_of_range" | "not_finite";
export type ReadResult = { ok: true; message: Message } | { ok: false; error: ReadError };

const kIdentifier = 0x50544b54; // "TKTP", little-endian
const kBytesMin = 12; // root offset, identifier and an empty table's vtable offset
const kNone: Records = { view: new DataView(new ArrayBuffer(0)), offset: 0, count: 0 };

/** Leaves a read; never leaves this file. */
class Refused {
  constructor(readonly error: ReadError) {}
}
function refuse(error: ReadError): never {
  throw new Refused(error);
}

export function read_message(bytes: Uint8Array, message_class: MessageClass): ReadResult {
  const datagram = message_class === "datagram";
  if (bytes.length > (datagram ? limits.kDatagramBytesMax : limits.kReliableBytesMax)) return { ok: false, error: "too_long" };
  if (bytes.length < kBytesMin) return { ok: false, error: "too_short" };
  const buffer = new FlatBuffer(bytes);
  const tables = datagram ? limits.kVerifierTablesDatagram : limits.kVerifierTablesReliable;
  if (!buffer.verify(kIdentifier, kTableLayouts.Packet, limits.kVerifierDepthMax, tables)) return { ok: false, error: "verifier_failed" };
  const packet = buffer.root();
  const name = kMessageMembers[buffer.u8(packet, 0) - 1];
  if (name === undefined) return { ok: false, error: "bad_type" };
  const table = buffer.reference(packet, 1);
  if (table === 0) return { ok: false, error: "missing_field" };
  try {
    return { ok: true, message: kReaders[name](new Table(buffer, table, name)) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, error: error.error };
    throw error;
  }
}

// ---------------------------------------------------------------- fields by name

class Table {
  private readonly at: Readonly<Record<string, number>>;
  readonly view: DataView;
  constructor(
    readonly buffer: FlatBuffer,
    readonly table: number,
    name: TableName,
  ) {
    this.at = kTableLayouts[name].at;
    this.view = buffer.view;
  }
  u8(field: string): number {
    return this.buffer.u8(this.table, this.at[field]!);
  }
  u16(field: string, absent = 0): number {
    return this.buffer.u16(this.table, this.at[field]!, absent);
  }
  u32(field: string, absent = 0): number {
    return this.buffer.u32(this.table, this.at[field]!, absent);
  }
  i32(field: string): number {
    return this.buffer.i32(this.table, this.at[field]!);
  }
  u64(field: string): bigint {
    return this.buffer.u64(this.table, this.at[field]!);
  }
  f32(field: string, absent = 0): number {
    return this.buffer.f32(this.table, this.at[field]!, absent);
  }
  bool(field: string): boolean {
    return this.u8(field) !== 0;
  }
  tick(field: string): number {
    const at = this.buffer.field(this.table, this.at[field]!);
    return at === 0 ? 0 : tick_at(this.view, at);
  }
  one_of<Values extends readonly string[]>(field: string, values: Values): Values[number] {
    return named(this.u8(field), values);
  }
  /** Where a struct is; 0 = absent. */
  struct(field: string): number {
    return this.buffer.field(this.table, this.at[field]!);
  }
  reference(field: string): number {
    return this.buffer.reference(this.table, this.at[field]!);
  }
  text(field: string, bytes_max: number): string {
    return text_of(this.buffer, this.reference(field), bytes_max);
  }
  bytes(field: string, bytes_max: number): Uint8Array {
    const span = this.buffer.span(this.reference(field));
    return span.length <= bytes_max ? span.slice() : refuse("out_of_range");
  }
  triple(field: string): Triple {
    const at = this.struct(field);
    return at === 0 ? [0, 0, 0] : triple_at(this.view, at);
  }
  quadruple(field: string): Quadruple {
    const at = this.struct(field);
    return at === 0 ? [0, 0, 0, 1] : quadruple_at(this.view, at);
  }
  /** A vector of structs or scalars, left where it is. */
  records(field: string): Records {
    const vector = this.reference(field);
    return vector === 0 ? kNone : { view: this.view, offset: vector + 4, count: this.buffer.count(vector) };
  }
}

function named<Values extends readonly string[]>(value: number, values: Values): Values[number] {
  return values[value] ?? refuse("out_of_range");
}
function text_of(buffer: FlatBuffer, string: number, bytes_max: number): string {
  const span = buffer.span(string);
  if (span.length > bytes_max) refuse("out_of_range");
  return read_printable(span) ?? refuse("out_of_range");
}
function tick_at(view: DataView, at: number): number {
  const high = view.getUint32(at + 4, true);
  return high < 0x200000 ? high * 0x100000000 + view.getUint32(at, true) : refuse("out_of_range");
}
function triple_at(view: DataView, at: number): Triple {
  return [view.getFloat32(at, true), view.getFloat32(at + 4, true), view.getFloat32(at + 8, true)];
}
function quadruple_at(view: DataView, at: number): Quadruple {
  return [view.getFloat32(at, true), view.getFloat32(at + 4, true), view.getFloat32(at + 8, true), view.getFloat32(at + 12, true)];
}
function metres_at(view: DataView, at: number): Triple {
  return [metres(view, at), metres(view, at + 8), metres(view, at + 16)];
}
function position_at(view: DataView, at: number): WirePosition {
  return [view.getBigInt64(at, true), view.getBigInt64(at + 8, true), view.getBigInt64(at + 16, true)];
}
function finite<Numbers extends readonly number[]>(numbers: Numbers): Numbers {
  for (const number of numbers) if (!Number.isFinite(number)) refuse("not_finite");
  return numbers;
}
function shape_at(view: DataView, at: number, kind: Shape["kind"]): Shape {
  return { kind, dimensions: triple_at(view, at + 4), localPosition: triple_at(view, at + 16), localRotation: quadruple_at(view, at + 28) };
}

// ---------------------------------------------------------------- one reader a kind

function read_request(t: Table): ConnectRequest {
  const numbersMode = t.one_of("numbers_mode", kEnums.NumbersMode);
  const mode = t.one_of("mode", kEnums.ReplicationMode);
  const playerName = t.text("player_name", limits.kPlayerNameBytesMax);
  return { type: "ConnectRequest", protocolVersion: t.u32("protocol_version"), sceneHash: t.u64("scene_hash"), numbersMode, mode, playerName, nonce: t.u64("nonce") };
}

function read_cookie(t: Table): Uint8Array {
  const vector = t.reference("cookie");
  if (vector === 0) refuse("missing_field");
  const cookie = t.buffer.span(vector);
  return cookie.length === 16 ? cookie.slice() : refuse("out_of_range");
}

/** Null when the command is of a kind we do not know or lacks its struct: the input is then invalid, not the message. */
function read_command(t: Table): WireCommand | null {
  const name: CommandName | undefined = kCommandMembers[t.u8("command_type") - 1];
  const table = t.reference("command");
  if (name === undefined || table === 0) return null;
  const c = new Table(t.buffer, table, name);
  const position = (field: string): WirePosition => position_at(c.view, c.struct(field));
  switch (name) {
    case "Impulse":
      if (c.struct("impulse") === 0) return null;
      return { type: name, body: c.u64("body"), impulse: c.triple("impulse"), pointLocal: c.struct("point_local") === 0 ? null : c.triple("point_local") };
    case "Force":
      return { type: name, body: c.u64("body"), force: c.triple("force"), torque: c.triple("torque"), ticks: c.u32("ticks", 1) };
    case "Spawn": {
      const at = c.struct("shape");
      if (at === 0 || c.struct("position") === 0) return null;
      const kind = kEnums.ShapeKind[c.view.getUint8(at)];
      if (kind === undefined) return null;
      return {
        type: name, shape: shape_at(c.view, at, kind), position: position("position"), rotation: c.quadruple("rotation"),
        linearVelocity: c.triple("linear_velocity"), angularVelocity: c.triple("angular_velocity"), density: c.f32("density", 1000),
        friction: c.f32("friction", Math.fround(0.6)), restitution: c.f32("restitution"), userKind: c.u32("user_kind"),
      };
    }
    case "Despawn":
      return { type: name, body: c.u64("body") };
    case "Grab":
      if (c.struct("target") === 0) return null;
      return { type: name, body: c.u64("body"), pointLocal: c.triple("point_local"), target: position("target"), maxForce: c.f32("max_force") };
    case "MoveGrab":
      return c.struct("target") === 0 ? null : { type: name, target: position("target") };
    case "Release":
      return { type: name };
    case "Teleport":
      if (c.struct("position") === 0) return null;
      return {
        type: name, body: c.u64("body"), position: position("position"), rotation: c.quadruple("rotation"), linearVelocity: c.triple("linear_velocity"),
        angularVelocity: c.triple("angular_velocity"),
      };
    case "Custom": {
      const bytes = c.buffer.span(c.reference("bytes"));
      return bytes.length <= limits.kCustomBytesMax ? { type: name, bytes: bytes.slice() } : null;
    }
  }
}

function read_inputs(t: Table): Message {
  const vector = t.reference("inputs");
  if (vector === 0) refuse("missing_field");
  const count = t.buffer.count(vector);
  if (count > limits.kInputsPerMessage) refuse("out_of_range");
  const inputs: Input[] = [];
  const invalidSequences: number[] = [];
  let previous = 0;
  for (let i = 0; i < count; ++i) {
    const input = new Table(t.buffer, t.buffer.element(vector, i), "Input");
    const sequence = input.u32("sequence");
    if (sequence <= previous) refuse("out_of_range"); // they count from 1 and ascend
    previous = sequence;
    const command = read_command(input);
    if (command !== null && check_command(command) === "ok") inputs.push({ tick: input.tick("tick"), sequence, command });
    else invalidSequences.push(sequence);
  }
  return { type: "Inputs", inputs, invalidSequences };
}

function read_outcomes(t: Table): InputOutcome[] {
  const { view, offset, count } = t.records("outcomes");
  if (count > limits.kInputOutcomesPerMessage) refuse("out_of_range");
  const outcomes: InputOutcome[] = [];
  for (let i = 0, at = offset; i < count; ++i, at += kStructBytes.InputOutcome) {
    outcomes.push({ sequence: view.getUint32(at, true), status: named(view.getUint8(at + 4), kEnums.InputStatus), tick: tick_at(view, at + 8) });
  }
  return outcomes;
}

/** Which part of how many this is. */
function read_part(t: Table, parts_max: number): { part: number; partCount: number } {
  const part = t.u16("part");
  const partCount = t.u16("part_count");
  if (partCount < 1 || partCount > parts_max || part >= partCount) refuse("out_of_range");
  return { part, partCount };
}

function read_snapshot(t: Table): Message {
  const serial = t.u32("serial");
  if (serial === 0) refuse("out_of_range");
  const { part, partCount } = read_part(t, limits.kSnapshotPartsMax);
  const tick = t.tick("tick");
  const bodies = t.records("bodies");
  for (let i = 0, at = bodies.offset; i < bodies.count; ++i, at += kBodyStateBytes) if (!is_finite_record(bodies.view, at)) refuse("not_finite");
  return {
    type: "Snapshot", serial, tick, part, partCount, baseline: t.u32("baseline"), deferred: t.u32("deferred"), epoch: t.u32("epoch"), bodies,
    removed: t.records("removed"),
  };
}

function read_added(t: Table): Message {
  const vector = t.reference("bodies");
  if (vector === 0) refuse("missing_field");
  const count = t.buffer.count(vector);
  if (count > limits.kBodyInfosPerMessage) refuse("out_of_range");
  const tick = t.tick("tick");
  const bodies: BodyInfo[] = [];
  for (let i = 0; i < count; ++i) {
    const body = new Table(t.buffer, t.buffer.element(vector, i), "BodyInfo");
    const id = body.u64("id");
    if (id === 0n) refuse("out_of_range");
    bodies.push({ id, userKind: body.u32("user_kind"), player: body.u32("player"), shapes: read_shapes(body) });
  }
  return { type: "BodiesAdded", tick, bodies };
}

function read_shapes(t: Table): Shape[] {
  const { view, offset, count } = t.records("shapes");
  if (count > limits.kShapesPerBodyMax) refuse("out_of_range");
  const shapes: Shape[] = [];
  for (let i = 0, at = offset; i < count; ++i, at += kStructBytes.ShapeInfo) {
    const shape = shape_at(view, at, named(view.getUint8(at), kEnums.ShapeKind));
    const finding = check_shape(shape);
    if (finding !== "ok") refuse(finding === "not-finite" ? "not_finite" : "out_of_range");
    shapes.push(shape);
  }
  return shapes;
}

function read_ids({ view, offset, count }: Records): bigint[] {
  if (count > limits.kRemovedPerMessage) refuse("out_of_range");
  const ids: bigint[] = [];
  for (let i = 0; i < count; ++i) ids.push(view.getBigUint64(offset + 8 * i, true));
  return ids;
}

function read_room(t: Table): Message {
  const epoch = t.u32("epoch");
  const speed = t.f32("speed", 1);
  const tickRateHz = t.u32("tick_rate_hz");
  if (epoch === 0 || tickRateHz < 1 || tickRateHz > 10_000) refuse("out_of_range");
  finite([speed]);
  const firstTick = t.tick("first_tick");
  const endTick = t.tick("end_tick");
  if (speed < limits.kControlSpeedMin || speed > limits.kControlSpeedMax || firstTick > endTick) refuse("out_of_range");
  const names = t.reference("scenes");
  const name_count = t.buffer.count(names);
  if (name_count > limits.kScenesMax) refuse("out_of_range");
  const scenes: string[] = [];
  for (let i = 0; i < name_count; ++i) {
    const name = text_of(t.buffer, t.buffer.element(names, i), limits.kSceneNameBytesMax);
    scenes.push(name !== "" ? name : refuse("out_of_range"));
  }
  const marks: TimelineMark[] = [];
  const { view, offset, count } = t.records("marks");
  if (count > limits.kTimelineMarksMax) refuse("out_of_range");
  for (let i = 0, at = offset; i < count; ++i, at += kStructBytes.TimelineMark) {
    const mark = { tick: tick_at(view, at), count: view.getUint32(at + 8, true), kind: named(view.getUint8(at + 12), kEnums.MarkKind) };
    if (i > 0 && mark.tick < marks[i - 1]!.tick) refuse("out_of_range");
    marks.push(mark);
  }
  const eye = t.struct("camera_eye");
  const target = t.struct("camera_target");
  const has_camera = eye !== 0 && target !== 0;
  return {
    type: "RoomState", epoch, tick: t.tick("tick"), paused: t.bool("paused"), speed, admin: t.bool("admin"), isRecording: t.bool("is_recording"),
    firstTick, endTick, tickRateHz, sceneHash: t.u64("scene_hash"),
    scene: t.text("scene", limits.kSceneNameBytesMax), title: t.text("title", limits.kTitleBytesMax), scenes,
    cameraEye: has_camera ? metres_at(t.view, eye) : null, cameraTarget: has_camera ? metres_at(t.view, target) : null, marks,
  };
}

function read_contacts(t: Table): Message {
  const { part, partCount } = read_part(t, Math.ceil(limits.kContactPointsMax / limits.kContactPointsPerMessage));
  const { view, offset, count } = t.records("points");
  if (count > limits.kContactPointsPerMessage) refuse("out_of_range");
  const points: ContactPoint[] = [];
  for (let i = 0, at = offset; i < count; ++i, at += kStructBytes.ContactPoint) {
    const normal = finite(triple_at(view, at + 40));
    const [impulse, separation] = finite([view.getFloat32(at + 52, true), view.getFloat32(at + 56, true)] as const);
    points.push({ bodyA: view.getBigUint64(at, true), bodyB: view.getBigUint64(at + 8, true), position: metres_at(view, at + 16), normal, impulse, separation });
  }
  return { type: "Contacts", tick: t.tick("tick"), total: t.u32("total"), part, partCount, points };
}

function read_joints(t: Table): Message {
  const { part, partCount } = read_part(t, Math.ceil(limits.kJointFramesMax / limits.kJointFramesPerMessage));
  const { view, offset, count } = t.records("joints");
  if (count > limits.kJointFramesPerMessage) refuse("out_of_range");
  const joints: JointFrame[] = [];
  for (let i = 0, at = offset; i < count; ++i, at += kStructBytes.JointFrame) {
    joints.push({
      bodyA: view.getBigUint64(at, true), bodyB: view.getBigUint64(at + 8, true), anchorA: metres_at(view, at + 16), anchorB: metres_at(view, at + 40),
      rotation: finite(quadruple_at(view, at + 64)), kind: view.getUint32(at + 80, true),
    });
  }
  return { type: "JointFrames", tick: t.tick("tick"), total: t.u32("total"), part, partCount, joints };
}

const kReaders: Record<MessageName, (t: Table) => Message> = {
  ConnectRequest: read_request,
  Challenge: (t) => ({ type: "Challenge", cookie: read_cookie(t), nonce: t.u64("nonce") }),
  ChallengeResponse: (t) => {
    const cookie = read_cookie(t);
    const request = t.reference("request");
    if (request === 0) refuse("missing_field");
    return { type: "ChallengeResponse", cookie, request: read_request(new Table(t.buffer, request, "ConnectRequest")) };
  },
  Accept: (t) => {
    const tickRateHz = t.u32("tick_rate_hz");
    const playerId = t.u32("player_id");
    if (tickRateHz < 1 || tickRateHz > 10_000 || playerId === 0) refuse("out_of_range");
    return {
      type: "Accept", nonce: t.u64("nonce"), session: t.u64("session"), playerId, tickRateHz, substeps: t.u32("substeps"),
      currentTick: t.tick("current_tick"), sceneHash: t.u64("scene_hash"), numbersMode: t.one_of("numbers_mode", kEnums.NumbersMode),
      mode: t.one_of("mode", kEnums.ReplicationMode),
    };
  },
  Refuse: (t) => ({
    type: "Refuse", text: t.text("text", limits.kReasonTextBytesMax), reason: t.one_of("reason", kEnums.RefuseReason), nonce: t.u64("nonce"),
  }),
  Disconnect: (t) => ({
    type: "Disconnect", text: t.text("text", limits.kReasonTextBytesMax), reason: t.one_of("reason", kEnums.DisconnectReason),
  }),
  KeepAlive: () => ({ type: "KeepAlive" }),
  Ping: (t) => ({ type: "Ping", clientTimeUs: t.u64("client_time_us") }),
  Pong: (t) => ({ type: "Pong", clientTimeUs: t.u64("client_time_us"), tick: t.tick("tick"), tickFraction: t.u32("tick_fraction") }),
  Inputs: read_inputs,
  InputAck: (t) => ({
    type: "InputAck", receivedThrough: t.u32("received_through"), tick: t.tick("tick"), marginTicks: t.i32("margin_ticks"), outcomes: read_outcomes(t),
  }),
  Snapshot: read_snapshot,
  JoinImage: (t) => {
    const bytes = t.bytes("bytes", limits.kJoinSliceBytes);
    const totalBytes = t.u64("total_bytes");
    const offset = t.u64("offset");
    if (offset > totalBytes || BigInt(bytes.length) > totalBytes - offset) refuse("out_of_range");
    return { type: "JoinImage", tick: t.tick("tick"), totalBytes, hash: t.u64("hash"), offset, bytes };
  },
  BodiesAdded: read_added,
  BodiesRemoved: (t) => {
    if (t.reference("ids") === 0) refuse("missing_field");
    return { type: "BodiesRemoved", tick: t.tick("tick"), ids: read_ids(t.records("ids")) };
  },
  GameEvent: (t) => ({ type: "GameEvent", bytes: t.bytes("bytes", limits.kCustomBytesMax), tick: t.tick("tick") }),
  ServerStats: (t) => ({
    type: "ServerStats", tick: t.tick("tick"), stateHash: t.u64("state_hash"), bodyCount: t.u32("body_count"), awakeCount: t.u32("awake_count"),
    clientCount: t.u32("client_count"), tickTimeUs: t.u32("tick_time_us"), tickTimeP99Us: t.u32("tick_time_p99_us"), contactCount: t.u32("contact_count"),
    droppedTicks: t.u64("dropped_ticks"),
  }),
  Control: (t) => {
    const action = t.one_of("action", kEnums.ControlAction);
    const [speed] = finite([t.f32("speed", 1)] as const);
    return { type: "Control", request: t.u32("request"), action, speed, tick: t.tick("tick"), scene: t.text("scene", limits.kSceneNameBytesMax) };
  },
  ControlResult: (t) => ({
    type: "ControlResult", request: t.u32("request"), status: t.one_of("status", kEnums.ControlStatus), text: t.text("text", limits.kReasonTextBytesMax),
  }),
  RoomState: read_room,
  RoomEntered: (t) => ({ type: "RoomEntered", epoch: t.u32("epoch") || refuse("out_of_range"), firstInput: t.u32("first_input") }),
  Inspect: (t) => ({ type: "Inspect", what: t.u32("what") }),
  Contacts: read_contacts,
  JointFrames: read_joints,
};
