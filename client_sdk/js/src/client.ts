// Client: a thin client of a Takt server. It connects, sends commands and shows the server's bodies
// a little in the past, interpolated between snapshots. It does not simulate and does not draw.
//
//   const client = new Client("ws://127.0.0.1:8080/ws");
//   client.connect();
//   function frame() {
//     client.poll();
//     for (const body of client.bodies()) draw(body);
//     requestAnimationFrame(frame);
//   }
//
// The client handles bytes on arrival. A timer keeps the session alive while a page in the background draws
// no frame. Only poll() moves the bodies of bodies(). Calls throw a TaktError; failures of the network become
// events.
import { between, boolean, byteArray, integer, object, printable, unsigned64 } from "./argument.js";
import { BackOff } from "./back_off.js";
import type { Body } from "./body.js";
import type { Over } from "./client_endpoint.js";
import type { CheckedOptions, ClientOptions } from "./client_options.js";
import { checkedOptions, checkedTime, factoryOf, sessionOptions } from "./client_options.js";
import type { TokenParts } from "./connect_token.js";
import { tokenParts, tokenVerifier } from "./connect_token.js";
import type { BodyLike, MoveOptions, SpawnDefinition, TeleportMotion, Vec3Like } from "./command.js";
import {
  checked,
  idOf,
  moveCommand,
  optional,
  position,
  spawnCommand,
  teleportCommand,
  triple,
} from "./command.js";
import { kForceTicksMax, kVectorComponentMax } from "./command_fields.js";
import { TaktError } from "./error.js";
import type { Event, SpawnTicket } from "./event.js";
import type { Geometry } from "./geometry.js";
import type { InspectOptions, InspectionSet } from "./inspection.js";
import type { JointChange } from "./joint_change.js";
import { jointChangeCommand } from "./joint_change.js";
import {
  kControlSpeedMax,
  kControlStepsMax,
  kCustomBytesMax,
  kReasonTextBytesMax,
  kRopeNodesMax,
  kSceneNameBytesMax,
} from "./limits.js";
import type { Accept, ContactPoint, Control, JointFrame, Triple, WireCommand } from "./message.js";
import type { QueryDefinition } from "./query.js";
import { queriesOf } from "./query.js";
import type { PickHit, RayLike } from "./ray_cast.js";
import { castRay, checkedRay } from "./ray_cast.js";
import type { Room } from "./room.js";
import type { Rope } from "./rope.js";
import type { SessionHost } from "./session.js";
import { Session } from "./session.js";
import type { Stats } from "./stats.js";
import type { Transport, TransportFactory } from "./transport.js";

/** State of a client's connection. */
export type ClientState = "idle" | "connecting" | "joined" | "reconnecting" | "closed";

/** A rope or its id. */
export type RopeLike = Rope | bigint;
/** A joint of jointFrames() or its id. */
export type JointLike = JointFrame | bigint;

/** Period of the timer. A browser stretches it to a second in the background, well below every timeout. */
const kTimerMs = 50;
/** Unsent bytes above which commands are refused. */
const kBufferedBytesMax = 256 * 1024;
/**
 * Events kept for nextEvent(). Above it the oldest is dropped: a page may stay in the background for hours.
 */
const kEventsMax = 100_000;
/** A session of this length resets the back-off. */
const kStableSessionMs = 5_000;
/** Reasons that another attempt would meet again. */
const kFinalReasons = new Set([
  "version_mismatch",
  "scene_mismatch",
  "numbers_mismatch",
  "mode_unsupported",
  "bad_request",
  "kicked",
  "replaced",
  "token_required",
  "token_malformed",
  "token_wrong_version",
  "token_wrong_server",
  "token_forged",
  "token_wrong_room",
  "token_wrong_role",
  "token_wrong_mode",
]);
/** Reasons that a fixed token would meet again. A function may fetch one of another key or expiry. */
const kSpentReasons = new Set(["token_expired", "token_too_long_lived", "token_wrong_key"]);
/** Characters of a function's error that an event repeats. */
const kFetchErrorLength = 200;

