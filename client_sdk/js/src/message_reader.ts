// Reader of messages from a stranger's bytes. It checks size, structure, kind, fields, enums, ranges and
// text. Same rules as protocol/messages/message_reader.cpp. It returns an error for invalid bytes and throws
// only for arguments of the wrong type.
import { byteArray, oneOf } from "./argument.js";
import { isFiniteRecord } from "./body_state.js";
import { checkShape } from "./command_check.js";
import { FlatBuffer } from "./flat_buffer.js";
import { readInputs } from "./input_reader.js";
import * as limits from "./limits.js";
import type {
  BodyInfo,
  ConnectRequest,
  CommandOutcome,
  Message,
  MoverInput,
  Records,
  Shape,
} from "./message.js";
import { readQueryRequest, readQueryResult } from "./query_message_reader.js";
import { readContacts, readJoints, readJointsBroken, readRoom } from "./room_message_reader.js";
import { kEnums, kMessageMembers, kStructBytes, kTableLayouts } from "./schema.js";
import type { MessageName } from "./schema.js";
import type { ReadError } from "./table_reader.js";
import { Refused, Table, finite, named, readPart, refuse, shapeAt, textOf, tickAt } from "./table_reader.js";

/** The limits that apply to a message: those of a datagram, or those of the reliable channel. */
export type MessageClass = "datagram" | "reliable";
export type ReadResult = { ok: true; message: Message } | { ok: false; error: ReadError };

const kIdentifier = 0x50544b54; // "TKTP", little-endian
const kBytesMin = 12; // root offset, identifier, vtable offset of an empty table

