// Messages of schemas/protocol.fbs as plain objects, after verification and range checks. message_reader.ts
// reads them from bytes, message_writer.ts writes them. Ticks are Numbers: a tick from 2^53 on (4.7 million
// years at 60 Hz) is refused. Ids and hashes are bigint. The bodies of a Snapshot stay in its buffer, where
// body_state.ts reads them. Names and values are those of the schema. command_fields.ts defines the commands.
import type { WireCommand } from "./command_fields.js";
import type { kEnums } from "./schema.js";

export type { ChangeJoint, CommandName, LocalFrame, Softness, WireCommand } from "./command_fields.js";

export type NumbersMode = (typeof kEnums.NumbersMode)[number];
export type ReplicationMode = (typeof kEnums.ReplicationMode)[number];
export type Role = (typeof kEnums.Role)[number];
export type RefuseReason = (typeof kEnums.RefuseReason)[number];
export type DisconnectReason = (typeof kEnums.DisconnectReason)[number];
export type GeometryKind = (typeof kEnums.GeometryKind)[number];
export type ShapeKind = (typeof kEnums.ShapeKind)[number];
export type SoftnessForm = (typeof kEnums.SoftnessForm)[number];
export type JointAxis = (typeof kEnums.JointAxis)[number];
export type CommandStatus = (typeof kEnums.InputStatus)[number];
export type CommandRefusal = (typeof kEnums.CommandRefusal)[number];
export type ControlAction = (typeof kEnums.ControlAction)[number];
export type ControlStatus = (typeof kEnums.ControlStatus)[number];
export type DesyncStatus = (typeof kEnums.DesyncStatus)[number];
export type QueryKind = (typeof kEnums.QueryKind)[number];
export type QueryMode = (typeof kEnums.QueryMode)[number];
export type QueryStatus = (typeof kEnums.QueryStatus)[number];
export type MarkKind = (typeof kEnums.MarkKind)[number];

/** Three numbers; the field defines unit and frame. */
export type Triple = [number, number, number];
/** A unit quaternion, w last. */
export type Quadruple = [number, number, number, number];

/** One shape in its body's frame. */
export interface Shape {
  kind: ShapeKind;
  /**
   * m. sphere: (radius, 0, 0); capsule: (radius, half length along local y, 0); box: half extents;
   * half_space: outward unit normal; cylinder and cone: (radius, half height along local y, 0), the tip of a
   * cone up; hull, mesh and height_field: half extents of the bounding box, which is centred on localPosition
   * and includes a hull's rounding.
   */
  dimensions: Triple;
  /** m; of a half_space: a point on its surface. */
  localPosition: Triple;
  localRotation: Quadruple;
  /** m; of a hull: radius of its rounding. */
  rounding: number;
  /**
   * Digest for Client.geometry(), of a hull, mesh or height_field; 0n = too large to be sent, draw the box.
   */
  geometry: bigint;
}

export interface ConnectRequest {
  type: "ConnectRequest";
  protocolVersion: number;
  sceneHash: bigint;
  numbersMode: NumbersMode;
  mode: ReplicationMode;
  /** Over a web socket alone; over TCP the name is sealed in the proof (sealed_stream.ts). */
  playerName: string;
  nonce: bigint;
  role: Role;
  /** The sealed part of a connect token; empty = none. */
  token: Uint8Array;
  /** The verifier of a token over a web socket, 16 bytes (connect_token.ts); empty = none. */
  tokenVerifier: Uint8Array;
  /** Ciphers for datagrams, of which this SDK sends none; 0. */
  ciphers: number;
}
export interface Challenge {
  type: "Challenge";
  nonce: bigint;
  cookie: Uint8Array;
  /** Public keys of the server, 32 bytes each. */
  lastingKey: Uint8Array;
  shortLivedKey: Uint8Array;
}
export interface ChallengeResponse {
  type: "ChallengeResponse";
  cookie: Uint8Array;
  request: ConnectRequest;
  /** Public key of the client, 32 bytes. */
  key: Uint8Array;
  /** That the client has the keys of the session: 16 bytes with a token, else 49 with its sealed name. */
  proof: Uint8Array;
}
export interface Accept {
  type: "Accept";
  nonce: bigint;
  session: bigint;
  playerId: number;
  tickRateHz: number;
  substeps: number;
  currentTick: number;
  sceneHash: bigint;
  numbersMode: NumbersMode;
  mode: ReplicationMode;
  /** As the server took it. */
  role: Role;
  /** The cipher of datagrams; 0 over a stream. */
  cipher: number;
  /** A client that simulates goes on with its world; this SDK requests no such mode. */
  resumed: boolean;
  /** The room's number of its world; 0 = the server counts none. */
  epoch: number;
  /** The simulation's sequence of an input is that of the session plus this. */
  inputOffset: number;
}
export interface Refuse {
  type: "Refuse";
  nonce: bigint;
  reason: RefuseReason;
  text: string;
}
export interface Disconnect {
  type: "Disconnect";
  reason: DisconnectReason;
  text: string;
}
export interface KeepAlive {
  type: "KeepAlive";
}
export interface Ping {
  type: "Ping";
  clientTimeUs: bigint;
}
export interface Pong {
  type: "Pong";
  clientTimeUs: bigint;
  tick: number;
  tickFraction: number;
}

