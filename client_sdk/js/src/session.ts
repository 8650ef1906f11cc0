// One client's session without any I/O: the protocol's endpoint, the jitter buffer and a track for every body. Bytes go in through handle_bytes()
// and out through the host, the time comes in as an argument; client.ts puts a transport, a clock and reconnecting around it. The rules are
// client_sdk/cpp/session.h's, with the room's epochs, pause and speed on top.
import type { Body } from "./body.js";
import { CompleteTicks } from "./complete_ticks.js";
import { KnownBody, compare_bodies } from "./body.js";
import type { EndpointOptions, Over } from "./client_endpoint.js";
import { ClientEndpoint } from "./client_endpoint.js";
import type { Event } from "./event.js";
import { GeometryShelf } from "./geometry_shelf.js";
import { Inspection } from "./inspection.js";
import { JitterBuffer } from "./jitter_buffer.js";
import { kBodyIndexMax } from "./limits.js";
import type {
  Accept,
  BodiesAdded,
  BodiesRemoved,
  ContactPoint,
  Control,
  InputOutcome,
  JointFrame,
  Message,
  Query,
  RoomState,
  ServerStats,
  Snapshot,
  WireCommand,
} from "./message.js";
import { decided } from "./query.js";
import { RateMeter } from "./rate_meter.js";
import type { Room } from "./room.js";
import { next_room, ticks_per_s } from "./room.js";
import type { Rope } from "./rope.js";
import { RopeShelf } from "./rope.js";
import { decode_rope_slices } from "./rope_codec.js";
import type { RopeState } from "./rope_decoder.js";
import { RopeDecoder } from "./rope_decoder.js";
import type { SnapshotSink } from "./snapshot_decoder.js";
import { SnapshotDecoder } from "./snapshot_decoder.js";
import type { Stats } from "./stats.js";

/** Commands aim at arriving this much before their tick: one tick for the server's turn, and what the round trip varies by. */
const kCommandMarginTicks = 1.5;
/** Bodies of one snapshot part (protocol/wire/limits.h, kSnapshotBodiesPerPart). */
const kSnapshotBodiesPerPart = 13;
/** Without an update for this long prune() makes one. */
const kPruneAfterUs = 1_000_000;
/** Bodies followed at once; a hostile server cannot make us keep more. */
const kBodiesMax = kBodyIndexMax;

export interface SessionOptions {
  endpoint: EndpointOptions;
  buffer_min_ms: number;
  buffer_max_ms: number;
}

/** Whom a session works for. */
export interface SessionHost {
  send_bytes(bytes: Uint8Array): void;
  push_event(event: Event): void;
  handle_joined(accept: Accept): void;
  handle_over(over: Over): void;
}

export class Session implements SnapshotSink {
  readonly endpoint: ClientEndpoint;
  room: Room | null = null;
  readonly contacts = new Inspection<ContactPoint>();
  readonly joints = new Inspection<JointFrame>();
  private readonly rope_shelf = new RopeShelf();
  private rope_decoder = new RopeDecoder();
  private inspected = 0; // bits: contacts 1, joints 2, ropes 4
  /** Of this epoch. */
  readonly geometries = new GeometryShelf();

  private buffer = new JitterBuffer();
  private decoder = new SnapshotDecoder();
  private epoch = 0; // of the room; 0 before the first RoomState
  private tick_rate_hz = 60;

  // Every body that is followed: `known` in id order, `by_index` the newest of each index, `leaving` those whose index was given to another.
  private known: KnownBody[] = [];
  private is_sorted = true;
  private by_index: (KnownBody | undefined)[] = [];
  private leaving: KnownBody[] = [];
  private shown: KnownBody[] = [];
  private shown_is_fresh = false;
  private updated_us = 0;

  private readonly complete_ticks = new CompleteTicks(); // of snapshots that had room for all bodies
  private readonly complete_rope_ticks = new CompleteTicks(); // and for all ropes
  private part_tick = 0; // of the part being applied
  private part_complete_before = 0;
  private rope_complete_before = 0;

  private snapshots = 0;
  private first_serial = 0;
  private newest_serial = 0;
  private commands_sent = 0;
  private commands_moved = 0;
  private commands_refused = 0;
  private last_acknowledged = 0;
  private margin_ticks = 0;
  private readonly snapshot_rate = new RateMeter();
  private readonly received_rate = new RateMeter();
  private readonly sent_rate = new RateMeter();

  constructor(
    private readonly options: SessionOptions,
    private readonly host: SessionHost,
    now_us: number,
  ) {
    this.endpoint = new ClientEndpoint(options.endpoint, this, now_us);
  }

  // ------------------------------------------------------------ time and bodies

