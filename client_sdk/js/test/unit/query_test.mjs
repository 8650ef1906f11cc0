// Queries: checks of their arguments, their message to the server, and the event of their result.
import assert from "node:assert/strict";
import { test } from "node:test";

import { box, cone, sphere } from "../../dist/index.js";
import { limits } from "../../dist/protocol.js";
import { eventsOf, idOf, joined } from "../support/fake_network.mjs";
import { position } from "../support/server_messages.mjs";

test("each kind of question says what was asked, with the engine's defaults", () => {
  const { client, server } = joined();
  const request = client.query([
    { kind: "ray", from: [1, 2, 3], translation: { x: 0, y: -10, z: 0.1 } },
    {
      kind: "shapeCast",
      shape: sphere(0.5),
      from: [0, 5, 0],
      translation: [1, 0, 0],
      mode: "all",
      rotation: [0, 1, 0, 0],
    },
    {
      kind: "overlap",
      shape: box([1, 2, 3]),
      at: [0, 0, 0],
      filter: { mask: 6, group: -2 },
      findSensors: true,
      ignore: [idOf(4)],
    },
    { kind: "closestPoint", to: [1, 1, 1], maxDistance: 0.1, mode: "any", filter: { category: 8 } },
  ]);
  const [message] = server.of("QueryRequest");
  assert.equal(message.request, request);
  const [ray, cast, overlap, closest] = message.queries;
  assert.deepEqual(
    [ray.kind, ray.mode, ray.translation, ray.category, ray.mask, ray.group],
    ["ray", "closest", [0, -10, 0.1], 1, 0xffffffff, 0],
  );
  assert.deepEqual(ray.position, [1n << 32n, 2n << 32n, 3n << 32n]);
  assert.deepEqual(
    [cast.kind, cast.mode, cast.shape.kind, cast.shape.dimensions, cast.rotation],
    ["shape_cast", "all", "sphere", [0.5, 0, 0], [0, 1, 0, 0]],
  );
  assert.deepEqual(
    [overlap.mode, overlap.mask, overlap.group, overlap.findSensors, overlap.ignore],
    ["all", 6, -2, true, [idOf(4)]],
  );
  assert.deepEqual(
    [closest.kind, closest.mode, closest.maxDistance, closest.category],
    ["closest_point", "any", 0.1, 8],
  );
});

test("a query names the tick that was seen", () => {
  const { client, server } = joined();
  client.query([ray]);
  client.query([ray], { atTick: 117 });
  assert.deepEqual(
    server.of("QueryRequest").map(({ atTick }) => atTick),
    [0, 117],
  );
  assert.throws(() => client.query([ray], { atTick: -1 }), { name: "TaktError", code: "out-of-range" });
});

test("a query that needs too much work is told apart", () => {
  const { client, server } = joined();
  const request = client.query([ray, ray]);
  const answers = [{ status: 3 }, { status: 3 }];
  server.deliver(["QueryResult", { request, tick: 123, answers, work_exceeded: 2 }]);
  const [done] = eventsOf(client, "queryResult");
  assert.deepEqual(
    done.answers.map(({ status }) => status),
    ["refused_busy", "refused_work"],
  );
});

test("a full request stays within what a server takes", () => {
  const { client, server } = joined();
  const ignore = Array.from({ length: limits.kQueryIgnoredMax }, (_, i) => idOf(i));
  const question = {
    kind: "shapeCast",
    shape: cone(1, 2),
    from: [1, 2, 3],
    translation: [1, 1, 1],
    rotation: [0, 1, 0, 0],
    filter: { mask: 3, category: 5, group: 7 },
    findSensors: true,
    ignore,
  };
  const before = client.stats().sentBytes;
  client.query(Array(limits.kQueriesPerRequest).fill(question));
  assert.equal(server.of("QueryRequest")[0].queries.length, limits.kQueriesPerRequest);
  assert.ok(
    client.stats().sentBytes - before <= limits.kClientMessageBytesMax + 5,
    `${client.stats().sentBytes - before}`,
  );
});

