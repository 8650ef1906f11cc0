// Decoder of ropes in a snapshot part (protocol/messages/rope_codec.h, docs/PROTOCOL.md): slices of
// neighbouring nodes, each readable without the others. Invalid bytes give null. Numbers exceed 32 bits, so
// arithmetic instead of bit operations splits them.
import { kRopeIndexMax, kRopeNodesMax } from "./limits.js";
import type { Records } from "./message.js";

/** Positions are multiples of this, m. */
export const kRopeQuantum = 2 ** -13;

const kPositionBits = 45;
const kPositionBound = 2 ** 44;
const kTensionBits = 16;
const kTensionBound = 0x7f7f - 0x3c00 + 1;
const kMinTensionHalf = 0x3c00;
const kEscapeOnes = 24;
const kEscapeBits = 48;
const kSecondNodeK = 10;
const kAdaptiveKMax = 32;
const kWindow = 16;

/** Neighbouring nodes of a rope. */
export interface RopeSlice {
  rope: bigint;
  nodeCount: number;
  first: number;
  flags: number;
  radius: number;
  /** x, y, z of each node, m. */
  positions: number[];
  /** N, of the segments that begin at the nodes; one fewer at the end of the rope. */
  tensions: number[];
}

class BitReader {
  isShort = false;
  private held = 0; // below 2^heldCount
  private heldCount = 0; // below 8 between calls
  constructor(
    private readonly view: DataView,
    private at: number,
    private readonly end: number,
  ) {}
  get isAtEnd(): boolean {
    return this.at === this.end;
  }
  /** Returns the next `count` bits, 0 to 45 or 48; all values stay below 2^53. */
  get(count: number): number {
    let value = this.held;
    let have = this.heldCount;
    let scale = 2 ** have;
    while (have < count) {
      if (this.at >= this.end) {
        this.isShort = true;
        return 0;
      }
      const byte = this.view.getUint8(this.at++);
      const wanted = count - have;
      if (wanted < 8) {
        value += (byte & ((1 << wanted) - 1)) * scale;
        this.held = byte >> wanted;
        this.heldCount = 8 - wanted;
        return value;
      }
      value += byte * scale;
      scale *= 256;
      have += 8;
    }
    const rest = 2 ** count;
    this.held = Math.floor(value / rest);
    this.heldCount = have - count;
    return value % rest;
  }
}

function readRice(bits: BitReader, k: number): number {
  let ones = 0;
  while (ones < kEscapeOnes && bits.get(1) === 1) ++ones;
  return ones === kEscapeOnes ? bits.get(kEscapeBits) : ones * 2 ** k + bits.get(k);
}

/** One channel of a slice: the prediction of the next number, and the code of its residual. */
class Channel {
  private last = 0;
  private before = 0;
  private seen = 0;
  private sum = 64;
  private count = 2;
  constructor(
    private readonly min: number,
    private readonly max: number,
    private readonly plainBits: number,
  ) {}
  /** Returns NaN for a number outside the channel's range. */
  read(bits: BitReader): number {
    let value: number;
    if (this.seen === 0) value = bits.get(this.plainBits) - 2 ** (this.plainBits - 1);
    else {
      const coded = readRice(bits, this.seen === 1 ? kSecondNodeK : this.k());
      const difference = coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
      value = difference + (this.seen === 1 ? this.last : 2 * this.last - this.before);
      if (this.seen > 1) this.adapt(coded);
    }
    if (bits.isShort || value < this.min || value > this.max) return NaN;
    this.before = this.last;
    this.last = value;
    ++this.seen;
    return value;
  }
  private k(): number {
    let k = 0;
    for (let reach = this.count; k < kAdaptiveKMax && reach < this.sum; reach *= 2) ++k;
    return k;
  }
  private adapt(coded: number): void {
    this.sum += coded;
    if (++this.count < kWindow) return;
    this.sum = Math.floor(this.sum / 2);
    this.count >>= 1;
  }
}

const kFloat = new DataView(new ArrayBuffer(4));
function tensionOf(code: number): number {
  if (code === 0) return 0;
  kFloat.setUint32(0, (Math.abs(code) - 1 + kMinTensionHalf) * 0x10000);
  return Math.sign(code) * kFloat.getFloat32(0);
}

/** The slices of a part; null for invalid bytes. */
export function decodeRopeSlices({ view, offset, count }: Records): RopeSlice[] | null {
  const slices: RopeSlice[] = [];
  const end = offset + count;
  let at = offset;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; at < end; scale *= 128) {
      const byte = view.getUint8(at++);
      if (scale === 2 ** 28 && byte > 0x0f) break;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    return NaN;
  };
  while (at < end) {
    const index = varint();
    const generation = varint();
    const nodeCount = varint();
    const first = varint();
    const here = varint();
    const flags = varint();
    if (Number.isNaN(index + generation + nodeCount + first + here + flags) || at + 4 > end) return null;
    const radius = view.getFloat32(at, true);
    at += 4;
    const bytes = varint();
    if (Number.isNaN(bytes) || at + bytes > end) return null;
    if (generation === 0 || index >= kRopeIndexMax || nodeCount > kRopeNodesMax) return null;
    if (first >= nodeCount || here < 1 || here > nodeCount - first || !Number.isFinite(radius)) return null;
    const bits = new BitReader(view, at, at + bytes);
    at += bytes;
    const axes = [0, 1, 2].map(() => new Channel(-kPositionBound, kPositionBound - 1, kPositionBits));
    const tension = new Channel(-kTensionBound, kTensionBound, kTensionBits);
    const slice: RopeSlice = {
      rope: (BigInt(generation) << 32n) | BigInt(index),
      nodeCount,
      first,
      flags,
      radius,
      positions: [],
      tensions: [],
    };
    for (let node = first; node < first + here; ++node) {
      for (const axis of axes) slice.positions.push(axis.read(bits) * kRopeQuantum);
      if (node + 1 < nodeCount) slice.tensions.push(tensionOf(tension.read(bits)));
      if (bits.isShort || Number.isNaN(slice.positions.at(-1))) return null;
    }
    if (!bits.isAtEnd || slice.positions.some(Number.isNaN) || slice.tensions.some(Number.isNaN)) return null;
    slices.push(slice);
  }
  return slices;
}
