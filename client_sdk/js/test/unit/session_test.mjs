// A joined client against a simulated server: bodies, epochs, pause and speed, control, inspection, commands,
// time. No socket, no real time.
import assert from "node:assert/strict";
import { test } from "node:test";

import { sphere } from "../../dist/index.js";
import { limits } from "../../dist/protocol.js";
import { FakeNetwork, eventsOf, idOf, joined, kBall, moving } from "../support/fake_network.mjs";
import { ropeBytes } from "../support/rope_bytes.mjs";
import { position, record } from "../support/server_messages.mjs";

const turn = () => new Promise((resolve) => setImmediate(resolve));

// ---------------------------------------------------------------- bodies

test("a body is shown once it has shapes and records, moves evenly, and is gone when it was removed", () => {
  const { network, client, server } = joined();
  const step = moving(server, 100);
  network.pass(client, 320, step);
  assert.equal(client.bodies().length, 0); // no shapes yet
  server.deliver([
    "BodiesAdded",
    { tick: 100, bodies: [{ id: idOf(1), user_kind: 4, player: 2, shapes: [kBall] }] },
  ]);
  network.pass(client, 320, step);
  const [body] = client.bodies();
  assert.deepEqual(
    [body.id, body.index, body.userKind, body.player, body.shapes[0].kind, body.asleep],
    [idOf(1), 1, 4, 2, "sphere", false],
  );
  const before = body.position[0];
  network.pass(client, 1600, () => {
    step();
    assert.equal(client.bodies()[0], body, "the same object every frame");
  });
  // 1.6 s are 100 snapshots and so 100 ticks of server time, of which the clock guesses 96: it believes its
  // own rate until a pong comes.
  assert.ok(
    body.position[0] - before > 80 && body.position[0] - before < 110,
    `${body.position[0] - before} m`,
  );
  client.bodies();
  assert.ok(body.rawPosition[0] >= body.position[0]);
  const { renderTick } = client.stats();
  assert.ok(Math.abs(body.position[0] - renderTick) < 1e-9, "one metre a tick, exactly interpolated");
  server.deliver(["BodiesRemoved", { tick: Math.ceil(renderTick) + 2, ids: [idOf(1)] }]);
  assert.equal(client.bodies().length, 1);
  network.pass(client, 320, () => server.deliver(["KeepAlive"]));
  assert.equal(client.bodies().length, 0);
  assert.deepEqual(
    eventsOf(client, "bodyAdded", "bodyRemoved").map(({ type, body: id }) => [type, id]),
    [
      ["bodyAdded", idOf(1)],
      ["bodyRemoved", idOf(1)],
    ],
  );
});

test("a new body at an old one's index does not disturb the old one before its time", () => {
  const { network, client, server } = joined();
  server.deliver(["BodiesAdded", { tick: 100, bodies: [{ id: idOf(1), shapes: [kBall] }] }]);
  network.pass(client, 480, moving(server, 100));
  const old = client.bodies()[0];
  const tick = Math.ceil(client.stats().renderTick) + 1;
  server.deliver(
    ["BodiesRemoved", { tick: tick + 3, ids: [idOf(1)] }],
    ["BodiesAdded", { tick: tick + 3, bodies: [{ id: idOf(1, 2), shapes: [kBall] }] }],
    [
      "Snapshot",
      { serial: 1000, tick: tick + 20, part_count: 1, bodies: [record(1, [-5, 0, 0], { id: idOf(1, 2) })] },
    ],
  );
  client.poll();
  assert.deepEqual(
    client.bodies().map((body) => body.id),
    [idOf(1)],
  );
  network.pass(client, 600, () => server.deliver(["KeepAlive"]));
  assert.deepEqual(
    client.bodies().map((body) => [body.id, body.position[0]]),
    [[idOf(1, 2), -5]],
  );
  assert.notEqual(client.bodies()[0], old);
});

test("bodies come in the order of their ids, whatever came first", () => {
  const { network, client, server } = joined();
  const ids = [5, 2, 9, 0, 7];
  server.deliver([
    "BodiesAdded",
    { tick: 100, bodies: ids.map((index) => ({ id: idOf(index), shapes: [kBall] })) },
  ]);
  server.deliver([
    "Snapshot",
    { serial: 1, tick: 100, part_count: 1, bodies: ids.map((index) => record(index, [index, 0, 0])) },
  ]);
  network.pass(client, 320);
  assert.deepEqual(
    client.bodies().map((body) => body.index),
    [0, 2, 5, 7, 9],
  );
});

