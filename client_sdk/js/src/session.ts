// One session of a client, without I/O: the endpoint of the protocol, the jitter buffer and a track for every
// body. Bytes come in through handleBytes() and go out through the host; the time is an argument. client.ts
// adds a transport, a clock and reconnects. Rules are those of client_sdk/cpp/session.h, with the epochs,
// pause and speed of a room in addition.
import type { Body } from "./body.js";
import { CompleteTicks } from "./complete_ticks.js";
import { KnownBody, compareBodies } from "./body.js";
import type { EndpointOptions, Over } from "./client_endpoint.js";
import { ClientEndpoint } from "./client_endpoint.js";
import type { Event, SpawnTicket } from "./event.js";
import { GeometryRegistry } from "./geometry_registry.js";
import { Inspection } from "./inspection.js";
import { InputLatency } from "./input_latency.js";
import { JitterBuffer } from "./jitter_buffer.js";
import { kBodyIndexMax } from "./limits.js";
import type {
  Accept,
  BodiesAdded,
  BodiesRemoved,
  ContactPoint,
  Control,
  CommandOutcome,
  JointFrame,
  Message,
  Query,
  RoomState,
  ServerStats,
  Snapshot,
  WireCommand,
} from "./message.js";
import { queryDone } from "./query.js";
import { RateMeter } from "./rate_meter.js";
import { RefreshMeter } from "./refresh_meter.js";
import type { Room } from "./room.js";
import { nextRoom, ticksPerS } from "./room.js";
import type { Rope } from "./rope.js";
import { RopeStore } from "./rope.js";
import { decodeRopeSlices } from "./rope_codec.js";
import type { RopeState } from "./rope_decoder.js";
import { RopeDecoder } from "./rope_decoder.js";
import type { SnapshotSink } from "./snapshot_decoder.js";
import { SnapshotDecoder } from "./snapshot_decoder.js";
import { StallWatch } from "./stall_watch.js";
import type { Stats } from "./stats.js";

/** Ticks by which commands arrive early: one tick for the server's turn, and half a tick for jitter. */
const kCommandMarginTicks = 1.5;
/** Bodies of one snapshot part (protocol/wire/limits.h, kSnapshotBodiesPerPart). */
const kSnapshotBodiesPerPart = 13;
/** Time without update() after which prune() calls it. */
const kPruneAfterUs = 1_000_000;
/** Bound of bodies, also against a hostile server. */
const kBodiesMax = kBodyIndexMax;

export interface SessionOptions {
  endpoint: EndpointOptions;
  bufferMinMs: number;
  bufferMaxMs: number;
}

/** Receiver of a session's output. */
export interface SessionHost {
  sendBytes(bytes: Uint8Array): void;
  pushEvent(event: Event): void;
  handleJoined(accept: Accept): void;
  handleOver(over: Over): void;
}

export class Session implements SnapshotSink {
  readonly endpoint: ClientEndpoint;
  room: Room | null = null;
  readonly contacts = new Inspection<ContactPoint>();
  readonly joints = new Inspection<JointFrame>();
  private readonly ropeStore = new RopeStore();
  private ropeDecoder = new RopeDecoder();
  private inspected = 0; // bits: contacts 1, joints 2, ropes 4
  /** Geometries of the current epoch. */
  readonly geometries = new GeometryRegistry();

  private readonly stalls = new StallWatch();
  private readonly inputLatency = new InputLatency();
  private buffer = new JitterBuffer();
  private decoder = new SnapshotDecoder();
  private epoch = 0; // of the room; 0 before the first RoomState
  private tickRateHz = 60;
  private player = 0; // of this session

  // All bodies: `known` in id order, `byIndex` the newest of each index, `leaving` those whose index was
  // reused.
  private known: KnownBody[] = [];
  private isSorted = true;
  private byIndex: (KnownBody | undefined)[] = [];
  private leaving: KnownBody[] = [];
  private readonly shown: KnownBody[] = [];
  private shownIsFresh = false;
  private updatedUs = 0;

  private readonly completeTicks = new CompleteTicks(); // of snapshots with room for all bodies
  private readonly completeRopeTicks = new CompleteTicks(); // and for all ropes
  private partTick = 0; // of the part being applied
  private partCompleteBefore = 0;
  private ropeCompleteBefore = 0;

