// Readers of queries and their results. Only tools and tests read a QueryRequest. Same rules as
// protocol/messages/query_message_reader.cpp: the reader checks counts of a request, the server its values.
import { metres } from "./body_state.js";
import * as limits from "./limits.js";
import type { Message, Query, QueryAnswer, QueryHit, Shape } from "./message.js";
import { kEnums, kStructBytes } from "./schema.js";
import { Table, named, positionAt, refuse, shapeAt } from "./table_reader.js";

function doubles(view: DataView, at: number): [number, number, number] {
  return [view.getFloat64(at, true), view.getFloat64(at + 8, true), view.getFloat64(at + 16, true)];
}

const kNoShape: Shape = {
  kind: "sphere",
  dimensions: [0, 0, 0],
  localPosition: [0, 0, 0],
  localRotation: [0, 0, 0, 1],
  rounding: 0,
  geometry: 0n,
};

function readQuery(t: Table): Query {
  const at = t.struct("position"),
    translation = t.struct("translation"),
    shape = t.struct("shape");
  const ignored = t.records("ignore");
  if (ignored.count > limits.kQueryIgnoredMax) refuse("out_of_range");
  return {
    kind: kEnums.QueryKind[t.u8("kind")] ?? "none",
    mode: kEnums.QueryMode[t.u8("mode")] ?? "none",
    position: at === 0 ? [0n, 0n, 0n] : positionAt(t.view, at),
    translation: translation === 0 ? [0, 0, 0] : doubles(t.view, translation),
    // The server refuses an unknown kind like a half-space.
    shape:
      shape === 0
        ? kNoShape
        : shapeAt(t.view, shape, kEnums.ShapeKind[t.view.getUint8(shape)] ?? "half_space"),
    rotation: t.quadruple("rotation"),
    maxDistance: t.f64("max_distance"),
    category: t.u32("category", 1),
    mask: t.u32("mask", 0xffffffff),
    group: t.i32("group"),
    findSensors: t.bool("find_sensors"),
    ignore: Array.from({ length: ignored.count }, (_, i) =>
      ignored.view.getBigUint64(ignored.offset + 8 * i, true),
    ),
  };
}

export function readQueryRequest(t: Table): Message {
  const vector = t.reference("queries");
  if (vector === 0) refuse("missing_field");
  const count = t.buffer.count(vector);
  if (count < 1 || count > limits.kQueriesPerRequest) refuse("out_of_range");
  const queries: Query[] = [];
  for (let i = 0; i < count; ++i) {
    queries.push(readQuery(new Table(t.buffer, t.buffer.element(vector, i), "Query")));
  }
  return { type: "QueryRequest", request: t.u32("request"), queries, atTick: t.tick("at_tick") };
}

export function readQueryResult(t: Table): Message {
  const status = t.oneOf("status", kEnums.QueryStatus);
  const records = t.records("answers");
  if (records.count > limits.kQueriesPerRequest) refuse("out_of_range");
  const answers: QueryAnswer[] = [];
  let expected = 0;
  for (let i = 0, at = records.offset; i < records.count; ++i, at += kStructBytes.QueryAnswer) {
    const hitCount = records.view.getUint32(at + 4, true),
      total = records.view.getUint32(at + 8, true);
    const one = named(records.view.getUint8(at), kEnums.QueryStatus);
    if (hitCount > limits.kQueryHitsMax || total < hitCount) refuse("out_of_range");
    expected += hitCount;
    answers.push({ status: one, found: records.view.getUint8(at + 1) !== 0, hitCount, total });
  }
  const { view, offset, count } = t.records("hits");
  if (count !== expected || count > limits.kQueryHitsMax) refuse("out_of_range");
  const tick = t.tick("tick");
  const hits: QueryHit[] = [];
  for (let i = 0, at = offset; i < count; ++i, at += kStructBytes.QueryHit) {
    const normal = doubles(view, at + 32);
    const fraction = view.getFloat64(at + 56, true),
      distance = view.getFloat64(at + 64, true);
    for (const value of [...normal, fraction, distance]) if (!Number.isFinite(value)) refuse("not_finite");
    hits.push({
      body: view.getBigUint64(at, true),
      point: [metres(view, at + 8), metres(view, at + 16), metres(view, at + 24)],
      normal,
      fraction,
      distance,
      shape: view.getUint32(at + 72, true),
      triangle: view.getUint32(at + 76, true),
    });
  }
  return {
    type: "QueryResult",
    request: t.u32("request"),
    status,
    tick,
    answers,
    hits,
    workExceeded: t.u32("work_exceeded"),
  };
}
