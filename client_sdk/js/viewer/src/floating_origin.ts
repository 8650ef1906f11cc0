// Where the drawn scene's zero lies in the world. World positions are doubles; a graphics card computes in binary32, which knows 1,000 km to 6 cm only.
// So everything is drawn relative to an origin near the camera that moves in whole steps. It does not know what is drawn.

/** Metres between two places the origin may take: whole grid squares, so that nothing shifts when it moves. */
const kStepM = 100;
/** The origin moves when the camera is further from it than this. At 1 km binary32 still resolves 0.1 mm. */
const kReachM = 1000;

export class FloatingOrigin {
  x = 0;
  y = 0;
  z = 0;

  /** Call once a frame with what the camera looks at. Returns true when the origin moved: whatever was drawn relative to it has to be drawn anew. */
  follow(x: number, y: number, z: number): boolean {
    const isNear =
      Math.abs(x - this.x) <= kReachM && Math.abs(y - this.y) <= kReachM && Math.abs(z - this.z) <= kReachM;
    if (isNear) return false;
    this.x = Math.round(x / kStepM) * kStepM;
    this.y = Math.round(y / kStepM) * kStepM;
    this.z = Math.round(z / kStepM) * kStepM;
    return true;
  }
}