  private snapshots = 0;
  private firstSerial = 0;
  private newestSerial = 0;
  private readonly refreshes = new RefreshMeter();
  private commandsSent = 0;
  private commandsMoved = 0;
  private commandsRefused = 0;
  private lastAcknowledged = 0;
  private marginTicks = 0;
  private readonly snapshotRate = new RateMeter();
  private readonly receivedRate = new RateMeter();
  private readonly sentRate = new RateMeter();

  constructor(
    private readonly options: SessionOptions,
    private readonly host: SessionHost,
    nowUs: number,
  ) {
    this.endpoint = new ClientEndpoint(options.endpoint, this, nowUs);
  }

  // ------------------------------------------------------------ time and bodies

  /**
   * Handles a run of the client. Call it at every poll, arrival and timer, before other calls. Returns true
   * if the client had stalled; then call handleTurn() in each later turn of the event loop until it returns
   * true.
   */
  handleRun(nowUs: number): boolean {
    return this.stalls.handleRun(nowUs);
  }
  handleTurn(nowUs: number): boolean {
    return this.stalls.handleTurn(nowUs);
  }
  handleBytes(nowUs: number, bytes: Uint8Array): void {
    this.stalls.handleArrival();
    this.endpoint.handleBytes(nowUs, bytes, this.stalls.earliestUs(nowUs));
  }

  /** Does all due work and moves the render tick. Call it once a frame. */
  update(nowUs: number): void {
    this.updatedUs = nowUs;
    this.endpoint.handleTime(nowUs);
    this.buffer.advance(nowUs, this.serverTick(nowUs), this.earliestTick(nowUs));
    this.inputLatency.handleShown(nowUs, this.buffer.renderTick);
    this.shownIsFresh = false;
    this.snapshotRate.update(nowUs, this.snapshots);
    this.receivedRate.update(nowUs, this.endpoint.bytesReceived);
    this.sentRate.update(nowUs, this.endpoint.bytesSent);
  }

  /** Forgets samples that no frame will display, while no update() comes. */
  prune(nowUs: number): void {
    if (nowUs - this.updatedUs <= kPruneAfterUs) return;
    this.update(nowUs);
    this.bodies();
    this.ropes();
  }

  get isJoined(): boolean {
    return this.endpoint.state === "connected";
  }
  get renderTick(): number {
    return this.buffer.renderTick;
  }
  serverTick(nowUs: number): number {
    return this.endpoint.clock.serverTick(nowUs);
  }
  /** The server's tick at the earliest possible arrival of a message that is handled now. */
  private earliestTick(nowUs: number): number {
    return this.serverTick(this.stalls.earliestUs(nowUs));
  }

  /** All bodies at the render tick of the last update, in id order. The array is the same every time. */
  bodies(): readonly Body[] {
    if (this.shownIsFresh) return this.shown;
    this.shownIsFresh = true;
    if (!this.isSorted) {
      this.known.sort(compareBodies);
      this.isSorted = true;
    }
    this.shown.length = 0;
    if (!this.buffer.hasSnapshot) return this.shown;
    const tick = this.buffer.renderTick;
    let kept = 0;
    for (const body of this.known) {
      if (body.track.isGone(tick)) {
        this.forget(body);
        continue;
      }
      this.known[kept++] = body;
      if (body.hasInfo && body.showAt(tick)) this.shown.push(body);
    }
    this.known.length = kept;
    return this.shown;
  }

  /** All ropes at the render tick of the last update, after inspect(). The array is the same every time. */
  ropes(): readonly Rope[] {
    return this.ropeStore.showAt(this.buffer.renderTick, this.completeRopeTicks.newest);
  }

  private forget(body: KnownBody): void {
    if (this.byIndex[body.index] === body) this.byIndex[body.index] = undefined;
    else this.leaving = this.leaving.filter((other) => other !== body);
  }

  private find(generation: number, index: number): KnownBody | undefined {
    const body = this.byIndex[index];
    if (body === undefined || body.generation === generation) return body;
    return this.leaving.find((other) => other.index === index && other.generation === generation);
  }

