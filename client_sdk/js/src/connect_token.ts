// The text of a connect token (docs/TOKENS.md): "takt1_" and base64url of two session keys of 32 bytes each
// and the sealed token. A server gets the sealed token alone; the session keys, or a hash of them over
// a web socket, prove that the client has the whole token. The SDK reads no claims.
import { blake2b } from "./blake2b.js";
import { TaktError } from "./error.js";
import { kConnectTokenBytesMax } from "./limits.js";

const kPrefix = "takt1_";
const kKeyBytes = 64;

/** A token, or a function that fetches one. */
export type TokenSource = string | (() => string | Promise<string>);

/** The parts of a token; both are empty without one. */
export interface TokenParts {
  readonly sealed: Uint8Array;
  readonly keys: Uint8Array;
}
export const kNoToken: TokenParts = { sealed: new Uint8Array(), keys: new Uint8Array() };

/** The parts of a text. Throws invalid-argument without a word of the secret text. */
export function tokenParts(field: string, value: unknown): TokenParts {
  if (typeof value !== "string") throw unfit(field, `a value of type ${typeof value}`);
  const text = value.trim();
  if (!/^takt1_[\w-]+$/.test(text)) throw unfit(field, "another text");
  let bytes: string;
  try {
    bytes = atob(text.slice(kPrefix.length).replace(/-/g, "+").replace(/_/g, "/"));
  } catch {
    throw unfit(field, "another text");
  }
  const all = Uint8Array.from(bytes, (character) => character.charCodeAt(0));
  const sealed = all.slice(kKeyBytes);
  if (sealed.length === 0 || sealed.length > kConnectTokenBytesMax) throw unfit(field, "another text");
  return { sealed, keys: all.slice(0, kKeyBytes) };
}

/**
 * The bytes that show over a web socket, where no session is sealed, that the client has the whole token;
 * empty without one. Servers compare them (token_verifier() of crypto/handshake_seal.h).
 */
export function tokenVerifier({ keys }: TokenParts): Uint8Array {
  if (keys.length === 0) return new Uint8Array();
  return blake2b(16, new TextEncoder().encode("takt token over a web socket 1"), { key: keys });
}

function unfit(field: string, given: string): TaktError {
  const takes = `the text of a connect token, which begins with ${kPrefix}`;
  return new TaktError("invalid-argument", `${field} takes ${takes}, not ${given}`);
}