/**
 * A thin client of one Takt server. Properties describe the connection; methods return the world and act on
 * it.
 */
export class Client {
  private readonly factory: TransportFactory;
  private readonly options: CheckedOptions;
  private readonly backOff: BackOff;

  private currentState: ClientState = "idle";
  // The session of this connection, or of the last one, whose bodies stay until the next joins.
  private session: Session | null = null;
  private nextSession: Session | null = null; // not joined yet
  private transport: Transport | null = null;
  private connection = 0; // number of connections; tells late bytes of an old one
  private fetching = 0; // the connection that waits for its token; 0 = none
  private fetchedFromUs = 0;
  private retryAtMs = 0;
  private joinedAtMs = 0;
  private reconnects = -1;
  private playerId = 0;
  private isWatching = false;
  private readonly events: Event[] = [];
  private eventsRead = 0;
  private nextRequest = 1;
  private inspected = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private lastMs = -Infinity;
  private flushIsQueued = false;
  private isAwaitingTurn = false; // after a stall

  /**
   * Opens nothing yet. `address`: "ws://HOST:PORT/ws", "wss://...", or a transport factory, such as tcp() of
   * takt/node returns. Throws invalid-argument, bad-url, no-websocket, not-finite, out-of-range.
   */
  constructor(address: string | TransportFactory, options: ClientOptions = {}) {
    this.options = checkedOptions(options);
    this.factory = factoryOf(address, options.WebSocket);
    const { backOffFirstMs, backOffMaxMs, random } = this.options;
    this.backOff = new BackOff({ firstMs: backOffFirstMs, maxMs: backOffMaxMs }, random);
  }

  // ------------------------------------------------------------ connecting

  /** The state of the connection. */
  get state(): ClientState {
    return this.currentState;
  }
  /** The id of this player, the `player` of bodies it spawns; 0 before "joined". */
  get player(): number {
    return this.playerId;
  }
  /** The newest description of the room; null before the first. */
  get room(): Room | null {
    return this.session?.room ?? null;
  }

  /**
   * Starts to connect; the event "joined" or "disconnected" follows. Has no effect while connected. Throws
   * closed.
   */
  connect(): void {
    if (this.currentState === "closed") {
      throw new TaktError("closed", "this client was closed; create a new one");
    }
    if (this.currentState !== "idle") return;
    this.currentState = "connecting";
    if (this.options.timer) this.startTimer();
    this.open();
  }

  /**
   * Ends the session; the event "left" follows. `text`: a reason for people, printable, at most 200 bytes.
   */
  close(text = ""): void {
    const reason = printable("close(): text", text, kReasonTextBytesMax);
    if (this.currentState === "closed") return;
    const session = this.nextSession ?? this.session;
    this.currentState = "closed";
    this.stopTimer();
    session?.endpoint.leave(this.timeUs(), reason);
    this.dropTransport();
    this.pushEvent({ type: "left" });
  }

  /** The server took this client as a spectator; false before "joined". */
  get isSpectator(): boolean {
    return this.isWatching;
  }

  /** Makes a spectator join anew as a player; the event "joined" follows. Has no effect for a player. */
  play(): void {
    if (!this.options.spectate) return;
    this.options.spectate = false;
    if (this.currentState !== "joined" && this.currentState !== "connecting") return;
    const session = this.nextSession ?? this.session;
    session?.endpoint.leave(this.timeUs(), "joins as a player");
    this.dropTransport();
    if (this.currentState === "joined") this.currentState = "reconnecting";
    this.open();
  }

  private startTimer(): void {
    this.timer = setInterval(() => {
      this.handleTimer();
    }, kTimerMs);
    // In Node the socket, not the timer, keeps the program alive.
    (this.timer as { unref?: () => void }).unref?.();
  }
  private stopTimer(): void {
    clearInterval(this.timer);
  }

