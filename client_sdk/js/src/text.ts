// Text of the wire: UTF-8 without control characters, which is safe to display. Same rule as
// protocol/messages/message_reader.cpp.

const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/** The text, or null if the bytes are not printable UTF-8. */
export function readPrintable(bytes: Uint8Array): string | null {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return null; // not UTF-8: includes overlong forms and surrogates
  }
  // TextDecoder removes a byte order mark; this restores it.
  if (bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    text = `\ufeff${text}`;
  }
  return isPrintable(text) ? text : null;
}

export function isPrintable(text: string): boolean {
  for (let i = 0; i < text.length; ++i) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  }
  return true;
}

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The longest start of the text with at most `bytesMax` bytes of UTF-8 and whole characters. */
export function cutUtf8(text: string, bytesMax: number): string {
  let out = "";
  let bytes = 0;
  for (const character of text) {
    bytes += encoder.encode(character).length;
    if (bytes > bytesMax) break;
    out += character;
  }
  return out;
}
