// The text of a connect token (docs/TOKENS.md): "takt1_" and base64url of two session keys of 32 bytes each
// and the sealed token. A server gets the sealed token alone. The SDK decrypts nothing and reads no claims.
import { invalid } from "./argument.js";
import { kConnectTokenBytesMax } from "./limits.js";

const kPrefix = "takt1_";
const kKeyBytes = 64;

/** A token, or a function that fetches one. */
export type TokenSource = string | (() => string | Promise<string>);

/** The sealed token of a text. Throws invalid-argument without a word of the secret text. */
export function sealedToken(field: string, value: unknown): Uint8Array {
  const takes = `the text of a connect token, which begins with ${kPrefix}`;
  const given = typeof value === "string" ? "another text" : typeof value;
  if (typeof value !== "string") return invalid(field, takes, given);
  const text = value.trim();
  if (!/^takt1_[\w-]+$/.test(text)) return invalid(field, takes, given);
  let bytes: string;
  try {
    bytes = atob(text.slice(kPrefix.length).replace(/-/g, "+").replace(/_/g, "/"));
  } catch {
    return invalid(field, takes, given);
  }
  const sealed = Uint8Array.from(bytes, (character) => character.charCodeAt(0)).slice(kKeyBytes);
  if (sealed.length === 0 || sealed.length > kConnectTokenBytesMax) return invalid(field, takes, given);
  return sealed;
}
