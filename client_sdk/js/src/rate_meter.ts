// A growing total as a rate over the last half second. Time comes in as an argument.

export const kWindowUs = 500_000;

export class RateMeter {
  private began_us = -1;
  private began_total = 0;
  /** 0 until the first window is over. */
  per_s = 0;

  update(now_us: number, total: number): void {
    if (this.began_us < 0) {
      this.began_us = now_us;
      this.began_total = total;
    } else if (now_us - this.began_us >= kWindowUs) {
      this.per_s = ((total - this.began_total) * 1e6) / (now_us - this.began_us);
      this.began_us = now_us;
      this.began_total = total;
    }
  }
}