  private findOrAdd(generation: number, index: number): KnownBody | undefined {
    const found = this.find(generation, index);
    if (found !== undefined) return found;
    if (this.known.length >= kBodiesMax) return undefined;
    const body = new KnownBody(generation, index);
    const before = this.byIndex[index];
    if (before !== undefined) this.leaving.push(before);
    this.byIndex[index] = body;
    const last = this.known[this.known.length - 1];
    if (last !== undefined && compareBodies(last, body) > 0) this.isSorted = false;
    this.known.push(body);
    return body;
  }

  // ------------------------------------------------------------ what the endpoint learns

  sendBytes(bytes: Uint8Array): void {
    this.host.sendBytes(bytes);
  }

  handleAccepted(_nowUs: number, accept: Accept): void {
    this.tickRateHz = accept.tickRateHz;
    this.player = accept.playerId;
    this.buffer = this.newBuffer();
    this.host.handleJoined(accept);
  }

  handleOver(over: Over): void {
    this.host.handleOver(over);
  }

  handleMessage(nowUs: number, message: Message): void {
    switch (message.type) {
      case "Snapshot":
        return this.handleSnapshot(nowUs, message);
      case "Geometry":
        if (!this.geometries.handleSlice(message)) {
          this.endpoint.protocolError(nowUs, "a geometry does not add up");
        }
        return;
      case "BodiesAdded":
        return this.handleAdded(message);
      case "BodiesRemoved":
        return this.handleRemoved(message);
      case "InputAck":
        this.lastAcknowledged = Math.max(this.lastAcknowledged, message.receivedThrough);
        if (message.outcomes.length === 0) this.marginTicks = message.marginTicks;
        return this.handleOutcomes(message.outcomes);
      case "RoomState":
        return this.handleRoom(nowUs, message);
      case "ControlResult":
        return this.host.pushEvent({
          type: "controlResult",
          request: message.request,
          status: message.status,
          text: message.text,
        });
      case "QueryResult":
        return this.host.pushEvent(queryDone(message));
      case "ServerStats":
        return this.handleStats(message);
      case "GameEvent":
        return this.host.pushEvent({ type: "gameMessage", tick: message.tick, bytes: message.bytes });
      case "Contacts":
        if (this.isInspecting(1) && this.isOfThisEpoch(message.epoch)) {
          this.contacts.handlePart({ ...message, items: message.points });
        }
        return;
      case "JointFrames":
        if (this.isInspecting(2) && this.isOfThisEpoch(message.epoch)) {
          this.joints.handlePart({ ...message, items: message.joints });
        }
        return;
      case "JointsBroken":
        for (const joint of message.joints) {
          this.host.pushEvent({ type: "jointBroken", joint, tick: message.tick });
        }
        return;
      default:
        ++this.endpoint.unexpected;
    }
  }

  /**
   * Parts of the previous world would hide those of the current one. An epoch of 0 is unknown and accepted.
   */
  private isOfThisEpoch(epoch: number): boolean {
    return epoch === 0 || epoch === this.epoch;
  }

  private handleSnapshot(nowUs: number, part: Snapshot): void {
    if (part.epoch !== this.epoch) return; // of another world
    this.partTick = part.tick;
    this.partCompleteBefore = this.completeTicks.newestBefore(part.tick);
    const namesBodies = part.bodies.count > 0 || part.removed.count > 0;
    const isEmpty =
      part.partCount === 1 &&
      !namesBodies &&
      part.ropes.count === 0 &&
      part.removedRopes.length === 0 &&
      part.deferredRopes === 0;
    const slices = decodeRopeSlices(part.ropes);
    if (slices === null) {
      ++this.endpoint.unexpected;
      return;
    }
    const outcome = this.decoder.handlePart(part, this);
    if (outcome !== "applied" && outcome !== "completed") {
      ++this.endpoint.unexpected;
      return;
    }
    if (part.serial > this.newestSerial) {
      if (this.firstSerial === 0) this.firstSerial = part.serial;
      this.newestSerial = part.serial;
      ++this.snapshots;
      this.refreshes.handleSnapshot(part.partCount * kSnapshotBodiesPerPart, part.deferred);
    }
    const wait = this.refreshes.waitSnapshots;
    const earliestTick = this.earliestTick(nowUs);
    this.buffer.handleSnapshot(part.serial, part.tick, isEmpty, wait, this.serverTick(nowUs), earliestTick);
    // A snapshot that omitted bodies for want of room proves nothing about them.
    if (outcome === "completed" && part.deferred === 0) this.completeTicks.note(part.tick);
    this.ropeCompleteBefore = this.completeRopeTicks.newestBefore(part.tick);
    this.ropeDecoder.handleRemoved(part.serial, part.removedRopes, this);
    this.ropeDecoder.handleSlices(part.serial, slices, this);
    if (outcome === "completed" && part.deferredRopes === 0) this.completeRopeTicks.note(part.tick);
  }

