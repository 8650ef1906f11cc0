// Readers of messages about a room: its state, its control, and inspection of its solver. Same rules as
// protocol/messages/room_message_reader.cpp.
import * as limits from "./limits.js";
import type { ContactPoint, JointFrame, Message, TimelineMark } from "./message.js";
import { kEnums, kStructBytes } from "./schema.js";
import type { Table } from "./table_reader.js";
import {
  finite,
  metresAt,
  named,
  quadrupleAt,
  readPart,
  refuse,
  textOf,
  tickAt,
  tripleAt,
} from "./table_reader.js";

export function readRoom(t: Table): Message {
  const epoch = t.u32("epoch");
  const speed = t.f32("speed", 1);
  const tickRateHz = t.u32("tick_rate_hz");
  if (epoch === 0 || tickRateHz < 1 || tickRateHz > 10_000) refuse("out_of_range");
  finite([speed]);
  const firstTick = t.tick("first_tick");
  const endTick = t.tick("end_tick");
  if (speed < limits.kControlSpeedMin || speed > limits.kControlSpeedMax || firstTick > endTick) {
    refuse("out_of_range");
  }
  const names = t.reference("scenes");
  const nameCount = t.buffer.count(names);
  if (nameCount > limits.kScenesMax) refuse("out_of_range");
  const scenes: string[] = [];
  for (let i = 0; i < nameCount; ++i) {
    const name = textOf(t.buffer, t.buffer.element(names, i), limits.kSceneNameBytesMax);
    scenes.push(name !== "" ? name : refuse("out_of_range"));
  }
  const marks: TimelineMark[] = [];
  const { view, offset, count } = t.records("marks");
  if (count > limits.kTimelineMarksMax) refuse("out_of_range");
  for (let i = 0, at = offset; i < count; ++i, at += kStructBytes.TimelineMark) {
    const mark = {
      tick: tickAt(view, at),
      count: view.getUint32(at + 8, true),
      kind: named(view.getUint8(at + 12), kEnums.MarkKind),
    };
    if (i > 0 && mark.tick < marks[i - 1]!.tick) refuse("out_of_range");
    marks.push(mark);
  }
  const eye = t.struct("camera_eye");
  const target = t.struct("camera_target");
  const hasCamera = eye !== 0 && target !== 0;
  return {
    type: "RoomState",
    epoch,
    tick: t.tick("tick"),
    paused: t.bool("paused"),
    speed,
    admin: t.bool("admin"),
    isRecording: t.bool("is_recording"),
    firstTick,
    endTick,
    tickRateHz,
    sceneHash: t.u64("scene_hash"),
    scene: t.text("scene", limits.kSceneNameBytesMax),
    title: t.text("title", limits.kTitleBytesMax),
    scenes,
    cameraEye: hasCamera ? metresAt(t.view, eye) : null,
    cameraTarget: hasCamera ? metresAt(t.view, target) : null,
    marks,
  };
}

export function readContacts(t: Table): Message {
  const { part, partCount } = readPart(
    t,
    Math.ceil(limits.kContactPointsMax / limits.kContactPointsPerMessage),
  );
  const { view, offset, count } = t.records("points");
  if (count > limits.kContactPointsPerMessage) refuse("out_of_range");
  const points: ContactPoint[] = [];
  for (let i = 0, at = offset; i < count; ++i, at += kStructBytes.ContactPoint) {
    const normal = finite(tripleAt(view, at + 40));
    const [impulse, separation] = finite([
      view.getFloat32(at + 52, true),
      view.getFloat32(at + 56, true),
    ] as const);
    points.push({
      bodyA: view.getBigUint64(at, true),
      bodyB: view.getBigUint64(at + 8, true),
      position: metresAt(view, at + 16),
      normal,
      impulse,
      separation,
    });
  }
  return {
    type: "Contacts",
    tick: t.tick("tick"),
    total: t.u32("total"),
    part,
    partCount,
    points,
    epoch: t.u32("epoch"),
  };
}

export function readJoints(t: Table): Message {
  const { part, partCount } = readPart(t, Math.ceil(limits.kJointFramesMax / limits.kJointFramesPerMessage));
  const { view, offset, count } = t.records("joints");
  if (count > limits.kJointFramesPerMessage) refuse("out_of_range");
  const states = t.records("states");
  if (t.reference("states") !== 0 && states.count !== count) refuse("out_of_range");
  const joints: JointFrame[] = [];
  for (let i = 0, at = offset; i < count; ++i, at += kStructBytes.JointFrame) {
    const more =
      states.count === 0 ? kNoState : jointStateAt(view, states.offset + i * kStructBytes.JointState);
    joints.push({
      bodyA: view.getBigUint64(at, true),
      bodyB: view.getBigUint64(at + 8, true),
      anchorA: metresAt(view, at + 16),
      anchorB: metresAt(view, at + 40),
      rotation: finite(quadrupleAt(view, at + 64)),
      kind: view.getUint32(at + 80, true),
      ...more,
    });
  }
  return {
    type: "JointFrames",
    tick: t.tick("tick"),
    total: t.u32("total"),
    part,
    partCount,
    joints,
    epoch: t.u32("epoch"),
  };
}

type JointState = Pick<JointFrame, "id" | "rotationB" | "force" | "torque" | "isOff" | "isTorn">;

const kNoState: JointState = {
  id: 0n,
  rotationB: [0, 0, 0, 1],
  force: 0,
  torque: 0,
  isOff: false,
  isTorn: false,
};

function jointStateAt(view: DataView, at: number): JointState {
  const rotationB = finite(quadrupleAt(view, at + 8));
  const [force, torque] = finite([view.getFloat32(at + 24, true), view.getFloat32(at + 28, true)] as const);
  const flags = view.getUint32(at + 32, true);
  return {
    id: view.getBigUint64(at, true),
    rotationB,
    force,
    torque,
    isOff: (flags & 1) !== 0,
    isTorn: (flags & 2) !== 0,
  };
}

export function readJointsBroken(t: Table): Message {
  if (t.reference("joints") === 0) refuse("missing_field");
  const { view, offset, count } = t.records("joints");
  if (count > limits.kRemovedPerMessage) refuse("out_of_range");
  const joints = Array.from({ length: count }, (_, i) => view.getBigUint64(offset + 8 * i, true));
  return { type: "JointsBroken", tick: t.tick("tick"), joints };
}
