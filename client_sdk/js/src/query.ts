// Queries of the server's world: the argument of Client.query(), its conversion to a message, and the
// conversion of a result to an event. The engine defines their results (include/takt/physics/query.h). A
// wrong argument throws a TaktError.
import type { Fields } from "./argument.js";
import { between, boolean, integer, list, object, oneOf, vector3 } from "./argument.js";
import type { BodyLike, QuatLike, ShapeLike, Vec3Like } from "./command.js";
import { idOf, optional, position, quadruple, shapeOf, word32 } from "./command.js";
import { checkQuery } from "./command_check.js";
import { TaktError } from "./error.js";
import type { QueryDone, RemoteAnswer } from "./event.js";
import { kQueriesPerRequest, kQueryIgnoredMax, kQueryLengthMax } from "./limits.js";
import type { Query, QueryResult, Triple } from "./message.js";

/** Fields of every query. */
interface QueryCommon {
  /**
   * "closest": the first hit (default). "all": a hit for each shape, sorted (default of an overlap). "any":
   * no hits.
   */
  mode?: "closest" | "all" | "any" | undefined;
  /** The query finds shapes that collide with a shape of this filter. Default: every shape. */
  filter?: QueryFilter | undefined;
  /** The query finds sensors too. Default false. */
  findSensors?: boolean | undefined;
  /** At most 8 bodies that the query ignores. */
  ignore?: readonly BodyLike[] | undefined;
}
/** Filter of a query, as a shape has it. */
export interface QueryFilter {
  /** Bits, 0 to 2^32 - 1; default 1. */
  category?: number | undefined;
  /** Bits, 0 to 2^32 - 1; default all. */
  mask?: number | undefined;
  /** -2^31 to 2^31 - 1; default 0. */
  group?: number | undefined;
}
/** Shapes on a line. */
export interface RayQuery extends QueryCommon {
  kind: "ray";
  /** m, world. */
  from: Vec3Like;
  /** m, from `from` to the end of the ray; at most 1e7 long. */
  translation: Vec3Like;
}
/** Shapes that a moved shape touches. It does not rotate. */
export interface ShapeCastQuery extends QueryCommon {
  kind: "shapeCast";
  shape: ShapeLike;
  /** m, world. */
  from: Vec3Like;
  /** Default: no rotation. */
  rotation?: QuatLike | undefined;
  /** m, from `from` to the end of the cast; at most 1e7 long. */
  translation: Vec3Like;
}
/** Shapes that touch or overlap a shape. */
export interface OverlapQuery extends QueryCommon {
  kind: "overlap";
  shape: ShapeLike;
  /** m, world. */
  at: Vec3Like;
  /** Default: no rotation. */
  rotation?: QuatLike | undefined;
}
/** The points of shapes closest to a point. */
export interface ClosestPointQuery extends QueryCommon {
  kind: "closestPoint";
  /** m, world. */
  to: Vec3Like;
  /** m, 0 to 1e7. */
  maxDistance: number;
}
export type QueryDefinition = RayQuery | ShapeCastQuery | OverlapQuery | ClosestPointQuery;

const kNoTriangle = 0xffffffff;
const kModes = ["closest", "all", "any"] as const;
const kCommonFields = ["kind", "mode", "filter", "findSensors", "ignore"];
const kKinds = ["ray", "shapeCast", "overlap", "closestPoint"] as const;
const kFieldsOfKind: Readonly<Record<(typeof kKinds)[number], readonly string[]>> = {
  ray: ["from", "translation"],
  shapeCast: ["shape", "from", "rotation", "translation"],
  overlap: ["shape", "at", "rotation"],
  closestPoint: ["to", "maxDistance"],
};
const kAllFields = [...kCommonFields, ...new Set(Object.values(kFieldsOfKind).flat())];

/** Checks the translation of a ray or cast, m. */
function displacement(field: string, value: unknown): Triple {
  const vector = vector3(field, value, kQueryLengthMax);
  const length = Math.hypot(...vector);
  if (length > kQueryLengthMax) {
    throw new TaktError(
      "out-of-range",
      `${field} takes a vector of at most ${kQueryLengthMax} m, not ${length} m`,
    );
  }
  return vector;
}