  private open(): void {
    const connection = ++this.connection;
    const { token } = this.options;
    if (typeof token !== "function") {
      this.dial(connection, token);
      return;
    }
    this.fetching = connection;
    this.fetchedFromUs = this.timeUs();
    // A function that throws at once rejects the promise, too.
    void new Promise((resolve) => {
      resolve(token());
    })
      .then((text) => tokenParts("new Client(): options.token: its result", text))
      .then(
        (parts) => {
          this.guard(() => {
            if (this.takeFetched(connection)) this.dial(connection, parts);
          });
        },
        (error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          this.guard(() => {
            this.failFetch(connection, why.slice(0, kFetchErrorLength));
          });
        },
      );
  }

  private failFetch(connection: number, why: string): void {
    if (!this.takeFetched(connection)) return;
    const text = `no connect token: ${why}`;
    this.endSession(connection, { reason: "connection_lost", refused: "none", text, corrupt: false });
  }

  /** A function whose promise does not settle is a server that does not answer. A late token is dropped. */
  private handleFetchTime(nowUs: number): void {
    if (this.fetching === 0 || nowUs < this.fetchedFromUs + this.options.connectTimeoutUs) return;
    this.failFetch(this.fetching, "time-out");
  }

  /** False when close() or another connection came while the token was fetched. */
  private takeFetched(connection: number): boolean {
    if (this.fetching !== connection || connection !== this.connection) return false;
    this.fetching = 0;
    return this.currentState !== "closed";
  }

  private dial(connection: number, token: TokenParts): void {
    const isCurrent = (): boolean => connection === this.connection && this.transport !== null;
    const options = sessionOptions(this.options, token.sealed);
    const session = new Session(options, this.hostOf(connection), this.timeUs());
    this.nextSession = session;
    try {
      const transport = this.factory({
        tokenKeys: token.keys.length > 0 ? token.keys : undefined,
        handleOpen: () => {
          this.guard(() => {
            if (!isCurrent()) return;
            // Nowhere else: this would let whoever sees the request join with the token.
            const verifier = this.transport!.isWebSocket === true ? tokenVerifier(token) : undefined;
            session.endpoint.handleOpen(this.timeUs(), verifier);
          });
        },
        handleBytes: (bytes) => {
          this.guard(() => {
            if (isCurrent()) this.handleBytes(session, bytes);
          });
        },
        handleClose: (why) => {
          this.guard(() => {
            if (isCurrent()) session.endpoint.handleClosed(why);
          });
        },
      });
      this.transport = checkedTransport(transport);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.endSession(connection, { reason: "connection_lost", refused: "none", text, corrupt: false });
    }
  }

  private hostOf(connection: number): SessionHost {
    return {
      sendBytes: (bytes) => {
        if (connection === this.connection) this.transport?.send(bytes);
      },
      pushEvent: (event) => {
        this.pushEvent(event);
      },
      handleJoined: (accept) => {
        this.handleJoined(accept);
      },
      handleOver: (over) => {
        this.endSession(connection, over);
      },
    };
  }

  /**
   * An arrival drives time too: a browser calls the timers of a page long in the background once a minute
   * only.
   */
  private handleBytes(session: Session, bytes: Uint8Array): void {
    const nowUs = this.timeUs();
    this.handleRun(session, nowUs);
    session.handleBytes(nowUs, bytes);
    session.endpoint.handleTime(nowUs);
    if (session === this.session) session.prune(nowUs);
  }

  private handleJoined(accept: Accept): void {
    this.session = this.nextSession;
    this.nextSession = null;
    this.currentState = "joined";
    this.joinedAtMs = this.timeUs() / 1000;
    this.playerId = accept.playerId;
    this.isWatching = accept.role === "spectator";
    ++this.reconnects;
    this.pushEvent({
      type: "joined",
      player: accept.playerId,
      isSpectator: this.isWatching,
      tickRateHz: accept.tickRateHz,
      tick: accept.currentTick,
      sceneHash: accept.sceneHash,
      numbers: accept.numbersMode,
      reconnects: this.reconnects,
    });
    if (this.inspected !== 0) this.session!.inspect(this.timeUs(), this.inspected);
  }

