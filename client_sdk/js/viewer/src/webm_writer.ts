// Writer of a WebM file (a subset of Matroska, RFC 9559) with one VP9 track of encoded frames: header,
// segment, info, track, and a cluster for each key frame. All times are arguments. It does not encode and
// writes no sound.

const kEbml = 0x1a45dfa3,
  kSegment = 0x18538067,
  kInfo = 0x1549a966,
  kTracks = 0x1654ae6b,
  kTrackEntry = 0xae,
  kVideo = 0xe0,
  kCluster = 0x1f43b675;
/** A block has a signed 16-bit number of milliseconds since its cluster. */
const kClusterMsMax = 30_000;

export interface EncodedFrame {
  data: Uint8Array;
  timeMs: number;
  isKey: boolean;
}

export function writeWebm(
  width: number,
  height: number,
  durationMs: number,
  frames: readonly EncodedFrame[],
): Uint8Array {
  const header = element(kEbml, [
    unsigned(0x4286, 1),
    unsigned(0x42f7, 1),
    unsigned(0x42f2, 4),
    unsigned(0x42f3, 8),
    text(0x4282, "webm"),
    unsigned(0x4287, 4),
    unsigned(0x4285, 2),
  ]);
  const info = element(kInfo, [
    unsigned(0x2ad7b1, 1_000_000),
    float(0x4489, durationMs),
    text(0x4d80, "takt"),
    text(0x5741, "takt"),
  ]);
  const track = element(kTrackEntry, [
    unsigned(0xd7, 1),
    unsigned(0x73c5, 1),
    unsigned(0x9c, 0),
    unsigned(0x83, 1),
    text(0x86, "V_VP9"),
    element(kVideo, [unsigned(0xb0, width), unsigned(0xba, height)]),
  ]);
  const clusters: Uint8Array[] = [];
  for (let at = 0; at < frames.length;) {
    const begin = frames[at]!.timeMs;
    const blocks = [unsigned(0xe7, begin)];
    do {
      const { data, timeMs, isKey } = frames[at++]!;
      const after = timeMs - begin;
      blocks.push(
        element(0xa3, [Uint8Array.of(0x81, (after >> 8) & 0xff, after & 0xff, isKey ? 0x80 : 0), data]),
      );
    } while (at < frames.length && !frames[at]!.isKey && frames[at]!.timeMs - begin < kClusterMsMax);
    clusters.push(element(kCluster, blocks));
  }
  return joined([header, element(kSegment, [info, element(kTracks, [track]), ...clusters])]);
}

/** An element: id, size and content. */
function element(id: number, parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  return joined([
    bigEndian(id, id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1),
    sizeField(size),
    ...parts,
  ]);
}

/** A size of always eight bytes, which the first byte announces. */
function sizeField(size: number): Uint8Array {
  return joined([
    Uint8Array.of(0x01, 0, 0),
    bigEndian(Math.floor(size / 2 ** 32), 1),
    bigEndian(size % 2 ** 32, 4),
  ]);
}

function unsigned(id: number, value: number): Uint8Array {
  return element(id, [bigEndian(value, value > 0xffffff ? 4 : value > 0xffff ? 3 : value > 0xff ? 2 : 1)]);
}

function float(id: number, value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return element(id, [bytes]);
}

function text(id: number, value: string): Uint8Array {
  return element(id, [Uint8Array.from(value, (letter) => letter.charCodeAt(0))]);
}

function bigEndian(value: number, bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) => Math.floor(value / 2 ** (8 * (bytes - 1 - i))) % 256);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