/** Q31.32 for each axis. */
export type WirePosition = [bigint, bigint, bigint];

export interface Input {
  tick: number;
  sequence: number;
  command: WireCommand;
}
export interface Inputs {
  type: "Inputs";
  inputs: Input[];
  /** Sequences of inputs with an unknown, incomplete or invalid command; `inputs` lacks them. */
  invalidSequences: number[];
}
export interface CommandOutcome {
  sequence: number;
  status: CommandStatus;
  tick: number;
  /** The exact reason of a refusal; "none" also if the server does not tell it. */
  refusal: CommandRefusal;
  /** The game's own words to a refusal; may be empty. */
  text: string;
}
export interface InputAck {
  type: "InputAck";
  receivedThrough: number;
  tick: number;
  marginTicks: number;
  outcomes: CommandOutcome[];
}

/** Position of records in the bytes of a message. */
export interface Records {
  view: DataView;
  offset: number;
  count: number;
}
export interface Snapshot {
  type: "Snapshot";
  serial: number;
  tick: number;
  part: number;
  partCount: number;
  baseline: number;
  deferred: number;
  epoch: number;
  bodies: Records;
  removed: Records;
  /** Bytes; rope_codec.ts decodes them. */
  ropes: Records;
  removedRopes: bigint[];
  deferredRopes: number;
  /** In mode predicted, which this SDK does not offer. */
  movers: MoverInput[];
  /** Changes of the session's mode so far (ModeSwitch). */
  modeEpoch: number;
}
/** The input of a mover in force. */
export interface MoverInput {
  body: bigint;
  /** Metres per second over the ground. */
  velocity: [number, number, number];
  /** Radians per second, of the heading. */
  turn: number;
  flags: number;
}
export interface JoinImage {
  type: "JoinImage";
  tick: number;
  totalBytes: bigint;
  hash: bigint;
  offset: bigint;
  bytes: Uint8Array;
}
/** A slice of the geometry of a hull, mesh or height field; geometry.ts defines the whole. */
export interface GeometrySlice {
  type: "Geometry";
  digest: bigint;
  kind: GeometryKind;
  totalBytes: number;
  offset: number;
  bytes: Uint8Array;
}
export interface BodyInfo {
  id: bigint;
  userKind: number;
  player: number;
  shapes: Shape[];
  /** Number of the input of `player` that spawned the body, in that tick; 0 = none. */
  sequence: number;
}
export interface BodiesAdded {
  type: "BodiesAdded";
  tick: number;
  bodies: BodyInfo[];
}
export interface BodiesRemoved {
  type: "BodiesRemoved";
  tick: number;
  ids: bigint[];
}
export interface GameEvent {
  type: "GameEvent";
  tick: number;
  bytes: Uint8Array;
}
export interface ServerStats {
  type: "ServerStats";
  tick: number;
  stateHash: bigint;
  bodyCount: number;
  awakeCount: number;
  clientCount: number;
  /** Median of the last second, microseconds. */
  tickTimeUs: number;
  tickTimeP99Us: number;
  /** Manifolds that touch. */
  contactCount: number;
  droppedTicks: bigint;
}
export interface Control {
  type: "Control";
  request: number;
  action: ControlAction;
  speed: number;
  tick: number;
  scene: string;
}
export interface ControlResult {
  type: "ControlResult";
  request: number;
  status: ControlStatus;
  text: string;
}
export interface TimelineMark {
  tick: number;
  count: number;
  kind: MarkKind;
}
export interface RoomState {
  type: "RoomState";
  epoch: number;
  tick: number;
  paused: boolean;
  speed: number;
  admin: boolean;
  /** A recording is being played: Room.isPlayback. */
  isRecording: boolean;
  firstTick: number;
  endTick: number;
  tickRateHz: number;
  sceneHash: bigint;
  scene: string;
  title: string;
  scenes: string[];
  /** m; both or none: null = the viewer chooses. */
  cameraEye: Triple | null;
  cameraTarget: Triple | null;
  marks: TimelineMark[];
}
export interface RoomEntered {
  type: "RoomEntered";
  epoch: number;
  /** Inputs of a smaller sequence were for the previous world; 0 = none. */
  firstInput: number;
}
export interface Inspect {
  type: "Inspect";
  what: number;
}
/** Positions are in metres, world. */
export interface ContactPoint {
  bodyA: bigint;
  bodyB: bigint;
  position: Triple;
  /** Unit vector from a to b. */
  normal: Triple;
  /** N s, of the last substep's normal row. */
  impulse: number;
  /** m; negative = overlap. */
  separation: number;
}
export interface Contacts {
  type: "Contacts";
  tick: number;
  total: number;
  part: number;
  partCount: number;
  points: ContactPoint[];
  /** Epoch of the room; 0 = unknown. */
  epoch: number;
}
export interface JointFrame {
  bodyA: bigint;
  /** 0 = the world. */
  bodyB: bigint;
  anchorA: Triple;
  anchorB: Triple;
  /** Rotation of the frame on a, world. */
  rotation: Quadruple;
  /**
   * 0 = a player's grab; 1 to 13: generic, point, revolute, prismatic, weld, distance, angle, wheel,
   * parallel, motor, target, pulley, gear.
   */
  kind: number;
  /** Id for Client.changeJoint(); 0n = a grab. */
  id: bigint;
  /** Rotation of the frame on b, world. */
  rotationB: Quadruple;
  /** N, magnitude of the mean reaction on b in the last tick. */
  force: number;
  /** N m, magnitude of the mean reaction on b in the last tick. */
  torque: number;
  isOff: boolean;
  isTorn: boolean;
}
export interface JointFrames {
  type: "JointFrames";
  tick: number;
  total: number;
  part: number;
  partCount: number;
  joints: JointFrame[];
  /** Epoch of the room; 0 = unknown. */
  epoch: number;
}