  private endSession(connection: number, over: Over): void {
    if (connection !== this.connection || this.currentState === "closed") return;
    this.dropTransport();
    const wasJoined = this.currentState === "joined";
    const reason = over.refused !== "none" ? over.refused : over.reason;
    const error = this.errorOf(over, reason, wasJoined);
    if (error !== null) this.pushEvent({ type: "error", error });
    const isSpent = kSpentReasons.has(reason) && typeof this.options.token !== "function";
    const again = this.options.reconnect && !isSpent && !kFinalReasons.has(reason);
    this.pushEvent({ type: "disconnected", reason, text: over.text, willReconnect: again });
    if (!again) {
      this.currentState = "closed";
      this.stopTimer();
      return;
    }
    const nowMs = this.timeUs() / 1000;
    if (wasJoined && nowMs - this.joinedAtMs >= kStableSessionMs) this.backOff.reset();
    const delayMs = this.backOff.nextMs();
    this.currentState = "reconnecting";
    this.retryAtMs = nowMs + delayMs;
    this.pushEvent({ type: "reconnecting", attempt: this.backOff.attempt, delayMs });
  }

  private errorOf(over: Over, reason: string, wasJoined: boolean): TaktError | null {
    if (over.corrupt) return new TaktError("corrupt-message", over.text, reason);
    if (over.refused !== "none") {
      return new TaktError("refused", over.text !== "" ? over.text : `the server refused: ${reason}`, reason);
    }
    return wasJoined ? null : new TaktError("network", over.text, reason);
  }

  private dropTransport(): void {
    const transport = this.transport;
    this.transport = null;
    this.nextSession = null;
    transport?.close();
  }

  // ------------------------------------------------------------ every frame

  /**
   * Moves bodies() to this time and does all due work. Call it once a frame. `nowMs`: a time of
   * performance.now().
   */
  poll(nowMs?: number): void {
    const givenMs = nowMs === undefined ? undefined : checkedTime("poll(): nowMs", nowMs);
    this.guard(() => {
      this.update(this.timeUs(givenMs));
    });
  }

  /** Removes and returns the oldest event; undefined = none. */
  nextEvent(): Event | undefined {
    if (this.eventsRead === this.events.length) return undefined;
    const event = this.events[this.eventsRead++];
    if (this.eventsRead === this.events.length || this.eventsRead > 1024) {
      this.events.splice(0, this.eventsRead);
      this.eventsRead = 0;
    }
    return event;
  }

  /**
   * All bodies at the render time of the last poll, in id order; empty before the first snapshot. The array
   * and the objects are the same in every frame: copy numbers that must not change.
   */
  bodies(): readonly Body[] {
    return this.session?.bodies() ?? [];
  }

  /** The geometry of a shape, by `geometry` of Body.shapes; undefined = not sent. It never changes. */
  geometry(digest: bigint): Geometry | undefined {
    return this.session?.geometries.get(unsigned64("geometry(): digest", digest));
  }

  /**
   * All ropes at the render time of the last poll, after inspect({ ropes: true }). Array and objects are
   * reused.
   */
  ropes(): readonly Rope[] {
    return this.session?.ropes() ?? [];
  }

  /** The newest complete set of contact points, after inspect({ contacts: true }); null = none. */
  contacts(): InspectionSet<ContactPoint> | null {
    return this.session?.contacts.newest ?? null;
  }

  /** The newest complete set of joint frames, after inspect({ joints: true }); null = none. */
  jointFrames(): InspectionSet<JointFrame> | null {
    return this.session?.joints.newest ?? null;
  }

