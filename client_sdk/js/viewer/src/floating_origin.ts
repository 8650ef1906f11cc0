// The origin of the drawn scene in the world. World positions are doubles; a graphics card computes in
// binary32, whose resolution at 1,000 km is 6 cm. Everything is therefore drawn relative to an origin near
// the camera, which moves in whole steps. It draws nothing itself.

/** Step of the origin, m: whole squares of the grid, so that the grid does not jump. */
const kStepM = 100;
/** Distance from the camera at which the origin moves, m. At 1 km binary32 resolves 0.1 mm. */
const kReachM = 1000;

export class FloatingOrigin {
  x = 0;
  y = 0;
  z = 0;

  /**
   * Follows the camera's target; call it once a frame. Returns true if the origin moved, after which
   * everything must be drawn again.
   */
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
