import assert from "node:assert/strict";
import { test } from "node:test";
import { GifEncoder } from "../dist/gif_encoder.js";
import { randomFrom } from "../../test/support/drawn_bodies.mjs";

// A decoder written from the text of GIF89a alone: its result is a browser's result.
function decode(bytes) {
  let at = 0;
  const u8 = () => bytes[at++];
  const u16 = () => u8() | (u8() << 8);
  assert.equal(String.fromCharCode(...bytes.subarray(0, 6)), "GIF89a");
  at = 6;
  const width = u16(),
    height = u16();
  assert.equal(u8(), 0xf7);
  at += 2;
  const palette = bytes.subarray(at, (at += 768));
  const canvas = new Uint8Array(3 * width * height);
  const frames = [];
  let delay = 0,
    transparent = -1;
  const blocks = () => {
    const data = [];
    for (let size = u8(); size > 0; size = u8()) for (let i = 0; i < size; ++i) data.push(u8());
    return data;
  };
  for (;;) {
    const kind = u8();
    if (kind === 0x3b) break;
    if (kind === 0x21) {
      if (u8() === 0xf9) {
        assert.equal(u8(), 4);
        const flags = u8();
        delay = u16();
        transparent = flags & 1 ? u8() : (u8(), -1);
        assert.equal(u8(), 0);
      } else {
        blocks();
      }
      continue;
    }
    assert.equal(kind, 0x2c);
    assert.deepEqual([u16(), u16(), u16(), u16(), u8()], [0, 0, width, height, 0]);
    const bits = u8();
    const indices = lzw(blocks(), bits);
    assert.equal(indices.length, width * height);
    indices.forEach(
      (index, i) => index !== transparent && canvas.set(palette.subarray(3 * index, 3 * index + 3), 3 * i),
    );
    frames.push({ delay, pixels: canvas.slice() });
  }
  return { width, height, frames };
}

function lzw(data, bits) {
  const clear = 1 << bits,
    end = clear + 1;
  let width = bits + 1,
    table = [],
    previous,
    bit = 0;
  const out = [];
  const read = () => {
    let code = 0;
    for (let i = 0; i < width; ++i, ++bit) code |= ((data[bit >> 3] >> (bit & 7)) & 1) << i;
    return code;
  };
  for (;;) {
    const code = read();
    if (code === end) return out;
    if (code === clear) {
      table = Array.from({ length: clear + 2 }, (_, i) => (i < clear ? [i] : []));
      width = bits + 1;
      previous = undefined;
      continue;
    }
    assert.ok(code < table.length || (code === table.length && previous), `code ${code} of ${table.length}`);
    const word = table[code] ?? [...previous, previous[0]];
    if (previous && table.length < 4096) table.push([...previous, word[0]]);
    if (table.length === 1 << width && width < 12) ++width;
    for (const index of word) out.push(index);
    previous = word;
  }
}

function frame(width, height, colour) {
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; ++i) {
    pixels.set([...colour(i % width, Math.floor(i / width)), 255], 4 * i);
  }
  return pixels;
}

test("few colours come back exactly, frame by frame", () => {
  const [width, height] = [97, 61];
  const frames = [0, 1, 2, 3].map((n) =>
    frame(width, height, (x, y) =>
      Math.hypot(x - 20 * n, y - 30) < 12 ? [255, 40, 0] : [(x >> 4) * 32, (y >> 4) * 64, 128],
    ),
  );
  const encoder = new GifEncoder(width, height, 50);
  for (const pixels of frames) encoder.add(pixels);
  const decoded = decode(encoder.encode());
  assert.equal(decoded.frames.length, 4);
  decoded.frames.forEach(({ delay, pixels }, n) => {
    assert.equal(delay, 5);
    for (let i = 0; i < width * height; ++i) {
      assert.deepEqual(
        [...pixels.subarray(3 * i, 3 * i + 3)],
        [...frames[n].subarray(4 * i, 4 * i + 3)],
        `frame ${n}, pixel ${i}`,
      );
    }
  });
});

test("noise of every colour survives the code table's overflow and stays near (seed 3)", () => {
  const random = randomFrom(3),
    [width, height] = [300, 200];
  const noise = frame(width, height, () => [256 * random(), 256 * random(), 256 * random()]);
  const encoder = new GifEncoder(width, height, 40);
  encoder.add(noise);
  const [{ pixels }] = decode(encoder.encode()).frames;
  let error = 0;
  for (let i = 0; i < width * height; ++i) {
    for (let c = 0; c < 3; ++c) error += Math.abs(pixels[3 * i + c] - noise[4 * i + c]);
  }
  // 255 cells of equal volume in the cube have an edge of 256 / 255^(1/3) = 40: a uniform point is 10 from
  // the middle on average, in each channel.
  assert.ok(error / (3 * width * height) < 13, `mean error ${error / (3 * width * height)}`);
});

test("a frame of another size is refused", () =>
  assert.throws(() => new GifEncoder(4, 4, 40).add(new Uint8ClampedArray(16)), /4 x 4/));
