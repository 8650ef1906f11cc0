// Encoder of an animated GIF (CompuServe GIF89a, 1990) from pictures of one size. Median cut (Heckbert 1982)
// chooses one palette for all frames, and each frame stores only its changes. It does not dither: flat
// surfaces stay flat and files small.

const kColours = 255;
/** The last entry of the palette: an unchanged pixel. */
const kTransparent = 255;
/** Bits of a channel while the palette is chosen. */
const kBits = 5;
/** GIF's largest code has 12 bits. */
const kCodesMax = 4096;

export class GifEncoder {
  private readonly frames: Uint8ClampedArray[] = [];

  /** `delayMs`: time between frames; GIF counts in hundredths of a second. */
  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly delayMs: number,
  ) {}

  /** Adds a frame: RGBA, row by row from the top. It is used until encode(). */
  add(pixels: Uint8ClampedArray): void {
    if (pixels.length !== 4 * this.width * this.height) {
      throw new Error(`a frame of ${pixels.length} bytes is not ${this.width} x ${this.height} RGBA`);
    }
    this.frames.push(pixels);
  }

  encode(): Uint8Array {
    const palette = makePalette(this.frames);
    const nearest = new Int16Array(1 << (3 * kBits)).fill(-1);
    const out = new ByteWriter();
    out.text("GIF89a");
    out.u16(this.width);
    out.u16(this.height);
    out.bytes([0xf7, 0, 0]); // a global palette of 256 colours, 8 bits a channel
    out.bytes(palette);
    out.bytes([0x21, 0xff, 11]);
    out.text("NETSCAPE2.0");
    out.bytes([3, 1, 0, 0, 0]); // without end
    let before: Uint8Array | undefined;
    for (const pixels of this.frames) {
      const indices = mapColours(pixels, palette, nearest);
      this.writeFrame(out, indices, before);
      before = indices;
    }
    out.bytes([0x3b]);
    return out.take();
  }

  private writeFrame(out: ByteWriter, indices: Uint8Array, before: Uint8Array | undefined): void {
    const shown = before ? indices.map((index, i) => (index === before[i] ? kTransparent : index)) : indices;
    out.bytes([0x21, 0xf9, 4, 0x05]); // keep the previous frame; one index is transparent
    out.u16(Math.max(2, Math.round(this.delayMs / 10)));
    out.bytes([kTransparent, 0, 0x2c]);
    out.u16(0);
    out.u16(0);
    out.u16(this.width);
    out.u16(this.height);
    out.bytes([0, 8]);
    out.blocks(compress(shown, 8));
  }
}

// ------------------------------------------------------------ palette

function cell(r: number, g: number, b: number): number {
  const shift = 8 - kBits;
  return ((r >> shift) << (2 * kBits)) | ((g >> shift) << kBits) | (b >> shift);
}

/** 256 x RGB. No pixel uses the last entry. */
function makePalette(frames: readonly Uint8ClampedArray[]): Uint8Array {
  const counts = new Float64Array(1 << (3 * kBits));
  const sums = [
    new Float64Array(counts.length),
    new Float64Array(counts.length),
    new Float64Array(counts.length),
  ] as const;
  for (const pixels of frames) {
    for (let i = 0; i < pixels.length; i += 4) {
      const at = cell(pixels[i]!, pixels[i + 1]!, pixels[i + 2]!);
      ++counts[at]!;
      for (let channel = 0; channel < 3; ++channel) sums[channel]![at]! += pixels[i + channel]!;
    }
  }
  const cells: number[] = [];
  counts.forEach((count, at) => count > 0 && cells.push(at));
  const mean = (channel: number, at: number) => sums[channel]![at]! / counts[at]!;
  let boxes = [cells];
  while (boxes.length < kColours) {
    // Split the box with the maximum gain: extent times the root of its pixels, so that small bright areas
    // keep a colour.
    let best = -1,
      bestGain = 0,
      bestChannel = 0;
    boxes.forEach((box, i) => {
      if (box.length < 2) return;
      const weight = Math.sqrt(box.reduce((sum, at) => sum + counts[at]!, 0));
      for (let channel = 0; channel < 3; ++channel) {
        let low = 255,
          high = 0;
        for (const at of box) {
          low = Math.min(low, mean(channel, at));
          high = Math.max(high, mean(channel, at));
        }
        if ((high - low) * weight > bestGain) {
          [best, bestGain, bestChannel] = [i, (high - low) * weight, channel];
        }
      }
    });
    if (best < 0) break;
    const [one, other] = split(
      boxes[best]!,
      (at) => mean(bestChannel, at),
      (at) => counts[at]!,
    );
    boxes = [...boxes.slice(0, best), one, other, ...boxes.slice(best + 1)];
  }
  const palette = new Uint8Array(3 * 256);
  boxes.forEach((box, i) => {
    const total = box.reduce((sum, at) => sum + counts[at]!, 0);
    for (let channel = 0; channel < 3; ++channel) {
      palette[3 * i + channel] = Math.round(
        box.reduce((sum, at) => sum + sums[channel]![at]!, 0) / Math.max(1, total),
      );
    }
  });
  return palette;
}

