// sidesOfLand() makes the sides of a height field's land, from the field's border down to a plane below its
// lowest sample. A field is a surface without a thickness; with sides it is seen as ground from any angle.
// The sides are a picture only: no body touches them.
import type { HeightFieldGeometry } from "takt";

/** Depth of the land below the lowest sample, by the longer side of the field. */
const kDepthFraction = 0.02;

/** Depth of the land of a field with these sides below its lowest sample; all in m. */
export function depthOfLand(width: number, length: number): number {
  return kDepthFraction * Math.max(width, length);
}

/** Triangles in the field's own frame: nine coordinates each, and a normal at each corner. */
export interface LandSides {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
}

export function sidesOfLand(field: HeightFieldGeometry): LandSides {
  const { rows, columns, spacingX, spacingZ, heights } = field;
  const width = (columns - 1) * spacingX,
    length = (rows - 1) * spacingZ;
  const bottom =
    heights.reduce((low, height) => Math.min(low, height), Infinity) - depthOfLand(width, length);
  const positions: number[] = [];
  const normals: number[] = [];
  const cornerOf = (row: number, column: number) =>
    [
      column * spacingX - 0.5 * width,
      heights[row * columns + column]!,
      row * spacingZ - 0.5 * length,
    ] as const;
  // Each side runs so that the land is on its left: then the triangles face outwards.
  const addSide = (count: number, at: (i: number) => readonly [number, number, number], normal: number[]) => {
    for (let i = 0; i + 1 < count; ++i) {
      const [ax, ay, az] = at(i),
        [bx, by, bz] = at(i + 1);
      positions.push(ax, bottom, az, bx, bottom, bz, bx, by, bz, ax, bottom, az, bx, by, bz, ax, ay, az);
      for (let corner = 0; corner < 6; ++corner) normals.push(...normal);
    }
  };
  addSide(columns, (i) => cornerOf(rows - 1, i), [0, 0, 1]);
  addSide(rows, (i) => cornerOf(rows - 1 - i, columns - 1), [1, 0, 0]);
  addSide(columns, (i) => cornerOf(0, columns - 1 - i), [0, 0, -1]);
  addSide(rows, (i) => cornerOf(i, 0), [-1, 0, 0]);
  return { positions: new Float32Array(positions), normals: new Float32Array(normals) };
}
