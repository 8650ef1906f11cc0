// Values through the reader: every field has its value, absent fields have the schema's defaults, and values
// out of range are refused by name. A client's messages read back unchanged.
import assert from "node:assert/strict";
import { test } from "node:test";
import { jointCommands } from "../support/joint_commands.mjs";

import { bodyState, kCommandMembers, readMessage, writeMessage } from "../../dist/protocol.js";
import { message, position, record } from "../support/server_messages.mjs";

function read(kind, fields) {
  const result = readMessage(message(kind, fields), "reliable");
  assert.ok(result.ok, `${kind}: ${result.error}`);
  return result.message;
}
function refusal(kind, fields) {
  const result = readMessage(message(kind, fields), "reliable");
  return result.ok ? "ok" : result.error;
}

function challengeResponse(request, proofBytes) {
  const [cookie, key, proof] = [16, 32, proofBytes].map((length) => new Array(length).fill(1));
  return { cookie, request, key, proof };
}

test("a snapshot's records are read where they lie", () => {
  const { bodies, removed, ropes, ...head } = read("Snapshot", {
    serial: 8,
    tick: 77,
    part: 1,
    part_count: 3,
    baseline: 6,
    deferred: 5,
    epoch: 4,
    bodies: [record(5, [1.5, -2.25, 3], { flags: 1 })],
    removed: [0x200000009n],
    ropes: [1, 2, 3],
    removed_ropes: [0x200000003n],
    deferred_ropes: 7,
    movers: [{ body: 0x100000005n, velocity: { x: 1, y: 0, z: -2 }, turn: 0.5, flags: 1 }],
    mode_epoch: 9,
  });
  const parts = {
    part: 1,
    partCount: 3,
    baseline: 6,
    deferred: 5,
    epoch: 4,
    removedRopes: [0x200000003n],
    deferredRopes: 7,
    movers: [{ body: 0x100000005n, velocity: [1, 0, -2], turn: 0.5, flags: 1 }],
    modeEpoch: 9,
  };
  assert.deepEqual(head, { type: "Snapshot", serial: 8, tick: 77, ...parts });
  assert.deepEqual([ropes.count, ropes.view.getUint8(ropes.offset + 1)], [3, 2]);
  const { view, offset, count } = bodies;
  assert.equal(count, 1);
  assert.equal(view.getUint32(offset + bodyState.kIndexAt, true), 5);
  assert.equal(view.getUint32(offset + bodyState.kGenerationAt, true), 1);
  assert.equal(bodyState.metres(view, offset + bodyState.kPositionAt), 1.5);
  assert.equal(bodyState.metres(view, offset + bodyState.kPositionAt + 8), -2.25);
  assert.equal(view.getUint32(offset + bodyState.kFlagsAt, true), bodyState.kBodyAsleep);
  assert.equal(removed.view.getBigUint64(removed.offset, true), 0x200000009n);
});

test("what a table leaves out has the schema's default", () => {
  assert.equal(read("RoomState", { epoch: 1, tick_rate_hz: 60 }).speed, 1);
  assert.equal(read("Control", {}).speed, 1);
  const { inputs } = read("Inputs", {
    inputs: [{ sequence: 1, command: { type: "Force", body: 1n << 32n } }],
  });
  assert.deepEqual(inputs[0].command, {
    type: "Force",
    body: 1n << 32n,
    force: [0, 0, 0],
    torque: [0, 0, 0],
    ticks: 1,
  });
});

test("metres of Q31.32 are exact wherever a double can be", () => {
  const view = new DataView(new ArrayBuffer(8));
  for (const metres of [
    0,
    1,
    -1,
    0.5,
    -0.5,
    2 ** -32,
    -(2 ** -32),
    1e6 + 2 ** -20,
    -1e6 - 2 ** -20,
    2147483647,
    -2147483648,
  ]) {
    const whole = Math.floor(metres);
    view.setBigInt64(0, (BigInt(whole) << 32n) + BigInt((metres - whole) * 2 ** 32), true);
    assert.equal(bodyState.metres(view, 0), metres);
  }
});