  /**
   * The nearest displayed body on a ray, such as that of viewRay(); undefined = none. It compares the shapes
   * of bodies() and asks no server. A shape whose geometry was not sent is hit at its box. A ray that begins
   * inside a sphere, capsule, box, cylinder or cone does not hit it from inside.
   */
  pick(ray: RayLike): PickHit | undefined {
    const checkedOne = checkedRay("pick(): ray", ray);
    return castRay(checkedOne, this.bodies(), (digest) => this.session?.geometries.get(digest));
  }

  /** Measurements of the connection, as a copy. */
  stats(): Stats {
    const session =
      this.session ?? this.nextSession ?? new Session(sessionOptions(this.options), this.hostOf(-1), 0);
    return { ...session.stats(this.timeUs()), reconnects: Math.max(0, this.reconnects) };
  }

  private handleTimer(): void {
    // poll() does the same in every frame.
    this.guard(() => {
      const nowUs = this.timeUs();
      if (this.currentState === "reconnecting") return this.update(nowUs);
      this.handleFetchTime(nowUs);
      const session = this.nextSession ?? this.session;
      if (session === null) return;
      this.handleRun(session, nowUs);
      session.endpoint.handleTime(nowUs);
      if (this.currentState === "joined") this.session?.prune(nowUs);
    });
  }

  private update(nowUs: number): void {
    this.handleFetchTime(nowUs);
    const isIdle = this.transport === null && this.fetching !== this.connection;
    if (this.currentState === "reconnecting" && isIdle && nowUs / 1000 >= this.retryAtMs) this.open();
    this.nextSession?.update(nowUs);
    if (this.currentState !== "joined" || this.session === null) return;
    this.handleRun(this.session, nowUs);
    this.session.update(nowUs);
    this.session.bodies(); // also moves bodies that the caller kept
  }

  private handleRun(session: Session, nowUs: number): void {
    if (session.handleRun(nowUs) && !this.isAwaitingTurn) this.awaitTurn(session);
  }

  /** After a stall, turns of the event loop show when its messages have been handled. */
  private awaitTurn(session: Session): void {
    this.isAwaitingTurn = true;
    afterTurn(() => {
      this.isAwaitingTurn = false;
      const isOpen = session === this.session || session === this.nextSession;
      if (isOpen && this.currentState !== "closed" && !session.handleTurn(this.timeUs())) {
        this.awaitTurn(session);
      }
    });
  }

  // ------------------------------------------------------------ commands
  // Each returns its sequence number, which the event "commandOutcome" repeats. Each throws invalid-argument,
  // not-finite or out-of-range for a wrong argument, then not-joined or queue-full.

