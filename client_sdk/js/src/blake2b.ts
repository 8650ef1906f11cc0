// BLAKE2b of sealed sessions in Node and of tokens over web sockets, with key, salt and personal bytes, which
// Node's own BLAKE2b lacks. It derives a few keys a session, and is slow. Source: J.-P. Aumasson and others,
// RFC 7693 (2015), and the parameter block of the BLAKE2 paper.

const kMask = (1n << 64n) - 1n;
const kIv = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];
const kOrders = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
const kBlockBytes = 128;

export interface Blake2bOptions {
  /** Up to 64 bytes; empty = none. */
  key?: Uint8Array;
  /** Up to 16 bytes each, padded with zeros. */
  salt?: Uint8Array;
  personal?: Uint8Array;
}

/** The hash of `bytes` with `length` bytes, 1 to 64. */
export function blake2b(length: number, bytes: Uint8Array, options: Blake2bOptions = {}): Uint8Array {
  const key = options.key ?? new Uint8Array();
  const head = new Uint8Array(64);
  head.set([length, key.length, 1, 1]);
  head.set(options.salt ?? [], 32);
  head.set(options.personal ?? [], 48);
  const headWords = wordsOf(head);
  const h = kIv.map((word, i) => word ^ headWords[i]!);
  const keyBytes = key.length > 0 ? kBlockBytes : 0;
  const all = new Uint8Array(keyBytes + bytes.length);
  all.set(key);
  all.set(bytes, keyBytes);
  for (let at = 0; at === 0 || at < all.length; at += kBlockBytes) {
    const block = new Uint8Array(kBlockBytes);
    block.set(all.subarray(at, at + kBlockBytes));
    const end = Math.min(at + kBlockBytes, all.length);
    compress(h, wordsOf(block), BigInt(end), end === all.length);
  }
  const out = new DataView(new ArrayBuffer(64));
  h.forEach((word, i) => out.setBigUint64(8 * i, word, true));
  return new Uint8Array(out.buffer, 0, length);
}

function wordsOf(bytes: Uint8Array): bigint[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / 8 }, (_, i) => view.getBigUint64(8 * i, true));
}

function compress(h: bigint[], m: bigint[], count: bigint, isLast: boolean): void {
  const v = [...h, ...kIv];
  v[12]! ^= count;
  if (isLast) v[14]! ^= kMask;
  const turned = (x: bigint, by: bigint): bigint => ((x >> by) | (x << (64n - by))) & kMask;
  const mix = (a: number, b: number, c: number, d: number, x: bigint, y: bigint): void => {
    v[a] = (v[a]! + v[b]! + x) & kMask;
    v[d] = turned(v[d]! ^ v[a], 32n);
    v[c] = (v[c]! + v[d]) & kMask;
    v[b] = turned(v[b]! ^ v[c], 24n);
    v[a] = (v[a] + v[b] + y) & kMask;
    v[d] = turned(v[d] ^ v[a], 16n);
    v[c] = (v[c] + v[d]) & kMask;
    v[b] = turned(v[b] ^ v[c], 63n);
  };
  for (let round = 0; round < 12; ++round) {
    const s = kOrders[round % 10]!.map((i) => m[i]!);
    mix(0, 4, 8, 12, s[0]!, s[1]!);
    mix(1, 5, 9, 13, s[2]!, s[3]!);
    mix(2, 6, 10, 14, s[4]!, s[5]!);
    mix(3, 7, 11, 15, s[6]!, s[7]!);
    mix(0, 5, 10, 15, s[8]!, s[9]!);
    mix(1, 6, 11, 12, s[10]!, s[11]!);
    mix(2, 7, 8, 13, s[12]!, s[13]!);
    mix(3, 4, 9, 14, s[14]!, s[15]!);
  }
  for (let i = 0; i < 8; ++i) h[i]! ^= v[i]! ^ v[i + 8]!;
}
