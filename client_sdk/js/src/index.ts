// The package takt: a thin client of a Takt server for browsers and Node. takt/node adds TCP; takt/drawing
// has parts for pages that draw; takt/protocol has the reader and writer of messages.
export { Client } from "./client.js";
export type { ClientState, JointLike, RopeLike } from "./client.js";
export type { ClientOptions } from "./client_options.js";
export type { Body } from "./body.js";
export type { Motion } from "./body_state.js";
export { box, capsule, cone, cylinder, sphere } from "./command.js";
export type {
  BodyLike,
  MoveOptions,
  QuatLike,
  ShapeLike,
  SpawnDefinition,
  TeleportMotion,
  Vec3Like,
} from "./command.js";
export type { TokenSource } from "./connect_token.js";
export { TaktError } from "./error.js";
export type { ErrorCode } from "./error.js";
export type * from "./event.js";
export type { Geometry, HeightFieldGeometry, HullGeometry, MeshGeometry } from "./geometry.js";
export type {
  JointChange,
  JointDriveChange,
  JointLimitChange,
  JointMotorChange,
  LocalFrameLike,
  SoftnessLike,
} from "./joint_change.js";
export type { InspectOptions, InspectionSet } from "./inspection.js";
export type {
  CommandRefusal,
  CommandStatus,
  ContactPoint,
  ControlStatus,
  JointAxis,
  JointFrame,
  MarkKind,
  NumbersMode,
  QueryStatus,
  Quadruple,
  Shape,
  ShapeKind,
  TimelineMark,
  Triple,
} from "./message.js";
export type {
  ClosestPointQuery,
  OverlapQuery,
  QueryDefinition,
  QueryFilter,
  RayQuery,
  ShapeCastQuery,
} from "./query.js";
export type { PickHit, Ray, RayLike } from "./ray_cast.js";
export type { Room } from "./room.js";
export type { Rope } from "./rope.js";
export type { Stats } from "./stats.js";
export type { Transport, TransportFactory, TransportHandlers } from "./transport.js";
export { viewRay } from "./view_ray.js";
export type { WebSocketConstructor, WebSocketLike } from "./web_socket_transport.js";