  /** Says what is due and moves the render tick. Call it every frame. */
  update(now_us: number): void {
    this.updated_us = now_us;
    this.endpoint.handle_time(now_us);
    this.buffer.advance(now_us, this.server_tick(now_us));
    this.shown_is_fresh = false;
    this.snapshot_rate.update(now_us, this.snapshots);
    this.received_rate.update(now_us, this.endpoint.bytes_received);
    this.sent_rate.update(now_us, this.endpoint.bytes_sent);
  }

  /** Between updates that do not come, such as in the background: forgets what nobody will see. */
  prune(now_us: number): void {
    if (now_us - this.updated_us <= kPruneAfterUs) return;
    this.update(now_us);
    this.bodies();
    this.ropes();
  }

  get is_joined(): boolean {
    return this.endpoint.state === "connected";
  }
  get render_tick(): number {
    return this.buffer.render_tick;
  }
  server_tick(now_us: number): number {
    return this.endpoint.clock.server_tick(now_us);
  }

  /** Every body at the render tick of the last update, id order; the same array every time. */
  bodies(): readonly Body[] {
    if (this.shown_is_fresh) return this.shown;
    this.shown_is_fresh = true;
    if (!this.is_sorted) {
      this.known.sort(compare_bodies);
      this.is_sorted = true;
    }
    this.shown.length = 0;
    if (!this.buffer.has_snapshot) return this.shown;
    const tick = this.buffer.render_tick;
    let kept = 0;
    for (const body of this.known) {
      if (body.track.is_gone(tick)) {
        this.forget(body);
        continue;
      }
      this.known[kept++] = body;
      if (body.has_info && body.show_at(tick)) this.shown.push(body);
    }
    this.known.length = kept;
    return this.shown;
  }

  /** Every rope at the render tick of the last update, while they are asked for; the same array every time. */
  ropes(): readonly Rope[] {
    return this.rope_shelf.show_at(this.buffer.render_tick, this.complete_rope_ticks.newest);
  }

  private forget(body: KnownBody): void {
    if (this.by_index[body.index] === body) this.by_index[body.index] = undefined;
    else this.leaving = this.leaving.filter((other) => other !== body);
  }

  private find(generation: number, index: number): KnownBody | undefined {
    const body = this.by_index[index];
    if (body === undefined || body.generation === generation) return body;
    return this.leaving.find((other) => other.index === index && other.generation === generation);
  }

  private find_or_add(generation: number, index: number): KnownBody | undefined {
    const found = this.find(generation, index);
    if (found !== undefined) return found;
    if (this.known.length >= kBodiesMax) return undefined;
    const body = new KnownBody(generation, index);
    const before = this.by_index[index];
    if (before !== undefined) this.leaving.push(before);
    this.by_index[index] = body;
    const last = this.known[this.known.length - 1];
    if (last !== undefined && compare_bodies(last, body) > 0) this.is_sorted = false;
    this.known.push(body);
    return body;
  }

  // ------------------------------------------------------------ what the endpoint learns

  send_bytes(bytes: Uint8Array): void {
    this.host.send_bytes(bytes);
  }

  handle_accepted(_now_us: number, accept: Accept): void {
    this.tick_rate_hz = accept.tickRateHz;
    this.buffer = this.new_buffer();
    this.host.handle_joined(accept);
  }

  handle_over(over: Over): void {
    this.host.handle_over(over);
  }

  handle_message(now_us: number, message: Message): void {
    switch (message.type) {
      case "Snapshot":
        return this.handle_snapshot(now_us, message);
      case "Geometry":
        if (!this.geometries.handle_slice(message)) this.endpoint.protocol_error(now_us, "a geometry does not add up");
        return;
      case "BodiesAdded":
        return this.handle_added(message);
      case "BodiesRemoved":
        return this.handle_removed(message);
      case "InputAck":
        this.last_acknowledged = Math.max(this.last_acknowledged, message.receivedThrough);
        if (message.outcomes.length === 0) this.margin_ticks = message.marginTicks;
        return this.handle_outcomes(message.outcomes);
      case "RoomState":
        return this.handle_room(now_us, message);
      case "ControlResult":
        return this.host.push_event({ type: "controlResult", request: message.request, status: message.status, text: message.text });
      case "QueryResult":
        return this.host.push_event(decided(message));
      case "ServerStats":
        return this.handle_stats(message);
      case "GameEvent":
        return this.host.push_event({ type: "gameMessage", tick: message.tick, bytes: message.bytes });
      case "Contacts":
        if (this.sees(1) && this.is_of_this_epoch(message.epoch)) this.contacts.handle_part({ ...message, items: message.points });
        return;
      case "JointFrames":
        if (this.sees(2) && this.is_of_this_epoch(message.epoch)) this.joints.handle_part({ ...message, items: message.joints });
        return;
      case "JointsBroken":
        for (const joint of message.joints) this.host.push_event({ type: "jointBroken", joint, tick: message.tick });
        return;
      default:
        ++this.endpoint.unexpected;
    }
  }

