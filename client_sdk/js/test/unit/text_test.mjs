// Printable UTF-8: the texts that protocol/messages/message_reader.cpp accepts, and no others.
import assert from "node:assert/strict";
import { test } from "node:test";

import { cutUtf8, isPrintable, readPrintable } from "../../dist/text.js";

test("printable text comes out as it went in", () => {
  for (const text of [
    "",
    "plain",
    "J\u00fcrgen",
    "\u65e5\u672c",
    "\u{1f600}",
    "\u00a0",
    "\ufeffmark first",
    "~",
    " ",
  ]) {
    assert.equal(readPrintable(new TextEncoder().encode(text)), text);
  }
});

test("control characters, and bytes that are not UTF-8, are refused", () => {
  for (const bytes of [
    [0x00],
    [0x1f],
    [0x7f],
    [0x61, 0x0a], // controls
    [0xc2, 0x80],
    [0xc2, 0x9f], // C1 controls
    [0x80],
    [0xbf],
    [0xff],
    [0xfe], // no start
    [0xc3],
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x98], // cut off
    [0xc0, 0x80],
    [0xc1, 0xbf],
    [0xe0, 0x80, 0xaf],
    [0xf0, 0x80, 0x80, 0xaf], // overlong
    [0xed, 0xa0, 0x80],
    [0xed, 0xbf, 0xbf], // surrogates
    [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80], // beyond U+10FFFF
  ]) {
    assert.equal(readPrintable(Uint8Array.from(bytes)), null, bytes.join(" "));
  }
});

test("text is cut between characters", () => {
  assert.equal(cutUtf8("abc", 2), "ab");
  assert.equal(cutUtf8("\u00fc\u00fc", 3), "\u00fc");
  assert.equal(cutUtf8("a\u{1f600}", 4), "a");
  assert.equal(cutUtf8("a\u{1f600}", 5), "a\u{1f600}");
});

test("isPrintable judges strings alike", () => {
  assert.ok(isPrintable("J\u00fcrgen"));
  for (const text of ["\n", "\u007f", "\u0085"]) assert.ok(!isPrintable(text));
});
