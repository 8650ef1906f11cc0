// Arguments of the public API: every function gets every kind of value in every argument and field. It either
// accepts the value, as the table below lists, or throws a TaktError that names the field and sends nothing.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, TaktError, box, capsule, cone, cylinder, sphere } from "../../dist/index.js";
import { tcp } from "../../dist/node.js";
import {
  ClockSync,
  FrameReader,
  checkCommand,
  checkShape,
  decodeGeometry,
  readMessage,
  writeFrame,
  writeMessage,
} from "../../dist/protocol.js";
import { FakeNetwork, idOf, joined } from "../support/fake_network.mjs";

const kValues = {
  undefined,
  null: null,
  NaN,
  Infinity,
  "-Infinity": -Infinity,
  "1e300": 1e300,
  "-1": -1,
  0: 0,
  0.5: 0.5,
  1: 1,
  true: true,
  false: false,
  text: "text",
  empty: "",
  control: "a\u0007",
  long: "x".repeat(300),
  symbol: Symbol("symbol"),
  function: () => undefined,
  object: {},
  unknown: { colour: 1 },
  vector: { x: 1, y: 2, z: 3 },
  twoOfThree: { x: 1, y: 2 },
  textVector: { x: "1", y: 2, z: 3 },
  nullVector: [0, null, 0],
  nanVector: [0, NaN, 0],
  farVector: [0, 1e300, 0],
  minusVector: [-1, -2, -3],
  array: [],
  two: [1, 2],
  three: [1, 2, 3],
  quaternion: [0, 0, 0, 1],
  longQuaternion: [0, 0, 0, 2],
  five: [0, 0, 0, 1, 0],
  float32: Float32Array.of(1, 2, 3),
  bytes: Uint8Array.of(1, 2),
  manyBytes: new Uint8Array(70_000),
  buffer: new ArrayBuffer(8),
  id: 1n << 32n,
  record: { id: 1n << 32n },
  nullId: 0n,
  minusId: -1n,
  largeId: 2n ** 64n,
};
const kVectors = ["vector", "three", "minusVector", "float32"];
const kQuaternions = ["quaternion"];
const kIds = ["id", "record"];
const kFlags = ["true", "false"];
const kWhole = ["0", "1"];
const kAll = Object.keys(kValues);
const kAnyNumber = ["-1", "0", "0.5", "1"];
const kBounds = ["0", "0.5", "1", "Infinity", "1e300"];

const { client, server } = joined();
const kBody = idOf(1);
const ball = { kind: "sphere", dimensions: [0.5, 0, 0] };
const spawn = (more) => client.spawn({ shape: ball, position: [0, 1, 0], ...more });
const ray = { kind: "ray", from: [0, 0, 0], translation: [1, 0, 0] };
const ask = (more) => client.query([{ ...ray, ...more }]);
const make = (options) => new Client(new FakeNetwork().factory, options);

