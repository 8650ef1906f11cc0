// Queries, contacts and events of a world, from arguments and to results.
import { between, finite, invalid, oneOf, outOfRange, unitQuaternion, unsigned64 } from "../argument.js";
import { TaktError } from "../error.js";
import type { Quadruple, Triple } from "../message.js";
import type { Reply } from "./reply.js";
import { corrupt, recordAt, triple64At } from "./reply.js";
import type { QueryItem } from "./request.js";
import type { Rows } from "./rows.js";
import { rowsOf } from "./rows.js";
import { statusName } from "./status.js";

/** TAKT_SHAPE_SPHERE and so on; 4 is no shape of a query. */
const kShapes = { sphere: 1, capsule: 2, box: 3, cylinder: 5, cone: 6 } as const;
export type ShapeName = keyof typeof kShapes;
const kShapeNames = Object.keys(kShapes) as ShapeName[];
export const kQueryKinds = { ray: 1, cast: 2, overlap: 3, closest: 4 } as const;
export const kQueryModes = { closest: 1, all: 2 } as const;
const kNoTriangle = 0xffffffff;
const kDistanceMax = 1e7;
/** Tolerance of the squared length: takt.h wants unit quaternions within 1 %. */
export const kUnitTolerance = 0.02;

/** The nearest hit of each of n queries. Rows without a hit are 0, with `fraction` 1. */
export interface Hits {
  /** 1 = something was found. */
  readonly found: Uint8Array;
  readonly body: BigUint64Array;
  /** On the surface, m: n x 3. */
  readonly position: Float64Array;
  /** Unit, outward: n x 3. */
  readonly normal: Float64Array;
  /** Fraction of the translation, [0, 1]. */
  readonly fraction: Float64Array;
  /** Separation, m. */
  readonly distance: Float64Array;
  /** Index in a mesh; 4294967295 = none. */
  readonly triangle: Uint32Array;
}

export interface Overlap {
  /** Index of the position. */
  readonly query: number;
  readonly body: bigint;
  readonly shape: bigint;
  readonly position: Triple;
  readonly normal: Triple;
  /** Separation, m; below 0 the depth. */
  readonly distance: number;
  readonly triangle: number;
}

export interface Contact {
  readonly bodyA: bigint;
  readonly bodyB: bigint;
  readonly position: Triple;
  /** Unit, from a to b. */
  readonly normal: Triple;
  /** Along the normal in the last substep, N s. */
  readonly impulse: number;
  /** m; below 0 the shapes overlap. */
  readonly separation: number;
}

/** By TAKT_EVENT_CONTACT_BEGIN = 1 and so on. */
export const kEventKinds = [
  "unknown",
  "contactBegin",
  "contactEnd",
  "hit",
  "sensorBegin",
  "sensorEnd",
  "quarantined",
  "slept",
  "woken",
  "jointBroken",
] as const;

export interface WorldEvent {
  /** After the step in which it happened. */
  readonly tick: number;
  readonly kind: (typeof kEventKinds)[number];
  /** 0n when the body is gone. */
  readonly bodyA: bigint;
  readonly bodyB: bigint;
  readonly shapeA: bigint;
  readonly shapeB: bigint;
  readonly joint: bigint;
  readonly position: Triple;
  readonly normal: Triple;
  /** N s. */
  readonly impulse: number;
  /** Speed of approach, m/s. */
  readonly speed: number;
}

/** Number and dimensions of a shape: radius; radius, half length; half extents. */
export function shapeParts(field: string, shape: unknown, dimensions: unknown): [number, Triple] {
  const kind = kShapes[oneOf(`${field}: shape`, shape, kShapeNames)];
  const name = `${field}: dimensions`;
  if (typeof dimensions === "number") return [kind, [finite(name, dimensions), 0, 0]];
  const numbers = rowsOf(name, dimensions, 1);
  if (numbers.length > 3) return invalid(name, "1 to 3 numbers", dimensions);
  return [kind, [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0]];
}

export interface QueryParts {
  readonly kind: number;
  readonly mode: number;
  readonly positions: Rows;
  readonly directions?: Rows;
  readonly maxDistance?: number;
  readonly shape?: unknown;
  readonly dimensions?: unknown;
  readonly rotation?: unknown;
  readonly ignore?: unknown;
}

/** Queries at n positions. `field` names the call. */
export function queriesOf(field: string, parts: QueryParts): QueryItem[] {
  const { kind } = parts;
  const hasDirections = kind === kQueryKinds.ray || kind === kQueryKinds.cast;
  const hasShape = kind === kQueryKinds.cast || kind === kQueryKinds.overlap;
  const lists = [rowsOf(`${field}: positions`, parts.positions, 3)];
  if (hasDirections) lists.push(rowsOf(`${field}: directions`, parts.directions, 3));
  const count = Math.max(...lists.map(({ length }) => length / 3));
  const repeated = (rows: Float64Array, name: "positions" | "directions"): Float64Array =>
    rows.length === 3 * count ? rows : rowsOf(`${field}: ${name}`, parts[name], 3, count);
  const positions = repeated(lists[0]!, "positions");
  const directions = hasDirections ? repeated(lists[1]!, "directions") : undefined;
  const { maxDistance: max = 0 } = parts;
  between(`${field}: maxDistance`, max, 0, kDistanceMax);
  const [shape, dimensions] = hasShape ? shapeParts(field, parts.shape, parts.dimensions) : [0, kOrigin];
  const rotation: Quadruple =
    parts.rotation === undefined
      ? [0, 0, 0, 1]
      : unitQuaternion(`${field}: rotation`, parts.rotation, kUnitTolerance);
  const ignore = parts.ignore === undefined ? 0n : idOf(`${field}: ignore`, parts.ignore);
  return Array.from({ length: count }, (_, i) => ({
    kind,
    mode: parts.mode,
    shape,
    flags: 0,
    position: tripleOf(positions, i),
    translation: directions === undefined ? kOrigin : scaled(field, tripleOf(directions, i), max),
    rotation,
    dimensions,
    maxDistance: directions === undefined ? max : 0,
    ignore,
  }));
}

