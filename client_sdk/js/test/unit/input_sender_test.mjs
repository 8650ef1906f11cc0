// Sequences, the window, and messages that fit the server's limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { jointCommands } from "../support/joint_commands.mjs";

import { InputSender, wireBytesMax } from "../../dist/input_sender.js";
import { kCommandMembers, limits, writeMessage } from "../../dist/protocol.js";

const kBody = 1n << 32n;
const kTurn = [0, 1, 0, 0];
const kVector = [1, 2, 3];
const kFrame = [1n, 2n, 3n];
const kCommands = [
  { type: "Impulse", body: kBody, impulse: kVector, pointLocal: kVector },
  { type: "Force", body: kBody, force: kVector, torque: kVector, ticks: 9 },
  {
    type: "Spawn",
    shape: {
      kind: "box",
      dimensions: kVector,
      localPosition: kVector,
      localRotation: kTurn,
      rounding: 0,
      geometry: 0n,
    },
    position: kFrame,
    rotation: kTurn,
    linearVelocity: kVector,
    angularVelocity: kVector,
    density: 9,
    friction: 9,
    restitution: 1,
    userKind: 9,
  },
  { type: "Despawn", body: kBody },
  { type: "Grab", body: kBody, pointLocal: kVector, target: kFrame, maxForce: 9 },
  { type: "MoveGrab", target: kFrame },
  { type: "Release" },
  {
    type: "Teleport",
    body: kBody,
    position: kFrame,
    rotation: kTurn,
    linearVelocity: kVector,
    angularVelocity: kVector,
  },
  { type: "Custom", bytes: new Uint8Array(1000) },
  { type: "Custom", bytes: new Uint8Array(1) },
  { type: "Move", body: kBody, velocity: kVector, turn: 0.5, inHeadingFrame: true, jump: true },
  { type: "Cut", rope: kBody, segment: 9 },
  ...jointCommands(kBody, kTurn),
];

test("sequences count from 1 and an acknowledgement frees the window", () => {
  const sender = new InputSender();
  for (let i = 1; i <= limits.kInputWindow; ++i) assert.equal(sender.push(0, { type: "Release" }), i);
  assert.ok(sender.isFull);
  assert.ok(sender.handleAck(100));
  assert.equal(sender.inFlight, limits.kInputWindow - 100);
  assert.ok(sender.handleAck(50)); // an older one changes nothing
  assert.equal(sender.inFlight, limits.kInputWindow - 100);
  assert.ok(!sender.handleAck(limits.kInputWindow + 1)); // never sent
});

test("each input is said once, in order, in messages a server takes", () => {
  const sender = new InputSender();
  let pushed = 0;
  for (let round = 0; round < 20; ++round) {
    for (const command of kCommands) pushed = sender.push(round, command);
  }
  let expected = 1;
  for (let inputs = sender.poll(); inputs.length > 0; inputs = sender.poll()) {
    assert.ok(inputs.length <= limits.kInputsPerMessage);
    assert.ok(writeMessage({ type: "Inputs", inputs }).length <= limits.kUnreliableBytesMax);
    for (const input of inputs) assert.equal(input.sequence, expected++);
  }
  assert.equal(expected, pushed + 1);
});

test("wireBytesMax is an upper bound, and a close one", () => {
  assert.deepEqual(new Set(kCommands.map(({ type }) => type)), new Set(kCommandMembers));
  for (const command of kCommands) {
    const one = writeMessage({ type: "Inputs", inputs: [{ tick: 2 ** 40, sequence: 1, command }] }).length;
    const two = writeMessage({
      type: "Inputs",
      inputs: [
        { tick: 2 ** 40, sequence: 1, command },
        { tick: 2 ** 40, sequence: 2, command },
      ],
    }).length;
    assert.ok(two - one <= wireBytesMax(command), `${command.type}: ${two - one}`);
    assert.ok(wireBytesMax(command) <= two - one + 80, `${command.type}: ${two - one}`);
    assert.ok(one <= 64 + wireBytesMax(command), `${command.type}: ${one}`);
  }
});