/** [call with a value in place of the argument, the field's name, labels of accepted values] */
const kArguments = [
  // Shapes.
  [(v) => sphere(v), "radius", ["0.5", "1"]],
  [(v) => capsule(v, 1), "radius", ["0.5", "1"]],
  [(v) => capsule(1, v), "halfLength", ["0", "0.5", "1"]],
  [(v) => cylinder(v, 1), "radius", ["0.5", "1"]],
  [(v) => cylinder(1, v), "halfHeight", ["0.5", "1"]],
  [(v) => cone(v, 1), "radius", ["0.5", "1"]],
  [(v) => cone(1, v), "halfHeight", ["0.5", "1"]],
  [(v) => box(v), "halfExtents", ["vector", "three", "float32"]],
  // The client and its options.
  [(v) => new Client(v), "address", ["function"]],
  [(v) => make(v), "options", ["undefined", "object"]],
  [(v) => make({ playerName: v }), "playerName", ["undefined", "text", "empty", "long"]],
  [(v) => make({ token: v }), "token", ["undefined", "function"]],
  [(v) => make({ sceneHash: v }), "sceneHash", ["undefined", "id", "nullId"]],
  [(v) => make({ reconnect: v }), "reconnect", ["undefined", ...kFlags]],
  [(v) => make({ timer: v }), "timer", ["undefined", ...kFlags]],
  [(v) => make({ backOffFirstMs: v }), "backOffFirstMs", ["undefined", "1"]],
  [(v) => make({ backOffFirstMs: 1, backOffMaxMs: v }), "backOffMaxMs", ["undefined", "1"]],
  [(v) => make({ connectTimeoutMs: v }), "connectTimeoutMs", ["undefined"]],
  [(v) => make({ silenceTimeoutMs: v }), "silenceTimeoutMs", ["undefined"]],
  [(v) => make({ bufferMinMs: v }), "bufferMinMs", ["undefined", "0", "0.5", "1"]],
  [(v) => make({ bufferMinMs: 0, bufferMaxMs: v }), "bufferMaxMs", ["undefined", "0", "0.5", "1"]],
  [(v) => make({ WebSocket: v }), "WebSocket", ["undefined", "function"]],
  [(v) => make({ clock: v }), "clock", ["undefined", "function"]],
  [(v) => make({ random: v }), "random", ["undefined", "function"]],
  [(v) => make().close(v), "text", ["undefined", "text", "empty"]],
  [(v) => make().poll(v), "nowMs", ["undefined", "-1", "0", "0.5", "1", "1e300"]],
  [(v) => client.geometry(v), "digest", ["id", "nullId"]],
  [(v) => tcp(v), "url", []],
  // Commands.
  [(v) => client.impulse(v, [0, 1, 0]), "body", kIds],
  [(v) => client.impulse(kBody, v), "impulse", kVectors],
  [(v) => client.impulse(kBody, [0, 1, 0], v), "pointLocal", ["undefined", ...kVectors]],
  [(v) => client.force(v, [0, 1, 0]), "body", kIds],
  [(v) => client.force(kBody, v), "force", kVectors],
  [(v) => client.force(kBody, [0, 1, 0], v), "torque", ["undefined", ...kVectors]],
  [(v) => client.force(kBody, [0, 1, 0], [0, 0, 0], v), "ticks", ["undefined", "1"]],
  [(v) => client.spawn(v), "definition", []],
  [(v) => spawn({ shape: v }), "shape", []],
  [(v) => spawn({ shape: { ...ball, kind: v } }), "shape.kind", []],
  [(v) => spawn({ shape: { ...ball, dimensions: v } }), "shape.dimensions", ["vector", "three", "float32"]],
  [(v) => spawn({ shape: { ...ball, localPosition: v } }), "shape.localPosition", ["undefined", ...kVectors]],
  [
    (v) => spawn({ shape: { ...ball, localRotation: v } }),
    "shape.localRotation",
    ["undefined", ...kQuaternions],
  ],
  [(v) => spawn({ position: v }), "position", kVectors],
  [(v) => spawn({ rotation: v }), "rotation", ["undefined", ...kQuaternions]],
  [(v) => spawn({ linearVelocity: v }), "linearVelocity", ["undefined", ...kVectors]],
  [(v) => spawn({ angularVelocity: v }), "angularVelocity", ["undefined", ...kVectors]],
  [(v) => spawn({ density: v }), "density", ["undefined", "0.5", "1"]],
  [(v) => spawn({ friction: v }), "friction", ["undefined", "0", "0.5", "1"]],
  [(v) => spawn({ restitution: v }), "restitution", ["undefined", "0", "0.5", "1"]],
  [(v) => spawn({ userKind: v }), "userKind", ["undefined", ...kWhole]],
  [(v) => client.despawn(v), "body", kIds],
  [(v) => client.grab(v, [0, 0, 0], [0, 1, 0], 10), "body", kIds],
  [(v) => client.grab(kBody, v, [0, 1, 0], 10), "pointLocal", kVectors],
  [(v) => client.grab(kBody, [0, 0, 0], v, 10), "target", kVectors],
  [(v) => client.grab(kBody, [0, 0, 0], [0, 1, 0], v), "maxForce", ["0", "0.5", "1"]],
  [(v) => client.moveGrab(v), "target", kVectors],
  [(v) => client.teleport(v, [0, 0, 0]), "body", kIds],
  [(v) => client.teleport(kBody, v), "to", kVectors],
  [(v) => client.teleport(kBody, [0, 0, 0], v), "motion", ["undefined", "object"]],
  [
    (v) => client.teleport(kBody, [0, 0, 0], { rotation: v }),
    "motion.rotation",
    ["undefined", ...kQuaternions],
  ],
  [
    (v) => client.teleport(kBody, [0, 0, 0], { linearVelocity: v }),
    "motion.linearVelocity",
    ["undefined", ...kVectors],
  ],
  [
    (v) => client.teleport(kBody, [0, 0, 0], { angularVelocity: v }),
    "motion.angularVelocity",
    ["undefined", ...kVectors],
  ],
  [(v) => client.move(v, [1, 0, 0]), "body", kIds],
  [(v) => client.move(kBody, v), "velocity", kVectors],
  [(v) => client.move(kBody, [1, 0, 0], v), "options", ["undefined", "object"]],
  [(v) => client.move(kBody, [1, 0, 0], { turn: v }), "options.turn", ["undefined", ...kAnyNumber]],
  [
    (v) => client.move(kBody, [1, 0, 0], { inHeadingFrame: v }),
    "options.inHeadingFrame",
    ["undefined", ...kFlags],
  ],
  [(v) => client.move(kBody, [1, 0, 0], { jump: v }), "options.jump", ["undefined", ...kFlags]],
  [(v) => client.cut(v, 0), "rope", kIds],
  [(v) => client.cut(kBody, v), "segment", kWhole],
  [(v) => client.changeJoint(v, {}), "joint", kIds],
  [(v) => client.changeJoint(kBody, v), "change", ["object"]],
  ...["enabled", "collideConnected", "direct"].map((name) => change(name, kFlags)),
  ...["maxForce", "maxTorque", "breakForce", "breakTorque", "friction"].map((name) => change(name, kBounds)),
  ...["ratio", "length"].map((name) => change(name, [...kAnyNumber, "1e300"])),
  change("locked", ["array"]),
  change("axis", []),
  change("frameA", []),
  change("frameB", []),
  [
    (v) => client.changeJoint(kBody, { frameA: { position: v } }),
    "frameA.position",
    [...kVectors, "farVector"],
  ],
  [
    (v) => client.changeJoint(kBody, { frameB: { position: [0, 0, 0], rotation: v } }),
    "frameB.rotation",
    ["undefined", ...kQuaternions],
  ],
  change("linear", []),
  change("angular", []),
  [
    (v) => client.changeJoint(kBody, { linear: { hertz: v, dampingRatio: 1 } }),
    "linear.hertz",
    ["0", "0.5", "1", "1e300"],
  ],
  [
    (v) => client.changeJoint(kBody, { angular: { erp: 0.2, cfm: v } }),
    "angular.cfm",
    ["0", "0.5", "1", "1e300"],
  ],
  change("limit", ["null", "object"]),
  [
    (v) => client.changeJoint(kBody, { limit: { lower: v } }),
    "limit.lower",
    ["undefined", ...kAnyNumber, "Infinity", "-Infinity", "1e300"],
  ],
  [
    (v) => client.changeJoint(kBody, { limit: { upper: v } }),
    "limit.upper",
    ["undefined", ...kAnyNumber, "Infinity", "-Infinity", "1e300"],
  ],
  [(v) => client.changeJoint(kBody, { limit: { softness: v } }), "limit.softness", ["undefined"]],
  change("drive", ["null"]),
  [(v) => client.changeJoint(kBody, { drive: { target: v } }), "drive.target", [...kAnyNumber, "1e300"]],
  [
    (v) => client.changeJoint(kBody, { drive: { target: 0, maxForce: v } }),
    "drive.maxForce",
    ["undefined", ...kBounds],
  ],
  change("motor", []),
  [
    (v) => client.changeJoint(kBody, { motor: { speed: v, maxForce: 1 } }),
    "motor.speed",
    [...kAnyNumber, "1e300"],
  ],
  [(v) => client.changeJoint(kBody, { motor: { speed: 1, maxForce: v } }), "motor.maxForce", kBounds],
  [(v) => client.destroyJoint(v), "joint", kIds],
  [(v) => client.custom(v), "bytes", ["bytes"]],
  // Control of the room, queries, inspection.
  [(v) => client.step(v), "ticks", ["undefined", "1"]],
  [(v) => client.setSpeed(v), "speed", ["0.5", "1"]],
  [(v) => client.loadScene(v), "scene", ["text", "empty"]],
  [(v) => client.seek(v), "tick", kWhole],
  [(v) => client.query(v), "queries", []],
  [(v) => client.query([v]), "queries[0]", []],
  [(v) => ask({ kind: v }), "queries[0].kind", []],
  [(v) => ask({ from: v }), "queries[0].from", kVectors],
  [(v) => ask({ translation: v }), "queries[0].translation", kVectors],
  [(v) => ask({ mode: v }), "queries[0].mode", ["undefined"]],
  [(v) => ask({ filter: v }), "queries[0].filter", ["undefined", "object"]],
  [(v) => ask({ filter: { category: v } }), "queries[0].filter.category", ["undefined", ...kWhole]],
  [(v) => ask({ filter: { mask: v } }), "queries[0].filter.mask", ["undefined", ...kWhole]],
  [(v) => ask({ filter: { group: v } }), "queries[0].filter.group", ["undefined", "-1", ...kWhole]],
  [(v) => ask({ findSensors: v }), "queries[0].findSensors", ["undefined", ...kFlags]],
  [(v) => ask({ ignore: v }), "queries[0].ignore", ["undefined", "array"]],
  [(v) => ask({ ignore: [v] }), "queries[0].ignore[0]", kIds],
  [
    (v) => client.query([{ kind: "shapeCast", shape: v, from: [0, 0, 0], translation: [1, 0, 0] }]),
    "queries[0].shape",
    [],
  ],
  [(v) => client.query([{ kind: "overlap", shape: ball, at: v }]), "queries[0].at", kVectors],
  [
    (v) => client.query([{ kind: "overlap", shape: ball, at: [0, 0, 0], rotation: v }]),
    "queries[0].rotation",
    ["undefined", ...kQuaternions],
  ],
  [(v) => client.query([{ kind: "closestPoint", to: v, maxDistance: 1 }]), "queries[0].to", kVectors],
  [
    (v) => client.query([{ kind: "closestPoint", to: [0, 0, 0], maxDistance: v }]),
    "queries[0].maxDistance",
    ["0", "0.5", "1"],
  ],
  [(v) => client.inspect(v), "what", ["object"]],
  ...["contacts", "joints", "ropes"].map((name) => [
    (v) => client.inspect({ [name]: v }),
    `what.${name}`,
    ["undefined", ...kFlags],
  ]),
  // takt/protocol.
  [(v) => readMessage(v, "reliable"), "bytes", ["bytes", "manyBytes"]],
  [(v) => readMessage(Uint8Array.of(1), v), "messageClass", []],
  [(v) => writeMessage(v), "message", []],
  [(v) => writeMessage({ type: v }), "type", []],
  [
    (v) => writeMessage({ type: "Ping", clientTimeUs: v }),
    "clientTimeUs",
    ["id", "nullId", "minusId", "largeId"],
  ],
  [(v) => writeMessage({ type: "Disconnect", reason: v, text: "" }), "reason", []],
  [(v) => writeMessage({ type: "Disconnect", reason: "kicked", text: v }), "text", ["text", "empty", "long"]],
  [(v) => writeMessage({ type: "Inputs", inputs: v }), "inputs", ["array"]],
  [(v) => writeMessage({ type: "Inputs", inputs: [v] }), "Input", []],
  [
    (v) => writeMessage({ type: "Inputs", inputs: [{ tick: v, sequence: 1, command: { type: "Release" } }] }),
    "tick",
    kWhole,
  ],
  [(v) => writeMessage({ type: "Inputs", inputs: [{ tick: 1, sequence: 1, command: v }] }), "command", []],
  [
    (v) =>
      writeMessage({
        type: "Inputs",
        inputs: [{ tick: 1, sequence: 1, command: { type: "Despawn", body: v } }],
      }),
    "body",
    ["id", "nullId", "minusId", "largeId"],
  ],
  [(v) => writeMessage({ type: "QueryRequest", request: 1, queries: v, atTick: 0 }), "queries", ["array"]],
  [(v) => writeMessage({ type: "QueryRequest", request: 1, queries: [v], atTick: 0 }), "Query", []],
  [
    (v) => writeMessage({ type: "Inspect", what: v }),
    "what",
    ["NaN", "Infinity", "-Infinity", "1e300", ...kAnyNumber],
  ],
  [(v) => writeFrame(v, Uint8Array.of(1)), "messageClass", []],
  [(v) => writeFrame("reliable", v), "message", ["bytes"]],
  [(v) => new FrameReader().handleBytes(v, () => true), "bytes", ["bytes", "manyBytes"]],
  [(v) => new FrameReader().handleBytes(Uint8Array.of(), v), "deliver", ["function"]],
  [(v) => decodeGeometry(v, Uint8Array.of(1)), "kind", []],
  [(v) => decodeGeometry("hull", v), "bytes", ["bytes", "manyBytes"]],
  [(v) => checkShape(v), "shape", []],
  [(v) => checkCommand(v), "command", []],
  [(v) => checkCommand({ type: v }), "command.type", []],
  [
    (v) => checkCommand({ type: "Impulse", body: v, impulse: [0, 0, 0], pointLocal: null }),
    "body",
    ["id", "nullId", "minusId", "largeId"],
  ],
  [(v) => checkCommand({ type: "Custom", bytes: v }), "bytes", ["bytes", "manyBytes"]],
  [(v) => new ClockSync(v), "ticksPerS", ["0", "0.5", "1"]],
  [(v) => new ClockSync(60).serverTick(v), "nowUs", [...kAnyNumber, "1e300"]],
];