/** Joints that broke in the step to `tick`. */
export interface JointsBroken {
  type: "JointsBroken";
  tick: number;
  joints: bigint[];
}

/** Confirmed ticks for a client that simulates; this SDK requests no mode in which they come. */
export interface Confirmed {
  type: "Confirmed";
  bytes: Uint8Array;
  offset: number;
  totalBytes: number;
  modeEpoch: number;
}

/** The hash tree of a client that simulates; this SDK requests no mode in which it is sent. */
export interface DesyncProbe {
  type: "DesyncProbe";
  tick: number;
  path: string;
  answer: string;
  modeEpoch: number;
}
export interface DesyncAnswer {
  type: "DesyncAnswer";
  tick: number;
  path: string;
  answer: string;
  status: DesyncStatus;
}

/** The mode in which a session goes on; this SDK requests no other one than snapshot. */
export interface ModeSwitch {
  type: "ModeSwitch";
  mode: ReplicationMode;
  text: string;
  /** The client's number, which this answers; 0 = nobody asked. */
  request: number;
  refused: boolean;
  modeEpoch: number;
}

/** A query as the wire has it; query.ts defines the caller's form. */
export interface Query {
  kind: QueryKind;
  mode: QueryMode;
  position: WirePosition;
  translation: Triple;
  /** null = absent. */
  shape: Shape | null;
  rotation: Quadruple;
  maxDistance: number;
  category: number;
  mask: number;
  group: number;
  findSensors: boolean;
  ignore: bigint[];
}
export interface QueryRequest {
  type: "QueryRequest";
  request: number;
  queries: Query[];
  /** The world as it stood then, or at the nearest tick that the server keeps; 0 = the newest. */
  atTick: number;
}
export interface QueryHit {
  body: bigint;
  /** m, world. */
  point: Triple;
  normal: Triple;
  fraction: number;
  distance: number;
  /** Index in Body.shapes. */
  shape: number;
  triangle: number;
}
export interface QueryAnswer {
  status: QueryStatus;
  found: boolean;
  hitCount: number;
  total: number;
}
export interface QueryResult {
  type: "QueryResult";
  request: number;
  status: QueryStatus;
  tick: number;
  answers: QueryAnswer[];
  hits: QueryHit[];
  /** Bit i: query i, refused as busy, needed more work than it may. */
  workExceeded: number;
}

/** An Accept of UDP or TCP, encrypted; a web socket has none. */
export interface SealedAccept {
  type: "SealedAccept";
  nonce: bigint;
  sealed: Uint8Array;
}

export type Message =
  | ConnectRequest
  | Challenge
  | ChallengeResponse
  | Accept
  | Refuse
  | Disconnect
  | KeepAlive
  | Ping
  | Pong
  | Inputs
  | InputAck
  | Snapshot
  | JoinImage
  | BodiesAdded
  | BodiesRemoved
  | GameEvent
  | ServerStats
  | Control
  | ControlResult
  | RoomState
  | RoomEntered
  | Inspect
  | Contacts
  | JointFrames
  | GeometrySlice
  | QueryRequest
  | QueryResult
  | JointsBroken
  | Confirmed
  | DesyncProbe
  | DesyncAnswer
  | ModeSwitch
  | SealedAccept;
