// The SDK's copies of the schema and of the limits against the originals: schemas/protocol.fbs and
// protocol/wire/limits.h.
import assert from "node:assert/strict";
import { test } from "node:test";

import * as bodyState from "../../dist/body_state.js";
import * as limits from "../../dist/limits.js";
import {
  kCommandMembers,
  kEnums,
  kMessageMembers,
  kScalarBytes,
  kStructBytes,
  kTableTexts,
} from "../../dist/schema.js";
import { sourceText } from "../support/source_tree.mjs";

const schema = sourceText("schemas/protocol.fbs").replace(/\/\/.*$/gm, "");

/** Every "keyword Name ... { body }" of the schema: [name, body]. */
function declarations(keyword) {
  const found = [...schema.matchAll(new RegExp(`\\b${keyword}\\s+(\\w+)[^{;]*\\{([^}]*)\\}`, "g"))].map(
    ([, name, body]) => [name, body],
  );
  assert.ok(found.length > 0, `no ${keyword} in protocol.fbs`);
  return found;
}
function fields(body) {
  return body
    .split(";")
    .map((field) => field.trim())
    .filter(Boolean)
    .map((field) => {
      const [, name, type] = /^(\w+)\s*:\s*([\w[\]]+)/.exec(field);
      return { name, type };
    });
}

test("every table has the schema's fields in the schema's order", () => {
  const tables = Object.fromEntries(
    declarations("table").map(([name, body]) => [
      name,
      fields(body)
        .map(({ name, type }) => `${name}:${type}`)
        .join(" "),
    ]),
  );
  assert.deepEqual({ ...kTableTexts }, tables);
});

test("every union has the schema's members in order", () => {
  const unions = Object.fromEntries(
    declarations("union").map(([name, body]) => [name, body.split(",").map((member) => member.trim())]),
  );
  assert.deepEqual({ Command: [...kCommandMembers], Message: [...kMessageMembers] }, unions);
});

test("every enum has the schema's values, numbered as here", () => {
  const enums = Object.fromEntries(
    declarations("enum").map(([name, body]) => [
      name,
      body
        .split(",")
        .map((value) => value.trim())
        .filter(Boolean)
        .map((value, i) => {
          const [, word, number] = /^(\w+)\s*=\s*(\d+)$/.exec(value);
          assert.equal(Number(number), i, `${name}.${word}`);
          // Break_ is a word of C++; float_mode and fixed_mode read better without.
          return word.replace(/_$/, "").replace(/^(float|fixed)_mode$/, "$1");
        }),
    ]),
  );
  assert.deepEqual(
    Object.fromEntries(Object.entries(kEnums).map(([name, values]) => [name, [...values]])),
    enums,
  );
});

test("every struct has the size its members give", () => {
  const structs = Object.fromEntries(declarations("struct").map(([name, body]) => [name, fields(body)]));
  const measure = (type) => {
    if (type in kScalarBytes) return { bytes: kScalarBytes[type], align: kScalarBytes[type] };
    if (type in kEnums) return { bytes: 1, align: 1 };
    let bytes = 0;
    let alignMax = 1;
    for (const field of structs[type]) {
      const inner = measure(field.type);
      bytes = Math.ceil(bytes / inner.align) * inner.align + inner.bytes;
      alignMax = Math.max(alignMax, inner.align);
    }
    return { bytes: Math.ceil(bytes / alignMax) * alignMax, align: alignMax };
  };
  assert.deepEqual(
    { ...kStructBytes },
    Object.fromEntries(Object.keys(structs).map((name) => [name, measure(name).bytes])),
  );

  // The offsets that body_state.ts has by hand.
  const offsets = {};
  let at = 0;
  for (const field of structs.BodyState) {
    const { bytes, align } = measure(field.type);
    at = Math.ceil(at / align) * align;
    offsets[field.name] = at;
    at += bytes;
  }
  const {
    kIndexAt,
    kGenerationAt,
    kPositionAt,
    kRotationAt,
    kLinearVelocityAt,
    kAngularVelocityAt,
    kFlagsAt,
  } = bodyState;
  assert.deepEqual(
    {
      id: kIndexAt,
      position: kPositionAt,
      rotation: kRotationAt,
      linear_velocity: kLinearVelocityAt,
      angular_velocity: kAngularVelocityAt,
      flags: kFlagsAt,
    },
    offsets,
  );
  assert.equal(kGenerationAt, kIndexAt + 4);
});

test("every limit is the one of protocol/wire/limits.h", () => {
  const header = sourceText("protocol/wire/limits.h").replace(/\/\/.*$/gm, "");
  const originals = new Map();
  for (const [, name, text] of header.matchAll(/inline constexpr [\w:]+ (k\w+) =\s*([^;]+);/g)) {
    const expression = text
      .replace(/'/g, "")
      .replace(/\bu\b|(?<=[0-9a-fA-F])u\b/g, "")
      .replace(/\bk\w+/g, (other) => originals.get(other))
      .replace(/(\d)f\b/g, "$1");
    originals.set(name, Number(new Function(`return ${expression};`)()));
  }
  assert.ok(originals.size > 20);
  // The exceptions: their originals are not in that header.
  assert.ok(!originals.has("kBodyStateBytes"));
  originals.set("kBodyStateBytes", kStructBytes.BodyState); // of schemas/protocol.fbs
  for (const [name, value] of Object.entries(limits)) {
    assert.ok(originals.has(name), `${name} has no original: was it renamed?`);
    assert.equal(value, Math.fround(originals.get(name)), name);
  }
});
