// Rotations of vectors by quaternions (x, y, z, w) as plain numbers in arrays, for the poses of shapes. No
// function allocates or checks its arguments.

export type Numbers = Float64Array | Float32Array | number[];

/** out = (x, y, z) rotated by q. */
export function rotate(q: ArrayLike<number>, x: number, y: number, z: number, out: Numbers): void {
  rotateWith(q, 1, x, y, z, out);
}

/** out = (x, y, z) rotated by the inverse of q. */
export function rotateBack(q: ArrayLike<number>, x: number, y: number, z: number, out: Numbers): void {
  rotateWith(q, -1, x, y, z, out);
}

// `sense` is 1, or -1 for the inverse of q.
function rotateWith(
  q: ArrayLike<number>,
  sense: 1 | -1,
  x: number,
  y: number,
  z: number,
  out: Numbers,
): void {
  const qx = sense * q[0]!,
    qy = sense * q[1]!,
    qz = sense * q[2]!,
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