/** A row for a field of a joint change; undefined keeps the value. */
function change(name, accepted) {
  return [(v) => client.changeJoint(kBody, { [name]: v }), `change.${name}`, ["undefined", ...accepted]];
}

for (const [call, field, accepted] of kArguments) {
  test(`${call.toString().slice(7)}: ${field}`, async () => {
    for (const label of kAll) {
      const before = server.received.length;
      let thrown = null;
      try {
        call(kValues[label]);
      } catch (error) {
        thrown = error;
      }
      if (accepted.includes(label)) {
        assert.equal(thrown, null, `${label}: ${thrown?.stack}`);
        await Promise.resolve(); // the flush
        const { sequence } = server.received.at(-1)?.inputs?.at(-1) ?? {};
        if (sequence !== undefined) server.deliver(["InputAck", { received_through: sequence, tick: 100 }]);
        continue;
      }
      assert.notEqual(thrown, null, `${label} is accepted`);
      assert.ok(thrown instanceof TaktError, `${label}: ${thrown.stack}`);
      const codes = ["invalid-argument", "not-finite", "out-of-range", "bad-url", "no-websocket"];
      assert.ok(codes.includes(thrown.code), `${label}: ${thrown.code}`);
      assert.ok(thrown.message.includes(field), `${label}: "${thrown.message}" does not name ${field}`);
      assert.ok(
        / takes | is missing| is unknown|names no|is not a URL|has a|is outside/.test(thrown.message),
        thrown.message,
      );
      await Promise.resolve();
      assert.equal(server.received.length, before, `${label} was sent`);
    }
    assert.equal(client.state, "joined");
  });
}

