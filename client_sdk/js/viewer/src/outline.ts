// Shapes as lines: edges of boxes, circles of round shapes. Overlays draw raw snapshots and bounding boxes
// with them.
import type { Body, Shape } from "takt";
import type { LineBatch } from "./line_batch.js";
import { multiply, rotate } from "./rotation.js";

const kCircleSegments = 20;
const offset = [0, 0, 0];
const shapeRotation = [0, 0, 0, 1];
const a = [0, 0, 0];
const b = [0, 0, 0];

/** Adds the body's shapes at another pose. */
export function addOutline(
  lines: LineBatch,
  body: Body,
  position: ArrayLike<number>,
  rotation: ArrayLike<number>,
  red: number,
  green: number,
  blue: number,
): void {
  for (const shape of body.shapes) {
    if (shape.kind === "half_space") continue;
    rotate(rotation, shape.localPosition[0], shape.localPosition[1], shape.localPosition[2], offset);
    multiply(rotation, shape.localRotation, shapeRotation);
    const x = position[0]! + offset[0]!,
      y = position[1]! + offset[1]!,
      z = position[2]! + offset[2]!;
    const line = (x0: number, y0: number, z0: number, x1: number, y1: number, z1: number) => {
      rotate(shapeRotation, x0, y0, z0, a);
      rotate(shapeRotation, x1, y1, z1, b);
      lines.add(x + a[0]!, y + a[1]!, z + a[2]!, x + b[0]!, y + b[1]!, z + b[2]!, red, green, blue);
    };
    addShape(shape, line);
  }
}

type Line = (x0: number, y0: number, z0: number, x1: number, y1: number, z1: number) => void;

function addShape(shape: Shape, line: Line): void {
  const [x, y, z] = shape.dimensions;
  if (shape.kind === "cylinder" || shape.kind === "cone") {
    return addRound(x, y, shape.kind === "cylinder" ? x : 0, line);
  }
  if (shape.kind !== "sphere" && shape.kind !== "capsule") return addBox(-x, -y, -z, x, y, z, line);
  const half = shape.kind === "capsule" ? y : 0;
  for (let i = 0; i < kCircleSegments; ++i) {
    const [s0, c0, s1, c1] = [...circle(i), ...circle(i + 1)].map((value) => value * x) as [
      number,
      number,
      number,
      number,
    ];
    // Circles around the middle (or both ends of a capsule), and two upright ones whose halves are as far
    // apart as the ends.
    if (half > 0) line(c0, half, s0, c1, half, s1);
    line(c0, -half, s0, c1, -half, s1);
    const up = i < kCircleSegments / 2 ? half : -half;
    line(c0, s0 + up, 0, c1, s1 + up, 0);
    line(0, s0 + up, c0, 0, s1 + up, c1);
  }
  if (half === 0) return;
  for (const [cx, cz] of [
    [x, 0],
    [-x, 0],
    [0, x],
    [0, -x],
  ] as const) {
    line(cx, -half, cz, cx, half, cz);
  }
}

/** Adds circles at the bottom and, if it has a radius, at the top, and four lines up the side. */
function addRound(radius: number, half: number, topRadius: number, line: Line): void {
  for (let i = 0; i < kCircleSegments; ++i) {
    const [s0, c0] = circle(i),
      [s1, c1] = circle(i + 1);
    line(c0 * radius, -half, s0 * radius, c1 * radius, -half, s1 * radius);
    if (topRadius > 0) line(c0 * topRadius, half, s0 * topRadius, c1 * topRadius, half, s1 * topRadius);
    if (i % (kCircleSegments / 4) === 0) {
      line(c0 * radius, -half, s0 * radius, c0 * topRadius, half, s0 * topRadius);
    }
  }
}

function circle(i: number): [number, number] {
  const angle = (i / kCircleSegments) * 2 * Math.PI;
  return [Math.sin(angle), Math.cos(angle)];
}

/** Adds the twelve edges of the box between two corners. */
export function addBox(
  x0: number,
  y0: number,
  z0: number,
  x1: number,
  y1: number,
  z1: number,
  line: Line,
): void {
  for (const [y, z] of [
    [y0, z0],
    [y0, z1],
    [y1, z0],
    [y1, z1],
  ] as const) {
    line(x0, y, z, x1, y, z);
  }
  for (const [x, z] of [
    [x0, z0],
    [x0, z1],
    [x1, z0],
    [x1, z1],
  ] as const) {
    line(x, y0, z, x, y1, z);
  }
  for (const [x, y] of [
    [x0, y0],
    [x0, y1],
    [x1, y0],
    [x1, y1],
  ] as const) {
    line(x, y, z0, x, y, z1);
  }
}
