// takt/service: worlds of `takt service` for programs in Node (docs/SERVICE.md).
export { TaktError } from "../error.js";
export type { ErrorCode } from "../error.js";
export { kArrayColumns, kArrayNames } from "./arrays.js";
export type { ArrayName, Arrays } from "./arrays.js";
export { BatchWorld } from "./batch.js";
export type { Poses } from "./batch.js";
export { Body, Joint } from "./body.js";
export type { JointAxis, JointChange, JointFrame, JointSoftness, Pose, Rotation, Vector3 } from "./body.js";
export type {
  BodyChange,
  Filter,
  MoverTuning,
  NewJoint,
  NewMover,
  NewRope,
  ShapeChange,
} from "./definitions.js";
export type { Contact, Hits, Overlap, ShapeName, WorldEvent } from "./queries.js";
export type { Recording } from "./recording.js";
export type { Welcome, WorldInfo } from "./reply.js";
export type { Bodies, Rows, Where } from "./rows.js";
export { Service, connect } from "./service.js";
export type { BatchOptions, ConnectOptions, SceneLike, WorldOptions } from "./service.js";
export { Shape } from "./shape.js";
export { Snapshot } from "./snapshot.js";
export { World } from "./world.js";
export type { CastOptions, QueryOptions, Spawn } from "./world.js";
