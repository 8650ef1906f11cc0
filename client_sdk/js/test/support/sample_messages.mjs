// One filled message of every kind, from the tests' own writer.
import { fixed, position, record } from "./server_messages.mjs";

const kBody = (3n << 32n) | 17n;
const kTurn = { x: 0, y: 1, z: 0, w: 0 };
const kVector = { x: 1, y: -2, z: 3 };
const kSphere = { kind: 0, dimensions: { x: 0.5 }, local_position: kVector, local_rotation: { w: 1 } };

export const kSampleCommands = [
  { type: "Impulse", body: kBody, impulse: kVector, point_local: kVector },
  { type: "Force", body: kBody, force: kVector, torque: kVector, ticks: 30 },
  {
    type: "Spawn",
    shape: kSphere,
    position: position(1, 2, 3),
    rotation: kTurn,
    linear_velocity: kVector,
    angular_velocity: kVector,
    density: 250,
    friction: 0.25,
    restitution: 0.5,
    user_kind: 12,
  },
  { type: "Despawn", body: kBody },
  { type: "Grab", body: kBody, point_local: kVector, target: position(1, 2, 3), max_force: 500 },
  { type: "MoveGrab", target: position(-1, -2, -3) },
  { type: "Release" },
  {
    type: "Teleport",
    body: kBody,
    position: position(1, 2, 3),
    rotation: kTurn,
    linear_velocity: kVector,
    angular_velocity: kVector,
  },
  { type: "Custom", bytes: [1, 2, 3] },
  { type: "Move", body: kBody, velocity: kVector, turn: 0.5, in_heading_frame: true, jump: true },
  { type: "Cut", rope: kBody, segment: 7 },
  { type: "DestroyJoint", joint: kBody },
];

/** Beside the others it would not fit a datagram. */
const kSampleChange = {
  type: "ChangeJoint",
  joint: kBody,
  enabled: false,
  locked: 0,
  frame_a: { position: { x: 1, y: 2, z: 3 }, rotation: { w: 1 } },
  linear: { form: 3, first: 100, second: 2 },
  max_force: 0,
  axis: 4,
  limit: { lower: -1, upper: Infinity, softness: { form: 2, first: 0.2, second: 1e-6 } },
  hold: { target: 0.5, most: 100, on: 1 },
  motor: { speed: 2, most: 10 },
  friction: 0,
};

const kRequest = {
  protocol_version: 4,
  scene_hash: 0x1234,
  numbers_mode: "fixed",
  mode: "lockstep",
  player_name: "J\u00fcrgen",
  nonce: 99,
  role: "spectator",
};
const kCookie = Array.from({ length: 16 }, (_, i) => i + 1);
const kKey = Array.from({ length: 32 }, (_, i) => 32 - i);
const kProof = Array.from({ length: 49 }, (_, i) => 3 * i);

