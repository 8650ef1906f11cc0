// Events of a client, in order: Client.nextEvent() returns them.
import type { TaktError } from "./error.js";
import type {
  ControlStatus,
  CommandRefusal,
  CommandStatus,
  NumbersMode,
  QueryStatus,
  ServerStats,
  Triple,
} from "./message.js";
import type { Room } from "./room.js";

/** The client joined. Bodies follow. */
export interface Joined {
  type: "joined";
  /** Id of this player, the `player` of bodies it spawns. */
  player: number;
  /** The server took this client as a spectator; a server of an earlier version knows players alone. */
  isSpectator: boolean;
  tickRateHz: number;
  /** The server's tick at that moment. */
  tick: number;
  sceneHash: bigint;
  numbers: NumbersMode;
  /** 0 the first time, 1 after the first reconnect, and so on. */
  reconnects: number;
}
/** close() was called. No event follows. */
export interface Left {
  type: "left";
}
/** The session ended without close(), or did not begin. */
export interface Disconnected {
  type: "disconnected";
  /**
   * A stable word such as "timed_out", "connection_lost", "server_stopped", "server_full",
   * "version_mismatch", "protocol_error".
   */
  reason: string;
  /** For people; may be empty. */
  text: string;
  /** true: "reconnecting" follows; false: no event follows. */
  willReconnect: boolean;
}
export interface Reconnecting {
  type: "reconnecting";
  /** From 1. */
  attempt: number;
  delayMs: number;
}
declare const kSpawnTicket: unique symbol;
/**
 * Connects a command of this client with the body that it spawns: spawn() returns it, and "bodyAdded" carries
 * it. It is the sequence number of the command, which "commandOutcome" has if the spawn was refused. A
 * session after a reconnect counts anew.
 */
export type SpawnTicket = number & { readonly [kSpawnTicket]: true };

/** A body exists since `tick`. Client.bodies() has it once the render time reaches that tick. */
export interface BodyAdded {
  type: "bodyAdded";
  body: bigint;
  tick: number;
  player: number;
  userKind: number;
  /**
   * The return value of spawn(), or of custom() if the server's Game created the body for this player during
   * that command; null for all other bodies.
   */
  ticket: SpawnTicket | null;
}
export interface BodyRemoved {
  type: "bodyRemoved";
  body: bigint;
  tick: number;
}
/**
 * The outcome of a command that did not act in its tick. A "moved" command acted in the later tick `tick`.
 */
export interface CommandOutcome {
  type: "commandOutcome";
  /** The return value of the sending call. */
  sequence: number;
  status: Exclude<CommandStatus, "applied">;
  tick: number;
  /**
   * The exact reason of a refusal, of which `status` is a summary: "not_dynamic", "too_many_spawned" and
   * others (docs/PROTOCOL.md). "none" if moved, or if the server does not tell it.
   */
  refusal: CommandRefusal;
  /** The words of the server's Game to a refusal "game_refused"; may be empty. */
  text: string;
}
/** A report of the server about itself, once a second. */
export interface ServerReport extends Omit<ServerStats, "type" | "droppedTicks"> {
  type: "serverReport";
  /** Ticks given up since the start because the server fell behind. */
  droppedTicks: number;
}
/**
 * Bytes from the server's Game for this player or for all. Messages come in the order in which the Game sent
 * them, each once, after the "bodyAdded" events of their tick.
 */
export interface GameMessage {
  type: "gameMessage";
  /** The tick of the state after the step in which the Game sent it. */
  tick: number;
  /** At most 1,000. */
  bytes: Uint8Array;
}
/** Client.room changed. */
export interface RoomChanged {
  type: "room";
  room: Room;
  /**
   * The world was replaced (another scene, a seek). All bodies are gone without bodyRemoved events; new ones
   * follow.
   */
  isNewWorld: boolean;
}
/** The result of pause(), resume(), step(), setSpeed(), loadScene() or seek(). */
export interface ControlDone {
  type: "controlResult";
  /** The return value of the calling method. */
  request: number;
  status: ControlStatus;
  text: string;
}
/** A shape that a query found. */
export interface RemoteHit {
  body: bigint;
  /** Index in Body.shapes. */
  shape: number;
  /** m, world, on the shape's surface. */
  point: Triple;
  /** Unit vector out of the shape, world. */
  normal: Triple;
  /** Ray and cast: free fraction of the translation, 0 to 1. */
  fraction: number;
  /**
   * m, negative = depth of the overlap; of an overlap, a closest point, and a cast that starts in an overlap.
   */
  distance: number;
  /** Index in the triangles of a mesh's geometry, or of a height field's cell; null for other shapes. */
  triangle: number | null;
}
export interface RemoteAnswer {
  /**
   * "answered", "refused_invalid", "refused_busy" (earlier queries of the request found or cost too much) or
   * "refused_work" (the query needs more work than one may).
   */
  status: QueryStatus | "refused_work";
  found: boolean;
  /** Number of hits; above hits.length if the message was full (512 hits per request). */
  total: number;
  /** Sorted by fraction or distance, then shape; none in mode "any". */
  hits: RemoteHit[];
}
/** The result of query(), for the world at `tick`. */
export interface QueryDone {
  type: "queryResult";
  /** The return value of query(). */
  request: number;
  /** "answered", or the reason for which the server refused the whole request. */
  status: QueryStatus;
  tick: number;
  answers: RemoteAnswer[];
}
/** A joint broke in the step to `tick`. It has no effect until it is enabled again. */
export interface JointBroken {
  type: "jointBroken";
  /** Id of the joint. */
  joint: bigint;
  tick: number;
}
/** An error that a program may tell apart by its code. "disconnected" follows if it ended the session. */
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