export function readMessage(bytes: Uint8Array, messageClass: MessageClass): ReadResult {
  byteArray("readMessage(): bytes", bytes);
  oneOf("readMessage(): messageClass", messageClass, ["datagram", "reliable"]);
  const datagram = messageClass === "datagram";
  if (bytes.length > (datagram ? limits.kDatagramBytesMax : limits.kReliableBytesMax)) {
    return { ok: false, error: "too_long" };
  }
  if (bytes.length < kBytesMin) return { ok: false, error: "too_short" };
  const buffer = new FlatBuffer(bytes);
  const tables = datagram ? limits.kVerifierTablesDatagram : limits.kVerifierTablesReliable;
  if (!buffer.verify(kIdentifier, kTableLayouts.Packet, limits.kVerifierDepthMax, tables)) {
    return { ok: false, error: "verifier_failed" };
  }
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

/** Refuses what no client sends. This SDK simulates nothing, so it has no use for the values. */
function checkResume(t: Table): void {
  const at = t.struct("resume");
  if (at === 0) return;
  const tick = t.buffer.view.getBigUint64(at, true);
  const epoch = t.buffer.view.getUint32(at + 16, true);
  const hashAge = t.buffer.view.getUint32(at + 20, true);
  if (BigInt(hashAge) >= tick || epoch === 0) refuse("out_of_range");
}

function readRequest(t: Table): ConnectRequest {
  const numbersMode = t.oneOf("numbers_mode", kEnums.NumbersMode);
  const mode = t.oneOf("mode", kEnums.ReplicationMode);
  const role = t.oneOf("role", kEnums.Role);
  const playerName = t.text("player_name", limits.kPlayerNameBytesMax);
  const vector = t.reference("token");
  const token = vector === 0 ? new Uint8Array() : t.buffer.span(vector).slice();
  if (token.length > limits.kConnectTokenBytesMax) refuse("out_of_range");
  const hasVerifier = t.reference("token_verifier") !== 0;
  const tokenVerifier = hasVerifier ? readExactly(t, "token_verifier", 16) : new Uint8Array();
  checkResume(t);
  return {
    type: "ConnectRequest",
    protocolVersion: t.u32("protocol_version"),
    sceneHash: t.u64("scene_hash"),
    numbersMode,
    mode,
    playerName,
    nonce: t.u64("nonce"),
    role,
    token,
    tokenVerifier,
    ciphers: t.u8("ciphers"),
  };
}

/** A field that must have this number of bytes. */
function readExactly(t: Table, field: string, length: number): Uint8Array {
  const vector = t.reference(field);
  if (vector === 0) refuse("missing_field");
  const bytes = t.buffer.span(vector);
  return bytes.length === length ? bytes.slice() : refuse("out_of_range");
}

function readOutcomes(t: Table): CommandOutcome[] {
  const { view, offset, count } = t.records("outcomes");
  if (count > limits.kCommandOutcomesPerMessage) refuse("out_of_range");
  const outcomes: CommandOutcome[] = [];
  for (let i = 0, at = offset; i < count; ++i, at += kStructBytes.InputOutcome) {
    outcomes.push({
      sequence: view.getUint32(at, true),
      status: named(view.getUint8(at + 4), kEnums.InputStatus),
      tick: tickAt(view, at + 8),
      refusal: "none",
      text: "",
    });
  }
  if (t.reference("refusals") !== 0) {
    const refusals = t.records("refusals");
    if (refusals.count !== count) refuse("out_of_range");
    outcomes.forEach((outcome, i) => {
      // A later server may have further reasons.
      outcome.refusal = kEnums.CommandRefusal[refusals.view.getUint8(refusals.offset + i)] ?? "none";
    });
  }
  const texts = t.reference("texts");
  if (texts !== 0) {
    if (t.buffer.count(texts) !== count) refuse("out_of_range");
    outcomes.forEach((outcome, i) => {
      outcome.text = textOf(t.buffer, t.buffer.element(texts, i), limits.kReasonTextBytesMax);
    });
  }
  return outcomes;
}

function readSnapshot(t: Table): Message {
  const serial = t.u32("serial");
  if (serial === 0) refuse("out_of_range");
  const { part, partCount } = readPart(t, limits.kSnapshotPartsMax);
  const tick = t.tick("tick");
  const bodies = t.records("bodies");
  for (let i = 0, at = bodies.offset; i < bodies.count; ++i, at += limits.kBodyStateBytes) {
    if (!isFiniteRecord(bodies.view, at)) refuse("not_finite");
  }
  return {
    type: "Snapshot",
    serial,
    tick,
    part,
    partCount,
    baseline: t.u32("baseline"),
    deferred: t.u32("deferred"),
    epoch: t.u32("epoch"),
    bodies,
    removed: t.records("removed"),
    ropes: t.records("ropes"),
    removedRopes: readIds(t.records("removed_ropes")),
    deferredRopes: t.u32("deferred_ropes"),
    movers: readMovers(t.records("movers")),
    modeEpoch: t.u32("mode_epoch"),
  };
}

function readMovers({ view, offset, count }: Records): MoverInput[] {
  return Array.from({ length: count }, (_, i) => {
    const at = offset + i * kStructBytes.MoverInput;
    const real = (field: number) => view.getFloat32(at + field, true);
    const [x, y, z, turn] = finite([real(8), real(12), real(16), real(20)] as const);
    return {
      body: view.getBigUint64(at, true),
      velocity: [x, y, z],
      turn,
      flags: view.getUint32(at + 24, true),
    };
  });
}

function readGeometry(t: Table): Message {
  const bytes = t.bytes("bytes", limits.kGeometrySliceBytes);
  const digest = t.u64("digest");
  const kind = t.oneOf("kind", kEnums.GeometryKind);
  const totalBytes = t.u32("total_bytes");
  const offset = t.u32("offset");
  if (digest === 0n || totalBytes > limits.kGeometryBytesMax || offset + bytes.length > totalBytes) {
    refuse("out_of_range");
  }
  return { type: "Geometry", digest, kind, totalBytes, offset, bytes };
}

function readConfirmed(t: Table): Message {
  const bytes = t.bytes("bytes", limits.kConfirmedSliceBytes);
  const offset = t.u32("offset");
  const totalBytes = t.u32("total_bytes");
  if (bytes.length === 0) refuse("missing_field");
  const isInside = totalBytes === 0 ? offset === 0 : offset + bytes.length <= totalBytes;
  if (!isInside || totalBytes > limits.kConfirmedBytesMax) refuse("out_of_range");
  return { type: "Confirmed", bytes, offset, totalBytes, modeEpoch: t.u32("mode_epoch") };
}

function readDesyncProbe(t: Table): Message {
  const tick = t.tick("tick");
  const path = t.text("path", limits.kDesyncPathBytesMax);
  const answer = t.text("answer", limits.kDesyncAnswerBytesMax);
  if (path === "") refuse("missing_field");
  return { type: "DesyncProbe", tick, path, answer, modeEpoch: t.u32("mode_epoch") };
}

function readDesyncAnswer(t: Table): Message {
  const tick = t.tick("tick");
  const path = t.text("path", limits.kDesyncPathBytesMax);
  const answer = t.text("answer", limits.kDesyncAnswerBytesMax);
  const status = t.oneOf("status", kEnums.DesyncStatus);
  if (path === "") refuse("missing_field");
  return { type: "DesyncAnswer", tick, path, answer, status };
}

function readModeSwitch(t: Table): Message {
  const mode = t.oneOf("mode", kEnums.ReplicationMode);
  const text = t.text("text", limits.kReasonTextBytesMax);
  const refused = t.bool("refused");
  return {
    type: "ModeSwitch",
    mode,
    text,
    request: t.u32("request"),
    refused,
    modeEpoch: t.u32("mode_epoch"),
  };
}

function readAdded(t: Table): Message {
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
    bodies.push({
      id,
      userKind: body.u32("user_kind"),
      player: body.u32("player"),
      shapes: readShapes(body),
      sequence: body.u32("sequence"),
    });
  }
  return { type: "BodiesAdded", tick, bodies };
}

