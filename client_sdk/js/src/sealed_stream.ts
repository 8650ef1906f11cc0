// The seal of a session over TCP, in Node: it stands between a socket and a client, which sees the frames and
// the Accept of a web socket. It takes the player's name out of the ConnectRequest, answers the server's
// Challenge with the name sealed in the proof, opens the SealedAccept, and from then on seals and opens
// frames. docs/PROTOCOL.md, sections 2 and 3, has the rules; client_handshake.cpp and sealed_name.cpp of
// protocol/session and crypto/stream_seal.cpp are the same in C++. A browser needs none: TLS seals a web
// socket.
import type { KeyObject } from "node:crypto";
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  randomBytes,
} from "node:crypto";

import { blake2b } from "./blake2b.js";
import { writeFrame } from "./frame.js";
import { kFrameBytesMax, kFramePrefixBytes, kPlayerNameBytesMax } from "./limits.js";
import type { Challenge, ChallengeResponse, ConnectRequest, SealedAccept } from "./message.js";
import { readMessage } from "./message_reader.js";
import { writeMessage } from "./message_writer.js";
import { kEnums } from "./schema.js";

const kTagBytes = 16;
const kLabel = Buffer.from("takt key exchange 1");
const kPersonal = Buffer.from("taktseal");
/** TransportKind::kStream of protocol/session/server_event.h. */
const kStreamTransport = 1;
const kFramesPerKey = 65536;
// Numbers of derived keys (crypto/sealed_datagram.cpp, crypto/handshake_seal.cpp).
const kPacketKey = 1;
const kNextChain = 2;
const kProofKey = 3;
const kAcceptKey = 4;

export interface SealedStreamHandlers {
  /** Sends bytes to the server. */
  sendBytes(bytes: Uint8Array): void;
  /** Passes a frame in clear to the client. */
  handleBytes(bytes: Uint8Array): void;
  /** The stream cannot go on; `why` is for people. */
  fail(why: string): void;
}

export interface SealedStreamOptions {
  /** The lasting key that the server must have, 32 bytes. */
  serverKey?: Uint8Array | undefined;
  /** The two session keys of the client's token, 64 bytes. */
  tokenKeys?: Uint8Array | undefined;
}

export class SealedStream {
  private request: ConnectRequest | null = null;
  private playerName = "";
  private held = Buffer.alloc(0);
  private keys: { toServer: Uint8Array; toClient: Uint8Array } | null = null;
  private sealer: StreamKey | null = null;
  private opener: StreamKey | null = null;
  private isOver = false;

  constructor(
    private readonly handlers: SealedStreamHandlers,
    private readonly options: SealedStreamOptions = {},
  ) {}

  /** Takes a frame of the client. In clear goes one request to join alone; all else fails the stream. */
  send(frame: Uint8Array): void {
    if (this.isOver) return;
    if (this.sealer !== null) {
      this.handlers.sendBytes(sealedFrame(this.sealer, frame));
      return;
    }
    const read = readMessage(frame.subarray(kFramePrefixBytes + 1), "reliable");
    if (!read.ok) return this.end(`the session cannot be sealed: its request is unreadable (${read.error})`);
    if (read.message.type !== "ConnectRequest" || this.request !== null) {
      return this.end(`${read.message.type} must not be sent before the session is sealed`);
    }
    this.playerName = read.message.playerName;
    this.request = { ...read.message, playerName: "" };
    this.handlers.sendBytes(writeFrame("reliable", writeMessage(this.request)));
  }

  /** Takes bytes of the server. */
  handleBytes(bytes: Uint8Array): void {
    if (this.isOver) return;
    this.held = Buffer.concat([this.held, bytes]);
    while (this.held.length >= kFramePrefixBytes) {
      const length = this.held.readUInt32LE(0);
      if (length > kFrameBytesMax + kTagBytes) return this.end("a frame over the limit");
      if (this.held.length < kFramePrefixBytes + length) return;
      const frame = this.held.subarray(0, kFramePrefixBytes + length);
      this.held = this.held.subarray(frame.length);
      const why = this.handleFrame(frame);
      if (why !== "") return this.end(why);
    }
  }

