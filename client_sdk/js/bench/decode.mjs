// Benchmark of one snapshot of 901 moving bodies: its time from bytes to tracks (framing, verification,
// checks), and the time of the poses of one frame. It prints the medians. After the build: node
// bench/decode.mjs [bodies]
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

import { Session } from "../dist/session.js";
import { frame, position } from "../test/support/server_messages.mjs";

const kWarmUp = 200;
const kBodiesPerPart = 13;

/** All parts of one snapshot as one chunk of the stream. */
function snapshot(serial, bodyCount) {
  const partCount = Math.ceil(bodyCount / kBodiesPerPart);
  const frames = [];
  for (let part = 0; part < partCount; ++part) {
    const bodies = [];
    for (let i = part * kBodiesPerPart; i < Math.min(bodyCount, (part + 1) * kBodiesPerPart); ++i) {
      const angle = serial * 0.01 + i;
      bodies.push({
        id: (1n << 32n) | BigInt(i),
        position: position(i % 30, 1 + Math.sin(angle), Math.floor(i / 30)),
        rotation: { x: 0, y: Math.sin(angle / 2), z: 0, w: Math.cos(angle / 2) },
        linear_velocity: { x: 1, y: 2, z: 3 },
      });
    }
    frames.push(
      Buffer.from(
        frame("Snapshot", {
          serial,
          tick: serial,
          part,
          part_count: partCount,
          baseline: serial - 1,
          bodies,
        }),
      ),
    );
  }
  return new Uint8Array(Buffer.concat(frames));
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

/** A session that knows the shapes of so many bodies. */
function joinedSession(bodyCount) {
  const host = {
    sendBytes() {},
    pushEvent() {},
    handleJoined() {},
    handleOver(over) {
      throw new Error(over.text);
    },
  };
  const endpoint = {
    playerName: "",
    sceneHash: 0n,
    nonce: 1n,
    connectTimeoutUs: 1e12,
    silenceTimeoutUs: 1e12,
  };
  const session = new Session({ endpoint, bufferMinMs: 20, bufferMaxMs: 1000 }, host, 0);
  session.endpoint.handleBytes(
    0,
    frame("Accept", { nonce: 1, player_id: 1, tick_rate_hz: 60, current_tick: 0, numbers_mode: "float" }),
  );
  for (let first = 0; first < bodyCount; first += 256) {
    const bodies = [];
    for (let i = first; i < Math.min(bodyCount, first + 256); ++i) {
      const shapes = [{ kind: 2, dimensions: { x: 0.2, y: 0.2, z: 0.2 }, local_rotation: { w: 1 } }];
      bodies.push({ id: (1n << 32n) | BigInt(i), shapes });
    }
    session.endpoint.handleBytes(0, frame("BodiesAdded", { tick: 0, bodies }));
  }
  return session;
}

/** Medians over `measured` snapshots of so many bodies. */
export function measureDecoding(bodyCount, measured = 600) {
  const session = joinedSession(bodyCount);
  const decodeMs = [];
  const poseMs = [];
  let bytes = 0;
  for (let serial = 1; serial <= kWarmUp + measured; ++serial) {
    const chunk = snapshot(serial, bodyCount);
    const nowUs = (serial * 1e6) / 60;
    const before = performance.now();
    session.endpoint.handleBytes(nowUs, chunk);
    const decoded = performance.now();
    session.update(nowUs);
    const shown = session.bodies().length;
    const after = performance.now();
    if (serial > 60 && shown !== bodyCount) throw new Error(`${shown} of ${bodyCount} bodies are shown`);
    if (serial <= kWarmUp) continue;
    decodeMs.push(decoded - before);
    poseMs.push(after - decoded);
    bytes = chunk.length;
  }
  return { bytes, decodeMs: median(decodeMs), poseMs: median(poseMs) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bodyCount = Number(process.argv[2] ?? 901);
  const { bytes, decodeMs, poseMs } = measureDecoding(bodyCount);
  const kb = (bytes / 1000).toFixed(1);
  console.log(
    `bodies ${bodyCount} bytes ${kb} kB decode median ${decodeMs.toFixed(3)} ms`,
    `poses median ${poseMs.toFixed(3)} ms`,
  );
}
