// Rate of a growing total over the last half second. The time is an argument.

export const kWindowUs = 500_000;

export class RateMeter {
  private beganUs = -1;
  private beganTotal = 0;
  /** Per second; 0 until the first window is over. */
  perS = 0;

  update(nowUs: number, total: number): void {
    if (this.beganUs < 0) {
      this.beganUs = nowUs;
      this.beganTotal = total;
    } else if (nowUs - this.beganUs >= kWindowUs) {
      this.perS = ((total - this.beganTotal) * 1e6) / (nowUs - this.beganUs);
      this.beganUs = nowUs;
      this.beganTotal = total;
    }
  }
}
