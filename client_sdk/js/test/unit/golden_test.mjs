// schemas/golden: this reader gives the values that C++ gave for the same bytes, and the same outcome for
// 22,000 changed copies (tests/unit/protocol/golden_messages.h describes the files).
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { bodyState, decodeGeometry, kMessageMembers, limits, readMessage } from "../../dist/protocol.js";
import { decodeRopeSlices } from "../../dist/rope_codec.js";
import { checkRange } from "../support/check_range.mjs";
import { sourceBytes, sourceDir, sourceText } from "../support/source_tree.mjs";

const expected = JSON.parse(sourceText("schemas/golden/messages.json"));
const mutations = JSON.parse(sourceText("schemas/golden/mutations.json"));

/** The message as messages.json has it: bigints and infinity as text, bytes and records as lists. */
function asJson(value) {
  if (typeof value === "bigint" || value === Infinity || value === -Infinity) return String(value);
  if (value instanceof Uint8Array || value instanceof Float32Array) return [...value];
  if (Array.isArray(value)) return value.map(asJson);
  if (value === null || typeof value !== "object") return value;
  const plain = value.type === "Snapshot" ? { ...value, ...listsOf(value) } : value;
  return Object.fromEntries(Object.entries(plain).map(([name, inner]) => [name, asJson(inner)]));
}
function listsOf({ bodies, removed, ropes }) {
  return { bodies: bodiesOf(bodies), removed: idsOf(removed), ropes: ropesOf(ropes) };
}
function floats(view, at, count) {
  return Array.from({ length: count }, (_, i) => view.getFloat32(at + 4 * i, true));
}
function bodiesOf({ view, offset, count }) {
  return Array.from({ length: count }, (_, i) => {
    const at = offset + i * limits.kBodyStateBytes;
    return {
      id: view.getBigUint64(at + bodyState.kIndexAt, true),
      position: [0, 8, 16].map((axis) => bodyState.metres(view, at + bodyState.kPositionAt + axis)),
      rotation: floats(view, at + bodyState.kRotationAt, 4),
      linearVelocity: floats(view, at + bodyState.kLinearVelocityAt, 3),
      angularVelocity: floats(view, at + bodyState.kAngularVelocityAt, 3),
      flags: view.getUint32(at + bodyState.kFlagsAt, true),
    };
  });
}
function ropesOf(bytes) {
  return decodeRopeSlices(bytes).map((slice) => ({
    ...slice,
    positions: slice.positions.flatMap((_, i, all) => (i % 3 === 0 ? [all.slice(i, i + 3)] : [])),
  }));
}
function idsOf({ view, offset, count }) {
  return Array.from({ length: count }, (_, i) => view.getBigUint64(offset + 8 * i, true));
}

test("there is a file for every message, and a message for every file", () => {
  const files = readdirSync(join(sourceDir, "schemas/golden"))
    .filter((name) => name.endsWith(".bin"))
    .map((name) => name.slice(0, -4));
  assert.deepEqual(files.sort(), Object.keys(expected).sort());
  assert.deepEqual(Object.keys(mutations).sort(), files);
  assert.deepEqual(
    [...new Set(Object.values(expected).map(({ type }) => type))].sort(),
    [...kMessageMembers].sort(),
  );
});

for (const [name, message] of Object.entries(expected)) {
  test(`${name} is read as C++ reads it`, () => {
    const read = readMessage(sourceBytes(`schemas/golden/${name}.bin`), "reliable");
    assert.ok(read.ok, read.error);
    checkRange(read.message);
    assert.deepEqual(asJson(read.message), message);
  });
}

const geometries = JSON.parse(sourceText("schemas/golden/geometries.json"));
const kGeometryLetters = { too_short: "s", too_long: "l", out_of_range: "r", not_finite: "f" };

for (const [name, golden] of Object.entries(geometries)) {
  test(`${name} is decoded as C++ decodes it, and changed byte by byte has the outcomes it has there`, () => {
    const bytes = Uint8Array.from(golden.bytes);
    const decoded = decodeGeometry(golden.kind, bytes);
    assert.ok(decoded.ok, decoded.error);
    const {
      kind,
      vertices,
      faceSizes,
      indices,
      oneSided,
      rows,
      columns,
      spacingX,
      spacingZ,
      heights,
      holes,
    } = decoded.geometry;
    assert.equal(kind, golden.kind);
    assert.deepEqual(
      [...(vertices ?? heights)],
      golden[kind === "height_field" ? "heights" : "vertices"].map(Math.fround),
    );
    assert.deepEqual([...(faceSizes ?? [])], golden.faceSizes);
    assert.deepEqual([...(indices ?? [])], golden.indices);
    assert.deepEqual([...(holes ?? [])], golden.holes);
    assert.equal(oneSided ?? false, golden.oneSided);
    if (kind === "height_field") {
      assert.deepEqual([rows, columns, spacingX, spacingZ], golden.size.map(Math.fround));
    }
    let outcomes = "";
    for (let at = 0; at < bytes.length; ++at) {
      for (const change of [0xff, 0x01, 0x80]) {
        const changed = bytes.slice();
        changed[at] ^= change;
        const read = decodeGeometry(golden.kind, changed);
        outcomes += read.ok ? "o" : kGeometryLetters[read.error];
      }
    }
    assert.equal(outcomes, golden.outcomes);
  });
}

const kLetters = {
  verifier_failed: "v",
  bad_type: "b",
  missing_field: "m",
  out_of_range: "r",
  not_finite: "f",
};

for (const [name, letters] of Object.entries(mutations)) {
  test(`${name}, changed byte by byte, has the outcomes it has in C++`, () => {
    const bytes = sourceBytes(`schemas/golden/${name}.bin`);
    const differences = [];
    let index = 0;
    for (let at = 0; at < bytes.length; ++at) {
      for (const change of [0xff, 0x01, 0x80]) {
        const changed = bytes.slice();
        changed[at] ^= change;
        const read = readMessage(changed, "reliable");
        if (read.ok) checkRange(read.message);
        const ours = read.ok ? "o" : kLetters[read.error];
        const theirs = letters[index++];
        // A tick from 2^53 on is C++'s to read and ours to refuse. C++ also refuses what is not aligned,
        // which a DataView does not mind: then the values decide, and checkRange above has seen them.
        const agrees = theirs === ours || (theirs === "w" && ours === "r") || theirs === "v";
        if (!agrees) differences.push(`byte ${at} ^ ${change}: C++ ${theirs}, here ${ours}`);
      }
    }
    assert.equal(index, letters.length);
    assert.deepEqual(differences, []);
  });
}

test("most of what C++'s verifier refuses, ours refuses as well: only alignment is left", () => {
  let theirs = 0;
  let both = 0;
  for (const [name, letters] of Object.entries(mutations)) {
    const bytes = sourceBytes(`schemas/golden/${name}.bin`);
    for (let index = 0; index < letters.length; ++index) {
      if (letters[index] !== "v") continue;
      const changed = bytes.slice();
      changed[Math.floor(index / 3)] ^= [0xff, 0x01, 0x80][index % 3];
      ++theirs;
      if (!readMessage(changed, "reliable").ok) ++both;
    }
  }
  assert.ok(theirs > 3000, `${theirs}`);
  assert.ok(both / theirs > 0.95, `${both} of ${theirs}`);
});
