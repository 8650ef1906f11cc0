// What the wire says of a body in bits, in words (schemas/protocol.fbs: BodyState.flags).
import type { Body } from "takt";

const kFlagStatic = 1 << 1;
const kFlagKinematic = 1 << 2;

export function isStatic(body: Body): boolean {
  return (body.flags & kFlagStatic) !== 0;
}

export function isKinematic(body: Body): boolean {
  return (body.flags & kFlagKinematic) !== 0;
}

/** True for a body that forces move: one that can be grabbed and pushed. */
export function isDynamic(body: Body): boolean {
  return (body.flags & (kFlagStatic | kFlagKinematic)) === 0;
}
