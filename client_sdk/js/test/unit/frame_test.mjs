// Framing of a stream: frames are complete for any cut of the stream, and a stream with a broken layout stays
// failed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { FrameReader, writeFrame } from "../../dist/protocol.js";
import { Random } from "../support/random.mjs";

function framesOf(reader, bytes) {
  const frames = [];
  const error = reader.handleBytes(
    bytes,
    (messageClass, message) => frames.push([messageClass, [...message]]) > 0,
  );
  return { frames, error };
}
function joined(...frames) {
  return new Uint8Array(Buffer.concat(frames));
}

test("a frame is a length, a kind and the message", () => {
  assert.deepEqual([...writeFrame("reliable", Uint8Array.of(7, 8))], [3, 0, 0, 0, 2, 7, 8]);
  assert.deepEqual([...writeFrame("datagram", Uint8Array.of(7))], [2, 0, 0, 0, 1, 7]);
});

test("three frames cut at any two bytes come out the same", () => {
  const stream = joined(
    writeFrame("reliable", Uint8Array.of(1, 2, 3)),
    writeFrame("datagram", Uint8Array.of(4)),
    writeFrame("reliable", new Uint8Array(20).fill(5)),
  );
  const whole = framesOf(new FrameReader(), stream).frames;
  assert.equal(whole.length, 3);
  for (let a = 0; a <= stream.length; ++a) {
    for (let b = a; b <= stream.length; ++b) {
      const reader = new FrameReader();
      const frames = [stream.slice(0, a), stream.slice(a, b), stream.slice(b)].flatMap(
        (bytes) => framesOf(reader, bytes).frames,
      );
      assert.deepEqual(frames, whole);
    }
  }
});

test("frames of every size, cut at random (seed 3)", () => {
  const random = new Random(3);
  const messages = [1, 2, 1164, 65535, 65536, 3, 4000].map((bytes) =>
    Uint8Array.from({ length: bytes }, (_, i) => i * 7),
  );
  const stream = joined(...messages.map((message) => writeFrame("reliable", message)));
  const reader = new FrameReader();
  const lengths = [];
  for (let at = 0; at < stream.length;) {
    const end = Math.min(stream.length, at + 1 + random.below(5000));
    reader.handleBytes(stream.slice(at, end), (_, message) => {
      const original = messages[lengths.length];
      assert.equal(Buffer.compare(Buffer.from(message), Buffer.from(original)), 0);
      return lengths.push(message.length) > 0;
    });
    at = end;
  }
  assert.deepEqual(
    lengths,
    messages.map((message) => message.length),
  );
});

for (const [name, bytes, error] of [
  ["a length over the limit", [0x02, 0x00, 0x01, 0x00], "oversize"],
  ["a length of 2^32 - 1", [0xff, 0xff, 0xff, 0xff], "oversize"],
  ["a length of 0", [0, 0, 0, 0], "bad_layout"],
  ["a length of 1", [1, 0, 0, 0], "bad_layout"],
  ["kind 0", [2, 0, 0, 0, 0, 9], "bad_kind"],
  ["kind 3", [2, 0, 0, 0, 3, 9], "bad_kind"],
]) {
  test(`${name} fails the stream for good, in one piece or byte by byte`, () => {
    const whole = new FrameReader();
    assert.equal(framesOf(whole, Uint8Array.from(bytes)).error, error);
    assert.deepEqual(framesOf(whole, writeFrame("reliable", Uint8Array.of(1))), { frames: [], error });
    const slow = new FrameReader();
    let last = null;
    for (const byte of bytes) last = framesOf(slow, Uint8Array.of(byte)).error;
    assert.equal(last, error);
  });
}

test("who takes frames can stop for good in the middle", () => {
  const reader = new FrameReader();
  let taken = 0;
  const two = joined(writeFrame("reliable", Uint8Array.of(1)), writeFrame("reliable", Uint8Array.of(2)));
  reader.handleBytes(two, () => ++taken < 1);
  assert.equal(taken, 1);
});