const kBody = 1n << 32n;
for (const [why, kind, fields, error] of [
  ["serial 0", "Snapshot", { serial: 0, part_count: 1 }, "out_of_range"],
  ["part beyond the count", "Snapshot", { serial: 1, part: 2, part_count: 2 }, "out_of_range"],
  ["no parts", "Snapshot", { serial: 1, part_count: 0 }, "out_of_range"],
  ["too many parts", "Snapshot", { serial: 1, part_count: 1025 }, "out_of_range"],
  [
    "a NaN rotation",
    "Snapshot",
    { serial: 1, part_count: 1, bodies: [record(1, [0, 0, 0], { rotation: { x: NaN } })] },
    "not_finite",
  ],
  [
    "an infinite velocity",
    "Snapshot",
    { serial: 1, part_count: 1, bodies: [record(1, [0, 0, 0], { linear_velocity: { z: Infinity } })] },
    "not_finite",
  ],
  [
    "two infinities that cancel",
    "Snapshot",
    {
      serial: 1,
      part_count: 1,
      bodies: [record(1, [0, 0, 0], { linear_velocity: { x: Infinity, y: -Infinity } })],
    },
    "not_finite",
  ],
  ["a tick that is no Number", "Pong", { tick: 1n << 53n }, "out_of_range"],
  ["player 0", "Accept", { player_id: 0, tick_rate_hz: 60 }, "out_of_range"],
  ["tick rate 0", "Accept", { player_id: 1, tick_rate_hz: 0 }, "out_of_range"],
  ["tick rate 10,001", "Accept", { player_id: 1, tick_rate_hz: 10001 }, "out_of_range"],
  ["an unknown reason", "Refuse", { reason: 21 }, "out_of_range"],
  ["a text of 201 bytes", "Refuse", { text: "x".repeat(201) }, "out_of_range"],
  ["a control character", "Refuse", { text: "a\u0007" }, "out_of_range"],
  ["a cookie of 15 bytes", "Challenge", { cookie: new Array(15).fill(1) }, "out_of_range"],
  ["no cookie", "Challenge", {}, "missing_field"],
  ["no key", "Challenge", { cookie: new Array(16).fill(1) }, "missing_field"],
  [
    "a key of 31 bytes",
    "Challenge",
    { cookie: new Array(16).fill(1), lasting_key: new Array(31).fill(1) },
    "out_of_range",
  ],
  ...[0, 15, 16, 17, 48, 50].map((length) => [
    `a proof of ${length} bytes without a token`,
    "ChallengeResponse",
    challengeResponse({}, length),
    "out_of_range",
  ]),
  ...[0, 15, 17, 49].map((length) => [
    `a proof of ${length} bytes with a token`,
    "ChallengeResponse",
    challengeResponse({ token: [1, 2] }, length),
    "out_of_range",
  ]),
  ["no sealed bytes", "SealedAccept", { nonce: 1 }, "missing_field"],
  ["513 sealed bytes", "SealedAccept", { nonce: 1, sealed: new Array(513).fill(1) }, "out_of_range"],
  ["no bodies", "BodiesAdded", {}, "missing_field"],
  ["a null body", "BodiesAdded", { bodies: [{ id: 0 }] }, "out_of_range"],
  [
    "a shape nobody knows",
    "BodiesAdded",
    { bodies: [{ id: kBody, shapes: [{ kind: 4, dimensions: { x: 1 }, local_rotation: { w: 1 } }] }] },
    "out_of_range",
  ],
  [
    "a sphere without radius",
    "BodiesAdded",
    { bodies: [{ id: kBody, shapes: [{ kind: 0, local_rotation: { w: 1 } }] }] },
    "out_of_range",
  ],
  [
    "a shape with a NaN",
    "BodiesAdded",
    { bodies: [{ id: kBody, shapes: [{ kind: 0, dimensions: { x: NaN }, local_rotation: { w: 1 } }] }] },
    "not_finite",
  ],
  [
    "a rotation that is none",
    "BodiesAdded",
    { bodies: [{ id: kBody, shapes: [{ kind: 0, dimensions: { x: 1 }, local_rotation: { w: 2 } }] }] },
    "out_of_range",
  ],
  [
    "a rounding below 0",
    "BodiesAdded",
    {
      bodies: [
        {
          id: kBody,
          shapes: [{ kind: 6, dimensions: { x: 1, y: 1, z: 1 }, local_rotation: { w: 1 }, rounding: -1 }],
        },
      ],
    },
    "out_of_range",
  ],
  [
    "a kind of a later protocol",
    "BodiesAdded",
    { bodies: [{ id: kBody, shapes: [{ kind: 9, local_rotation: { w: 1 } }] }] },
    "out_of_range",
  ],
  [
    "65 shapes",
    "BodiesAdded",
    {
      bodies: [
        {
          id: kBody,
          shapes: Array.from({ length: 65 }, () => ({
            kind: 0,
            dimensions: { x: 1 },
            local_rotation: { w: 1 },
          })),
        },
      ],
    },
    "out_of_range",
  ],
  [
    "257 bodies",
    "BodiesAdded",
    { bodies: Array.from({ length: 257 }, () => ({ id: kBody })) },
    "out_of_range",
  ],
  ["4,097 ids", "BodiesRemoved", { ids: Array.from({ length: 4097 }, () => kBody) }, "out_of_range"],
  ["an unknown status", "InputAck", { outcomes: [{ sequence: 1, status: 9 }] }, "out_of_range"],
  [
    "refusals for another number of outcomes",
    "InputAck",
    { outcomes: [{ sequence: 1, status: 2 }], refusals: [1, 2] },
    "out_of_range",
  ],
  [
    "texts for another number of outcomes",
    "InputAck",
    { outcomes: [{ sequence: 1, status: 2 }], texts: [] },
    "out_of_range",
  ],
  [
    "a text that may not be printed",
    "InputAck",
    { outcomes: [{ sequence: 1, status: 2 }], texts: ["a\u0007"] },
    "out_of_range",
  ],
  [
    "a text that is too long",
    "InputAck",
    { outcomes: [{ sequence: 1, status: 2 }], texts: ["x".repeat(201)] },
    "out_of_range",
  ],
  [
    "sequences that do not ascend",
    "Inputs",
    {
      inputs: [
        { sequence: 2, command: { type: "Release" } },
        { sequence: 2, command: { type: "Release" } },
      ],
    },
    "out_of_range",
  ],
  ["1,001 bytes for the game", "GameEvent", { bytes: new Array(1001).fill(0) }, "out_of_range"],
  ["a slice beyond the image", "JoinImage", { total_bytes: 4, offset: 3, bytes: [1, 2] }, "out_of_range"],
  ["epoch 0", "RoomState", { epoch: 0, tick_rate_hz: 60 }, "out_of_range"],
  ["epoch 0", "RoomEntered", { epoch: 0 }, "out_of_range"],
  [
    "a range that ends before it begins",
    "RoomState",
    { epoch: 1, tick_rate_hz: 60, first_tick: 2, end_tick: 1 },
    "out_of_range",
  ],
  ["a scene without a name", "RoomState", { epoch: 1, tick_rate_hz: 60, scenes: [""] }, "out_of_range"],
  [
    "marks out of order",
    "RoomState",
    { epoch: 1, tick_rate_hz: 60, marks: [{ tick: 2 }, { tick: 1 }] },
    "out_of_range",
  ],
  [
    "2,049 marks",
    "RoomState",
    { epoch: 1, tick_rate_hz: 60, marks: Array.from({ length: 2049 }, () => ({})) },
    "out_of_range",
  ],
  ["38 parts", "Contacts", { part_count: 38 }, "out_of_range"],
  ["65 parts", "JointFrames", { part_count: 65 }, "out_of_range"],
  ["a speed that is not finite", "RoomState", { epoch: 1, tick_rate_hz: 60, speed: NaN }, "not_finite"],
  ["speed 0", "RoomState", { epoch: 1, tick_rate_hz: 60, speed: 0 }, "out_of_range"],
  [
    "a scene's name of 65 bytes",
    "RoomState",
    { epoch: 1, tick_rate_hz: 60, scenes: ["x".repeat(65)] },
    "out_of_range",
  ],
  ["an unknown mark", "RoomState", { epoch: 1, tick_rate_hz: 60, marks: [{ kind: 5 }] }, "out_of_range"],
  [
    "15 contacts",
    "Contacts",
    { part_count: 1, points: Array.from({ length: 15 }, () => ({})) },
    "out_of_range",
  ],
  ["a contact with a NaN", "Contacts", { part_count: 1, points: [{ impulse: NaN }] }, "not_finite"],
  [
    "9 joints",
    "JointFrames",
    { part_count: 1, joints: Array.from({ length: 9 }, () => ({})) },
    "out_of_range",
  ],
  ["a state too many", "JointFrames", { part_count: 1, joints: [{}], states: [{}, {}] }, "out_of_range"],
  ["no joints", "JointsBroken", {}, "missing_field"],
  ["no ticks", "Confirmed", {}, "missing_field"],
  ["no path", "DesyncProbe", { tick: 8 }, "missing_field"],
  ["no path", "DesyncAnswer", { tick: 8 }, "missing_field"],
  ["a slice past the end", "Confirmed", { bytes: [1, 2], offset: 9, total_bytes: 10 }, "out_of_range"],
  ["an offset without a total", "Confirmed", { bytes: [1], offset: 1 }, "out_of_range"],
]) {
  test(`${kind} with ${why} is refused: ${error}`, () => assert.equal(refusal(kind, fields), error));
}

