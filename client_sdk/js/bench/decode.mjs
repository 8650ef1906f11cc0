// How long a snapshot of 901 moving bodies takes from bytes to interpolated poses: frames taken apart, messages verified and checked, records put
// into tracks; then, by itself, the poses of one frame. Prints the medians. node bench/decode.mjs [bodies] after the build.
import { performance } from "node:perf_hooks";

import { Session } from "../dist/session.js";
import { frame, position } from "../test/support/server_messages.mjs";

const kBodies = Number(process.argv[2] ?? 901);
const kWarmUp = 200;
const kMeasured = 600;
const kBodiesPerPart = 13;

/** All parts of one snapshot as one chunk of the stream. */
function snapshot(serial) {
  const part_count = Math.ceil(kBodies / kBodiesPerPart);
  const frames = [];
  for (let part = 0; part < part_count; ++part) {
    const bodies = [];
    for (let i = part * kBodiesPerPart; i < Math.min(kBodies, (part + 1) * kBodiesPerPart); ++i) {
      const angle = serial * 0.01 + i;
      bodies.push({
        id: (1n << 32n) | BigInt(i),
        position: position(i % 30, 1 + Math.sin(angle), Math.floor(i / 30)),
        rotation: { x: 0, y: Math.sin(angle / 2), z: 0, w: Math.cos(angle / 2) },
        linear_velocity: { x: 1, y: 2, z: 3 },
      });
    }
    frames.push(Buffer.from(frame("Snapshot", { serial, tick: serial, part, part_count, baseline: serial - 1, bodies })));
  }
  return new Uint8Array(Buffer.concat(frames));
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

const host = {
  send_bytes() {},
  push_event() {},
  handle_joined() {},
  handle_over(over) {
    throw new Error(over.text);
  },
};
const options = { player_name: "", scene_hash: 0n, nonce: 1n, connect_timeout_us: 1e12, silence_timeout_us: 1e12 };
const session = new Session({ endpoint: options, buffer_min_ms: 20, buffer_max_ms: 1000 }, host, 0);
session.endpoint.handle_bytes(0, frame("Accept", { nonce: 1, player_id: 1, tick_rate_hz: 60, current_tick: 0, numbers_mode: "float" }));
for (let first = 0; first < kBodies; first += 256) {
  const bodies = [];
  for (let i = first; i < Math.min(kBodies, first + 256); ++i)
    bodies.push({ id: (1n << 32n) | BigInt(i), shapes: [{ kind: 2, dimensions: { x: 0.2, y: 0.2, z: 0.2 }, local_rotation: { w: 1 } }] });
  session.endpoint.handle_bytes(0, frame("BodiesAdded", { tick: 0, bodies }));
}

const decode_ms = [];
const pose_ms = [];
let bytes = 0;
for (let serial = 1; serial <= kWarmUp + kMeasured; ++serial) {
  const chunk = snapshot(serial);
  const now_us = (serial * 1e6) / 60;
  const before = performance.now();
  session.endpoint.handle_bytes(now_us, chunk);
  const decoded = performance.now();
  session.update(now_us);
  const shown = session.bodies().length;
  const after = performance.now();
  if (serial > 60 && shown !== kBodies) throw new Error(`${shown} of ${kBodies} bodies are shown`);
  if (serial <= kWarmUp) continue;
  decode_ms.push(decoded - before);
  pose_ms.push(after - decoded);
  bytes = chunk.length;
}
const kb = (bytes / 1000).toFixed(1);
console.log(`bodies ${kBodies} bytes ${kb} kB decode median ${median(decode_ms).toFixed(3)} ms poses median ${median(pose_ms).toFixed(3)} ms`);
