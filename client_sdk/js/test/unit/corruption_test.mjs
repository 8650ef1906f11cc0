// Corrupt bytes: every message cut at every byte, with every byte changed in several ways, and random bytes.
// A read gives a message with all values in range, or an error. It never throws and never takes long.
import assert from "node:assert/strict";
import { test } from "node:test";

import { readMessage } from "../../dist/protocol.js";
import { checkRange } from "../support/check_range.mjs";
import { Random } from "../support/random.mjs";
import { kSampleMessages } from "../support/sample_messages.mjs";
import { message } from "../support/server_messages.mjs";

const kErrors = new Set([
  "too_short",
  "too_long",
  "verifier_failed",
  "bad_type",
  "missing_field",
  "out_of_range",
  "not_finite",
]);

/** Reads under both limits; returns how many of the two gave a message. */
function readBoth(bytes) {
  let read = 0;
  for (const messageClass of ["datagram", "reliable"]) {
    const result = readMessage(bytes, messageClass);
    if (result.ok) {
      checkRange(result.message);
      ++read;
    } else {
      assert.ok(kErrors.has(result.error), result.error);
    }
  }
  return read;
}

for (const [kind, fields] of kSampleMessages) {
  const bytes = message(kind, fields);

  test(`${kind} reads whole, and cut at any byte gives an error or values in range`, () => {
    assert.equal(readBoth(bytes), 2);
    for (let end = 0; end < bytes.length; ++end) readBoth(bytes.slice(0, end));
  });

  test(`${kind} with any byte changed gives an error or values in range`, () => {
    let refused = 0;
    const changed = bytes.slice();
    for (let at = 0; at < bytes.length; ++at) {
      for (const change of [
        (b) => b ^ 0xff,
        (b) => b ^ 0x01,
        (b) => b ^ 0x80,
        () => 0x00,
        () => 0x7f,
        (b) => b + 1,
        (b) => b - 1,
      ]) {
        changed[at] = change(bytes[at]);
        refused += 2 - readBoth(changed);
      }
      changed[at] = bytes[at];
    }
    assert.ok(refused > 0, "nothing at all was refused");
  });
}

test("two bytes changed at once, in every message, 200,000 times (seed 7)", () => {
  const random = new Random(7);
  const messages = kSampleMessages.map(([kind, fields]) => message(kind, fields));
  for (let i = 0; i < 200_000; ++i) {
    const bytes = messages[random.below(messages.length)].slice();
    bytes[random.below(bytes.length)] = random.below(256);
    bytes[random.below(bytes.length)] = random.below(256);
    readBoth(bytes);
  }
});

test("random rubbish behind the identifier is refused or in range (seed 8)", () => {
  const random = new Random(8);
  for (let i = 0; i < 50_000; ++i) {
    const bytes = Uint8Array.from({ length: 12 + random.below(100) }, () =>
      random.below(2) === 0 ? random.below(24) : random.below(256),
    );
    bytes.set([0x54, 0x4b, 0x54, 0x50], 4);
    readBoth(bytes);
  }
});

test("the longest message of the reliable channel with hostile vectors is judged quickly", () => {
  // A RoomState whose list of scenes names one long text again and again: 16,000 times 40 kB, if anyone read
  // it.
  const long = message("RoomState", {
    epoch: 1,
    tick_rate_hz: 60,
    scenes: Array.from({ length: 2000 }, () => "x".repeat(20)),
  });
  const began = performance.now();
  assert.deepEqual(readMessage(long, "reliable"), { ok: false, error: "out_of_range" });
  assert.ok(performance.now() - began < 200);
});