/** Splits a box at its pixels' median along `value`. Both parts have at least one cell. */
function split(
  box: readonly number[],
  value: (at: number) => number,
  count: (at: number) => number,
): [number[], number[]] {
  const sorted = [...box].sort((a, b) => (value(a) !== value(b) ? value(a) - value(b) : a - b));
  const half = sorted.reduce((sum, at) => sum + count(at), 0) / 2;
  let seen = 0,
    end = 0;
  while (end < sorted.length - 1 && (end === 0 || seen < half)) seen += count(sorted[end++]!);
  return [sorted.slice(0, end), sorted.slice(end)];
}

function mapColours(pixels: Uint8ClampedArray, palette: Uint8Array, nearest: Int16Array): Uint8Array {
  const indices = new Uint8Array(pixels.length / 4);
  for (let i = 0; i < indices.length; ++i) {
    const r = pixels[4 * i]!,
      g = pixels[4 * i + 1]!,
      b = pixels[4 * i + 2]!;
    const at = cell(r, g, b);
    if (nearest[at]! < 0) nearest[at] = nearestOf(r, g, b, palette);
    indices[i] = nearest[at]!;
  }
  return indices;
}

function nearestOf(r: number, g: number, b: number, palette: Uint8Array): number {
  let best = 0,
    minDistance = Infinity;
  for (let i = 0; i < kColours; ++i) {
    const distance =
      (palette[3 * i]! - r) ** 2 + (palette[3 * i + 1]! - g) ** 2 + (palette[3 * i + 2]! - b) ** 2;
    if (distance < minDistance) [best, minDistance] = [i, distance];
  }
  return best;
}

// ------------------------------------------------------------ LZW

/** LZW (Welch 1984) as in GIF: codes grow from bits + 1 to 12 bits, low bit first. */
function compress(indices: Uint8Array, bits: number): Uint8Array {
  const clear = 1 << bits,
    end = clear + 1;
  const out = new ByteWriter();
  let pending = 0,
    pendingBits = 0,
    width = bits + 1,
    next = end + 1;
  // Code of a prefix and the next index -> code.
  const children = new Int16Array(kCodesMax << bits);
  const emit = (code: number) => {
    pending |= code << pendingBits;
    for (pendingBits += width; pendingBits >= 8; pendingBits -= 8, pending >>>= 8) out.u8(pending & 0xff);
  };
  emit(clear);
  let prefix = indices[0]!;
  for (let i = 1; i < indices.length; ++i) {
    const key = (prefix << bits) | indices[i]!;
    const known = children[key]!;
    if (known > 0) {
      prefix = known;
      continue;
    }
    emit(prefix);
    if (next < kCodesMax) {
      if (next === 1 << width) ++width;
      children[key] = next++;
    } else {
      emit(clear);
      children.fill(0);
      width = bits + 1;
      next = end + 1;
    }
    prefix = indices[i]!;
  }
  emit(prefix);
  if (next === 1 << width && width < 12) ++width;
  emit(end);
  if (pendingBits > 0) out.u8(pending & 0xff);
  return out.take();
}

class ByteWriter {
  private array = new Uint8Array(1 << 16);
  private used = 0;

  u8(value: number): void {
    if (this.used === this.array.length) {
      const larger = new Uint8Array(2 * this.array.length);
      larger.set(this.array);
      this.array = larger;
    }
    this.array[this.used++] = value;
  }
  u16(value: number): void {
    this.u8(value & 0xff);
    this.u8(value >> 8);
  }
  bytes(values: Iterable<number>): void {
    for (const value of values) this.u8(value);
  }
  text(text: string): void {
    for (let i = 0; i < text.length; ++i) this.u8(text.charCodeAt(i));
  }
  /** Writes GIF's sub-blocks of at most 255 bytes, and the empty one that ends them. */
  blocks(data: Uint8Array): void {
    for (let at = 0; at < data.length; at += 255) {
      const block = data.subarray(at, at + 255);
      this.u8(block.length);
      this.bytes(block);
    }
    this.u8(0);
  }
  take(): Uint8Array {
    return this.array.slice(0, this.used);
  }
}