// ---------------------------------------------------------------- the room

test("the first RoomState needs no answer; a greater epoch drops the world and says RoomEntered", () => {
  const { network, client, server } = joined();
  server.deliver([
    "RoomState",
    { epoch: 3, tick: 100, tick_rate_hz: 60, admin: true, scene: "pile", scenes: ["pile", "far"] },
  ]);
  server.deliver(["BodiesAdded", { tick: 100, bodies: [{ id: idOf(1), shapes: [kBall] }] }]);
  network.pass(client, 320, moving(server, 100, { epoch: 3 }));
  assert.equal(client.bodies().length, 1);
  assert.equal(client.room.scene, "pile");
  assert.deepEqual(server.of("RoomEntered"), []);

  server.deliver(["RoomState", { epoch: 4, tick: 0, tick_rate_hz: 60, scene: "far" }]);
  assert.deepEqual(server.of("RoomEntered"), [{ type: "RoomEntered", epoch: 4, firstInput: 1 }]);
  assert.equal(client.bodies().length, 0);
  assert.deepEqual(
    eventsOf(client, "room").map(({ room, isNewWorld }) => [room.epoch, isNewWorld]),
    [
      [3, false],
      [4, true],
    ],
  );

  server.deliver(["BodiesAdded", { tick: 0, bodies: [{ id: idOf(1), shapes: [kBall] }] }]);
  const late = moving(server, 500, { epoch: 3 });
  network.pass(client, 320, late);
  assert.equal(client.bodies().length, 0, "a part of the old world was taken");
  network.pass(client, 320, moving(server, 0, { epoch: 4 }));
  assert.equal(client.bodies().length, 1);
  assert.ok(client.bodies()[0].position[0] < 30);
  assert.ok(client.stats().serverTick < 60);

  server.deliver(["RoomState", { epoch: 3, tick: 9, tick_rate_hz: 60 }]); // an older epoch is nobody's
  assert.equal(client.room.epoch, 4);
});

test("in a paused room the world shown is exactly the newest snapshot, and a step shows the next", () => {
  const { network, client, server } = joined();
  server.deliver(
    ["RoomState", { epoch: 1, tick: 100, tick_rate_hz: 60 }],
    ["BodiesAdded", { tick: 100, bodies: [{ id: idOf(1), shapes: [kBall] }] }],
  );
  const step = moving(server, 100, { epoch: 1 });
  network.pass(client, 480, step);
  const tick = client.bodies()[0].rawPosition[0];
  assert.ok(client.bodies()[0].position[0] < tick);
  server.deliver(["RoomState", { epoch: 1, tick, tick_rate_hz: 60, paused: true }]);
  network.pass(client, 320);
  assert.deepEqual(
    [client.bodies()[0].position[0], client.stats().renderTick, client.stats().serverTick],
    [tick, tick, tick],
  );
  network.pass(client, 5000, () => server.deliver(["KeepAlive"]));
  assert.equal(client.stats().serverTick, tick);
  step();
  server.deliver(["RoomState", { epoch: 1, tick: tick + 1, tick_rate_hz: 60, paused: true }]);
  network.pass(client, 64);
  assert.equal(client.bodies()[0].position[0], tick + 1);
  server.deliver(["RoomState", { epoch: 1, tick: tick + 1, tick_rate_hz: 60 }]);
  network.pass(client, 1600, step);
  assert.ok(client.bodies()[0].position[0] > tick + 80);
});

test("at another speed server tick and render tick have it", () => {
  const { network, client, server } = joined();
  server.deliver(["RoomState", { epoch: 1, tick: 1000, tick_rate_hz: 60, speed: 0.25 }]);
  const before = client.stats().serverTick;
  network.pass(client, 4000, () => server.deliver(["KeepAlive"]));
  assert.ok(Math.abs(client.stats().serverTick - before - 60) < 0.5);
});

