// Frames, replies and arguments of takt/service, without a service.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Builder } from "flatbuffers";

import { TaktError } from "../../dist/error.js";
import { parseAddress } from "../../dist/service/address.js";
import { ObservedArrays, kArrayNames } from "../../dist/service/arrays.js";
import { FrameSplitter } from "../../dist/service/frames.js";
import { contactsOf, eventsOf, nearestOf, overlapsOf } from "../../dist/service/queries.js";
import { Reply, swapped } from "../../dist/service/reply.js";
import { kNoTarget, writeRequest } from "../../dist/service/request.js";
import { bodiesOf, maskOf, rowsOf } from "../../dist/service/rows.js";
import { kFields } from "../../dist/service/schema.js";
import { errorOf } from "../../dist/service/status.js";

/** A reply with an id and these fields: numbers of vectors of 64 bits, the rest as the writer of a table. */
function replyBytes({ ids, observation, text }) {
  const builder = new Builder(64);
  const slot = (table, name) => kFields[table].find((field) => field.name === name).slot;
  const vector = (numbers) => {
    builder.startVector(8, numbers.length, 8);
    for (let i = numbers.length; i-- > 0;) builder.addInt64(numbers[i]);
    return builder.endVector();
  };
  const idsAt = ids && vector(ids);
  const textAt = text && builder.createString(text);
  let observationAt;
  if (observation) {
    const data = vector(observation.data);
    builder.startObject(4);
    builder.addFieldInt32(slot("Observation", "columns"), observation.columns, 0);
    builder.addFieldInt32(slot("Observation", "worlds"), observation.worlds, 0);
    builder.addFieldInt32(slot("Observation", "rows"), observation.rows, 0);
    builder.addFieldOffset(slot("Observation", "data"), data, 0);
    observationAt = builder.endObject();
  }
  builder.startObject(kFields.Reply.length);
  builder.addFieldInt64(slot("Reply", "id"), 7n, 0n);
  if (idsAt) builder.addFieldOffset(slot("Reply", "ids"), idsAt, 0);
  if (textAt) builder.addFieldOffset(slot("Reply", "text"), textAt, 0);
  if (observationAt) builder.addFieldOffset(slot("Reply", "observation"), observationAt, 0);
  builder.finish(builder.endObject(), "TKSV");
  return builder.asUint8Array().slice();
}
function isCorrupt(error) {
  return error instanceof TaktError && error.code === "corrupt-message";
}
function frameOf(message) {
  const frame = new Uint8Array(8 + message.length);
  new DataView(frame.buffer).setUint32(0, message.length, true);
  frame.set(message, 8);
  return frame;
}

test("a stream in pieces of any size gives the same messages", () => {
  const messages = [replyBytes({ ids: [1n, 2n] }), replyBytes({ text: "x" }), replyBytes({})];
  const stream = Buffer.concat(messages.map(frameOf));
  for (const size of [1, 3, 7, 8, 64, stream.length]) {
    const got = [];
    const splitter = new FrameSplitter();
    for (let at = 0; at < stream.length; at += size) {
      splitter.handleBytes(stream.subarray(at, at + size), (message) => got.push(message));
    }
    assert.deepEqual(got, messages, `pieces of ${size}`);
    assert.ok(got.every(({ byteOffset }) => byteOffset === 0));
  }
});

test("a wrong head is corrupt before memory is taken for it", () => {
  for (const [bytes, zero] of [
    [0, 0],
    [12, 0],
    [(32 << 20) + 8, 0],
    [0xfffffff8, 0],
    [16, 1],
  ]) {
    const head = new Uint8Array(8);
    new DataView(head.buffer).setUint32(0, bytes, true);
    new DataView(head.buffer).setUint32(4, zero, true);
    assert.throws(() => new FrameSplitter().handleBytes(head, assert.fail), isCorrupt, `${bytes} ${zero}`);
  }
});

test("a reply with any byte changed is read in range or refused as corrupt", () => {
  const observation = { columns: 3, worlds: 0, rows: 2, data: [5n, 6n, 1n, 2n, 3n, 4n, 5n, 6n] };
  const good = replyBytes({ ids: [1n], text: "why", observation });
  const readAll = (bytes) => {
    const reply = new Reply(bytes);
    const arrays = new ObservedArrays(0);
    arrays.store(reply);
    for (const name of kArrayNames.slice(0, 2)) arrays.get(name);
    for (const read of [contactsOf, eventsOf, overlapsOf, (own) => nearestOf(own, 4)]) read(reply);
    return [reply.id, reply.status, reply.text, reply.ids, reply.data, reply.value];
  };
  assert.deepEqual(readAll(good).slice(0, 3), [7n, 0, "why"]);
  let refused = 0;
  for (let at = 0; at < good.length; ++at) {
    for (const change of [1, 0x80, 0xff]) {
      const bytes = good.slice();
      bytes[at] ^= change;
      try {
        readAll(bytes);
      } catch (error) {
        const isKnown =
          error instanceof TaktError && ["corrupt-message", "not-observed"].includes(error.code);
        assert.ok(isKnown, `byte ${at} ^ ${change}: ${error}`);
        ++refused;
      }
    }
  }
  assert.ok(refused > 50, `${refused} refused`);
});

