// Quaternions (x, y, z, w) and vectors as plain numbers in typed arrays, for the poses of shapes. No function
// allocates. They serve drawing and picking only; the server simulates.

export type Numbers = Float64Array | Float32Array | number[];

/** out = (x, y, z) rotated by q. */
export function rotate(q: ArrayLike<number>, x: number, y: number, z: number, out: Numbers): void {
  const qx = q[0]!,
    qy = q[1]!,
    qz = q[2]!,
    qw = q[3]!;
  const tx = 2 * (qy * z - qz * y);
  const ty = 2 * (qz * x - qx * z);
  const tz = 2 * (qx * y - qy * x);
  out[0] = x + qw * tx + (qy * tz - qz * ty);
  out[1] = y + qw * ty + (qz * tx - qx * tz);
  out[2] = z + qw * tz + (qx * ty - qy * tx);
}

/** out = (x, y, z) rotated by the inverse of q. */
export function rotateBack(q: ArrayLike<number>, x: number, y: number, z: number, out: Numbers): void {
  const qx = -q[0]!,
    qy = -q[1]!,
    qz = -q[2]!,
    qw = q[3]!;
  const tx = 2 * (qy * z - qz * y);
  const ty = 2 * (qz * x - qx * z);
  const tz = 2 * (qx * y - qy * x);
  out[0] = x + qw * tx + (qy * tz - qz * ty);
  out[1] = y + qw * ty + (qz * tx - qx * tz);
  out[2] = z + qw * tz + (qx * ty - qy * tx);
}

/** out = a b: the rotation b followed by a. */
export function multiply(a: ArrayLike<number>, b: ArrayLike<number>, out: Numbers): void {
  const ax = a[0]!,
    ay = a[1]!,
    az = a[2]!,
    aw = a[3]!;
  const bx = b[0]!,
    by = b[1]!,
    bz = b[2]!,
    bw = b[3]!;
  out[0] = aw * bx + ax * bw + ay * bz - az * by;
  out[1] = aw * by + ay * bw + az * bx - ax * bz;
  out[2] = aw * bz + az * bw + ax * by - ay * bx;
  out[3] = aw * bw - ax * bx - ay * by - az * bz;
}

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
