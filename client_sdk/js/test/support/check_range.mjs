// Checks that every decoded message satisfies, for any bytes: the ranges that message_reader.ts promises.
import assert from "node:assert/strict";

import { bodyState, kEnums, kMessageMembers, limits } from "../../dist/protocol.js";

const kTickFields = new Set(["tick", "currentTick", "firstTick", "endTick"]);
// Fields of joints in which Infinity means no bound.
const kBounds = new Set([
  "lower",
  "upper",
  "most",
  "maxForce",
  "maxTorque",
  "breakForce",
  "breakTorque",
  "friction",
]);
const kEnumFields = {
  numbersMode: kEnums.NumbersMode,
  mode: kEnums.ReplicationMode,
  action: kEnums.ControlAction,
  reason: [...kEnums.RefuseReason, ...kEnums.DisconnectReason],
  status: [...kEnums.InputStatus, ...kEnums.ControlStatus, ...kEnums.QueryStatus, ...kEnums.DesyncStatus],
  kind: undefined,
  axis: kEnums.JointAxis,
  form: kEnums.SoftnessForm,
};

/** Throws when the message holds anything a session may not see. */
export function checkRange(message) {
  assert.ok(kMessageMembers.includes(message.type));
  // Its values are the server's to answer, not the reader's to judge.
  if (message.type === "QueryRequest") return;
  checkValue(message, "");
  if (message.type === "Snapshot") {
    assert.ok(
      message.serial > 0 && message.part < message.partCount && message.partCount <= limits.kSnapshotPartsMax,
    );
    const { view, offset, count } = message.bodies;
    assert.ok(offset + count * limits.kBodyStateBytes <= view.byteLength);
    for (let i = 0; i < count; ++i) {
      assert.ok(bodyState.isFiniteRecord(view, offset + i * limits.kBodyStateBytes));
    }
    assert.ok(message.removed.offset + 8 * message.removed.count <= message.removed.view.byteLength);
  }
}

function checkValue(value, field) {
  switch (typeof value) {
    case "number":
      assert.ok(kBounds.has(field) ? !Number.isNaN(value) : Number.isFinite(value), field);
      if (kTickFields.has(field)) assert.ok(Number.isSafeInteger(value) && value >= 0, field);
      return;
    case "string":
      assert.doesNotMatch(value, /\p{Cc}/u, field);
      if (kEnumFields[field] !== undefined) {
        assert.ok(kEnumFields[field].includes(value), `${field} ${value}`);
      }
      return;
    case "bigint":
    case "boolean":
      return;
    case "object":
      if (value === null || value instanceof DataView || ArrayBuffer.isView(value)) return;
      for (const [name, inner] of Object.entries(value)) {
        checkValue(inner, Array.isArray(value) ? field : name);
      }
      return;
    default:
      assert.fail(`${field} is ${typeof value}`);
  }
}
