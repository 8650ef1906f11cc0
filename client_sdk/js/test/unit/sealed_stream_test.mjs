// BLAKE2b against the RFC and Node's own, and the faults of a sealed stream. The real server is in
// test/integration.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { blake2b } from "../../dist/blake2b.js";
import { tcp } from "../../dist/node.js";
import { SealedStream } from "../../dist/sealed_stream.js";
import { frame } from "../support/server_messages.mjs";

test("BLAKE2b is Node's where Node has it", () => {
  for (const length of [0, 1, 127, 128, 129, 255, 256, 257, 1000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7) & 0xff);
    const theirs = createHash("blake2b512").update(bytes).digest("hex");
    assert.equal(Buffer.from(blake2b(64, bytes)).toString("hex"), theirs);
  }
});

test("BLAKE2b with a key is that of the reference's test vectors", () => {
  // https://github.com/BLAKE2/BLAKE2, testvectors/blake2b-kat.txt: key 00..3f, input of 0 and of 2 bytes.
  const key = Uint8Array.from({ length: 64 }, (_, i) => i);
  assert.match(
    Buffer.from(blake2b(64, new Uint8Array(), { key })).toString("hex"),
    /^10ebb67700b1868efb4417987acf4690/,
  );
  assert.match(
    Buffer.from(blake2b(64, Uint8Array.of(0, 1), { key })).toString("hex"),
    /^da2cfbe2d8409a0f38026113884f84b5/,
  );
});

function stream(options) {
  const log = { sent: [], clear: [], faults: [] };
  const sealed = new SealedStream(
    {
      sendBytes: (bytes) => log.sent.push(Buffer.from(bytes)),
      handleBytes: (bytes) => log.clear.push(Buffer.from(bytes)),
      fail: (why) => log.faults.push(why),
    },
    options,
  );
  return { sealed, log };
}

const kKey = Array.from({ length: 32 }, (_, i) => i + 1);
const challenge = (lasting = kKey) =>
  frame("Challenge", { nonce: 5, cookie: Array(16).fill(1), lasting_key: lasting, short_lived_key: kKey });
const request = () => frame("ConnectRequest", { protocol_version: 3, nonce: 5, player_name: "Ada" });

test("a challenge is answered once with a key and a proof", () => {
  const { sealed, log } = stream();
  sealed.send(request());
  sealed.handleBytes(challenge());
  assert.equal(log.sent.length, 2);
  assert.deepEqual(log.faults, []);
  sealed.handleBytes(challenge());
  assert.deepEqual(log.faults, ["the server broke the handshake"]);
});

test("an Accept in clear, a forged one, and a frame before the keys end the stream", () => {
  for (const bytes of [
    frame("Accept", { nonce: 5, player_id: 1, tick_rate_hz: 60 }),
    frame("KeepAlive", {}),
  ]) {
    const { sealed, log } = stream();
    sealed.send(request());
    sealed.handleBytes(bytes);
    assert.deepEqual([log.faults, log.clear], [["the server broke the handshake"], []]);
  }
  const { sealed, log } = stream();
  sealed.send(request());
  sealed.handleBytes(challenge());
  sealed.handleBytes(frame("SealedAccept", { nonce: 5, sealed: Array(60).fill(7) }));
  assert.deepEqual([log.faults, log.clear], [["the server broke the handshake"], []]);
});

test("a key of low order and a key that is not the pinned one end the stream", () => {
  const weak = stream();
  weak.sealed.send(request());
  weak.sealed.handleBytes(challenge(Array(32).fill(0)));
  assert.deepEqual(weak.log.faults, ["the server has a malformed key"]);
  const pinned = stream({ serverKey: Uint8Array.from({ length: 32 }, () => 9) });
  pinned.sealed.send(request());
  pinned.sealed.handleBytes(challenge());
  assert.match(pinned.log.faults[0], /another key/);
});

test("an address with a key that is none is refused", () => {
  assert.doesNotThrow(() => tcp(`tcp://127.0.0.1:7777#${"A".repeat(43)}`));
  for (const key of ["", "A", "A".repeat(42), "A".repeat(44)]) {
    assert.throws(() => tcp(`tcp://127.0.0.1:7777#${key}`), { code: "bad-url" });
  }
});
