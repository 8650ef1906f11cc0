// What happened to a client since it last asked, in order: Client.nextEvent().
import type { TaktError } from "./error.js";
import type { ControlStatus, CommandStatus, NumbersMode, QueryStatus, Triple } from "./message.js";
import type { Room } from "./room.js";

/** We are in. Bodies follow. */
export interface Joined {
  type: "joined";
  /** our id: the player of bodies we spawn */
  player: number;
  tickRateHz: number;
  /** the server's when it let us in */
  tick: number;
  sceneHash: bigint;
  numbers: NumbersMode;
  /** 0 the first time, 1 after the first reconnect ... */
  reconnects: number;
}
/** close() was called: nothing follows. */
export interface Left {
  type: "left";
}
/** The session is over and not by our wish, or it never began. */
export interface Disconnected {
  type: "disconnected";
  /** a stable word such as "timed_out", "connection_lost", "server_stopped", "server_full", "version_mismatch", "protocol_error" */
  reason: string;
  /** for a person; may be empty */
  text: string;
  /** "reconnecting" follows; otherwise nothing does */
  willReconnect: boolean;
}
export interface Reconnecting {
  type: "reconnecting";
  /** from 1 */
  attempt: number;
  delayMs: number;
}
/** A body exists since `tick`; Client.bodies() shows it once the render time gets there. */
export interface BodyAdded {
  type: "bodyAdded";
  body: bigint;
  tick: number;
  player: number;
  userKind: number;
}
export interface BodyRemoved {
  type: "bodyRemoved";
  body: bigint;
  tick: number;
}
/** What became of a command that did not act in the tick it was meant for: "moved" acted, but in the later tick `tick`. */
export interface CommandOutcome {
  type: "commandOutcome";
  /** as the sending call returned it */
  sequence: number;
  status: Exclude<CommandStatus, "applied">;
  tick: number;
}
/** About once a second, what the server says of itself. */
export interface ServerReport {
  type: "serverReport";
  tick: number;
  stateHash: bigint;
  bodyCount: number;
  awakeCount: number;
  clientCount: number;
  /** median of the last second, microseconds */
  tickTimeUs: number;
  tickTimeP99Us: number;
  /** manifolds that touch */
  contactCount: number;
  /** given up because the server fell behind, since its start */
  droppedTicks: number;
}
/** Bytes from the server's Game for this player. */
export interface GameMessage {
  type: "gameMessage";
  tick: number;
  bytes: Uint8Array;
}
/** Client.room changed. */
export interface RoomChanged {
  type: "room";
  room: Room;
  /** The world was replaced (another scene, a seek): all bodies are gone, without bodyRemoved events, and come anew. */
  isNewWorld: boolean;
}
/** The answer to pause(), step(), loadScene() and their like. */
export interface ControlDone {
  type: "controlResult";
  /** as the calling method returned it */
  request: number;
  status: ControlStatus;
  text: string;
}
/** A shape that a question found. */
export interface RemoteHit {
  body: bigint;
  /** index of Body.shapes */
  shape: number;
  /** m, world; on the shape's surface */
  point: Triple;
  /** unit, out of the shape */
  normal: Triple;
  /** ray and cast: how much of the way is free, 0 .. 1 */
  fraction: number;
  /** m; overlap, closest point and a cast that starts overlapping: how far apart, below 0 how deep */
  distance: number;
  /** of a mesh or height field; null for other shapes */
  triangle: number | null;
}
export interface RemoteAnswer {
  /** "answered", "refused_invalid" or "refused_busy" (the questions before it found too much) */
  status: QueryStatus;
  found: boolean;
  /** hits that there are; more than hits has when the message was full (512 a request) */
  total: number;
  /** sorted by fraction or distance, then shape; none in mode "any" */
  hits: RemoteHit[];
}
/** The answer to query(), about the world as it stood at `tick`. */
export interface QueryDone {
  type: "queryResult";
  /** as query() returned it */
  request: number;
  /** "answered", or why the whole request was refused */
  status: QueryStatus;
  tick: number;
  answers: RemoteAnswer[];
}
/** A joint broke in the step to `tick`: it holds nothing until it is enabled again. */
export interface JointBroken {
  type: "jointBroken";
  /** index and generation in one */
  joint: bigint;
  tick: number;
}
/** Something went wrong that a program may want to tell apart; "disconnected" follows when it ended the session. */
export interface Failed {
  type: "error";
  error: TaktError;
}

export type Event =
  | Joined
  | Left
  | Disconnected
  | Reconnecting
  | BodyAdded
  | BodyRemoved
  | CommandOutcome
  | ServerReport
  | GameMessage
  | RoomChanged
  | ControlDone
  | QueryDone
  | JointBroken
  | Failed;
