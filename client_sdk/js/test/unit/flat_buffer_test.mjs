// The verifier against handmade buffers that break one rule each; the same rules as flatbuffers::Verifier.
import assert from "node:assert/strict";
import { test } from "node:test";

import { FlatBuffer } from "../../dist/flat_buffer.js";
import { readMessage } from "../../dist/protocol.js";
import { kTableLayouts } from "../../dist/schema.js";
import { message } from "../support/server_messages.mjs";

const kIdentifier = 0x50544b54;

/** A buffer from 32-bit words; the identifier is put in place. */
function words(...values) {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, i) => view.setUint32(4 * i, value, true));
  view.setUint32(4, kIdentifier, true);
  return new Uint8Array(view.buffer);
}
function verifies(bytes, layout = "KeepAlive", depth = 8, tables = 64) {
  return new FlatBuffer(bytes).verify(kIdentifier, kTableLayouts[layout], depth, tables);
}

// root -> table at 12, whose vtable is at 8: two sizes of 4 and no fields.
const kEmpty = [12, 0, 0x00040004, 4];

test("an empty table is well-formed", () => assert.ok(verifies(words(...kEmpty))));
test("another identifier is not", () => {
  const bytes = words(...kEmpty);
  bytes[4] = 0;
  assert.ok(!verifies(bytes));
});
test("a root of 0, or outside, or beyond 2^31", () => {
  for (const root of [0, 16, 13, 0x7fffffff, 0x80000000, 0xfffffffc]) {
    assert.ok(!verifies(words(root, ...kEmpty.slice(1))), `root ${root}`);
  }
});
test("a vtable before the buffer or behind it", () => {
  for (const offset of [16, 13, -4, -16, 0x7fffffff, -0x80000000]) {
    assert.ok(!verifies(words(12, 0, 0x00040004, offset)), `offset ${offset}`);
  }
});
test("a vtable of odd size, or longer than the buffer", () => {
  for (const bytes of [5, 10, 0xffff, 0xfffe]) {
    assert.ok(!verifies(words(12, 0, 0x00040000 | bytes, 4)), `vtable of ${bytes}`);
  }
});
test("a vtable too short to name fields has none", () =>
  assert.ok(verifies(words(12, 0, 0x00040002, 4), "Ping")));

test("a scalar field that would lie outside", () => {
  // vtable of 6 bytes at 8: the field of a Ping at table + offset; the table is at 20.
  const ping = (offset) => words(20, 0, 0x00040006, offset, 0, 12, 1, 0);
  assert.ok(verifies(ping(4), "Ping"));
  for (const offset of [5, 8, 0x7fff, 0xffff]) {
    assert.ok(!verifies(ping(offset), "Ping"), `field at ${offset}`);
  }
});

test("a scalar field that is not aligned", () => {
  // A struct with room for the field at any offset.
  const ping = (offset) => words(20, 0, 0x00040006, offset, 0, 12, 1, 0, 0, 0);
  for (const offset of [4, 12]) assert.ok(verifies(ping(offset), "Ping"), `field at ${offset}`);
  for (const offset of [5, 6, 8]) assert.ok(!verifies(ping(offset), "Ping"), `field at ${offset}`);
});

test("a string without its terminator, or longer than the buffer", () => {
  const text = message("Disconnect", { text: "abc" });
  const start = Buffer.from(text).indexOf("abc"); // its length is the word before
  assert.ok(start > 0);
  assert.ok(readMessage(text, "reliable").ok);
  for (const length of [4, 1000, 0x7fffffff, 0xffffffff]) {
    const bytes = text.slice();
    new DataView(bytes.buffer).setUint32(start - 4, length, true);
    assert.deepEqual(
      readMessage(bytes, "reliable"),
      { ok: false, error: "verifier_failed" },
      `length ${length}`,
    );
  }
  const unterminated = text.slice();
  unterminated[start + 3] = 0x64;
  assert.deepEqual(readMessage(unterminated, "reliable"), { ok: false, error: "verifier_failed" });
});

test("a vector whose bytes would overflow 32 bits", () => {
  const removed = message("BodiesRemoved", { ids: [1n << 32n] });
  const view = new DataView(removed.buffer);
  let found = 0;
  for (let at = 8; at + 12 <= removed.length; at += 4) {
    if (view.getUint32(at, true) !== 1 || view.getBigUint64(at + 4, true) !== 1n << 32n) continue;
    ++found;
    for (const count of [2, 0x20000000, 0x1fffffff, 0x80000000, 0xffffffff]) {
      view.setUint32(at, count, true);
      assert.deepEqual(
        readMessage(removed, "reliable"),
        { ok: false, error: "verifier_failed" },
        `count ${count}`,
      );
    }
  }
  assert.equal(found, 1);
});

test("a table that contains itself ends at the depth, not in the stack", () => {
  // ChallengeResponse.request is a ConnectRequest, which holds no tables, so the loop is made of Packets:
  // their union's value points back at them. vtable at 8: size 8, table 12, type at 4, value at 8. Table at
  // 16: offset to the vtable, type 3 (ChallengeResponse), value.
  const loop = words(16, 0, 0x000c0008, 0x00080004, 8, 3, 0xfffffff8);
  assert.ok(!verifies(loop, "Packet")); // an offset is never negative
});

test("depth and number of tables are bounded", () => {
  const inputs = (count) =>
    message("Inputs", {
      inputs: Array.from({ length: count }, (_, i) => ({ sequence: i + 1, command: { type: "Release" } })),
    });
  assert.ok(verifies(inputs(1), "Packet", 4, 4));
  assert.ok(!verifies(inputs(1), "Packet", 3, 4), "depth 4 under a limit of 3");
  assert.ok(!verifies(inputs(1), "Packet", 4, 3), "4 tables under a limit of 3");
  assert.ok(verifies(inputs(30), "Packet", 8, 62));
  assert.deepEqual(readMessage(inputs(31), "reliable"), { ok: false, error: "out_of_range" });
  assert.equal(readMessage(inputs(31), "datagram").ok, false);
});

test("a message kind nobody knows is refused", () => {
  const bytes = message("KeepAlive");
  const at = bytes.indexOf(7, 8); // KeepAlive is the seventh
  assert.ok(at > 0);
  for (const kind of [0, 100, 200, 255]) {
    bytes[at] = kind;
    assert.deepEqual(readMessage(bytes, "reliable"), { ok: false, error: "bad_type" }, `kind ${kind}`);
  }
  bytes[at] = 7;
  assert.ok(readMessage(bytes, "reliable").ok);
});
