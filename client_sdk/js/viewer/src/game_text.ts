// The text of a message of the server's Game. A game may send any bytes; the viewer displays those that are
// printable UTF-8.

const kDecoder = new TextDecoder("utf-8", { fatal: true });

/** The text; null = the bytes are empty, or no printable text. */
export function gameText(bytes: Uint8Array): string | null {
  let text: string;
  try {
    text = kDecoder.decode(bytes);
  } catch {
    return null;
  }
  return text !== "" && !/\p{Cc}/u.test(text) ? text : null;
}