/** [kind, fields by the schema's names] */
export const kSampleMessages = [
  ["ConnectRequest", kRequest],
  ["Challenge", { nonce: 99, cookie: kCookie, lasting_key: kKey, short_lived_key: kKey }],
  ["ChallengeResponse", { cookie: kCookie, request: kRequest, key: kKey, proof: kProof }],
  [
    "Accept",
    {
      nonce: 99,
      session: 0xfeed,
      player_id: 4,
      tick_rate_hz: 60,
      substeps: 4,
      current_tick: 1000,
      scene_hash: 0x1234,
      numbers_mode: "float",
      role: "spectator",
      resumed: true,
      epoch: 3,
      input_offset: 500,
    },
  ],
  ["Refuse", { nonce: 99, reason: "server_full", text: "all 64 places are taken" }],
  ["Disconnect", { reason: "kicked", text: "mind your manners" }],
  ["KeepAlive", {}],
  ["Ping", { client_time_us: 123456789 }],
  ["Pong", { client_time_us: 123456789, tick: 500, tick_fraction: 0x80000000 | 0 }],
  ["Inputs", { inputs: kSampleCommands.map((command, i) => ({ tick: 50, sequence: i + 1, command })) }],
  ["Inputs", { inputs: [{ tick: 50, sequence: 1, command: kSampleChange }] }],
  [
    "InputAck",
    {
      received_through: 12,
      tick: 500,
      margin_ticks: -3,
      outcomes: [
        { sequence: 4, status: 1, tick: 501 },
        { sequence: 5, status: 4, tick: 500 },
      ],
    },
  ],
  [
    "Snapshot",
    {
      serial: 8,
      tick: 77,
      part: 1,
      part_count: 3,
      baseline: 6,
      deferred: 5,
      epoch: 2,
      bodies: [record(5, [1, -2, 3], { flags: 1 }), record(6, [0.5, 0, 0])],
      removed: [(1n << 32n) | 9n],
      ropes: [1, 2, 3],
      removed_ropes: [(1n << 32n) | 4n],
      deferred_ropes: 1,
      movers: [{ body: (1n << 32n) | 5n, velocity: kVector, turn: 0.5, flags: 1 }],
    },
  ],
  ["JoinImage", { tick: 500, total_bytes: 10, hash: 0xabcdef, offset: 4, bytes: [1, 2] }],
  [
    "BodiesAdded",
    {
      tick: 500,
      bodies: [
        {
          id: kBody,
          user_kind: 3,
          player: 2,
          shapes: [kSphere, { kind: 3, dimensions: { y: 1 }, local_rotation: { w: 1 } }],
        },
        { id: kBody + 1n },
      ],
    },
  ],
  ["BodiesRemoved", { tick: 500, ids: [kBody, kBody + 1n] }],
  ["GameEvent", { tick: 500, bytes: [9] }],
  [
    "ServerStats",
    {
      tick: 500,
      state_hash: 0x123456789abcdef0n,
      body_count: 300,
      awake_count: 200,
      client_count: 64,
      tick_time_us: 1500,
      tick_time_p99_us: 2500,
      contact_count: 77,
      dropped_ticks: 3,
    },
  ],
  ["Control", { request: 7, action: "set_speed", speed: 0.25, tick: 12, scene: "pile" }],
  ["ControlResult", { request: 7, status: "refused_range", text: "0.01 to 100" }],
  [
    "RoomState",
    {
      epoch: 2,
      tick: 600,
      paused: true,
      speed: 0.5,
      admin: true,
      is_recording: true,
      first_tick: 10,
      end_tick: 6000,
      tick_rate_hz: 60,
      scene_hash: 0x99,
      scene: "pile",
      title: "A pile",
      scenes: ["pile", "pyramid"],
      camera_eye: position(1, 2, 3),
      camera_target: { x: fixed(-4), y: 0, z: 0 },
      marks: [
        { tick: 20, count: 2, kind: 0 },
        { tick: 30, count: 1, kind: 4 },
      ],
    },
  ],
  ["RoomEntered", { epoch: 2 }],
  ["Inspect", { what: 3 }],
  [
    "Contacts",
    {
      tick: 600,
      total: 9,
      part: 0,
      part_count: 1,
      points: [
        {
          body_a: kBody,
          body_b: kBody + 1n,
          position: position(1, 2, 3),
          normal: { x: 0, y: 1, z: 0 },
          impulse: 2.5,
          separation: -0.001,
        },
      ],
      epoch: 3,
    },
  ],
  [
    "JointFrames",
    {
      tick: 600,
      total: 1,
      part: 0,
      part_count: 1,
      joints: [
        {
          body_a: kBody,
          body_b: kBody + 1n,
          anchor_a: position(1, 2, 3),
          anchor_b: position(1, 2, 4),
          rotation: kTurn,
          kind: 3,
        },
      ],
      states: [{ id: kBody, rotation_b: kTurn, force: 2.5, torque: 0.5, flags: 2 }],
      epoch: 3,
    },
  ],
  [
    "QueryRequest",
    {
      request: 12,
      queries: [
        { kind: "ray", mode: "closest", position: position(1, 2, 3), translation: kVector },
        {
          kind: "overlap",
          mode: "all",
          position: position(1, 2, 3),
          shape: kSphere,
          rotation: kTurn,
          mask: 6,
          group: -1,
          find_sensors: true,
          ignore: [kBody],
        },
        { kind: "closest_point", mode: "any", max_distance: 0.5 },
      ],
      at_tick: 590,
    },
  ],
  [
    "QueryResult",
    {
      request: 12,
      tick: 600,
      answers: [{ found: 1, hit_count: 1, total: 3 }, { status: 1 }],
      hits: [{ body: kBody, point: position(1, 2, 3), normal: { y: 1 }, fraction: 0.25, triangle: 7 }],
      work_exceeded: 2,
    },
  ],
  ["JointsBroken", { tick: 600, joints: [kBody, kBody + 1n] }],
  ["Confirmed", { bytes: [1, 2, 3], offset: 4, total_bytes: 1000 }],
  ["DesyncProbe", { tick: 4096, path: "world/bodies", answer: "0x0123456789abcdef" }],
  ["DesyncAnswer", { tick: 4096, path: "world/bodies", answer: "0x0123456789abcdee", status: "forgotten" }],
  ["SealedAccept", { nonce: 99, sealed: kCookie }],
  ["ModeSwitch", { mode: "lockstep", text: "three desyncs", request: 7, refused: true, mode_epoch: 2 }],
  ["Geometry", { digest: 0xd16e57, kind: "mesh", total_bytes: 100, offset: 32, bytes: [1, 2, 3] }],
];