  /** Parts of the world before would hide those of this one. 0 = a server that does not tell. */
  private is_of_this_epoch(epoch: number): boolean {
    return epoch === 0 || epoch === this.epoch;
  }

  private handle_snapshot(now_us: number, part: Snapshot): void {
    if (part.epoch !== this.epoch) return; // of another world
    this.part_tick = part.tick;
    this.part_complete_before = this.complete_ticks.newest_before(part.tick);
    const says_of_bodies = part.bodies.count > 0 || part.removed.count > 0;
    const is_empty = part.partCount === 1 && !says_of_bodies && part.ropes.count === 0 && part.removedRopes.length === 0 && part.deferredRopes === 0;
    const slices = decode_rope_slices(part.ropes);
    if (slices === null) {
      ++this.endpoint.unexpected;
      return;
    }
    const outcome = this.decoder.handle_part(part, this);
    if (outcome !== "applied" && outcome !== "completed") {
      ++this.endpoint.unexpected;
      return;
    }
    if (part.serial > this.newest_serial) {
      if (this.first_serial === 0) this.first_serial = part.serial;
      this.newest_serial = part.serial;
      ++this.snapshots;
    }
    const sent = part.partCount * kSnapshotBodiesPerPart;
    this.buffer.handle_snapshot(part.serial, part.tick, is_empty, part.deferred / sent, this.server_tick(now_us));
    // A snapshot that left bodies out for want of room says nothing about those.
    if (outcome === "completed" && part.deferred === 0) this.complete_ticks.note(part.tick);
    this.rope_complete_before = this.complete_rope_ticks.newest_before(part.tick);
    this.rope_decoder.handle_removed(part.serial, part.removedRopes, this);
    this.rope_decoder.handle_slices(part.serial, slices, this);
    if (outcome === "completed" && part.deferredRopes === 0) this.complete_rope_ticks.note(part.tick);
  }

  handle_record(generation: number, index: number, view: DataView, at: number): void {
    this.find_or_add(generation, index)?.add_sample(this.part_tick, this.part_complete_before, this.buffer.interval_ticks, view, at);
  }

  handle_removal(generation: number, index: number): void {
    this.find(generation, index)?.track.remove_at(this.part_tick);
  }

  handle_rope(rope: RopeState): void {
    if (this.sees(4)) this.rope_shelf.add(this.part_tick, this.rope_complete_before, rope);
  }

  handle_rope_gone(id: bigint): void {
    this.rope_shelf.remove_at(this.part_tick, id);
  }

  private handle_added(added: BodiesAdded): void {
    for (const info of added.bodies) {
      const index = Number(info.id & 0xffffffffn);
      if (index >= kBodyIndexMax || info.id >> 32n === 0n) {
        ++this.endpoint.unexpected;
        continue;
      }
      const body = this.find_or_add(Number(info.id >> 32n), index);
      if (body === undefined) continue;
      body.has_info = true;
      body.userKind = info.userKind;
      body.player = info.player;
      body.shapes = info.shapes;
      this.host.push_event({ type: "bodyAdded", body: info.id, tick: added.tick, player: info.player, userKind: info.userKind });
    }
  }

  private handle_removed(removed: BodiesRemoved): void {
    for (const id of removed.ids) {
      this.find(Number(id >> 32n), Number(id & 0xffffffffn))?.track.remove_at(removed.tick);
      this.host.push_event({ type: "bodyRemoved", body: id, tick: removed.tick });
    }
  }

  private handle_outcomes(outcomes: readonly InputOutcome[]): void {
    for (const { sequence, status, tick } of outcomes) {
      if (status === "applied") continue;
      if (status === "moved") ++this.commands_moved;
      else ++this.commands_refused;
      this.host.push_event({ type: "commandDecided", sequence, fate: status, tick });
    }
  }

  private handle_stats(stats: ServerStats): void {
    const { type: _, droppedTicks, ...report } = stats;
    this.host.push_event({ type: "serverReport", ...report, droppedTicks: Number(droppedTicks) });
  }

  // ------------------------------------------------------------ the room

  private handle_room(now_us: number, message: RoomState): void {
    if (message.epoch < this.epoch) {
      ++this.endpoint.unexpected;
      return;
    }
    const before = this.room;
    const room = next_room(message, before);
    const is_new_world = before !== null && room.epoch > this.epoch;
    this.room = room;
    this.epoch = room.epoch;
    this.tick_rate_hz = room.tickRateHz;
    if (is_new_world) this.enter_world(now_us);
    this.follow_clock(now_us, room, before, is_new_world);
    this.host.push_event({ type: "room", room, isNewWorld: is_new_world });
  }

