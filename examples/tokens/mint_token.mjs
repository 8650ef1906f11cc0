// A back end in JavaScript that mints connect tokens of Takt with the npm package libsodium-wrappers.
//
// Node looks for the package beside the file: copy this file to a folder, and there run
//   npm install libsodium-wrappers@0.7.15
//
// usage: node mint_token.mjs KEYS USER [NAME [HOST:PORT...]]
// KEYS is the file of `takt token keygen`. The token goes to stdout. docs/TOKENS.md has the byte layout.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { argv, exit } from "node:process";
import sodium from "libsodium-wrappers";

await sodium.ready;

/** Returns id and bytes of the key with the greatest id. */
export function readNewestKey(path) {
  const lines = readFileSync(path, "ascii").split("\n");
  const keys = lines.filter((line) => /^\s*\d/.test(line)).map((line) => line.trim().split(/\s+/));
  const [id, text] = keys.reduce((newest, key) => (Number(key[0]) > Number(newest[0]) ? key : newest));
  return { id: Number(id), bytes: Buffer.from(text, "base64url") };
}

/** Returns the text of a token. User and room are bigint; `random` is for tests. */
export function mintToken(key, claims, random = randomBytes(88)) {
  const { user, issued, expires, room = 0n, spectator = false, admin = false, modes = 15 } = claims;
  const { bodiesMax = 0, commandsPerSecondMax = 0, graceSeconds = 30, servers = [] } = claims;
  const name = Buffer.from(claims.name ?? "");
  const userData = Buffer.from(claims.userData ?? []);
  const sessionKeys = random.subarray(24);
  const listed = Buffer.concat(servers.map((text) => Buffer.from([text.length, ...Buffer.from(text)])));
  const sealedBytes = 166 + listed.length + name.length + userData.length;
  const lifetime = BigInt(expires) - BigInt(issued);
  const isNameGood = name.length <= 32 && !/\p{Cc}/u.test(claims.name ?? "");
  const areServersGood = servers.length <= 8 && servers.every((text) => /^[!-~]{1,255}$/.test(text));
  const areModesGood = Number.isInteger(modes) && modes > 0 && modes < 16;
  const isRestGood = user > 0n && lifetime > 0n && lifetime <= 34_560_000n && userData.length <= 256;
  if (!isNameGood || !areServersGood || !areModesGood || !isRestGood || sealedBytes > 912) {
    throw new RangeError("a claim is outside its range; docs/TOKENS.md has the ranges");
  }
  const head = Buffer.alloc(42);
  [user, room, BigInt(issued)].forEach((value, i) => head.writeBigUInt64LE(value, i * 8));
  head.set([Number(Boolean(spectator)), Number(Boolean(admin)), modes, name.length], 24);
  const limits = [bodiesMax, commandsPerSecondMax, graceSeconds];
  limits.forEach((value, i) => head.writeUInt32LE(value, 28 + i * 4));
  head.writeUInt16LE(userData.length, 40);
  const plain = Buffer.concat([head, sessionKeys, name, userData]);
  const header = Buffer.alloc(20);
  header.write("TKCT\x01");
  header.writeUInt8(servers.length, 5);
  header.writeUInt16LE(sealedBytes, 6);
  header.writeUInt32LE(key.id, 8);
  header.writeBigUInt64LE(BigInt(expires), 12);
  const nonce = random.subarray(0, 24);
  const clear = Buffer.concat([header, nonce, listed]);
  const sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, clear, null, nonce, key.bytes);
  return `takt1_${Buffer.concat([sessionKeys, clear, sealed]).toString("base64url")}`;
}

if (import.meta.url.endsWith("mint_token.mjs") && argv[1]?.endsWith("mint_token.mjs")) {
  const [keys, user, name, ...servers] = argv.slice(2);
  if (!user) {
    console.error("usage: mint_token.mjs KEYS USER [NAME [HOST:PORT...]]");
    exit(2);
  }
  const issued = Math.floor(Date.now() / 1000);
  const claims = { user: BigInt(user), name, servers, issued, expires: issued + 3600 };
  console.log(mintToken(readNewestKey(keys), claims));
}
