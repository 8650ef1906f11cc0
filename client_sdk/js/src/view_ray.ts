// Rays through points of a view, from the view-projection matrix of any renderer, in doubles.
import { finite, invalid, outOfRange } from "./argument.js";
import type { Triple } from "./message.js";
import type { Ray } from "./ray_cast.js";

/**
 * The ray through a point of the view. `viewProjection`: projection times view, 16 numbers, column-major, as
 * three.js and WebGL have it; any depth range, perspective or orthographic. `x`, `y`: from -1 (left, bottom)
 * to 1 (right, top). The origin is the eye, or with an orthographic matrix a point of the near plane. Throws
 * invalid-argument, not-finite, out-of-range.
 *
 * Matrices in binary32 far from the origin are inexact: pass one without the eye's translation, and add the
 * eye to the result's origin.
 */
export function viewRay(viewProjection: ArrayLike<number>, x: number, y: number): Ray {
  const inverse = inverseOf(checkedMatrix(viewProjection));
  finite("viewRay(): x", x);
  finite("viewRay(): y", y);
  // Two depths inside every usual range, [-1, 1] or [0, 1], forward or reversed.
  const one = transform(inverse, x, y, 0.25, 1);
  const other = transform(inverse, x, y, 0.75, 1);
  // The inverse of a point's w is its clip w, the distance along the view; an orthographic view has 1.
  const isPerspective = Math.abs(one[3] - other[3]) > 1e-9 * (Math.abs(one[3]) + Math.abs(other[3]));
  const isReversed = isPerspective && one[3] < other[3];
  const [near, far] = isReversed ? [other, one] : [one, other];
  const direction = [0, 1, 2].map((axis) => far[axis]! / far[3] - near[axis]! / near[3]) as Triple;
  const length = Math.hypot(...direction);
  if (!(length > 0 && length < Infinity)) singular(viewProjection);
  const eye = isPerspective ? transform(inverse, 0, 0, 1, 0) : transform(inverse, x, y, -1, 1);
  return {
    origin: [eye[0] / eye[3], eye[1] / eye[3], eye[2] / eye[3]],
    direction: [direction[0] / length, direction[1] / length, direction[2] / length],
  };
}

type Vector4 = [number, number, number, number];

const kTakesMatrix = "16 numbers, the column-major product of projection and view";

function checkedMatrix(matrix: unknown): number[] {
  const isList = Array.isArray(matrix) || (ArrayBuffer.isView(matrix) && !(matrix instanceof DataView));
  if (!isList || (matrix as ArrayLike<unknown>).length !== 16) {
    return invalid("viewRay(): viewProjection", kTakesMatrix, matrix);
  }
  return Array.from(matrix as ArrayLike<unknown>, (value, i) =>
    finite(`viewRay(): viewProjection[${i}]`, value),
  );
}

function singular(matrix: unknown): never {
  return outOfRange("viewRay(): viewProjection", `${kTakesMatrix} with an inverse`, matrix);
}

function transform(m: readonly number[], x: number, y: number, z: number, w: number): Vector4 {
  return [0, 1, 2, 3].map(
    (row) => m[row]! * x + m[4 + row]! * y + m[8 + row]! * z + m[12 + row]! * w,
  ) as Vector4;
}

/** Gauss-Jordan elimination with pivots. */
function inverseOf(matrix: readonly number[]): number[] {
  const rows = [0, 1, 2, 3].map((row) => [
    ...[0, 1, 2, 3].map((column) => matrix[4 * column + row]!),
    ...[0, 1, 2, 3].map((column) => (column === row ? 1 : 0)),
  ]);
  for (let column = 0; column < 4; ++column) {
    let pivot = column;
    for (let row = column + 1; row < 4; ++row) {
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row;
    }
    const found = rows[pivot]!;
    if (found[column] === 0) singular(matrix);
    rows[pivot] = rows[column]!;
    const scale = 1 / found[column]!;
    rows[column] = found.map((value) => value * scale);
    for (let row = 0; row < 4; ++row) {
      const factor = rows[row]![column]!;
      if (row === column || factor === 0) continue;
      rows[row] = rows[row]!.map((value, i) => value - factor * rows[column]![i]!);
    }
  }
  return Array.from({ length: 16 }, (_, i) => rows[i % 4]![4 + Math.floor(i / 4)]!);
}