  handleRecord(generation: number, index: number, view: DataView, at: number): void {
    this.findOrAdd(generation, index)?.addSample(
      this.partTick,
      this.partCompleteBefore,
      this.buffer.intervalTicks,
      view,
      at,
    );
  }

  handleRemoval(generation: number, index: number): void {
    this.find(generation, index)?.track.removeAt(this.partTick);
  }

  handleRope(rope: RopeState): void {
    if (this.isInspecting(4)) this.ropeStore.add(this.partTick, this.ropeCompleteBefore, rope);
  }

  handleRopeGone(id: bigint): void {
    this.ropeStore.removeAt(this.partTick, id);
  }

  private handleAdded(added: BodiesAdded): void {
    for (const info of added.bodies) {
      const index = Number(info.id & 0xffffffffn);
      if (index >= kBodyIndexMax || info.id >> 32n === 0n) {
        ++this.endpoint.unexpected;
        continue;
      }
      const body = this.findOrAdd(Number(info.id >> 32n), index);
      if (body === undefined) continue;
      body.hasInfo = true;
      body.userKind = info.userKind;
      body.player = info.player;
      body.shapes = info.shapes;
      this.host.pushEvent({
        type: "bodyAdded",
        body: info.id,
        tick: added.tick,
        player: info.player,
        userKind: info.userKind,
        ticket: info.player === this.player && info.sequence > 0 ? (info.sequence as SpawnTicket) : null,
      });
    }
  }

  private handleRemoved(removed: BodiesRemoved): void {
    for (const id of removed.ids) {
      this.find(Number(id >> 32n), Number(id & 0xffffffffn))?.track.removeAt(removed.tick);
      this.host.pushEvent({ type: "bodyRemoved", body: id, tick: removed.tick });
    }
  }

  private handleOutcomes(outcomes: readonly CommandOutcome[]): void {
    for (const { sequence, status, tick, refusal, text } of outcomes) {
      this.inputLatency.handleOutcome(sequence, status, tick);
      if (status === "applied") continue;
      if (status === "moved") ++this.commandsMoved;
      else ++this.commandsRefused;
      this.host.pushEvent({ type: "commandOutcome", sequence, status, tick, refusal, text });
    }
  }

  private handleStats(stats: ServerStats): void {
    const { type: _, droppedTicks, ...report } = stats;
    this.host.pushEvent({ type: "serverReport", ...report, droppedTicks: Number(droppedTicks) });
  }

  // ------------------------------------------------------------ the room

  private handleRoom(nowUs: number, message: RoomState): void {
    if (message.epoch < this.epoch) {
      ++this.endpoint.unexpected;
      return;
    }
    const before = this.room;
    const room = nextRoom(message, before);
    const isNewWorld = before !== null && room.epoch > this.epoch;
    this.room = room;
    this.epoch = room.epoch;
    this.tickRateHz = room.tickRateHz;
    if (isNewWorld) this.enterWorld(nowUs);
    this.followClock(nowUs, room, before, isNewWorld);
    this.host.pushEvent({ type: "room", room, isNewWorld });
  }

  private enterWorld(nowUs: number): void {
    this.known = [];
    this.byIndex = [];
    this.leaving = [];
    this.completeTicks.clear();
    this.completeRopeTicks.clear();
    this.decoder = new SnapshotDecoder();
    this.buffer = this.newBuffer();
    this.shownIsFresh = false;
    this.firstSerial = this.newestSerial = this.snapshots = 0;
    this.contacts.clear();
    this.joints.clear();
    this.ropeStore.clear();
    this.ropeDecoder = new RopeDecoder();
    this.geometries.clear();
    this.endpoint.sendReliable(nowUs, {
      type: "RoomEntered",
      epoch: this.epoch,
      firstInput: this.endpoint.inputs.next,
    });
  }