test("a tick is complete when a snapshot of it came whole and left nothing out", () => {
  const { network, client, server } = joined();
  server.deliver(
    ["RoomState", { epoch: 1, tick: 100, tick_rate_hz: 60, paused: true }],
    ["BodiesAdded", { tick: 100, bodies: [{ id: idOf(1), shapes: [kBall] }] }],
  );
  const deliver = (serial, part, deferred) => {
    server.deliver([
      "Snapshot",
      { serial, tick: 100, epoch: 1, part, part_count: 2, deferred, bodies: [record(1, [part, 0, 0])] },
    ]);
    network.pass(client, 50);
    return client.stats().completeTick;
  };
  assert.deepEqual([deliver(1, 0, 7), deliver(1, 1, 7), deliver(2, 0, 0), deliver(2, 1, 0)], [0, 0, 0, 100]);
});

test("a recording's marks come once and stay", () => {
  const { client, server } = joined();
  const room = { epoch: 1, tick: 0, tick_rate_hz: 60, is_recording: true, end_tick: 900 };
  server.deliver(
    ["RoomState", { ...room, marks: [{ tick: 5, count: 2, kind: 2 }] }],
    ["RoomState", { ...room, tick: 50, paused: true }],
  );
  assert.deepEqual(client.room.marks, [{ tick: 5, count: 2, kind: "input" }]);
  assert.equal(client.room.paused, true);
});