function readShapes(t: Table): Shape[] {
  const { view, offset, count } = t.records("shapes");
  if (count > limits.kShapesPerBodyMax) refuse("out_of_range");
  const shapes: Shape[] = [];
  for (let i = 0, at = offset; i < count; ++i, at += kStructBytes.ShapeInfo) {
    const shape = shapeAt(view, at, named(view.getUint8(at), kEnums.ShapeKind));
    const finding = checkShape(shape);
    if (finding !== "ok") refuse(finding === "not-finite" ? "not_finite" : "out_of_range");
    shapes.push(shape);
  }
  return shapes;
}

function readIds({ view, offset, count }: Records): bigint[] {
  if (count > limits.kRemovedPerMessage) refuse("out_of_range");
  const ids: bigint[] = [];
  for (let i = 0; i < count; ++i) ids.push(view.getBigUint64(offset + 8 * i, true));
  return ids;
}

const kReaders: Record<MessageName, (t: Table) => Message> = {
  ConnectRequest: readRequest,
  Challenge: (t) => ({
    type: "Challenge",
    cookie: readExactly(t, "cookie", 16),
    lastingKey: readExactly(t, "lasting_key", 32),
    shortLivedKey: readExactly(t, "short_lived_key", 32),
    nonce: t.u64("nonce"),
  }),
  ChallengeResponse: (t) => {
    const cookie = readExactly(t, "cookie", 16);
    const request = t.reference("request");
    if (request === 0) refuse("missing_field");
    const asked = readRequest(new Table(t.buffer, request, "ConnectRequest"));
    const isNamed = asked.token.length === 0;
    return {
      type: "ChallengeResponse",
      cookie,
      request: asked,
      key: readExactly(t, "key", 32),
      proof: readExactly(t, "proof", isNamed ? limits.kNamedProofBytes : limits.kProofBytes),
    };
  },
  Accept: (t) => {
    const tickRateHz = t.u32("tick_rate_hz");
    const playerId = t.u32("player_id");
    if (tickRateHz < 1 || tickRateHz > 10_000 || playerId === 0) refuse("out_of_range");
    return {
      type: "Accept",
      nonce: t.u64("nonce"),
      session: t.u64("session"),
      playerId,
      tickRateHz,
      substeps: t.u32("substeps"),
      currentTick: t.tick("current_tick"),
      sceneHash: t.u64("scene_hash"),
      numbersMode: t.oneOf("numbers_mode", kEnums.NumbersMode),
      mode: t.oneOf("mode", kEnums.ReplicationMode),
      role: t.oneOf("role", kEnums.Role),
      cipher: t.u8("cipher"),
      resumed: t.bool("resumed"),
      epoch: t.u32("epoch"),
      inputOffset: t.u32("input_offset"),
    };
  },
  Refuse: (t) => ({
    type: "Refuse",
    text: t.text("text", limits.kReasonTextBytesMax),
    reason: t.oneOf("reason", kEnums.RefuseReason),
    nonce: t.u64("nonce"),
  }),
  Disconnect: (t) => ({
    type: "Disconnect",
    text: t.text("text", limits.kReasonTextBytesMax),
    reason: t.oneOf("reason", kEnums.DisconnectReason),
  }),
  KeepAlive: () => ({ type: "KeepAlive" }),
  Ping: (t) => ({ type: "Ping", clientTimeUs: t.u64("client_time_us") }),
  Pong: (t) => ({
    type: "Pong",
    clientTimeUs: t.u64("client_time_us"),
    tick: t.tick("tick"),
    tickFraction: t.u32("tick_fraction"),
  }),
  Inputs: readInputs,
  InputAck: (t) => ({
    type: "InputAck",
    receivedThrough: t.u32("received_through"),
    tick: t.tick("tick"),
    marginTicks: t.i32("margin_ticks"),
    outcomes: readOutcomes(t),
  }),
  Snapshot: readSnapshot,
  JoinImage: (t) => {
    const bytes = t.bytes("bytes", limits.kJoinSliceBytes);
    const totalBytes = t.u64("total_bytes");
    const offset = t.u64("offset");
    if (offset > totalBytes || BigInt(bytes.length) > totalBytes - offset) refuse("out_of_range");
    return { type: "JoinImage", tick: t.tick("tick"), totalBytes, hash: t.u64("hash"), offset, bytes };
  },
  BodiesAdded: readAdded,
  BodiesRemoved: (t) => {
    if (t.reference("ids") === 0) refuse("missing_field");
    return { type: "BodiesRemoved", tick: t.tick("tick"), ids: readIds(t.records("ids")) };
  },
  GameEvent: (t) => ({
    type: "GameEvent",
    bytes: t.bytes("bytes", limits.kCustomBytesMax),
    tick: t.tick("tick"),
  }),
  ServerStats: (t) => ({
    type: "ServerStats",
    tick: t.tick("tick"),
    stateHash: t.u64("state_hash"),
    bodyCount: t.u32("body_count"),
    awakeCount: t.u32("awake_count"),
    clientCount: t.u32("client_count"),
    tickTimeUs: t.u32("tick_time_us"),
    tickTimeP99Us: t.u32("tick_time_p99_us"),
    contactCount: t.u32("contact_count"),
    droppedTicks: t.u64("dropped_ticks"),
  }),
  Control: (t) => {
    const action = t.oneOf("action", kEnums.ControlAction);
    const [speed] = finite([t.f32("speed", 1)] as const);
    return {
      type: "Control",
      request: t.u32("request"),
      action,
      speed,
      tick: t.tick("tick"),
      scene: t.text("scene", limits.kSceneNameBytesMax),
    };
  },
  ControlResult: (t) => ({
    type: "ControlResult",
    request: t.u32("request"),
    status: t.oneOf("status", kEnums.ControlStatus),
    text: t.text("text", limits.kReasonTextBytesMax),
  }),
  RoomState: readRoom,
  RoomEntered: (t) => ({
    type: "RoomEntered",
    epoch: nonZero(t.u32("epoch")),
    firstInput: t.u32("first_input"),
  }),
  Inspect: (t) => ({ type: "Inspect", what: t.u32("what") }),
  Contacts: readContacts,
  JointFrames: readJoints,
  Geometry: readGeometry,
  QueryRequest: readQueryRequest,
  QueryResult: readQueryResult,
  JointsBroken: readJointsBroken,
  Confirmed: readConfirmed,
  DesyncProbe: readDesyncProbe,
  DesyncAnswer: readDesyncAnswer,
  ModeSwitch: readModeSwitch,
  SealedAccept: (t) => {
    const vector = t.reference("sealed");
    const sealed = vector === 0 ? new Uint8Array() : t.buffer.span(vector);
    if (sealed.length === 0) refuse("missing_field");
    if (sealed.length > limits.kSealedAcceptBytesMax) refuse("out_of_range");
    return { type: "SealedAccept", nonce: t.u64("nonce"), sealed: sealed.slice() };
  },
};

function nonZero(number: number): number {
  return number !== 0 ? number : refuse("out_of_range");
}
