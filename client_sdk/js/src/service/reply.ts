// Replies of a service: verified, then read in place. Numbers of a reply are views into its bytes, which
// belong to it alone, so a view keeps its values. A machine with the other byte order gets copies.
import { TaktError } from "../error.js";
import { FlatBuffer } from "../flat_buffer.js";
import type { Triple } from "../message.js";
import { kIdentifier, kReplyLayouts, kStructBytes, kVerifierDepth, kVerifierTables } from "./schema.js";

const kIdentifierWord = new DataView(new TextEncoder().encode(kIdentifier).buffer).getUint32(0, true);
const kIsLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const decoder = new TextDecoder();

/** Limits and version of a service. */
export interface Welcome {
  readonly version: number;
  readonly frameBytesMax: number;
  /** Requests that may wait for their replies. */
  readonly window: number;
  readonly worldsMax: number;
  readonly stepTicksMax: number;
  readonly threads: number;
  /** Bytes of heap, 0n = no limit. */
  readonly memoryMax: bigint;
  /** Such as "takt 0.2.0". */
  readonly program: string;
}

export interface WorldInfo {
  readonly numbers: "float" | "fixed";
  readonly tick: number;
  readonly sceneHash: bigint;
  readonly bodyCount: number;
  readonly ropeCount: number;
  /** Ticks a second. */
  readonly tickRateHz: number;
  readonly substeps: number;
  /** m/s^2. */
  readonly gravity: Triple;
}

/** Bytes of the columns that a reply carries, each at a multiple of 8. */
export interface Observation {
  readonly columns: number;
  readonly worlds: number;
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/** Structs of a vector, in place. */
export interface Records {
  readonly view: DataView;
  readonly offset: number;
  readonly count: number;
}

/** An error for bytes that no service sends. */
export function corrupt(what: string): TaktError {
  return new TaktError("corrupt-message", `the service sent ${what}: connect again`);
}

export class Reply {
  private readonly buffer: FlatBuffer;
  private readonly bytes: Uint8Array;
  private readonly table: number;

  /** Throws corrupt-message. `bytes` begin at a multiple of 8 of their memory. */
  constructor(bytes: Uint8Array) {
    this.buffer = new FlatBuffer(bytes);
    this.bytes = bytes;
    const isReply = this.buffer.verify(
      kIdentifierWord,
      kReplyLayouts.Reply!,
      kVerifierDepth,
      kVerifierTables,
      kReplyLayouts,
    );
    if (!isReply) throw corrupt("a message that is no reply of schemas/service.fbs");
    this.table = this.buffer.root();
  }