test("control of the room: what is asked goes out, what is answered comes back", () => {
  const { client, server } = joined();
  eventsOf(client);
  const requests = [
    client.pause(),
    client.resume(),
    client.step(),
    client.step(10),
    client.setSpeed(0.5),
    client.loadScene("pile"),
    client.seek(600),
  ];
  assert.deepEqual(requests, [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(
    server
      .of("Control")
      .map(({ request, action, speed, tick, scene }) => [request, action, speed, tick, scene]),
    [
      [1, "pause", 1, 0, ""],
      [2, "resume", 1, 0, ""],
      [3, "step", 1, 1, ""],
      [4, "step", 1, 10, ""],
      [5, "set_speed", 0.5, 0, ""],
      [6, "load_scene", 1, 0, "pile"],
      [7, "seek", 1, 600, ""],
    ],
  );
  server.deliver(["ControlResult", { request: 5, status: "refused_permission", text: "not here" }]);
  assert.deepEqual(eventsOf(client), [
    { type: "controlResult", request: 5, status: "refused_permission", text: "not here" },
  ]);
  assert.throws(() => client.setSpeed(NaN), { code: "not-finite" });
  assert.throws(() => client.seek(-1), { code: "out-of-range" });
  assert.throws(() => client.step(0.5), { code: "out-of-range" });
  assert.throws(() => client.loadScene("x".repeat(65)), { code: "out-of-range" });
});

test("inspection: parts add up, the newest complete set is shown, and a reconnect asks again", () => {
  const { network, client, server } = joined();
  client.inspect({ contacts: true, joints: true });
  assert.deepEqual(server.of("Inspect"), [{ type: "Inspect", what: 3 }]);
  assert.equal(client.contacts(), null);
  const part = (tick, number, count) => [
    "Contacts",
    {
      tick,
      total: 99,
      part: number,
      part_count: count,
      points: [{ body_a: idOf(number), position: position(number, 0, 0) }],
    },
  ];
  server.deliver(part(10, 1, 2));
  assert.equal(client.contacts(), null);
  server.deliver(part(10, 0, 2));
  assert.deepEqual(
    [
      client.contacts().tick,
      client.contacts().total,
      client.contacts().items.map((point) => point.position[0]),
    ],
    [10, 99, [0, 1]],
  );
  server.deliver(part(20, 0, 2), part(12, 1, 2), part(20, 0, 2));
  assert.equal(client.contacts().tick, 10);
  server.deliver(part(20, 1, 2));
  assert.equal(client.contacts().tick, 20);
  server.deliver([
    "JointFrames",
    {
      tick: 20,
      total: 1,
      part: 0,
      part_count: 1,
      joints: [{ anchor_b: position(0, 3, 0), rotation: { w: 1 } }],
    },
  ]);
  assert.deepEqual(client.jointFrames().items[0].anchorB, [0, 3, 0]);
  assert.equal(client.jointFrames().items[0].isTorn, false);
  client.inspect({ joints: true });
  assert.equal(client.contacts(), null);
  server.deliver(part(30, 0, 1)); // was on its way
  assert.equal(client.contacts(), null);
  server.lose();
  network.pass(client, 200);
  network.newest.open();
  network.newest.accept();
  assert.deepEqual(network.newest.of("Inspect"), [{ type: "Inspect", what: 2 }]);
});

test("a joint that breaks is an event", () => {
  const { client, server } = joined();
  server.deliver(["JointsBroken", { tick: 12, joints: [idOf(3)] }]);
  const broken = [];
  for (let event = client.nextEvent(); event; event = client.nextEvent()) {
    if (event.type === "jointBroken") broken.push(event);
  }
  assert.deepEqual(broken, [{ type: "jointBroken", joint: idOf(3), tick: 12 }]);
});

test("ropes of snapshots are shown while they are asked for, until they are removed", () => {
  const { network, client, server } = joined();
  let serial = 0;
  // Nodes that climb 1 m a tick.
  const climb =
    (more = {}) =>
    () => {
      const tick = 100 + ++serial;
      const bytes = ropeBytes({
        rope: idOf(3),
        nodeCount: 2,
        positions: [5, serial, 0, 6, serial, 0],
        tensions: [2],
        radius: 0.5,
      });
      server.deliver(["Snapshot", { serial, tick, part_count: 1, ropes: [...bytes], ...more }]);
    };
  network.pass(client, 320, climb());
  assert.deepEqual(client.ropes(), [], "nobody asked");
  client.inspect({ ropes: true });
  assert.deepEqual(server.of("Inspect"), [{ type: "Inspect", what: 4 }]);
  network.pass(client, 640, climb());
  const [rope] = client.ropes();
  assert.deepEqual([rope.id, rope.radius, rope.asleep, rope.tensions[0]], [idOf(3), 0.5, false, 2]);
  const before = rope.positions[1];
  network.pass(client, 160, climb());
  assert.equal(client.ropes()[0], rope);
  assert.ok(
    rope.positions[1] > before && rope.positions[1] < serial,
    `${before} ${rope.positions[1]} ${serial}`,
  );
  network.pass(client, 16, climb({ epoch: 99, ropes: [], removed_ropes: [idOf(3)] })); // of another world
  // No ropes at all: refused whole.
  network.pass(client, 16, climb({ ropes: [1, 2, 3], removed_ropes: [idOf(3)] }));
  network.pass(client, 320, climb());
  assert.equal(client.ropes().length, 1);
  network.pass(client, 16, climb({ ropes: [], removed_ropes: [idOf(3)] }));
  network.pass(client, 640, climb({ ropes: [] }));
  assert.deepEqual(client.ropes(), []);
  network.pass(client, 320, climb());
  client.inspect({ contacts: true });
  assert.deepEqual(client.ropes(), []);
});

test("joints are changed and destroyed by commands, and what may not be sent is refused here", async () => {
  const { client, server } = joined();
  client.changeJoint(idOf(1), { motor: { speed: 2, maxForce: 50 } });
  client.changeJoint(idOf(1), {
    axis: "linear_x",
    locked: ["linear_y", "angular_z"],
    linear: { hertz: 5, dampingRatio: 1 },
    limit: { upper: 2, softness: { stiffness: 10, damping: 1 } },
    drive: null,
    frameA: { position: [1, 2, 3] },
    maxForce: Infinity,
  });
  client.destroyJoint(idOf(2));
  await turn();
  const commands = server.of("Inputs").flatMap(({ inputs }) => inputs.map(({ command }) => command));
  assert.deepEqual(commands, [
    { type: "ChangeJoint", joint: idOf(1), axis: "angular_x", motor: { speed: 2, most: 50 } },
    {
      type: "ChangeJoint",
      joint: idOf(1),
      axis: "linear_x",
      locked: 34,
      linear: { form: "frequency", first: 5, second: 1 },
      limit: { lower: -Infinity, upper: 2, softness: { form: "spring", first: 10, second: 1 } },
      hold: { on: false, target: 0, softness: { form: "rigid", first: 0, second: 0 }, most: Infinity },
      frameA: { position: [1, 2, 3], rotation: [0, 0, 0, 1] },
      maxForce: Infinity,
    },
    { type: "DestroyJoint", joint: idOf(2) },
  ]);
  assert.throws(() => client.changeJoint(idOf(1), { motor: { speed: NaN, maxForce: 1 } }), {
    code: "not-finite",
  });
  assert.throws(() => client.changeJoint(idOf(1), { motor: { speed: 1, maxForce: -1 } }), {
    code: "out-of-range",
  });
  assert.throws(() => client.changeJoint(idOf(1), { linear: { stiffness: -1, damping: 0 } }), {
    code: "out-of-range",
  });
  assert.throws(() => client.changeJoint(idOf(1), { locked: ["swing"] }), { code: "invalid-argument" });
  assert.throws(() => client.changeJoint(0n, {}), { code: "out-of-range" });
});

// ---------------------------------------------------------------- commands

test("commands of one turn go out in one message, stamped ahead, with sequences from 1", async () => {
  const { client, server } = joined();
  assert.deepEqual(
    [
      client.impulse(idOf(1), [0, 10, 0]),
      client.spawn({ shape: sphere(0.3), position: [0, 5, 0] }),
      client.release(),
    ],
    [1, 2, 3],
  );
  await turn();
  const [inputs, ...more] = server.of("Inputs");
  assert.deepEqual(more, []);
  assert.deepEqual(
    inputs.inputs.map(({ sequence, command }) => [sequence, command.type]),
    [
      [1, "Impulse"],
      [2, "Spawn"],
      [3, "Release"],
    ],
  );
  assert.ok(inputs.inputs.every(({ tick }) => tick > 100 && tick < 105));
});

test("outcomes become events, acknowledgements free the window, and a full one is an error", async () => {
  const { client, server } = joined();
  eventsOf(client);
  for (let i = 0; i < limits.kInputWindow; ++i) client.release();
  assert.throws(() => client.release(), { code: "queue-full" });
  await turn();
  assert.equal(server.of("Inputs").flatMap(({ inputs }) => inputs).length, limits.kInputWindow);
  server.deliver(["InputAck", { received_through: 200, tick: 105, margin_ticks: 2 }]);
  server.deliver([
    "InputAck",
    {
      received_through: 200,
      tick: 105,
      outcomes: [
        { sequence: 1, status: 0, tick: 104 },
        { sequence: 2, status: 1, tick: 106 },
        { sequence: 3, status: 3, tick: 105 },
      ],
    },
  ]);
  const { inFlight, lastAcknowledged, marginTicks, commandsMoved, commandsRefused, commandsSent } =
    client.stats();
  assert.deepEqual(
    [inFlight, lastAcknowledged, marginTicks, commandsMoved, commandsRefused, commandsSent],
    [56, 200, 2, 1, 1, 256],
  );
  const untold = { type: "commandOutcome", refusal: "none", text: "" };
  assert.deepEqual(eventsOf(client), [
    { ...untold, sequence: 2, status: "moved", tick: 106 },
    { ...untold, sequence: 3, status: "refused_permission", tick: 105 },
  ]);
  server.deliver(["InputAck", { received_through: 999, tick: 105 }]); // never sent
  assert.equal(client.stats().inFlight, 56);
});

test("a refusal brings its exact reason and the words of the game", () => {
  const { client, server } = joined();
  const sequence = client.custom(Uint8Array.of(1));
  server.deliver([
    "InputAck",
    {
      outcomes: [
        { sequence, status: 2, tick: 105 },
        { sequence: sequence + 1, status: 2, tick: 105 },
      ],
      refusals: ["game_refused", 255],
      texts: ["not your turn, Jürgen", ""],
    },
  ]);
  const refused = { type: "commandOutcome", status: "refused_invalid", tick: 105 };
  assert.deepEqual(eventsOf(client, "commandOutcome"), [
    { ...refused, sequence, refusal: "game_refused", text: "not your turn, Jürgen" },
    // A reason of a later server.
    { ...refused, sequence: sequence + 1, refusal: "none", text: "" },
  ]);
});

test("the ticket of a spawn comes back with its body, and only with that one", () => {
  const { client, server } = joined();
  const ticket = client.spawn({ shape: sphere(0.5), position: [0, 1, 0] });
  const body = (index, more) => ({ id: (1n << 32n) | BigInt(index), ...more });
  server.deliver([
    "BodiesAdded",
    {
      tick: 105,
      bodies: [
        body(1, { player: client.player, sequence: ticket }),
        body(2, { player: client.player + 1, sequence: ticket }), // another player's with the same number
        body(3, { player: client.player }), // made by the game, for no command
        body(4, {}),
      ],
    },
  ]);
  assert.deepEqual(
    eventsOf(client, "bodyAdded").map((event) => event.ticket),
    [ticket, null, null, null],
  );
});

test("a network that takes nothing refuses commands instead of queueing them", () => {
  const { client, server } = joined();
  server.bufferedBytes = 300_000;
  assert.throws(() => client.release(), { code: "queue-full" });
  assert.throws(() => client.pause(), { code: "queue-full" });
});

test("in a paused room a command is for the next tick that runs", async () => {
  const { client, server } = joined();
  server.deliver(["RoomState", { epoch: 1, tick: 250, tick_rate_hz: 60, paused: true }]);
  client.release();
  await turn();
  assert.equal(server.of("Inputs")[0].inputs[0].tick, 250);
});

test("commands need a session", () => {
  const client = new FakeNetwork().client();
  assert.throws(() => client.impulse(idOf(1), [0, 1, 0]), { code: "not-joined" });
  assert.throws(() => client.pause(), { code: "not-joined" });
});

// ---------------------------------------------------------------- time

test("pings go out fast at first, then twice a second, and the round trip is measured", () => {
  const { network, client, server } = joined();
  const answered = new Set();
  network.pass(client, 5000, () => {
    for (const ping of server.of("Ping")) {
      if (answered.has(ping.clientTimeUs) || network.nowMs * 1000 - Number(ping.clientTimeUs) < 48_000) {
        continue;
      }
      answered.add(ping.clientTimeUs);
      server.deliver([
        "Pong",
        { client_time_us: ping.clientTimeUs, tick: 100 + Math.round((network.nowMs - 1024 - 1000) * 0.06) },
      ]);
    }
  });
  assert.ok(
    server.of("Ping").length >= 8 + 7 && server.of("Ping").length <= 8 + 10,
    `${server.of("Ping").length} pings`,
  );
  assert.ok(Math.abs(client.stats().rttMs - 48) < 1.1, `${client.stats().rttMs} ms`);
});

test("a page in the background without polls or timers stays in the session and stores few samples", () => {
  const { network, client, server } = joined();
  server.deliver(["BodiesAdded", { tick: 100, bodies: [{ id: idOf(1), shapes: [kBall] }] }]);
  const step = moving(server, 100);
  for (let i = 0; i < 60 * 60; ++i) {
    network.nowMs += 1000 / 60;
    step();
  }
  assert.equal(client.state, "joined");
  assert.ok(server.of("Ping").length > 100, `${server.of("Ping").length} pings in a minute`);
  assert.ok(client.bodies()[0].track.sampleCount < 80, `${client.bodies()[0].track.sampleCount} samples`);
});

test("a pong for a time never sent does not move the clock", () => {
  const { network, client, server } = joined();
  const before = client.stats().serverTick;
  server.deliver(
    ["Pong", { client_time_us: 9_000_000_000_000, tick: 5_000_000 }],
    ["Pong", { client_time_us: 0xffffffffffffffffn, tick: 7 }],
  );
  assert.equal(client.stats().serverTick, before);
  network.pass(client, 16);
  assert.ok(client.stats().serverTick - before < 2);
});

test("the server's report and the game's messages are events", () => {
  const { client, server } = joined();
  eventsOf(client);
  server.deliver([
    "ServerStats",
    {
      tick: 5,
      state_hash: 0xabcn,
      body_count: 3,
      awake_count: 2,
      client_count: 1,
      tick_time_us: 900,
      tick_time_p99_us: 1100,
      contact_count: 8,
      dropped_ticks: 4,
    },
  ]);
  server.deliver(["GameEvent", { tick: 6, bytes: [1, 2] }]);
  assert.deepEqual(eventsOf(client), [
    {
      type: "serverReport",
      tick: 5,
      stateHash: 0xabcn,
      bodyCount: 3,
      awakeCount: 2,
      clientCount: 1,
      tickTimeUs: 900,
      tickTimeP99Us: 1100,
      contactCount: 8,
      droppedTicks: 4,
    },
    { type: "gameMessage", tick: 6, bytes: Uint8Array.of(1, 2) },
  ]);
});

test("snapshots the server left out for us are our loss", () => {
  const { client, server } = joined();
  for (const serial of [1, 2, 5, 6]) {
    server.deliver(["Snapshot", { serial, tick: 100 + serial, part_count: 1 }]);
  }
  assert.ok(Math.abs(client.stats().loss - 2 / 6) < 1e-12);
});
