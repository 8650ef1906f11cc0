// takt's Client: a thin client of a Takt server. It connects, sends commands, and shows the server's bodies a little in the past, interpolated
// between snapshots. It does not simulate and does not draw.
//
//   const client = new Client("ws://127.0.0.1:8080/ws");
//   client.connect();
//   function frame() {
//     client.poll();
//     for (const body of client.bodies()) draw(body);
//     requestAnimationFrame(frame);
//   }
//
// Bytes are handled when they arrive, and a timer keeps the session alive while no frame is drawn (a page in the background); what bodies() shows
// moves in poll() alone. Calls throw a TaktError; what the network does never throws, it becomes an event.
import { BackOff } from "./back_off.js";
import type { Body } from "./body.js";
import type { Over } from "./client_endpoint.js";
import type { ClientOptions } from "./client_options.js";
import { factoryOf, sessionOptions } from "./client_options.js";
import type { BodyLike, QuatLike, SpawnDefinition, Vec3Like } from "./command.js";
import { checked, idOf, position, quadruple, spawnCommand, triple } from "./command.js";
import { TaktError } from "./error.js";
import type { Event } from "./event.js";
import type { Geometry } from "./geometry.js";
import type { InspectionSet } from "./inspection.js";
import type { JointChange } from "./joint_change.js";
import { jointChangeCommand } from "./joint_change.js";
import { kSceneNameBytesMax } from "./limits.js";
import type { Accept, ContactPoint, Control, JointFrame, WireCommand } from "./message.js";
import type { QueryDefinition } from "./query.js";
import { queriesOf } from "./query.js";
import type { Room } from "./room.js";
import type { Rope } from "./rope.js";
import type { SessionHost } from "./session.js";
import { Session } from "./session.js";
import type { Stats } from "./stats.js";
import { cutUtf8, isPrintable, utf8 } from "./text.js";
import type { Transport, TransportFactory } from "./transport.js";

export type ClientState = "idle" | "connecting" | "joined" | "reconnecting" | "closed";

/** The timer's period: a browser stretches it to a second in the background, which is still well under every time-out. */
const kTimerMs = 50;
/** Bytes that may wait unsent before commands are refused. */
const kBufferedBytesMax = 256 * 1024;
/** Events that may wait; beyond it the oldest is dropped: a page in the background for hours asks for none. */
const kEventsMax = 100_000;
/** A session that held this long was a good one: the back-off begins anew after it. */
const kGoodSessionMs = 5_000;
/** Reasons that another attempt would only meet again. */
const kFinalReasons = new Set(["version_mismatch", "scene_mismatch", "numbers_mismatch", "mode_unsupported", "bad_request", "kicked", "replaced"]);

export class Client {
  private readonly factory: TransportFactory;
  private readonly options: ClientOptions;
  private readonly nowMs: () => number;
  private readonly backOff: BackOff;

  private currentState: ClientState = "idle";
  private session: Session | null = null; // of the connection now, or the last one, whose bodies are shown until the next joins
  private nextSession: Session | null = null; // not joined yet
  private transport: Transport | null = null;
  private connection = 0; // counts connections, so that a late word of an old one is told apart
  private retryAtMs = 0;
  private joinedAtMs = 0;
  private reconnects = -1;
  private playerId = 0;
  private events: Event[] = [];
  private eventsRead = 0;
  private nextRequest = 1;
  private inspected = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private lastMs = -Infinity;
  private flushIsQueued = false;

  /** `address`: "ws://HOST:PORT/ws", "wss://...", or a factory such as tcp() of takt/node makes. Throws bad-url, no-websocket, out-of-range. */
  constructor(address: string | TransportFactory, options: ClientOptions = {}) {
    this.options = options;
    if (!isPrintable(options.playerName ?? "")) throw new TaktError("out-of-range", "playerName holds a control character");
    this.factory = typeof address === "string" ? factoryOf(address, options.WebSocket) : address;
    this.nowMs = options.clock ?? (() => performance.now());
    this.backOff = new BackOff({ firstMs: options.backOffFirstMs ?? 250, maxMs: options.backOffMaxMs ?? 10_000 }, options.random ?? Math.random);
  }

  // ------------------------------------------------------------ connecting

  get state(): ClientState {
    return this.currentState;
  }
  /** Our id, the player of bodies we spawn; 0 before "joined". */
  get player(): number {
    return this.playerId;
  }
  /** The room as the server last described it; null before it did. */
  get room(): Room | null {
    return this.session?.room ?? null;
  }

  /** Begins to join: wait for the event "joined" or "disconnected". Does nothing while it is connecting or joined. Throws closed. */
  connect(): void {
    if (this.currentState === "closed") throw new TaktError("closed", "this client was closed; make a new one");
    if (this.currentState !== "idle") return;
    this.currentState = "connecting";
    if (this.options.timer !== false) this.startTimer();
    this.open();
  }