  private end(why: string): void {
    this.isOver = true;
    this.handlers.fail(why);
  }

  /** Returns a fault, or nothing. */
  private handleFrame(frame: Buffer): string {
    if (this.opener !== null) {
      const clear = openedFrame(this.opener, frame);
      if (clear === null) return "a frame that does not open";
      this.handlers.handleBytes(clear);
      return "";
    }
    const read = readMessage(frame.subarray(kFramePrefixBytes + 1), "reliable");
    const message = read.ok ? read.message : null;
    if (message?.type === "Challenge" && this.keys === null) return this.answer(message);
    if (message?.type === "SealedAccept" && this.keys !== null) return this.begin(message);
    if (message?.type === "Refuse") {
      this.handlers.handleBytes(frame);
      return "";
    }
    return "the server broke the handshake";
  }

  private answer(challenge: Challenge): string {
    const request = this.request;
    if (request === null) return "the server broke the handshake";
    const { serverKey, tokenKeys } = this.options;
    if (serverKey !== undefined && !Buffer.from(serverKey).equals(challenge.lastingKey)) {
      return "the server has another key than the address names: get the address of the server anew";
    }
    const privateKey = drawnKey();
    const publicKey = Buffer.from(createPublicKey(privateKey).export({ format: "jwk" }).x!, "base64url");
    const context = Buffer.concat([
      Uint8Array.of(kStreamTransport),
      challenge.cookie,
      challenge.lastingKey,
      challenge.shortLivedKey,
      publicKey,
      requestBytes(request),
    ]);
    let shared: Buffer[];
    try {
      shared = [challenge.lastingKey, challenge.shortLivedKey].map((key) => multiplied(privateKey, key));
    } catch {
      return "the server has a malformed key";
    }
    const text = [kLabel, ...shared, publicKey, challenge.lastingKey, challenge.shortLivedKey, context];
    const both = blake2b(64, Buffer.concat(text), tokenKeys === undefined ? {} : { key: tokenKeys });
    this.keys = { toServer: both.slice(0, 32), toClient: both.slice(32) };
    const named = request.token.length > 0 ? Buffer.alloc(0) : nameText(this.playerName);
    const response: ChallengeResponse = {
      type: "ChallengeResponse",
      cookie: challenge.cookie,
      request,
      key: publicKey,
      proof: encrypted(derivedKey(this.keys.toServer, kProofKey), 0, context, named),
    };
    this.handlers.sendBytes(writeFrame("reliable", writeMessage(response)));
    return "";
  }

  private begin({ sealed }: SealedAccept): string {
    const { toServer, toClient } = this.keys!;
    const accept = decrypted(derivedKey(toClient, kAcceptKey), 0, Buffer.alloc(0), sealed);
    if (accept === null) return "the server broke the handshake";
    this.sealer = new StreamKey(toServer);
    this.opener = new StreamKey(toClient);
    this.handlers.handleBytes(writeFrame("reliable", accept));
    return "";
  }
}

/** The key of a direction and the number of its next frame. */
class StreamKey {
  private key: Uint8Array = new Uint8Array();
  private number = 0;
  constructor(private chain: Uint8Array) {}
  next(): { key: Uint8Array; number: number } {
    if (this.number % kFramesPerKey === 0) {
      this.key = derivedKey(this.chain, kPacketKey);
      this.chain = derivedKey(this.chain, kNextChain);
    }
    return { key: this.key, number: this.number++ };
  }
}

function sealedFrame(sealer: StreamKey, frame: Uint8Array): Uint8Array {
  const body = frame.subarray(kFramePrefixBytes);
  const prefix = Buffer.alloc(kFramePrefixBytes);
  prefix.writeUInt32LE(body.length + kTagBytes);
  const { key, number } = sealer.next();
  return Buffer.concat([prefix, encrypted(key, number, prefix, body)]);
}