test("an input whose command is bad is named and does not harm the others", () => {
  const good = { type: "Despawn", body: kBody };
  const { inputs, invalidSequences } = read("Inputs", {
    inputs: [
      { sequence: 1, command: { type: "Despawn", body: 5n } },
      { sequence: 2, command: good },
      { sequence: 3, command: { type: "Impulse", body: kBody } },
      { sequence: 4, command: { type: "Force", body: kBody, force: { x: NaN } } },
      { sequence: 5 },
    ],
  });
  assert.deepEqual([inputs.map((input) => input.sequence), invalidSequences], [[2], [1, 3, 4, 5]]);
});

const kThird = Math.fround(1 / 3);
for (const written of [
  {
    type: "ConnectRequest",
    protocolVersion: 2,
    sceneHash: 0xfedcba9876543210n,
    numbersMode: "fixed",
    mode: "snapshot",
    playerName: "J\u00fcrgen \u{1f600}",
    nonce: 2n ** 64n - 1n,
    role: "spectator",
    token: Uint8Array.from({ length: 912 }, (_, i) => i & 0xff),
    tokenVerifier: Uint8Array.from({ length: 16 }, (_, i) => 255 - i),
    ciphers: 0x81,
  },
  { type: "KeepAlive" },
  { type: "Ping", clientTimeUs: 123456789012n },
  { type: "Disconnect", reason: "client_left", text: "bye" },
  { type: "Control", request: 4294967295, action: "seek", speed: 1, tick: 2 ** 52, scene: "" },
  { type: "Control", request: 1, action: "set_speed", speed: 0.25, tick: 0, scene: "pile" },
  { type: "RoomEntered", epoch: 4294967295, firstInput: 7 },
  { type: "Inspect", what: 3 },
]) {
  test(`a written ${written.type} reads back the same`, () =>
    assert.deepEqual(readMessage(writeMessage(written), "reliable"), { ok: true, message: written }));
}