  /** Says goodbye and ends; the event "left" follows. */
  close(text = ""): void {
    if (this.currentState === "closed") return;
    const session = this.nextSession ?? this.session;
    this.currentState = "closed";
    this.stopTimer();
    session?.endpoint.leave(this.timeUs(), cutUtf8(isPrintable(text) ? text : "", 200));
    this.dropTransport();
    this.pushEvent({ type: "left" });
  }

  private startTimer(): void {
    this.timer = setInterval(() => this.handleTimer(), kTimerMs);
    (this.timer as { unref?: () => void }).unref?.(); // in Node a timer alone keeps no program alive; the socket does
  }
  private stopTimer(): void {
    clearInterval(this.timer);
  }

  private open(): void {
    const connection = ++this.connection;
    const isCurrent = (): boolean => connection === this.connection && this.transport !== null;
    const session = new Session(sessionOptions(this.options), this.hostOf(connection), this.timeUs());
    this.nextSession = session;
    try {
      this.transport = this.factory({
        handleOpen: () => this.guard(() => isCurrent() && session.endpoint.handleOpen(this.timeUs())),
        handleBytes: (bytes) => this.guard(() => isCurrent() && this.handleBytes(session, bytes)),
        handleClose: (why) => this.guard(() => isCurrent() && session.endpoint.handleClosed(why)),
      });
    } catch (error) {
      this.endSession(connection, {
        reason: "connection_lost",
        refused: "none",
        text: error instanceof Error ? error.message : String(error),
        corrupt: false,
      });
    }
  }

  private hostOf(connection: number): SessionHost {
    return {
      sendBytes: (bytes) => connection === this.connection && this.transport?.send(bytes),
      pushEvent: (event) => this.pushEvent(event),
      handleJoined: (accept) => this.handleJoined(accept),
      handleOver: (over) => this.endSession(connection, over),
    };
  }

  /** What arrives is a clock as well: a browser calls the timers of a page long in the background once a minute, and its sockets all the time. */
  private handleBytes(session: Session, bytes: Uint8Array): void {
    const nowUs = this.timeUs();
    session.endpoint.handleBytes(nowUs, bytes);
    session.endpoint.handleTime(nowUs);
    if (session === this.session) session.prune(nowUs);
  }