for (const [what, call, code, message] of [
  [
    "three numbers for a box",
    () => box(1, 1, 1),
    "invalid-argument",
    "box(): halfExtents takes {x, y, z} or 3 numbers, not 1",
  ],
  [
    "a body to spawn without a position",
    () => client.spawn({ shape: sphere(1) }),
    "invalid-argument",
    "spawn(): definition.position takes {x, y, z} or 3 numbers, not undefined",
  ],
  [
    "a hull to spawn",
    () => spawn({ shape: { kind: "hull", dimensions: [1, 1, 1] } }),
    "invalid-argument",
    'spawn(): definition.shape.kind takes one of "sphere", "capsule", "box", "cylinder", "cone", not "hull"',
  ],
  [
    "a text for the game",
    () => client.custom("text"),
    "invalid-argument",
    'custom(): bytes takes a Uint8Array of at most 1000 bytes, not "text"',
  ],
  [
    "a negative kind",
    () => spawn({ userKind: -1 }),
    "out-of-range",
    "spawn(): definition.userKind takes a whole number from 0 to 4294967295, not -1",
  ],
  [
    "a client without an address",
    () => new Client(),
    "invalid-argument",
    'new Client(): address takes a URL such as "ws://HOST:PORT/ws", or a transport factory ' +
      "such as tcp() of takt/node returns, not undefined",
  ],
  [
    "a misspelt option",
    () => make({ reconect: false }),
    "invalid-argument",
    /^new Client\(\): options\.reconect is unknown: .* takes an object with fields of playerName, /,
  ],
  [
    "a vector without z",
    () => client.moveGrab({ x: 1, y: 2 }),
    "invalid-argument",
    "moveGrab(): target.z is missing: moveGrab(): target takes {x, y, z} or 3 numbers",
  ],
  [
    "a component that is NaN",
    () => client.impulse(kBody, [0, NaN, 0]),
    "not-finite",
    "impulse(): impulse[1] takes a finite number from -1000000000 to 1000000000, not NaN",
  ],
  [
    "limits that cross",
    () => client.changeJoint(kBody, { limit: { lower: 1, upper: -1 } }),
    "out-of-range",
    "changeJoint(): change.limit.lower takes at most changeJoint(): change.limit.upper, not 1 > -1",
  ],
  [
    "a player's name of the wrong type",
    () => make({ playerName: 5 }),
    "invalid-argument",
    "new Client(): options.playerName takes a printable text, not 5",
  ],
]) {
  test(`${what} is refused with its field and what the field takes`, () =>
    assert.throws(call, (error) => {
      assert.ok(error instanceof TaktError);
      assert.equal(error.code, code);
      if (typeof message === "string") assert.equal(error.message, message);
      else assert.match(error.message, message);
      return true;
    }));
}

test("arguments are checked before the session: a wrong one is named even when nobody has joined", () => {
  const idle = make();
  assert.throws(() => idle.impulse(null, [0, 1, 0]), { code: "invalid-argument" });
  assert.throws(() => idle.query([]), { code: "out-of-range" });
  assert.throws(() => idle.impulse(kBody, [0, 1, 0]), { code: "not-joined" });
});

test("a factory that returns no transport ends the attempt with an error that says so", () => {
  const wrong = new Client(() => undefined, { timer: false, reconnect: false });
  wrong.connect();
  const event = wrong.nextEvent();
  assert.equal(event.type, "error");
  assert.match(event.error.message, /address takes a factory that returns a Transport/);
});