test("arrays are views into their reply, and keep their values", () => {
  const arrays = new ObservedArrays(0);
  const store = (columns, data) => {
    const bytes = replyBytes({ observation: { columns, worlds: 0, rows: 2, data } });
    arrays.store(new Reply(bytes));
    return bytes;
  };
  const bytes = store(1 | 64, [5n, 6n, 0x2010n]);
  const { ids, flags } = { ids: arrays.get("ids"), flags: arrays.get("flags") };
  assert.deepEqual([...ids], [5n, 6n]);
  assert.deepEqual([...flags], [0x10, 0x20]);
  assert.equal(ids.buffer, bytes.buffer);
  assert.throws(
    () => arrays.get("positions"),
    ({ code, message }) => code === "not-observed" && message.includes('observe("positions")'),
  );
  store(1, [8n, 9n]);
  assert.deepEqual([...ids], [5n, 6n]);
  assert.deepEqual([...arrays.get("ids")], [8n, 9n]);
});

test("an observation whose columns do not fill it is corrupt", () => {
  for (const [worlds, columns, data] of [
    [0, 1, [1n]],
    [0, 1, [1n, 2n, 3n]],
    [1, 1, [1n, 2n]],
    [0, 0, [1n]],
  ]) {
    const bytes = replyBytes({ observation: { columns, worlds, rows: 2, data } });
    assert.throws(() => new ObservedArrays(0).store(new Reply(bytes)), isCorrupt);
  }
});

test("a machine of the other byte order swaps each number", () => {
  assert.deepEqual(
    [...swapped(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))],
    [8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9],
  );
});

test("a request is a frame whose message is a multiple of 8", () => {
  for (let size = 0; size < 20; ++size) {
    const frame = writeRequest(1, kNoTarget, 0, "Restore", { image: new Uint8Array(size).fill(0xee) });
    const bytes = new DataView(frame.buffer).getUint32(0, true);
    assert.equal(bytes, frame.length - 8);
    assert.equal(bytes % 8, 0);
    assert.equal(Buffer.from(frame).subarray(12, 16).toString(), "TKSV");
    assert.equal(frame.filter((byte) => byte === 0xee).length, size);
  }
});

test("addresses have the grammar of the service, and a text with the remedy", () => {
  assert.deepEqual(parseAddress("unix:/tmp/a b"), { path: "/tmp/a b" });
  assert.deepEqual(parseAddress("tcp:127.0.0.1:7790"), { host: "127.0.0.1", port: 7790 });
  assert.deepEqual(parseAddress("tcp:[::1]:7790"), { host: "::1", port: 7790 });
  const longest = "a".repeat(107);
  assert.deepEqual(parseAddress(`unix:${longest}`), { path: longest });
  const long = [`unix:${longest}a`, `unix:${"é".repeat(54)}`];
  const ports = ["tcp:a:70000", "tcp:a:0", "tcp:a"];
  for (const bad of ["", "unix:", "tcp::1", "tcp:::1:5", "shm:/tmp/s", "http://a", ...long, ...ports]) {
    assert.throws(
      () => parseAddress(bad),
      ({ code, message }) => code === "bad-url" && message.includes("write unix:PATH"),
    );
  }
});

test("rows, masks and bodies name the field and the element that is wrong", () => {
  assert.deepEqual([...rowsOf("f", [1, 2, 3], 3, 2)], [1, 2, 3, 1, 2, 3]);
  assert.deepEqual([...rowsOf("f", [[1, 2, 3], Float64Array.of(4, 5, 6)], 3)], [1, 2, 3, 4, 5, 6]);
  assert.deepEqual([...maskOf("w", [true, false, true], 3)], [1, 0, 1]);
  assert.deepEqual([...maskOf("w", [2], 3)], [0, 0, 1]);
  assert.deepEqual([...maskOf("w", [], 3)], [0, 0, 0]);
  assert.equal(maskOf("w", undefined, 3), undefined);
  assert.deepEqual([...bodiesOf("b", 5n, 2)], [5n, 5n]);
  for (const [call, text] of [
    [() => rowsOf("f", [1, 2], 3), "f takes n rows of 3"],
    [() => rowsOf("f", [1, 2, 3, 4, 5, 6], 3, 3), "f takes 3 rows of 3"],
    [() => rowsOf("f", [1, NaN, 3], 3), "f[1] takes"],
    [() => rowsOf("f", [[1, 2]], 3), "f[0] takes 3 numbers"],
    [() => maskOf("w", [true], 3), "w takes 3 booleans"],
    [() => maskOf("w", [3], 3), "w[0] takes a whole number from 0 to 2"],
    [() => bodiesOf("b", [1n], 2), "b takes a bigint, or 2"],
    [() => bodiesOf("b", [1n, 2], 2), "b[1] takes"],
    [() => bodiesOf("b", 1n << 64n, 2), "b takes"],
  ]) {
    assert.throws(call, ({ message }) => message.includes(text), text);
  }
});

test("statuses become codes with the name of the limit or of the status", () => {
  const parts = ({ code, reason }) => [code, reason];
  assert.deepEqual(parts(errorOf(17, "limit worlds-max: 9 of 9")), ["limit", "worlds-max"]);
  assert.deepEqual(parts(errorOf(16, "x")), ["network", "remote"]);
  assert.deepEqual(parts(errorOf(18, "x")), ["refused", "token"]);
  assert.deepEqual(parts(errorOf(20, "")), ["stopped", "stopped"]);
  assert.deepEqual(parts(errorOf(3011, "x")), ["refused", "refused-11"]);
});
