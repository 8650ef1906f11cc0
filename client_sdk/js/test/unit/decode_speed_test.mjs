// The speed that is promised: a snapshot of 901 moving bodies is decoded in under a millisecond, median. It takes about a quarter of that.
import assert from "node:assert/strict";
import { test } from "node:test";

import { measure_decoding } from "../../bench/decode.mjs";

test("a snapshot of 901 bodies is decoded in under 1 ms", () => {
  const { decode_ms, bytes } = measure_decoding(901, 200);
  assert.ok(bytes > 70_000, `${bytes} bytes`);
  assert.ok(decode_ms < 1, `${decode_ms} ms`);
});
