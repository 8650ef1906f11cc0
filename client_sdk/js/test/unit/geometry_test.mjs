// Geometry in a session: slices become the geometry of Client.geometry(), and inconsistent slices end the
// session with a typed error. golden_test.mjs compares the layout with C++.
import assert from "node:assert/strict";
import { test } from "node:test";

import { limits } from "../../dist/protocol.js";
import { eventsOf, idOf, joined } from "../support/fake_network.mjs";
import { sourceText } from "../support/source_tree.mjs";

const golden = JSON.parse(sourceText("schemas/golden/geometries.json"));
const roof = golden.mesh_roof;

/** A flat height field of rows x columns. */
function fieldBytes(rows, columns) {
  const view = new DataView(new ArrayBuffer(20 + 4 * rows * columns));
  [rows, columns, 0].forEach((value, i) => view.setUint32(4 * i, value, true));
  [1, 1].forEach((value, i) => view.setFloat32(12 + 4 * i, value, true));
  return new Uint8Array(view.buffer);
}
function slices(digest, kind, bytes) {
  const out = [];
  for (let at = 0; at < bytes.length; at += limits.kGeometrySliceBytes) {
    const part = [...bytes.slice(at, at + limits.kGeometrySliceBytes)];
    out.push(["Geometry", { digest, kind, total_bytes: bytes.length, offset: at, bytes: part }]);
  }
  return out;
}

test("a geometry is there before the body that names it, and gone with its world", () => {
  const { client, server, network } = joined();
  assert.equal(client.geometry(7n), undefined);
  server.deliver(["RoomState", { epoch: 1, tick: 100, tick_rate_hz: 60 }], ...slices(7n, "mesh", roof.bytes));
  const shape = { kind: 7, dimensions: { x: 2, y: 0.5, z: 2 }, local_rotation: { w: 1 }, geometry: 7n };
  server.deliver(["BodiesAdded", { tick: 100, bodies: [{ id: idOf(1), shapes: [shape] }] }]);
  const geometry = client.geometry(7n);
  assert.equal(geometry.kind, "mesh");
  assert.deepEqual([...geometry.vertices], roof.vertices);
  assert.equal(client.geometry(7n), geometry, "the same object every time");
  server.deliver(["RoomState", { epoch: 2, tick: 0, tick_rate_hz: 60 }]);
  assert.equal(client.geometry(7n), undefined);
  server.deliver(...slices(7n, "mesh", roof.bytes));
  assert.ok(client.geometry(7n), "another epoch may send it again");
  network.pass(client, 32);
  assert.equal(client.state, "joined");
});

test("a geometry of many slices is put together, with other messages in between", () => {
  const { client, server } = joined();
  const [first, ...rest] = slices(9n, "height_field", fieldBytes(200, 200));
  assert.ok(rest.length >= 4);
  server.deliver(first, ["KeepAlive", {}]);
  for (const slice of rest) {
    assert.equal(client.geometry(9n), undefined);
    server.deliver(slice, ["GameEvent", { tick: 1, bytes: [1] }]);
  }
  const field = client.geometry(9n);
  assert.deepEqual(
    [field.rows, field.columns, field.heights.length, field.holes.length],
    [200, 200, 40000, 0],
  );
});

const large = slices(9n, "height_field", fieldBytes(200, 200));
const kBad = [
  ["a slice without the first", [large[1]]],
  ["a slice twice", [large[0], large[0]]],
  ["a slice left out", [large[0], large[2]]],
  ["another digest in the middle", [large[0], ["Geometry", { ...large[1][1], digest: 8n }]]],
  ["another kind in the middle", [large[0], ["Geometry", { ...large[1][1], kind: "mesh" }]]],
  ["an empty slice", [large[0], ["Geometry", { ...large[1][1], bytes: [] }]]],
  ["a geometry that does not decode", slices(7n, "hull", roof.bytes)],
  ["a geometry twice in an epoch", [...slices(7n, "mesh", roof.bytes), ...slices(7n, "mesh", roof.bytes)]],
  ["digest 0", slices(0n, "mesh", roof.bytes)],
  [
    "more than a geometry may have",
    [["Geometry", { digest: 1n, kind: "mesh", total_bytes: limits.kGeometryBytesMax + 1, bytes: [1] }]],
  ],
  [
    "more than was announced",
    [["Geometry", { digest: 1n, kind: "mesh", total_bytes: 10, offset: 8, bytes: [1, 2, 3] }]],
  ],
];
for (const [what, messages] of kBad) {
  test(`${what} ends the session with a typed error`, () => {
    const { client, server } = joined();
    for (const message of messages) server.deliver(message);
    const errors = eventsOf(client, "error");
    assert.equal(errors.length, 1);
    assert.equal(errors[0].error.code, "corrupt-message");
    assert.equal(server.of("Disconnect").length, 1, "the server is told");
    assert.notEqual(client.state, "joined");
  });
}

test("all geometry of an epoch has a limit", () => {
  const { client, server } = joined();
  const bytes = fieldBytes(1024, 1000);
  const fit = Math.floor(limits.kGeometryTotalBytesMax / bytes.length);
  for (let i = 1; i <= fit; ++i) server.deliver(...slices(BigInt(i), "height_field", bytes));
  assert.equal(client.state, "joined");
  assert.ok(client.geometry(BigInt(fit)));
  server.deliver(slices(BigInt(fit + 1), "height_field", bytes)[0]);
  assert.notEqual(client.state, "joined");
});