  /**
   * Changes a body's velocity at once. `impulse`: N s, world; `pointLocal`: m, body frame; default: centre of
   * mass.
   */
  impulse(body: BodyLike, impulse: Vec3Like, pointLocal?: Vec3Like): number {
    return this.send({
      type: "Impulse",
      body: idOf("impulse(): body", body),
      impulse: triple("impulse(): impulse", impulse),
      pointLocal: optional<Triple | null>(pointLocal, null, (point) =>
        triple("impulse(): pointLocal", point),
      ),
    });
  }
  /** Applies a force (N) and a torque (N m), world frame, for 1 to 3600 ticks. */
  force(body: BodyLike, force: Vec3Like, torque: Vec3Like = [0, 0, 0], ticks = 1): number {
    return this.send({
      type: "Force",
      body: idOf("force(): body", body),
      force: triple("force(): force", force),
      torque: triple("force(): torque", torque),
      ticks: integer("force(): ticks", ticks, 1, kForceTicksMax),
    });
  }
  /**
   * Creates a body. The event "bodyAdded" of the body carries the returned ticket; "commandOutcome" has it as
   * `sequence` if the spawn was refused. A body that is destroyed in the tick of its creation has neither.
   */
  spawn(definition: SpawnDefinition): SpawnTicket {
    return this.send(spawnCommand(definition)) as SpawnTicket;
  }
  /** Destroys a body. */
  despawn(body: BodyLike): number {
    return this.send({ type: "Despawn", body: idOf("despawn(): body", body) });
  }
  /**
   * Pulls a point of a body (m, body frame) to `target` (m, world) with at most `maxForce` N (0 to 1e9). A
   * player has at most one grab.
   */
  grab(body: BodyLike, pointLocal: Vec3Like, target: Vec3Like, maxForce: number): number {
    return this.send({
      type: "Grab",
      body: idOf("grab(): body", body),
      pointLocal: triple("grab(): pointLocal", pointLocal),
      target: position("grab(): target", target),
      maxForce: Math.fround(between("grab(): maxForce", maxForce, 0, kVectorComponentMax)),
    });
  }
  /** Moves the target of the grab, m, world. */
  moveGrab(target: Vec3Like): number {
    return this.send({ type: "MoveGrab", target: position("moveGrab(): target", target) });
  }
  /** Ends the grab. */
  release(): number {
    return this.send({ type: "Release" });
  }
  /** Sets the pose of a body. `to`: m, world; `motion`: rotation and velocities, by default none. */
  teleport(body: BodyLike, to: Vec3Like, motion: TeleportMotion = {}): number {
    return this.send(teleportCommand(body, to, motion));
  }
  /** Sets the input of a mover until the next call. `velocity`: m/s over the ground; its y has no effect. */
  move(body: BodyLike, velocity: Vec3Like, options: MoveOptions = {}): number {
    return this.send(moveCommand(body, velocity, options));
  }
  /** Cuts a rope between node `segment`, counted from 0, and the next node. */
  cut(rope: RopeLike, segment: number): number {
    return this.send({
      type: "Cut",
      rope: idOf("cut(): rope", rope, "rope"),
      segment: integer("cut(): segment", segment, 0, kRopeNodesMax - 2),
    });
  }
  /** Changes a joint. Fields that `change` lacks keep their value. */
  changeJoint(joint: JointLike, change: JointChange): number {
    return this.send(jointChangeCommand(idOf("changeJoint(): joint", joint, "joint"), change));
  }
  /** Destroys a joint and the gears that refer to it. */
  destroyJoint(joint: JointLike): number {
    return this.send({ type: "DestroyJoint", joint: idOf("destroyJoint(): joint", joint, "joint") });
  }
  /** Sends at most 1,000 bytes to the server's Game. */
  custom(bytes: Uint8Array): number {
    return this.send({ type: "Custom", bytes: byteArray("custom(): bytes", bytes, kCustomBytesMax).slice() });
  }

  private send(command: WireCommand): number {
    checked(command);
    const session = this.joinedSession();
    if (session.endpoint.inputs.isFull) {
      const remedy = "send fewer, or check that the server still answers";
      throw new TaktError("queue-full", `too many commands are unacknowledged; ${remedy}`);
    }
    this.checkBacklog();
    const sequence = session.send(this.timeUs(), command);
    this.queueFlush();
    return sequence;
  }

  /** Commands of one turn of the event loop leave in one message. */
  private queueFlush(): void {
    if (this.flushIsQueued) return;
    this.flushIsQueued = true;
    queueMicrotask(() => {
      this.flushIsQueued = false;
      this.guard(() => {
        if (this.currentState === "joined") this.session?.endpoint.flushInputs(this.timeUs());
      });
    });
  }

  // ------------------------------------------------------------ control of the room
  // Each returns its request number, which the event "controlResult" repeats.

  /** Pauses the room. */
  pause(): number {
    return this.control("pause");
  }
  /** Resumes the room. */
  resume(): number {
    return this.control("resume");
  }
  /** Runs 1 to 1000 ticks, then pauses. */
  step(ticks = 1): number {
    return this.control("step", { tick: integer("step(): ticks", ticks, 1, kControlStepsMax) });
  }
  /** Sets the ratio of simulated to real time, 0.01 to 100. */
  setSpeed(speed: number): number {
    return this.control("set_speed", { speed: between("setSpeed(): speed", speed, 0.01, kControlSpeedMax) });
  }
  /** Loads one of room.scenes. */
  loadScene(scene: string): number {
    return this.control("load_scene", { scene: printable("loadScene(): scene", scene, kSceneNameBytesMax) });
  }
  /** Continues a recording at a tick. */
  seek(tick: number): number {
    return this.control("seek", { tick: integer("seek(): tick", tick, 0, Number.MAX_SAFE_INTEGER) });
  }

