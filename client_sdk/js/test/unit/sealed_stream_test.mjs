// BLAKE2b against the RFC and Node's own, the sealed name, and the faults of a sealed stream. The real server
// is in test/integration.
import assert from "node:assert/strict";
import {
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  randomBytes,
} from "node:crypto";
import { test } from "node:test";

import { blake2b } from "../../dist/blake2b.js";
import { tcp } from "../../dist/node.js";
import { readMessage, writeFrame, writeMessage } from "../../dist/protocol.js";
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
const request = () => frame("ConnectRequest", { protocol_version: 4, nonce: 5, player_name: "Ada" });

test("a challenge is answered once with a key and a proof", () => {
  const { sealed, log } = stream();
  sealed.send(request());
  sealed.handleBytes(challenge());
  assert.equal(log.sent.length, 2);
  assert.deepEqual(log.faults, []);
  sealed.handleBytes(challenge());
  assert.deepEqual(log.faults, ["the server broke the handshake"]);
});

// Not generateKeyPairSync(): sealed_stream.ts has the reason.
function drawnKey() {
  const key = Buffer.concat([Buffer.from("302e020100300506032b656e04220420", "hex"), randomBytes(32)]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

// The server's half of the handshake, with keys of its own.
function answer(playerName, fields = {}) {
  const privateKeys = [drawnKey(), drawnKey()];
  const raw = (key) => Buffer.from(createPublicKey(key).export({ format: "jwk" }).x, "base64url");
  const [lasting, shortLived] = privateKeys.map(raw);
  const cookie = Buffer.alloc(16, 1);
  const { sealed, log } = stream(fields.token === undefined ? {} : { tokenKeys: Buffer.alloc(64, 3) });
  const asked = {
    type: "ConnectRequest",
    protocolVersion: 4,
    sceneHash: 0n,
    numbersMode: "any",
    mode: "snapshot",
    playerName,
    nonce: 5n,
    role: "player",
    token: new Uint8Array(),
    tokenVerifier: new Uint8Array(),
    ciphers: 0,
    ...fields,
  };
  sealed.send(writeFrame("reliable", writeMessage(asked)));
  sealed.handleBytes(
    frame("Challenge", {
      nonce: 5,
      cookie: [...cookie],
      lasting_key: [...lasting],
      short_lived_key: [...shortLived],
    }),
  );
  const [sentRequest, response] = log.sent.map((bytes) => readMessage(bytes.subarray(5), "reliable").message);
  const key = Buffer.from(response.key);
  // docs/PROTOCOL.md, section 3: transport, cookie, keys, and the request: version, scene, numbers, mode,
  // nonce, role, ciphers, length of a name that is not there, length of the token, token, no resume.
  const head = Buffer.alloc(25);
  head.writeUInt32LE(4, 0);
  head.writeBigUInt64LE(5n, 14);
  const tokenBytes = Buffer.alloc(2);
  tokenBytes.writeUInt16LE(asked.token.length);
  const request = [head, tokenBytes, asked.token, Buffer.of(0)];
  const context = Buffer.concat([Buffer.of(1), cookie, lasting, shortLived, key, ...request]);
  const client = createPublicKey({
    key: { kty: "OKP", crv: "X25519", x: key.toString("base64url") },
    format: "jwk",
  });
  const shared = privateKeys.map((privateKey) => diffieHellman({ privateKey, publicKey: client }));
  const text = Buffer.concat([
    Buffer.from("takt key exchange 1"),
    ...shared,
    key,
    lasting,
    shortLived,
    context,
  ]);
  const options = fields.token === undefined ? {} : { key: Buffer.alloc(64, 3) };
  const toServer = blake2b(64, text, options).slice(0, 32);
  const salt = Uint8Array.of(3);
  const derived = blake2b(32, new Uint8Array(), { key: toServer, salt, personal: Buffer.from("taktseal") });
  const proof = Buffer.from(response.proof);
  const cipher = createDecipheriv("chacha20-poly1305", derived, Buffer.alloc(12), { authTagLength: 16 });
  cipher.setAAD(context, { plaintextLength: proof.length - 16 });
  cipher.setAuthTag(proof.subarray(proof.length - 16));
  const opened = Buffer.concat([cipher.update(proof.subarray(0, proof.length - 16)), cipher.final()]);
  return { log, sentRequest, response, opened, key };
}

test("the name goes sealed into the proof, and no byte of it in clear", () => {
  for (const name of ["", "Ada", "J\u00fcrgen \u{1f600}", "x".repeat(32)]) {
    const { log, sentRequest, response, opened } = answer(name);
    const bytes = Buffer.from(name);
    assert.deepEqual([sentRequest.playerName, response.request.playerName], ["", ""]);
    assert.equal(opened.length, 33);
    assert.equal(opened[0], bytes.length);
    assert.deepEqual(opened.subarray(1), Buffer.concat([bytes, Buffer.alloc(32 - bytes.length)]));
    if (name === "") continue;
    for (const sent of log.sent) assert.equal(sent.indexOf(bytes), -1);
  }
});

test("the bytes of a connect tell nothing of the length of the name", () => {
  const sizes = (name) => answer(name).log.sent.map((bytes) => bytes.length);
  for (let length = 1; length <= 32; ++length) assert.deepEqual(sizes("x".repeat(length)), sizes(""));
});

test("with a token the proof is a tag alone, under the keys of the token", () => {
  const { response, opened } = answer("", { token: Uint8Array.of(9, 8, 7) });
  assert.deepEqual([response.proof.length, opened.length], [16, 0]);
});

test("two attempts of one name have two proofs, by two key pairs", () => {
  const [one, other] = [answer("Ada"), answer("Ada")];
  assert.notDeepEqual(one.response.proof, other.response.proof);
  assert.notDeepEqual(one.key, other.key);
});

test("a request that cannot be read, and any other message, is not sent and ends the stream", () => {
  const torn = request().subarray(0, 20);
  const unprintable = frame("ConnectRequest", { protocol_version: 4, nonce: 5, player_name: "A\n" });
  const cases = [
    [new Uint8Array(), /request is unreadable \(too_short\)/],
    [Uint8Array.of(1, 0, 0, 0), /request is unreadable \(too_short\)/],
    [torn, /request is unreadable \(verifier_failed\)/],
    [unprintable, /request is unreadable \(out_of_range\)/],
    [frame("KeepAlive", {}), /^KeepAlive must not be sent before the session is sealed/],
    [frame("Disconnect", { reason: 1, text: "Ada" }), /^Disconnect must not be sent before/],
  ];
  for (const [bytes, why] of cases) {
    const { sealed, log } = stream();
    sealed.send(bytes);
    assert.deepEqual(log.sent, []);
    assert.equal(log.faults.length, 1);
    assert.match(log.faults[0], why);
    // It stays closed: nothing is sent, and nothing of the server is believed.
    sealed.send(request());
    sealed.handleBytes(challenge());
    assert.deepEqual([log.sent, log.clear, log.faults.length], [[], [], 1]);
  }
});

test("between the request and the keys nothing is sent in clear", () => {
  for (const challenged of [false, true]) {
    for (const [bytes, why] of [
      [request(), /^ConnectRequest must not be sent/],
      [frame("Inputs", {}), /^Inputs must not be sent|unreadable/],
      [Uint8Array.of(3, 0, 0, 0, 1, 2, 3), /unreadable/],
    ]) {
      const { sealed, log } = stream();
      sealed.send(request());
      if (challenged) sealed.handleBytes(challenge());
      const sent = log.sent.length;
      sealed.send(bytes);
      assert.equal(log.sent.length, sent);
      assert.equal(log.faults.length, 1);
      assert.match(log.faults[0], why);
    }
  }
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