function openedFrame(opener: StreamKey, frame: Buffer): Uint8Array | null {
  const { key, number } = opener.next();
  const body = decrypted(
    key,
    number,
    frame.subarray(0, kFramePrefixBytes),
    frame.subarray(kFramePrefixBytes),
  );
  if (body === null) return null;
  const clear = Buffer.alloc(kFramePrefixBytes + body.length);
  clear.writeUInt32LE(body.length);
  clear.set(body, kFramePrefixBytes);
  return clear;
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64LE(BigInt(number), 4);
  return nonce;
}

function encrypted(key: Uint8Array, number: number, head: Uint8Array, text: Uint8Array): Buffer {
  const cipher = createCipheriv("chacha20-poly1305", key, nonceOf(number), { authTagLength: kTagBytes });
  cipher.setAAD(head, { plaintextLength: text.length });
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

function decrypted(key: Uint8Array, number: number, head: Uint8Array, sealed: Uint8Array): Buffer | null {
  if (sealed.length < kTagBytes) return null;
  const text = sealed.subarray(0, sealed.length - kTagBytes);
  const cipher = createDecipheriv("chacha20-poly1305", key, nonceOf(number), { authTagLength: kTagBytes });
  cipher.setAAD(head, { plaintextLength: text.length });
  cipher.setAuthTag(sealed.subarray(text.length));
  try {
    return Buffer.concat([cipher.update(text), cipher.final()]);
  } catch {
    return null;
  }
}

/** As crypto_kdf_derive_from_key of libsodium. */
function derivedKey(key: Uint8Array, number: number): Uint8Array {
  return blake2b(32, new Uint8Array(), { key, salt: Uint8Array.of(number), personal: kPersonal });
}

/** The head of PKCS #8 before the 32 bytes of a private key of X25519 (RFC 8410). */
const kPrivateKeyHead = Buffer.from("302e020100300506032b656e04220420", "hex");

/**
 * A new private key. generateKeyPairSync() is not used: when the garbage collector frees its job while the
 * pair is exported, Node 20 waits for a lock that it holds itself, for ever.
 */
function drawnKey(): KeyObject {
  const key = Buffer.concat([kPrivateKeyHead, randomBytes(32)]);
  const drawn = createPrivateKey({ key, format: "der", type: "pkcs8" });
  key.fill(0);
  return drawn;
}

function multiplied(own: KeyObject, other: Uint8Array): Buffer {
  const x = Buffer.from(other).toString("base64url");
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "X25519", x }, format: "jwk" });
  return diffieHellman({ privateKey: own, publicKey });
}

/** As the text of prove_with_name() of protocol/session/sealed_name.cpp: length, name, zeros. */
function nameText(playerName: string): Buffer {
  const name = Buffer.from(playerName);
  const text = Buffer.alloc(1 + kPlayerNameBytesMax);
  text.writeUInt8(name.length, 0);
  name.copy(text, 1);
  return text;
}

/** As append_request() of protocol/session/handshake_context.cpp. */
function requestBytes(request: ConnectRequest): Buffer {
  const name = Buffer.from(request.playerName);
  const head = Buffer.alloc(25);
  head.writeUInt32LE(request.protocolVersion, 0);
  head.writeBigUInt64LE(request.sceneHash, 4);
  head.writeUInt8(kEnums.NumbersMode.indexOf(request.numbersMode), 12);
  head.writeUInt8(kEnums.ReplicationMode.indexOf(request.mode), 13);
  head.writeBigUInt64LE(request.nonce, 14);
  head.writeUInt8(kEnums.Role.indexOf(request.role), 22);
  head.writeUInt8(request.ciphers, 23);
  head.writeUInt8(name.length, 24);
  const tokenBytes = Buffer.alloc(2);
  tokenBytes.writeUInt16LE(request.token.length);
  // This SDK simulates nothing, so it has no point to resume from: the last byte is 0.
  return Buffer.concat([head, name, tokenBytes, request.token, Buffer.alloc(1)]);
}
