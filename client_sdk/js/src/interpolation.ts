// Interpolation between two poses. Positions are subtracted as Q31.32 before they become Numbers, so there is
// no jitter far from the origin and both ends are exact. Rotations use nlerp along the shorter arc, or slerp
// where nlerp's uneven speed would be visible. Same rules as client_sdk/cpp/interpolation.h. It does not
// extrapolate.
import { kQuantum } from "./body_state.js";

/** Cosine of half the angle (36 degrees apart) above which nlerp is within 0.2 % of the angle of slerp. */
const kNlerpCosine = 0.95;

export function clampFraction(fraction: number): number {
  return fraction > 0 ? Math.min(fraction, 1) : 0;
}

/**
 * Interpolates one axis in metres. High words are whole metres, low words 2^-32 m. Exact at both ends;
 * `fraction` in [0, 1].
 */
export function interpolateAxis(
  fromHigh: number,
  fromLow: number,
  toHigh: number,
  toLow: number,
  fraction: number,
): number {
  if (fraction >= 1) return toHigh + toLow * kQuantum;
  // Both differences are exact, and so is their sum below 2^21 m.
  const difference = (toHigh - fromHigh) * 4294967296 + (toLow - fromLow);
  return fromHigh + (fromLow + difference * fraction) * kQuantum;
}

/**
 * Interpolates two unit quaternions at `from` and `to` in `numbers`. The result is a unit quaternion;
 * identity if both are unusable.
 */
export function interpolateRotation(
  numbers: ArrayLike<number>,
  from: number,
  to: number,
  fraction: number,
  out: Float32Array,
): void {
  const ax = numbers[from]!,
    ay = numbers[from + 1]!,
    az = numbers[from + 2]!,
    aw = numbers[from + 3]!;
  const bx = numbers[to]!,
    by = numbers[to + 1]!,
    bz = numbers[to + 2]!,
    bw = numbers[to + 3]!;
  let cosine = ax * bx + ay * by + az * bz + aw * bw;
  let a = 1 - fraction;
  let b = fraction;
  const sign = cosine < 0 ? -1 : 1; // q and -q are the same rotation; use the nearer one
  cosine = Math.min(cosine * sign, 1);
  if (cosine < kNlerpCosine) {
    const angle = Math.acos(cosine);
    a = Math.sin(a * angle);
    b = Math.sin(b * angle);
  }
  b *= sign;
  const x = a * ax + b * bx,
    y = a * ay + b * by,
    z = a * az + b * bz,
    w = a * aw + b * bw;
  const norm = Math.sqrt(x * x + y * y + z * z + w * w);
  if (!(norm > 0)) {
    out[0] = out[1] = out[2] = 0;
    out[3] = 1;
    return;
  }
  out[0] = x / norm;
  out[1] = y / norm;
  out[2] = z / norm;
  out[3] = w / norm;
}