const kOrigin: Triple = [0, 0, 0];

function idOf(field: string, body: unknown): bigint {
  if (typeof body !== "object" || body === null || !("id" in body)) return invalid(field, "a Body", body);
  return unsigned64(field, body.id, "a Body");
}

function tripleOf(rows: Float64Array, i: number): Triple {
  return [rows[3 * i]!, rows[3 * i + 1]!, rows[3 * i + 2]!];
}

function scaled(field: string, [x, y, z]: Triple, distance: number): Triple {
  const length = Math.sqrt(x * x + y * y + z * z);
  if (!(length > 0)) return outOfRange(`${field}: directions`, "directions with a length", [x, y, z]);
  return [(x / length) * distance, (y / length) * distance, (z / length) * distance];
}

/** Throws refused for the first query that the service refused. */
function checkAnswers(reply: Reply): void {
  const answers = reply.records("answers");
  for (let i = 0; i < answers.count; ++i) {
    const status = answers.view.getInt32(recordAt(answers, i, "AnswerItem"), true);
    if (status === 0) continue;
    const text = `query ${i} was refused: a number is out of range or not finite`;
    throw new TaktError("refused", text, statusName(status));
  }
}

/** The nearest hits of `count` queries of the mode closest. */
export function nearestOf(reply: Reply, count: number): Hits {
  checkAnswers(reply);
  const hits: Hits = {
    found: new Uint8Array(count),
    body: new BigUint64Array(count),
    position: new Float64Array(3 * count),
    normal: new Float64Array(3 * count),
    fraction: new Float64Array(count).fill(1),
    distance: new Float64Array(count),
    triangle: new Uint32Array(count).fill(kNoTriangle),
  };
  const records = reply.records("hits");
  const { view } = records;
  for (let i = 0; i < records.count; ++i) {
    const at = recordAt(records, i, "HitItem");
    const query = view.getUint32(at + 84, true);
    if (query >= count) throw corrupt("a hit of no query");
    hits.found[query] = 1;
    hits.body[query] = view.getBigUint64(at, true);
    hits.position.set(triple64At(view, at + 16), 3 * query);
    hits.normal.set(triple64At(view, at + 40), 3 * query);
    hits.fraction[query] = view.getFloat64(at + 64, true);
    hits.distance[query] = view.getFloat64(at + 72, true);
    hits.triangle[query] = view.getUint32(at + 80, true);
  }
  return hits;
}

export function overlapsOf(reply: Reply): Overlap[] {
  checkAnswers(reply);
  const records = reply.records("hits");
  const { view } = records;
  return Array.from({ length: records.count }, (_, i) => {
    const at = recordAt(records, i, "HitItem");
    return {
      query: view.getUint32(at + 84, true),
      body: view.getBigUint64(at, true),
      shape: view.getBigUint64(at + 8, true),
      position: triple64At(view, at + 16),
      normal: triple64At(view, at + 40),
      distance: view.getFloat64(at + 72, true),
      triangle: view.getUint32(at + 80, true),
    };
  });
}

export function contactsOf(reply: Reply): Contact[] {
  const records = reply.records("contacts");
  const { view } = records;
  return Array.from({ length: records.count }, (_, i) => {
    const at = recordAt(records, i, "ContactItem");
    return {
      bodyA: view.getBigUint64(at, true),
      bodyB: view.getBigUint64(at + 8, true),
      position: triple64At(view, at + 16),
      normal: triple64At(view, at + 40),
      impulse: view.getFloat64(at + 64, true),
      separation: view.getFloat64(at + 72, true),
    };
  });
}

export function eventsOf(reply: Reply): WorldEvent[] {
  const records = reply.records("events");
  const { view } = records;
  return Array.from({ length: records.count }, (_, i) => {
    const at = recordAt(records, i, "EventItem");
    return {
      tick: Number(view.getBigUint64(at, true)),
      kind: kEventKinds[view.getUint32(at + 8, true)] ?? "unknown",
      bodyA: view.getBigUint64(at + 16, true),
      bodyB: view.getBigUint64(at + 24, true),
      shapeA: view.getBigUint64(at + 32, true),
      shapeB: view.getBigUint64(at + 40, true),
      joint: view.getBigUint64(at + 48, true),
      position: triple64At(view, at + 56),
      normal: triple64At(view, at + 80),
      impulse: view.getFloat64(at + 104, true),
      speed: view.getFloat64(at + 112, true),
    };
  });
}