test("every written command reads back the same", () => {
  const vector = [kThird, -2, 1e9];
  const turn = [0, Math.fround(Math.SQRT1_2), 0, Math.fround(Math.SQRT1_2)];
  const position = [-(2n ** 63n), 2n ** 63n - 1n, -1n];
  const commands = [
    { type: "Impulse", body: 2n ** 64n - 1n, impulse: vector, pointLocal: null },
    { type: "Impulse", body: kBody, impulse: vector, pointLocal: [0, 0, 0] },
    { type: "Force", body: kBody, force: vector, torque: vector, ticks: 3600 },
    { type: "Force", body: kBody, force: vector, torque: vector, ticks: 1 },
    {
      type: "Spawn",
      shape: {
        kind: "capsule",
        dimensions: [0.5, 1.5, 0],
        localPosition: [1, 2, 3],
        localRotation: turn,
        rounding: 0,
        geometry: 0n,
      },
      position,
      rotation: turn,
      linearVelocity: vector,
      angularVelocity: vector,
      density: 250,
      friction: 0.25,
      restitution: 0.5,
      userKind: 4294967295,
    },
    {
      type: "Spawn",
      shape: {
        kind: "box",
        dimensions: [1, 2, 3],
        localPosition: [0, 0, 0],
        localRotation: [0, 0, 0, 1],
        rounding: 0,
        geometry: 0n,
      },
      position: [0n, 0n, 0n],
      rotation: [0, 0, 0, 1],
      linearVelocity: [0, 0, 0],
      angularVelocity: [0, 0, 0],
      density: 1000,
      friction: Math.fround(0.6),
      restitution: 0,
      userKind: 0,
    },
    { type: "Despawn", body: kBody },
    { type: "Grab", body: kBody, pointLocal: vector, target: position, maxForce: 500 },
    { type: "MoveGrab", target: position },
    { type: "Release" },
    {
      type: "Teleport",
      body: kBody,
      position,
      rotation: turn,
      linearVelocity: vector,
      angularVelocity: vector,
    },
    { type: "Custom", bytes: Uint8Array.of(0, 255, 127, 128) },
    { type: "Custom", bytes: new Uint8Array(0) },
    { type: "Move", body: kBody, velocity: vector, turn: 0.25, inHeadingFrame: true, jump: false },
    { type: "Cut", rope: kBody, segment: 7 },
    ...jointCommands(kBody, turn),
  ];
  assert.deepEqual(new Set(commands.map(({ type }) => type)), new Set(kCommandMembers));
  const inputs = commands.map((command, i) => ({ tick: 2 ** 52 + i, sequence: i + 1, command }));
  assert.deepEqual(readMessage(writeMessage({ type: "Inputs", inputs }), "reliable"), {
    ok: true,
    message: { type: "Inputs", inputs, invalidSequences: [] },
  });
});

test("positions of contacts and joints are metres", () => {
  const { points } = read("Contacts", {
    part_count: 1,
    points: [{ body_a: kBody, position: position(1, -2.5, 1e6) }],
  });
  assert.deepEqual(points[0].position, [1, -2.5, 1e6]);
  const { joints } = read("JointFrames", {
    part_count: 1,
    joints: [
      {
        body_a: kBody,
        anchor_a: position(1, 2, 3),
        anchor_b: position(4, 5, 6),
        rotation: { w: 1 },
        kind: 7,
      },
    ],
  });
  assert.deepEqual(joints[0], {
    bodyA: kBody,
    bodyB: 0n,
    anchorA: [1, 2, 3],
    anchorB: [4, 5, 6],
    rotation: [0, 0, 0, 1],
    kind: 7,
    id: 0n,
    rotationB: [0, 0, 0, 1],
    force: 0,
    torque: 0,
    isOff: false,
    isTorn: false,
  });
});
