// The copies that takt/service has of schemas/service.fbs, takt.h and service/wire against the originals.
import assert from "node:assert/strict";
import { test } from "node:test";

import { kScalarBytes } from "../../dist/schema.js";
import { kUnixPathBytesMax } from "../../dist/service/address.js";
import { kArrayColumns, kArrayNames } from "../../dist/service/arrays.js";
import { kEventKinds, kQueryKinds, kQueryModes } from "../../dist/service/queries.js";
import * as schema from "../../dist/service/schema.js";
import { kStatusBases, kStatusNames, statusName } from "../../dist/service/status.js";
import { sourceText } from "../support/source_tree.mjs";

const fbs = sourceText("schemas/service.fbs").replace(/\/\/.*$/gm, "");
const header = sourceText("include/takt/c/takt.h");

/** Every "keyword Name { body }" of the schema: [name, body]. */
function declarations(keyword) {
  const found = [...fbs.matchAll(new RegExp(`\\b${keyword}\\s+(\\w+)\\s*\\{([^}]*)\\}`, "g"))];
  assert.ok(found.length > 0, `no ${keyword} in service.fbs`);
  return found.map(([, name, body]) => [name, body]);
}
function fields(body) {
  return body
    .split(";")
    .map((field) => field.trim())
    .filter(Boolean)
    .map((field) => {
      const [, name, type, absent] = /^(\w+)\s*:\s*([\w[\]]+)(?:\s*=\s*(\d+))?$/.exec(field);
      return { name, type, absent };
    });
}
/** Constants of takt.h by the rest of their name. */
function constants(prefix) {
  return Object.fromEntries(
    [...header.matchAll(new RegExp(`\\b${prefix}(\\w+) = (\\d+)`, "g"))].map(([, name, value]) => [
      name,
      Number(value),
    ]),
  );
}

test("every table has the schema's fields in the schema's order", () => {
  const tables = declarations("table").map(([name, body]) => [
    name,
    fields(body)
      .map((field) => `${field.name}:${field.type}`)
      .join(" "),
  ]);
  assert.deepEqual({ ...schema.kTableTexts }, Object.fromEntries(tables));
});

test("the writer has the one default that is not 0", () => {
  const defaults = declarations("table").flatMap(([table, body]) =>
    fields(body)
      .filter(({ absent }) => absent !== undefined)
      .map(({ name, absent }) => `${table}.${name}=${absent}`),
  );
  assert.deepEqual(defaults, [`Request.world_index=${schema.kNoWorldIndex}`]);
});

test("the union has the schema's members in order", () => {
  const [[name, body]] = declarations("union");
  assert.equal(name, "RequestBody");
  assert.deepEqual(
    [...schema.kBodyMembers],
    body.split(",").map((member) => member.trim()),
  );
});

test("every struct has the size its members give", () => {
  const structs = Object.fromEntries(declarations("struct").map(([name, body]) => [name, fields(body)]));
  const measure = (type) => {
    if (type in kScalarBytes) return { bytes: kScalarBytes[type], align: kScalarBytes[type] };
    let [bytes, align] = [0, 1];
    for (const field of structs[type]) {
      const inner = measure(field.type);
      bytes = Math.ceil(bytes / inner.align) * inner.align + inner.bytes;
      align = Math.max(align, inner.align);
    }
    return { bytes: Math.ceil(bytes / align) * align, align };
  };
  assert.deepEqual(
    { ...schema.kStructBytes },
    Object.fromEntries(Object.keys(structs).map((name) => [name, measure(name).bytes])),
  );
});

test("statuses, events, arrays and queries have the numbers of takt.h", () => {
  const statuses = { OK: 0, ...constants("TAKT_ERROR_") };
  for (const [name, value] of Object.entries(statuses)) {
    if (value < 1000) assert.equal(kStatusNames[value], name.toLowerCase());
    else assert.equal(kStatusBases[name.toLowerCase()], value);
  }
  assert.equal(Object.keys(statuses).length, kStatusNames.length + Object.keys(kStatusBases).length);
  assert.equal(statusName(statuses.REFUSED + 5), "refused-5");
  assert.equal(statusName(statuses.SIM + 5), "sim-5");
  assert.equal(statusName(999), "status-999");

  const camel = (word) => word.toLowerCase().replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
  const events = Object.entries(constants("TAKT_EVENT_")).map(([name, value]) => [camel(name), value]);
  assert.deepEqual(
    Object.fromEntries(events.map(([name, value]) => [value, name])),
    Object.fromEntries(kEventKinds.map((name, i) => [i, name]).slice(1)),
  );

  const [, arrays] = /enum \{([^}]*TAKT_BODY_FLAGS = \d+[^}]*)\}/.exec(header);
  const rows = [...arrays.matchAll(/TAKT_(\w+) = (\d+),? +\/\* \w+ \[rows\](?:\[(\d)\])?/g)];
  assert.equal(rows.length, kArrayNames.length);
  for (const [, name, value, columns = "1"] of rows) {
    const own = kArrayNames[Number(value)];
    assert.equal(own, camel(name.replace("BODY_", "")));
    assert.equal(kArrayColumns[own], Number(columns));
  }

  const upper = (numbers) =>
    Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name.toUpperCase(), value]));
  const kinds = constants("TAKT_QUERY_");
  delete kinds.SENSORS; // flags
  delete kinds.NO_SURFACES;
  assert.deepEqual(upper(kQueryKinds), kinds);
  const modes = constants("TAKT_MODE_");
  delete modes.ANY; // no call of this package has it
  assert.deepEqual(upper(kQueryModes), modes);
});

test("constants of frames are those of service/wire", () => {
  const wire =
    sourceText("service/wire/frame.h") +
    sourceText("service/wire/values.h") +
    sourceText("service/wire/door.h");
  const originals = Object.fromEntries(
    [...wire.matchAll(/inline constexpr [\w:]+ (k\w+) = ([\w'<< ]+);/g)].map(([, name, text]) => [
      name,
      Number(new Function(`return ${text.replace(/'|(?<=\d)u/g, "")};`)()),
    ]),
  );
  for (const name of [
    "kServiceVersion",
    "kFrameHeadBytes",
    "kFrameBytesMax",
    "kTokenBytesMax",
    "kKeyBytes",
    "kNoWorldIndex",
    "kVerifierDepth",
    "kVerifierTables",
  ]) {
    assert.equal(schema[name], originals[name], name);
  }
  assert.equal(kUnixPathBytesMax, originals.kUnixPathBytesMax);
  assert.match(wire, new RegExp(`kIdentifier\\[\\] = "${schema.kIdentifier}"`));
});