  get id(): bigint {
    return this.buffer.u64(this.table, this.slot("id"));
  }
  get status(): number {
    return this.buffer.i32(this.table, this.slot("status"));
  }
  get text(): string {
    return decoder.decode(this.buffer.span(this.reference("text")));
  }
  get handle(): number {
    return this.buffer.u32(this.table, this.slot("handle"));
  }
  get worlds(): number {
    return this.buffer.u32(this.table, this.slot("worlds"));
  }
  get tick(): bigint {
    return this.buffer.u64(this.table, this.slot("tick"));
  }
  get value(): number {
    return this.buffer.f64(this.table, this.slot("value"));
  }
  get rate(): number {
    return this.buffer.f64(this.table, this.slot("rate"));
  }
  get ids(): BigUint64Array {
    const vector = this.reference("ids");
    const count = this.buffer.count(vector);
    return unsigned64s(this.bytes.subarray(vector + 4, vector + 4 + 8 * count));
  }
  /** The first id. Throws corrupt-message without one. */
  get id64(): bigint {
    const [first] = this.ids;
    if (first === undefined) throw corrupt("a reply without its number");
    return first;
  }
  /** Bytes of an image, a key or a recording: a view. */
  get data(): Uint8Array {
    return this.buffer.span(this.reference("bytes"));
  }
  /** Bytes of a recording that wait beyond `data`. */
  get bytesLeft(): bigint {
    return this.buffer.u64(this.table, this.slot("bytes_left"));
  }
  /** 0 = the recording has ended, 1 = it goes on, 2 = the limit has cut it. */
  get recording(): number {
    return this.buffer.u32(this.table, this.slot("recording"));
  }
  get info(): WorldInfo {
    const { buffer } = this;
    const table = this.inner("info");
    const at = kReplyLayouts.WorldInfo!.at;
    const gravity = buffer.field(table, at.gravity!);
    return {
      numbers: buffer.u32(table, at.numbers!) === 2 ? "fixed" : "float",
      tick: Number(buffer.u64(table, at.tick!)),
      sceneHash: buffer.u64(table, at.scene_hash!),
      bodyCount: buffer.u32(table, at.body_count!),
      ropeCount: buffer.u32(table, at.rope_count!),
      tickRateHz: buffer.u32(table, at.tick_rate_hz!),
      substeps: buffer.u32(table, at.substeps!),
      gravity: gravity === 0 ? [0, 0, 0] : triple64At(buffer.view, gravity),
    };
  }
  get welcome(): Welcome {
    const { buffer } = this;
    const table = this.inner("welcome");
    const at = kReplyLayouts.Welcome!.at;
    return {
      version: buffer.u32(table, at.version!),
      frameBytesMax: buffer.u32(table, at.frame_bytes_max!),
      window: buffer.u32(table, at.window!),
      worldsMax: buffer.u32(table, at.worlds_max!),
      stepTicksMax: buffer.u32(table, at.step_ticks_max!),
      threads: buffer.u32(table, at.threads!),
      memoryMax: buffer.u64(table, at.memory_max!),
      program: decoder.decode(buffer.span(buffer.reference(table, at.program!))),
    };
  }
  /** Undefined when the reply has none. */
  get observation(): Observation | undefined {
    const { buffer } = this;
    const table = this.reference("observation");
    if (table === 0) return undefined;
    const at = kReplyLayouts.Observation!.at;
    const data = buffer.reference(table, at.data!);
    return {
      columns: buffer.u32(table, at.columns!),
      worlds: buffer.u32(table, at.worlds!),
      rows: buffer.u32(table, at.rows!),
      bytes: this.bytes.subarray(data + 4, data + 4 + 8 * buffer.count(data)),
    };
  }
  records(field: "answers" | "hits" | "contacts" | "events"): Records {
    const vector = this.reference(field);
    return { view: this.buffer.view, offset: vector + 4, count: this.buffer.count(vector) };
  }

  private slot(field: string): number {
    return kReplyLayouts.Reply!.at[field]!;
  }
  private reference(field: string): number {
    return this.buffer.reference(this.table, this.slot(field));
  }
  private inner(field: string): number {
    const table = this.reference(field);
    if (table === 0) throw corrupt(`a reply without ${field}`);
    return table;
  }
}

export function triple64At(view: DataView, at: number): Triple {
  return [view.getFloat64(at, true), view.getFloat64(at + 8, true), view.getFloat64(at + 16, true)];
}

/** Position of the i-th struct. */
export function recordAt({ offset }: Records, i: number, struct: keyof typeof kStructBytes): number {
  return offset + i * kStructBytes[struct];
}

export function unsigned64s(bytes: Uint8Array): BigUint64Array {
  const { buffer, byteOffset, byteLength } = words(bytes);
  return new BigUint64Array(buffer, byteOffset, byteLength / 8);
}
export function signed64s(bytes: Uint8Array): BigInt64Array {
  const { buffer, byteOffset, byteLength } = words(bytes);
  return new BigInt64Array(buffer, byteOffset, byteLength / 8);
}
export function doubles(bytes: Uint8Array): Float64Array {
  const { buffer, byteOffset, byteLength } = words(bytes);
  return new Float64Array(buffer, byteOffset, byteLength / 8);
}

/** The bytes themselves, or a copy where a typed array of words could not have their place or their order. */
function words(bytes: Uint8Array): Uint8Array {
  if (!kIsLittleEndian) return swapped(bytes);
  return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
}

/** A copy with each 8 bytes in the other order. */
export function swapped(bytes: Uint8Array): Uint8Array {
  const out = bytes.slice();
  for (let at = 0; at < out.length; at += 8) out.subarray(at, at + 8).reverse();
  return out;
}
