// Rotations and matrices of drawn shapes, beside the SDK's rotations. No function allocates.
import type { Numbers } from "takt/drawing";

export { multiply, rotate, rotateBack } from "takt/drawing";

/** out = the shortest rotation from +y to the unit vector (x, y, z). */
export function fromUpTo(x: number, y: number, z: number, out: Numbers): void {
  if (y < -0.999999) {
    out[0] = 1;
    out[1] = out[2] = out[3] = 0;
    return;
  }
  const w = 1 + y;
  const scale = 1 / Math.hypot(z, x, w);
  out[0] = z * scale;
  out[1] = 0;
  out[2] = -x * scale;
  out[3] = w * scale;
}

/** A column-major 4 x 4 matrix at out[offset]: scale, then rotation, then translation. */
export function writeMatrix(
  out: Float32Array,
  offset: number,
  q: ArrayLike<number>,
  px: number,
  py: number,
  pz: number,
  sx: number,
  sy: number,
  sz: number,
): void {
  const x = q[0]!,
    y = q[1]!,
    z = q[2]!,
    w = q[3]!;
  const x2 = x + x,
    y2 = y + y,
    z2 = z + z;
  const xx = x * x2,
    xy = x * y2,
    xz = x * z2,
    yy = y * y2,
    yz = y * z2,
    zz = z * z2,
    wx = w * x2,
    wy = w * y2,
    wz = w * z2;
  out[offset] = (1 - (yy + zz)) * sx;
  out[offset + 1] = (xy + wz) * sx;
  out[offset + 2] = (xz - wy) * sx;
  out[offset + 3] = 0;
  out[offset + 4] = (xy - wz) * sy;
  out[offset + 5] = (1 - (xx + zz)) * sy;
  out[offset + 6] = (yz + wx) * sy;
  out[offset + 7] = 0;
  out[offset + 8] = (xz + wy) * sz;
  out[offset + 9] = (yz - wx) * sz;
  out[offset + 10] = (1 - (xx + yy)) * sz;
  out[offset + 11] = 0;
  out[offset + 12] = px;
  out[offset + 13] = py;
  out[offset + 14] = pz;
  out[offset + 15] = 1;
}