  private control(
    action: Control["action"],
    values: { speed?: number; tick?: number; scene?: string } = {},
  ): number {
    const session = this.joinedSession();
    const { speed = 1, tick = 0, scene = "" } = values;
    this.checkBacklog();
    const request = this.nextRequest++;
    session.control(this.timeUs(), { request, action, speed, tick, scene });
    return request;
  }

  /**
   * Queries the server's world at its next tick: 1 to 32 queries. One event "queryResult" has all answers;
   * its `request` is the returned number. `atTick` asks about the world as it stood at an earlier tick, such
   * as the one that is shown. The server goes back 250 ms at most; the event's `tick` is the tick it took.
   */
  query(queries: readonly QueryDefinition[], options: { atTick?: number } = {}): number {
    const checkedQueries = queriesOf(queries);
    const { atTick = 0 } = object("query(): options", options, ["atTick"]);
    const checkedTick = integer("query(): options.atTick", atTick, 0, Number.MAX_SAFE_INTEGER);
    const session = this.joinedSession();
    this.checkBacklog();
    const request = this.nextRequest++;
    session.query(this.timeUs(), request, checkedQueries, checkedTick);
    return request;
  }

  /**
   * Selects what the server sends beside bodies, also after a reconnect: contacts(), jointFrames(), ropes().
   */
  inspect(what: InspectOptions): void {
    const fields = object("inspect(): what", what, ["contacts", "joints", "ropes"]);
    const bit = (name: keyof InspectOptions, value: number): number =>
      optional(fields[name], false, (isOn) => boolean(`inspect(): what.${name}`, isOn)) ? value : 0;
    this.inspected = bit("contacts", 1) | bit("joints", 2) | bit("ropes", 4);
    if (this.currentState === "joined") this.session!.inspect(this.timeUs(), this.inspected);
  }

  // ------------------------------------------------------------ inside

  private joinedSession(): Session {
    if (this.currentState !== "joined" || this.session === null) {
      throw new TaktError("not-joined", 'not joined; wait for the event "joined" first');
    }
    return this.session;
  }
  private checkBacklog(): void {
    if ((this.transport?.bufferedBytes ?? 0) > kBufferedBytesMax) {
      throw new TaktError("queue-full", "more than 256 KiB are unsent; the network is too slow");
    }
  }

  private pushEvent(event: Event): void {
    this.events.push(event);
    if (this.events.length - this.eventsRead > kEventsMax) ++this.eventsRead;
  }

  /** Microseconds of the client's clock, never backwards. */
  private timeUs(nowMs = this.options.clock()): number {
    if (nowMs > this.lastMs) this.lastMs = nowMs;
    return Math.floor(this.lastMs * 1000);
  }

  /** A defect of the SDK ends the session, not the page. */
  private guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.pushEvent({ type: "error", error: new TaktError("internal", text) });
      try {
        this.endSession(this.connection, { reason: "protocol_error", refused: "none", text, corrupt: false });
      } catch {
        this.currentState = "closed";
      }
    }
  }
}

/** Calls `work` in a later turn of the event loop; in Node after input and output, in the check phase. */
function afterTurn(work: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (work: () => void) => unknown };
  if (setImmediate !== undefined) setImmediate(work);
  else setTimeout(work, 0);
}

function checkedTransport(transport: unknown): Transport {
  const { send, close } = (transport ?? {}) as Partial<Transport>;
  if (typeof send === "function" && typeof close === "function") return transport as Transport;
  throw new TaktError(
    "invalid-argument",
    "new Client(): address takes a factory that returns a Transport with send() and close()",
  );
}