  private handleJoined(accept: Accept): void {
    this.session = this.nextSession;
    this.nextSession = null;
    this.currentState = "joined";
    this.joinedAtMs = this.timeUs() / 1000;
    this.playerId = accept.playerId;
    ++this.reconnects;
    this.pushEvent({
      type: "joined",
      player: accept.playerId,
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
    const refused = over.refused !== "none";
    const reason = refused ? over.refused : over.reason;
    if (over.corrupt) this.pushEvent({ type: "error", error: new TaktError("corrupt-message", over.text, reason) });
    else if (refused) this.pushEvent({ type: "error", error: new TaktError("refused", over.text || `the server refused: ${reason}`, reason) });
    else if (!wasJoined) this.pushEvent({ type: "error", error: new TaktError("network", over.text, reason) });
    const again = this.options.reconnect !== false && !kFinalReasons.has(reason);
    this.pushEvent({ type: "disconnected", reason, text: over.text, willReconnect: again });
    if (!again) {
      this.currentState = "closed";
      this.stopTimer();
      return;
    }
    const nowMs = this.timeUs() / 1000;
    if (wasJoined && nowMs - this.joinedAtMs >= kGoodSessionMs) this.backOff.reset();
    const delayMs = this.backOff.nextMs();
    this.currentState = "reconnecting";
    this.retryAtMs = nowMs + delayMs;
    this.pushEvent({ type: "reconnecting", attempt: this.backOff.attempt, delayMs: delayMs });
  }

  private dropTransport(): void {
    const transport = this.transport;
    this.transport = null;
    this.nextSession = null;
    transport?.close();
  }

  // ------------------------------------------------------------ every frame

  /** Moves what bodies() shows to this time and does what is due. Call it every frame. `nowMs`: on the clock of performance.now(). */
  poll(nowMs?: number): void {
    this.guard(() => this.update(nowMs === undefined ? this.timeUs() : this.timeUs(nowMs)));
  }

  /** The next event, oldest first; undefined when there is no more. */
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
   * Every body at the render time of the last poll, id order: one array and one object a body, used again each frame. Empty before the first
   * snapshot.
   */
  bodies(): readonly Body[] {
    return this.session?.bodies() ?? [];
  }

  /** The geometry that a shape of Body.shapes names by its `geometry`; undefined when there is none. It never changes, and stands until the world is replaced. */
  geometry(digest: bigint): Geometry | undefined {
    return this.session?.geometries.get(digest);
  }

  /**
   * Every rope at the render time of the last poll, where bodies() shows what hangs on them: asked for with inspect({ ropes: true }). The same array, and an
   * object a rope, used again each time.
   */
  ropes(): readonly Rope[] {
    return this.session?.ropes() ?? [];
  }

  /** The newest complete set of contact points (inspect()), or null. */
  get contacts(): InspectionSet<ContactPoint> | null {
    return this.session?.contacts.newest ?? null;
  }
  get jointFrames(): InspectionSet<JointFrame> | null {
    return this.session?.joints.newest ?? null;
  }

  stats(): Stats {
    const session = this.session ?? this.nextSession ?? new Session(sessionOptions(this.options), this.hostOf(-1), 0);
    return { ...session.stats(this.timeUs()), reconnects: Math.max(0, this.reconnects) };
  }

  private handleTimer(): void {
    // While frames are drawn poll() does all of it.
    this.guard(() => {
      const nowUs = this.timeUs();
      if (this.currentState === "reconnecting") this.update(nowUs);
      else (this.nextSession ?? this.session)?.endpoint.handleTime(nowUs);
      if (this.currentState === "joined") this.session?.prune(nowUs);
    });
  }

  private update(nowUs: number): void {
    if (this.currentState === "reconnecting" && this.transport === null && nowUs / 1000 >= this.retryAtMs) this.open();
    this.nextSession?.update(nowUs);
    if (this.currentState !== "joined") return;
    this.session?.update(nowUs);
    this.session?.bodies(); // so that a body somebody holds on to has moved as well
  }

  // ------------------------------------------------------------ commands, each returns its sequence number

  /** Velocity change at once: impulse in N s, world frame, at a point of the body (m, body frame) or at its centre of mass. */
  impulse(body: BodyLike, impulse: Vec3Like, pointLocal?: Vec3Like): number {
    return this.send({
      type: "Impulse",
      body: idOf(body),
      impulse: triple(impulse),
      pointLocal: pointLocal === undefined ? null : triple(pointLocal),
    });
  }
  /** Force (N) and torque (N m), world frame, for a number of ticks, 1 to 3600. */
  force(body: BodyLike, force: Vec3Like, torque: Vec3Like = [0, 0, 0], ticks = 1): number {
    return this.send({ type: "Force", body: idOf(body), force: triple(force), torque: triple(torque), ticks });
  }
  spawn(definition: SpawnDefinition): number {
    return this.send(spawnCommand(definition));
  }
  despawn(body: BodyLike): number {
    return this.send({ type: "Despawn", body: idOf(body) });
  }
  /** Takes a body by a point (m, body frame) and pulls it to `target` (m, world) with at most `maxForce` N; one grab per player. */
  grab(body: BodyLike, pointLocal: Vec3Like, target: Vec3Like, maxForce: number): number {
    return this.send({ type: "Grab", body: idOf(body), pointLocal: triple(pointLocal), target: position(target), maxForce: Math.fround(maxForce) });
  }
  moveGrab(target: Vec3Like): number {
    return this.send({ type: "MoveGrab", target: position(target) });
  }
  release(): number {
    return this.send({ type: "Release" });
  }
  /** `motion` is the state it arrives with; at rest and unturned when absent. */
  teleport(body: BodyLike, to: Vec3Like, motion: { rotation?: QuatLike; linearVelocity?: Vec3Like; angularVelocity?: Vec3Like } = {}): number {
    return this.send({
      type: "Teleport",
      body: idOf(body),
      position: position(to),
      rotation: quadruple(motion.rotation ?? [0, 0, 0, 1]),
      linearVelocity: triple(motion.linearVelocity ?? [0, 0, 0]),
      angularVelocity: triple(motion.angularVelocity ?? [0, 0, 0]),
    });
  }
  /**
   * What a mover is to do from now on: a velocity over the ground in m/s (y does not count), in the world or, with `inHeadingFrame`, in its own frame with z
   * forwards; a turn about +y in rad/s; and whether to jump once.
   */
  move(body: BodyLike, velocity: Vec3Like, how: { turn?: number; inHeadingFrame?: boolean; jump?: boolean } = {}): number {
    return this.send({
      type: "Move",
      body: idOf(body),
      velocity: triple(velocity),
      turn: Math.fround(how.turn ?? 0),
      inHeadingFrame: how.inHeadingFrame ?? false,
      jump: how.jump ?? false,
    });
  }
  /** Parts a rope (index and generation in one, as a body's id) between node `segment` and the next. */
  cut(rope: bigint, segment: number): number {
    return this.send({ type: "Cut", rope, segment });
  }
  /** Changes a joint (index and generation in one, as a body's id); what `change` does not name stays as it is. */
  changeJoint(joint: bigint, change: JointChange): number {
    return this.send(jointChangeCommand(joint, change));
  }
  /** Removes a joint and the gears that hang on it. */
  destroyJoint(joint: bigint): number {
    return this.send({ type: "DestroyJoint", joint });
  }
  /** Bytes for the server's Game, at most 1,000. */
  custom(bytes: Uint8Array): number {
    return this.send({ type: "Custom", bytes: bytes.slice() });
  }

  private send(command: WireCommand): number {
    const session = this.joinedSession();
    checked(command);
    if (session.endpoint.inputs.isFull)
      throw new TaktError("queue-full", "too many commands are unacknowledged; send fewer, or see whether the server still answers");
    this.checkBacklog();
    const sequence = session.send(session.commandTick(this.timeUs()), command);
    this.queueFlush();
    return sequence;
  }

  // What is sent in one turn of the event loop goes out in one message.
  private queueFlush(): void {
    if (this.flushIsQueued) return;
    this.flushIsQueued = true;
    queueMicrotask(() => {
      this.flushIsQueued = false;
      this.guard(() => this.currentState === "joined" && this.session?.endpoint.flushInputs(this.timeUs()));
    });
  }

  // ------------------------------------------------------------ control of the room, each returns its request number; "controlResult" answers

  pause(): number {
    return this.control("pause");
  }
  resume(): number {
    return this.control("resume");
  }
  /** `n` ticks, 1 to 1000, then pause. */
  step(n = 1): number {
    return this.control("step", { tick: n });
  }
  /** Ticks run per tick of real time, 0.01 to 100. */
  setSpeed(speed: number): number {
    return this.control("set_speed", { speed });
  }
  /** One of room.scenes. */
  loadScene(scene: string): number {
    if (!isPrintable(scene) || utf8(scene).length > kSceneNameBytesMax)
      throw new TaktError("out-of-range", "a scene's name is at most 64 bytes, printable");
    return this.control("load_scene", { scene });
  }
  /** Recordings only. */
  seek(tick: number): number {
    return this.control("seek", { tick });
  }

  private control(action: Control["action"], values: { speed?: number; tick?: number; scene?: string } = {}): number {
    const session = this.joinedSession();
    const { speed = 1, tick = 0, scene = "" } = values;
    if (!Number.isSafeInteger(tick) || tick < 0) throw new TaktError("out-of-range", `${tick} is not a tick or a number of ticks`);
    if (!Number.isFinite(speed)) throw new TaktError("not-finite", "the speed is NaN or infinite");
    this.checkBacklog();
    const request = this.nextRequest++;
    session.control(this.timeUs(), { request, action, speed, tick, scene });
    return request;
  }

  /**
   * Asks the server's world, at the tick at which it next gets there: 1 to 32 questions, answered together by an event "queryResult" whose `request` is what
   * this returns. Throws not-joined, not-finite, out-of-range, queue-full.
   */
  query(questions: readonly QueryDefinition[]): number {
    const session = this.joinedSession();
    const queries = queriesOf(questions);
    this.checkBacklog();
    const request = this.nextRequest++;
    session.query(this.timeUs(), request, queries);
    return request;
  }

  /** What to send beside bodies from now on, also after a reconnect: `contacts` and `jointFrames` then hold the newest, ropes() shows ropes. */
  inspect(what: { contacts?: boolean; joints?: boolean; ropes?: boolean }): void {
    this.inspected = (what.contacts ? 1 : 0) | (what.joints ? 2 : 0) | (what.ropes ? 4 : 0);
    if (this.currentState === "joined") this.session!.inspect(this.timeUs(), this.inspected);
  }

  // ------------------------------------------------------------ inside

  private joinedSession(): Session {
    if (this.currentState !== "joined" || this.session === null) throw new TaktError("not-joined", 'not joined; wait for the event "joined" first');
    return this.session;
  }
  private checkBacklog(): void {
    if ((this.transport?.bufferedBytes ?? 0) > kBufferedBytesMax) throw new TaktError("queue-full", "the network does not take what was sent");
  }

  private pushEvent(event: Event): void {
    this.events.push(event);
    if (this.events.length - this.eventsRead > kEventsMax) ++this.eventsRead;
  }

  /** Microseconds on our clock, never backwards. */
  private timeUs(nowMs = this.nowMs()): number {
    if (nowMs > this.lastMs) this.lastMs = nowMs;
    return Math.floor(this.lastMs * 1000);
  }

  /** The last wall before the event loop: a defect of ours ends the session, not the page. */
  private guard(work: () => unknown): void {
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