  private enter_world(now_us: number): void {
    this.known = [];
    this.by_index = [];
    this.leaving = [];
    this.complete_ticks.clear();
    this.complete_rope_ticks.clear();
    this.decoder = new SnapshotDecoder();
    this.buffer = this.new_buffer();
    this.shown_is_fresh = false;
    this.first_serial = this.newest_serial = this.snapshots = 0;
    this.contacts.clear();
    this.joints.clear();
    this.rope_shelf.clear();
    this.rope_decoder = new RopeDecoder();
    this.geometries.clear();
    this.endpoint.send_reliable(now_us, { type: "RoomEntered", epoch: this.epoch, firstInput: this.endpoint.inputs.next });
  }

  /** The clock restarts when the tick's rate or the world changed, and is put right whenever the room stands. */
  private follow_clock(now_us: number, room: Room, before: Room | null, is_new_world: boolean): void {
    const rate = ticks_per_s(room);
    const clock = this.endpoint.clock;
    const is_as_before = before !== null && ticks_per_s(before) === rate;
    const is_usual = before === null && rate === clock.ticks_per_s;
    if (rate > 0 && !is_new_world && (is_as_before || is_usual)) return;
    this.endpoint.handle_pace(now_us, room.tick, rate);
    this.buffer.set_rate(rate, this.server_tick(now_us));
  }

  private new_buffer(): JitterBuffer {
    const { buffer_min_ms, buffer_max_ms } = this.options;
    return new JitterBuffer({ tick_rate_hz: this.tick_rate_hz, delay_min_ms: buffer_min_ms, delay_max_ms: buffer_max_ms });
  }

  // ------------------------------------------------------------ commands

  /** The tick a command should be stamped with to arrive just before it is needed. A room that stands takes it with its next tick. */
  command_tick(now_us: number): number {
    const rate = this.endpoint.clock.ticks_per_s;
    const tick = this.server_tick(now_us);
    if (rate === 0) return Math.floor(tick);
    const ahead_us = this.endpoint.rtt_us / 2 + 2 * this.endpoint.rtt_variation_us;
    return Math.max(1, Math.floor(tick + ahead_us * 1e-6 * rate + kCommandMarginTicks) + 1);
  }

  /** A checked command; returns its sequence. */
  send(tick: number, command: WireCommand): number {
    ++this.commands_sent;
    return this.endpoint.push_input(tick, command);
  }

  control(now_us: number, control: Omit<Control, "type">): void {
    this.endpoint.send_reliable(now_us, { type: "Control", ...control });
  }

  query(now_us: number, request: number, queries: Query[]): void {
    this.endpoint.send_reliable(now_us, { type: "QueryRequest", request, queries });
  }

  inspect(now_us: number, what: number): void {
    this.inspected = what;
    if (!this.sees(1)) this.contacts.clear();
    if (!this.sees(2)) this.joints.clear();
    if (!this.sees(4)) this.rope_shelf.clear();
    this.endpoint.send_reliable(now_us, { type: "Inspect", what });
  }

  /** Whether it is asked for: what was on its way when that ended is not shown. */
  private sees(what: number): boolean {
    return (this.inspected & what) !== 0;
  }

  stats(now_us: number): Omit<Stats, "reconnects"> {
    const { endpoint, buffer } = this;
    const expected = this.newest_serial - this.first_serial + (this.first_serial === 0 ? 0 : 1);
    return {
      rttMs: endpoint.rtt_us / 1000,
      rttVariationMs: endpoint.rtt_variation_us / 1000,
      loss: expected > 0 ? (expected - this.snapshots) / expected : 0,
      snapshotsPerS: this.snapshot_rate.per_s,
      receivedBytesPerS: this.received_rate.per_s,
      sentBytesPerS: this.sent_rate.per_s,
      snapshots: this.snapshots,
      receivedBytes: endpoint.bytes_received,
      sentBytes: endpoint.bytes_sent,
      serverTick: this.server_tick(now_us),
      renderTick: buffer.render_tick,
      completeTick: this.complete_ticks.newest,
      bufferMs: buffer.delay_ms,
      jitterMs: buffer.jitter_ms,
      starvedMs: buffer.starved_ms,
      longestStarvationMs: buffer.longest_starvation_ms,
      longestGapMs: buffer.longest_gap_ms,
      starvations: buffer.starvations,
      commandsSent: this.commands_sent,
      commandsMoved: this.commands_moved,
      commandsRefused: this.commands_refused,
      lastAcknowledged: this.last_acknowledged,
      inFlight: endpoint.inputs.in_flight,
      marginTicks: this.margin_ticks,
    };
  }
}
