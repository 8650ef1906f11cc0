// Hulls, meshes and height fields of the real server over both transports: Client.geometry() returns the
// scene's.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { LiveClient } from "../support/live_client.mjs";
import { serve } from "../support/takt_program.mjs";

const kHull = {
  hull: {
    points: [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
    rounding: 0.1,
  },
};
const kScene = {
  bodies: [
    { type: "static", shapes: [{ half_space: {} }] },
    {
      type: "static",
      shapes: [
        {
          mesh: {
            vertices: [
              [-2, 0, -2],
              [-2, 0, 2],
              [4, 1, -2],
            ],
            triangles: [[0, 1, 2]],
            one_sided: true,
          },
        },
      ],
    },
    {
      type: "static",
      shapes: [
        {
          height_field: {
            rows: 3,
            columns: 2,
            spacing_x: 5,
            spacing_z: 2,
            heights: [0, 1, 2, 3, 4, 6],
            holes: [0, 1],
          },
        },
      ],
    },
    { position: [9, 1, 0], shapes: [kHull] },
    { position: [12, 1, 0], shapes: [kHull] },
  ],
};

test("geometry comes as the scene has it, before the bodies, by TCP and by web socket", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "takt-geometry-")), "shapes.json");
  writeFileSync(path, JSON.stringify(kScene));
  const server = await serve(path);
  for (const url of [server.tcpUrl, server.wsUrl]) {
    const live = new LiveClient(url);
    await live.until("bodies", () => live.client.bodies().length === 5);
    const shapes = live.client.bodies().map(({ shapes: [shape] }) => shape);
    assert.deepEqual(
      shapes.map(({ kind }) => kind),
      ["half_space", "mesh", "height_field", "hull", "hull"],
    );
    const [floor, mesh, field, hull, other] = shapes;
    assert.equal(floor.geometry, 0n);
    assert.equal(hull.geometry, other.geometry, "equal geometry is one");
    assert.deepEqual(
      [mesh.dimensions, mesh.localPosition],
      [
        [3, 0.5, 2],
        [1, 0.5, 0],
      ],
    );
    const triangle = live.client.geometry(mesh.geometry);
    assert.deepEqual(
      [[...triangle.vertices], [...triangle.indices], triangle.oneSided],
      [[-3, -0.5, -2, -3, -0.5, 2, 3, 0.5, -2], [0, 1, 2], true],
    );
    const ground = live.client.geometry(field.geometry);
    assert.deepEqual([ground.rows, ground.columns, ground.spacingX, ground.spacingZ], [3, 2, 5, 2]);
    assert.deepEqual(
      [[...ground.heights], [...ground.holes]],
      [
        [-3, -2, -1, 0, 1, 3],
        [0, 1],
      ],
    );
    assert.deepEqual(field.localPosition, [2.5, 3, 2]);
    const corners = live.client.geometry(hull.geometry);
    assert.deepEqual(
      [corners.vertices.length, [...corners.faceSizes], corners.indices.length],
      [12, [3, 3, 3, 3], 12],
    );
    assert.equal(hull.rounding, Math.fround(0.1));
    live.close();
  }
  await server.stop();
});
