// Layout of one BodyState of a Snapshot: 80 bytes, little-endian (schemas/protocol.fbs; structs are frozen).
// Positions are Q31.32: the high word of an axis is whole metres (floor), the low word a fraction in units of
// 2^-32 m. It stores no bodies (track.ts does).

export const kIndexAt = 0; // u32, lower half of the id
export const kGenerationAt = 4; // u32, upper half of the id; 0 = null id
export const kPositionAt = 8; // 3 x i64
export const kRotationAt = 32; // 4 x f32
export const kLinearVelocityAt = 48; // 3 x f32
export const kAngularVelocityAt = 60; // 3 x f32
export const kFlagsAt = 72; // u32

/** Bits of the flags. */
export const kBodyAsleep = 1 << 0;
export const kBodyStatic = 1 << 1;
export const kBodyKinematic = 1 << 2;

/** Cause of a body's motion: forces and contacts; its own velocity alone; none. */
export type Motion = "dynamic" | "kinematic" | "static";

/** Metres per unit of the low word of a Q31.32 number. */
export const kQuantum = 2 ** -32;

/** A Q31.32 number in metres, rounded to the nearest double. */
export function metres(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) + view.getUint32(at, true) * kQuantum;
}

/** Returns true if all ten floats of the record are finite. */
export function isFiniteRecord(view: DataView, record: number): boolean {
  // A sum is finite only if all terms are. Ten binary32 numbers cannot overflow a double.
  let sum = 0;
  for (let at = record + kRotationAt; at < record + kFlagsAt; at += 4) sum += view.getFloat32(at, true);
  return sum - sum === 0;
}