  /** Restarts the clock when the tick rate or the world changed, and whenever the room is paused. */
  private followClock(nowUs: number, room: Room, before: Room | null, isNewWorld: boolean): void {
    const rate = ticksPerS(room);
    const clock = this.endpoint.clock;
    const isAsBefore = before !== null && ticksPerS(before) === rate;
    const isUsual = before === null && rate === clock.ticksPerS;
    if (rate > 0 && !isNewWorld && (isAsBefore || isUsual)) return;
    this.inputLatency.forget();
    this.endpoint.handleTickRate(nowUs, room.tick, rate);
    this.buffer.setRate(rate, this.serverTick(nowUs));
  }

  private newBuffer(): JitterBuffer {
    const { bufferMinMs, bufferMaxMs } = this.options;
    return new JitterBuffer({
      tickRateHz: this.tickRateHz,
      delayMinMs: bufferMinMs,
      delayMaxMs: bufferMaxMs,
    });
  }

  // ------------------------------------------------------------ commands

  /** The tick for a command to arrive just in time. A paused room uses its next tick. */
  commandTick(nowUs: number): number {
    const rate = this.endpoint.clock.ticksPerS;
    const tick = this.serverTick(nowUs);
    if (rate === 0) return Math.floor(tick);
    const aheadUs = this.endpoint.rttUs / 2 + 2 * this.endpoint.rttVariationUs;
    return Math.max(1, Math.floor(tick + aheadUs * 1e-6 * rate + kCommandMarginTicks) + 1);
  }

  /** Queues a checked command. Returns its sequence. */
  send(nowUs: number, command: WireCommand): number {
    ++this.commandsSent;
    const tick = this.commandTick(nowUs);
    const sequence = this.endpoint.pushInput(tick, command);
    if (this.endpoint.clock.ticksPerS > 0) this.inputLatency.handleSent(nowUs, sequence, tick);
    return sequence;
  }

  control(nowUs: number, control: Omit<Control, "type">): void {
    this.endpoint.sendReliable(nowUs, { type: "Control", ...control });
  }

  query(nowUs: number, request: number, queries: Query[], atTick: number): void {
    this.endpoint.sendReliable(nowUs, { type: "QueryRequest", request, queries, atTick });
  }

  inspect(nowUs: number, what: number): void {
    this.inspected = what;
    if (!this.isInspecting(1)) this.contacts.clear();
    if (!this.isInspecting(2)) this.joints.clear();
    if (!this.isInspecting(4)) this.ropeStore.clear();
    this.endpoint.sendReliable(nowUs, { type: "Inspect", what });
  }

  /** Returns true if inspection of this kind is on. Late parts of a switched-off inspection are dropped. */
  private isInspecting(what: number): boolean {
    return (this.inspected & what) !== 0;
  }

  stats(nowUs: number): Omit<Stats, "reconnects"> {
    const { endpoint, buffer } = this;
    const expected = this.newestSerial - this.firstSerial + (this.firstSerial === 0 ? 0 : 1);
    return {
      rttMs: endpoint.rttUs / 1000,
      rttVariationMs: endpoint.rttVariationUs / 1000,
      loss: expected > 0 ? (expected - this.snapshots) / expected : 0,
      snapshotsPerS: this.snapshotRate.perS,
      receivedBytesPerS: this.receivedRate.perS,
      sentBytesPerS: this.sentRate.perS,
      snapshots: this.snapshots,
      receivedBytes: endpoint.bytesReceived,
      sentBytes: endpoint.bytesSent,
      serverTick: this.serverTick(nowUs),
      renderTick: buffer.renderTick,
      completeTick: this.completeTicks.newest,
      bufferMs: buffer.delayMs,
      jitterMs: buffer.jitterMs,
      starvedMs: buffer.starvedMs,
      longestStarvationMs: buffer.longestStarvationMs,
      longestGapMs: buffer.longestGapMs,
      starvations: buffer.starvations,
      commandsSent: this.commandsSent,
      commandsMoved: this.commandsMoved,
      commandsRefused: this.commandsRefused,
      lastAcknowledged: this.lastAcknowledged,
      inFlight: endpoint.inputs.inFlight,
      marginTicks: this.marginTicks,
      inputToSeenMs: this.inputLatency.meanUs / 1000,
    };
  }
}
