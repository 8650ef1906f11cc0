// A slice of a rope in the simplest encoding: every number after the first node uses the escape code (24
// ones, 48 bits).
import { kRopeQuantum } from "../../dist/rope_codec.js";

class Bits {
  bits = [];
  put(value, count) {
    for (let i = 0n; i < BigInt(count); ++i) this.bits.push(Number((value >> i) & 1n));
  }
  bytes() {
    const out = [];
    for (let at = 0; at < this.bits.length; at += 8) {
      out.push(this.bits.slice(at, at + 8).reduce((byte, bit, i) => byte | (bit << i), 0));
    }
    return out;
  }
}

function varint(value) {
  const out = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push((rest % 128) | 128);
  return [...out, rest];
}

function tensionCode(tension) {
  if (tension === 0) return 0n;
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, Math.abs(tension));
  return BigInt(Math.sign(tension)) * BigInt(view.getUint16(0) - 0x3c00 + 1);
}

/** `positions` in metres, multiples of 2^-13; `tensions` of eight significant bits. */
export function ropeBytes({ rope, nodeCount, first = 0, positions, tensions, radius = 1, flags = 0 }) {
  const bits = new Bits();
  const seen = [[], [], [], []];
  const put = (channel, value, plain) => {
    const past = seen[channel];
    if (past.length === 0) bits.put(value + (1n << BigInt(plain - 1)), plain);
    else {
      const difference = value - (past.length === 1 ? past[0] : 2n * past.at(-1) - past.at(-2));
      bits.put((1n << 24n) - 1n, 24);
      bits.put(difference < 0n ? -2n * difference - 1n : 2n * difference, 48);
    }
    past.push(value);
  };
  for (let node = 0; node < positions.length / 3; ++node) {
    for (let axis = 0; axis < 3; ++axis) put(axis, BigInt(positions[3 * node + axis] / kRopeQuantum), 45);
    if (node < tensions.length) put(3, tensionCode(tensions[node]), 16);
  }
  const payload = bits.bytes();
  const head = [
    Number(rope & 0xffffffffn),
    Number(rope >> 32n),
    nodeCount,
    first,
    positions.length / 3,
    flags,
  ].flatMap(varint);
  const float = new DataView(new ArrayBuffer(4));
  float.setFloat32(0, radius, true);
  return new Uint8Array([...head, ...new Uint8Array(float.buffer), ...varint(payload.length), ...payload]);
}