const ray = { kind: "ray", from: [0, 0, 0], translation: [1, 0, 0] };
for (const [what, questions, code] of [
  ["no question", [], "out-of-range"],
  ["too many", Array(33).fill(ray), "out-of-range"],
  ["a NaN", [{ ...ray, translation: [NaN, 0, 0] }], "not-finite"],
  ["a position that is infinite", [{ ...ray, from: [Infinity, 0, 0] }], "not-finite"],
  ["too long a way", [{ ...ray, translation: [8e6, 8e6, 0] }], "out-of-range"],
  ["a negative distance", [{ kind: "closestPoint", to: [0, 0, 0], maxDistance: -1 }], "out-of-range"],
  [
    "a shape without size",
    [{ kind: "overlap", shape: { kind: "sphere", dimensions: [0, 0, 0] }, at: [0, 0, 0] }],
    "out-of-range",
  ],
  [
    "a shape without corners",
    [{ kind: "overlap", shape: { kind: "hull", dimensions: [1, 1, 1] }, at: [0, 0, 0] }],
    "invalid-argument",
  ],
  [
    "a rotation that is none",
    [{ kind: "overlap", shape: sphere(1), at: [0, 0, 0], rotation: [0, 0, 0, 2] }],
    "out-of-range",
  ],
  ["nine bodies to ignore", [{ ...ray, ignore: Array(9).fill(idOf(1)) }], "out-of-range"],
]) {
  test(`${what} is refused before it is sent`, () => {
    const { client, server } = joined();
    assert.throws(() => client.query(questions), { name: "TaktError", code });
    assert.equal(server.of("QueryRequest").length, 0);
    assert.equal(client.state, "joined");
  });
}

test("an answer becomes an event, its hits with their questions", () => {
  const { client, server } = joined();
  const request = client.query([ray, ray, ray]);
  const hit = (index, more) => ({ body: idOf(index), point: position(1, 2, -3), normal: { y: 1 }, ...more });
  server.deliver([
    "QueryResult",
    {
      request,
      tick: 123,
      answers: [
        { status: 0, found: 1, hit_count: 2, total: 9 },
        { status: 1 },
        { status: 0, found: 1, hit_count: 1, total: 1 },
      ],
      hits: [
        hit(1, { fraction: 0.25, shape: 2, triangle: 0xffffffff }),
        hit(2, { fraction: 0.5, triangle: 17 }),
        hit(3, { distance: -0.5, triangle: 0xffffffff }),
      ],
    },
  ]);
  server.deliver(["QueryResult", { request: request + 1, status: "refused_rate", tick: 124 }]);
  const [done, refused] = eventsOf(client, "queryResult");
  assert.deepEqual([done.request, done.status, done.tick], [request, "answered", 123]);
  assert.deepEqual(
    done.answers.map(({ status, found, total, hits }) => [status, found, total, hits.length]),
    [
      ["answered", true, 9, 2],
      ["refused_invalid", false, 0, 0],
      ["answered", true, 1, 1],
    ],
  );
  assert.deepEqual(done.answers[0].hits[0], {
    body: idOf(1),
    shape: 2,
    point: [1, 2, -3],
    normal: [0, 1, 0],
    fraction: 0.25,
    distance: 0,
    triangle: null,
  });
  assert.deepEqual(
    [done.answers[0].hits[1].triangle, done.answers[2].hits[0].body, done.answers[2].hits[0].distance],
    [17, idOf(3), -0.5],
  );
  assert.deepEqual([refused.status, refused.answers], ["refused_rate", []]);
});

for (const [what, fields] of [
  ["fewer hits than answers count", { answers: [{ found: 1, hit_count: 2, total: 2 }], hits: [{}] }],
  ["more hits than answers count", { answers: [{ found: 1 }], hits: [{}] }],
  ["more hits than there are", { answers: [{ found: 1, hit_count: 1, total: 0 }], hits: [{}] }],
  ["an unknown status", { answers: [{ status: 5 }] }],
  ["a fraction that is NaN", { answers: [{ found: 1, hit_count: 1, total: 1 }], hits: [{ fraction: NaN }] }],
  ["33 answers", { answers: Array(33).fill({}) }],
]) {
  test(`a result with ${what} ends the session with a typed error`, () => {
    const { client, server } = joined();
    server.deliver(["QueryResult", { request: 1, tick: 1, ...fields }]);
    assert.equal(eventsOf(client, "error")[0].error.code, "corrupt-message");
    assert.notEqual(client.state, "joined");
  });
}