function filterOf(field: string, value: unknown): Pick<Query, "category" | "mask" | "group"> {
  const { category, mask, group } = object(field, value, ["category", "mask", "group"]);
  return {
    category: optional(category, 1, (bits) => word32(`${field}.category`, bits)),
    mask: optional(mask, 0xffffffff, (bits) => word32(`${field}.mask`, bits)),
    group: optional(group, 0, (number) => integer(`${field}.group`, number, -(2 ** 31), 2 ** 31 - 1)),
  };
}

function ignoredOf(field: string, value: unknown): bigint[] {
  const bodies = list(field, value, `an array of at most ${kQueryIgnoredMax} bodies`);
  if (bodies.length > kQueryIgnoredMax) {
    throw new TaktError(
      "out-of-range",
      `${field} takes at most ${kQueryIgnoredMax} bodies, not ${bodies.length}`,
    );
  }
  return bodies.map((body, i) => idOf(`${field}[${i}]`, body));
}

function queryOf(field: string, question: unknown): Query {
  const { kind: given } = object(field, question, kAllFields);
  const kind = oneOf(`${field}.kind`, given, kKinds);
  const q: Fields = object(field, question, [...kCommonFields, ...kFieldsOfKind[kind]]);
  const plain = {
    ...optional(q.filter, { category: 1, mask: 0xffffffff, group: 0 }, (value) =>
      filterOf(`${field}.filter`, value),
    ),
    mode: optional(q.mode, kind === "overlap" ? "all" : "closest", (mode) =>
      oneOf(`${field}.mode`, mode, kModes),
    ),
    findSensors: optional(q.findSensors, false, (value) => boolean(`${field}.findSensors`, value)),
    ignore: optional(q.ignore, [] as bigint[], (value) => ignoredOf(`${field}.ignore`, value)),
    rotation: optional(q.rotation, [0, 0, 0, 1] as Query["rotation"], (value) =>
      quadruple(`${field}.rotation`, value),
    ),
    translation: [0, 0, 0] as Triple,
    shape: null,
    maxDistance: 0,
  };
  switch (kind) {
    case "ray":
      return {
        ...plain,
        kind: "ray",
        position: position(`${field}.from`, q.from),
        translation: displacement(`${field}.translation`, q.translation),
      };
    case "shapeCast":
      return {
        ...plain,
        kind: "shape_cast",
        position: position(`${field}.from`, q.from),
        translation: displacement(`${field}.translation`, q.translation),
        shape: shapeOf(`${field}.shape`, q.shape),
      };
    case "overlap":
      return {
        ...plain,
        kind: "overlap",
        position: position(`${field}.at`, q.at),
        shape: shapeOf(`${field}.shape`, q.shape),
      };
    case "closestPoint":
      return {
        ...plain,
        kind: "closest_point",
        position: position(`${field}.to`, q.to),
        maxDistance: between(`${field}.maxDistance`, q.maxDistance, 0, kQueryLengthMax),
      };
  }
}

/** The queries as the wire has them. Throws a TaktError that names the field. */
export function queriesOf(definitions: unknown): Query[] {
  const takes = `an array of 1 to ${kQueriesPerRequest} queries`;
  const questions = list("query(): queries", definitions, takes);
  if (questions.length < 1 || questions.length > kQueriesPerRequest) {
    throw new TaktError("out-of-range", `query(): queries takes ${takes}, not ${questions.length}`);
  }
  return questions.map((question, i) => {
    const query = queryOf(`query(): queries[${i}]`, question);
    const { finding, field } = checkQuery(query);
    if (finding === "ok") return query;
    throw new TaktError(finding, `query(): queries[${i}].${field} is outside the accepted range`);
  });
}

/** The event of a result: each answer with its hits. */
export function queryDone(result: QueryResult): QueryDone {
  let at = 0;
  const answers = result.answers.map(({ status: word, found, hitCount, total }, i): RemoteAnswer => {
    const status = ((result.workExceeded >>> i) & 1) !== 0 ? "refused_work" : word;
    const hits = result.hits
      .slice(at, at + hitCount)
      .map(({ triangle, ...hit }) => ({ ...hit, triangle: triangle === kNoTriangle ? null : triangle }));
    at += hitCount;
    return { status, found, total, hits };
  });
  return { type: "queryResult", request: result.request, status: result.status, tick: result.tick, answers };
}
