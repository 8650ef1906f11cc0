// Questions to the server's world: what a caller hands to Client.query(), how it becomes a message, and how an answer becomes an event. What a question means is
// the engine's (include/takt/physics/query.h). Throws TaktError on the caller's side only.
import type { BodyLike, QuatLike, ShapeLike, Vec3Like } from "./command.js";
import { idOf, position, quadruple, shapeOf } from "./command.js";
import { checkQuery } from "./command_check.js";
import { TaktError } from "./error.js";
import type { QueryDone, RemoteAnswer } from "./event.js";
import { kQueriesPerRequest } from "./limits.js";
import type { Query, QueryResult, Triple } from "./message.js";

interface QueryCommon {
  /** "closest" (default; of an overlap "all"): the first hit; "all": one for each shape, sorted by fraction or distance; "any": only whether there is one. */
  mode?: "closest" | "all" | "any";
  /** The question finds what a shape with this filter would meet; by default everything. */
  filter?: { category?: number; mask?: number; group?: number };
  /** Whether sensors are found like other shapes. Default false. */
  findSensors?: boolean;
  /** At most 8 bodies that are left out. */
  ignore?: readonly BodyLike[];
}
/** What a point meets on its way. */
export interface RayQuery extends QueryCommon {
  kind: "ray";
  /** m, world */
  from: Vec3Like;
  /** m, the whole way */
  translation: Vec3Like;
}
/** What a shape meets on its way; it does not turn. */
export interface ShapeCastQuery extends QueryCommon {
  kind: "shapeCast";
  shape: ShapeLike;
  from: Vec3Like;
  rotation?: QuatLike;
  translation: Vec3Like;
}
/** What a shape touches or overlaps. */
export interface OverlapQuery extends QueryCommon {
  kind: "overlap";
  shape: ShapeLike;
  at: Vec3Like;
  rotation?: QuatLike;
}
/** The points of shapes nearest to a point. */
export interface ClosestPointQuery extends QueryCommon {
  kind: "closestPoint";
  to: Vec3Like;
  /** m */
  maxDistance: number;
}
export type QueryDefinition = RayQuery | ShapeCastQuery | OverlapQuery | ClosestPointQuery;

const kNoTriangle = 0xffffffff;

function displacement(v: Vec3Like): Triple {
  return "x" in v ? [v.x, v.y, v.z] : [v[0]!, v[1]!, v[2]!];
}

function queryOf(q: QueryDefinition): Query {
  const { category = 1, mask = 0xffffffff, group = 0 } = q.filter ?? {};
  const common = { category: category >>> 0, mask: mask >>> 0, group: group | 0, findSensors: q.findSensors ?? false, ignore: (q.ignore ?? []).map(idOf) };
  const plain = { translation: [0, 0, 0] as Triple, shape: null, rotation: quadruple([0, 0, 0, 1]), maxDistance: 0, mode: q.mode ?? "closest", ...common };
  switch (q.kind) {
    case "ray":
      return { ...plain, kind: "ray", position: position(q.from), translation: displacement(q.translation) };
    case "shapeCast":
      return {
        ...plain,
        kind: "shape_cast",
        position: position(q.from),
        translation: displacement(q.translation),
        shape: shapeOf(q.shape),
        rotation: quadruple(q.rotation ?? [0, 0, 0, 1]),
      };
    case "overlap":
      return {
        ...plain,
        kind: "overlap",
        mode: q.mode ?? "all",
        position: position(q.at),
        shape: shapeOf(q.shape),
        rotation: quadruple(q.rotation ?? [0, 0, 0, 1]),
      };
    case "closestPoint":
      return { ...plain, kind: "closest_point", position: position(q.to), maxDistance: q.maxDistance };
  }
}

/** The questions as the wire has them, or a TaktError that names what may not be asked. */
export function queriesOf(definitions: readonly QueryDefinition[]): Query[] {
  if (definitions.length < 1 || definitions.length > kQueriesPerRequest)
    throw new TaktError("out-of-range", `a request has 1 to ${kQueriesPerRequest} questions, not ${definitions.length}`);
  return definitions.map((definition, i) => {
    const query = queryOf(definition);
    const finding = checkQuery(query);
    if (finding === "not-finite") throw new TaktError("not-finite", `question ${i}: a number is NaN or infinite`);
    if (finding === "out-of-range") throw new TaktError("out-of-range", `question ${i}: a number, shape or list is outside what may be asked`);
    return query;
  });
}

/** The event that tells of a result. */
export function queryDone(result: QueryResult): QueryDone {
  let at = 0;
  const answers = result.answers.map(({ status, found, hitCount, total }): RemoteAnswer => {
    const hits = result.hits.slice(at, at + hitCount).map(({ triangle, ...hit }) => ({ ...hit, triangle: triangle === kNoTriangle ? null : triangle }));
    at += hitCount;
    return { status, found, total, hits };
  });
  return { type: "queryResult", request: result.request, status: result.status, tick: result.tick, answers };
}
