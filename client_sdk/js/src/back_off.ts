// Waits between attempts to connect. The wait doubles from `firstMs` to `maxMs`; a random factor between 0.5
// and 1 keeps the clients of a restarted server from arriving at once. It draws no randomness itself.

export interface BackOffOptions {
  firstMs: number;
  maxMs: number;
}

export class BackOff {
  attempt = 0;

  constructor(
    private readonly options: BackOffOptions,
    private readonly random: () => number,
  ) {}

  /** Returns the wait before the next attempt, ms, and counts the attempt. */
  nextMs(): number {
    const whole = Math.min(this.options.firstMs * 2 ** Math.min(this.attempt, 30), this.options.maxMs);
    ++this.attempt;
    return whole * (0.5 + 0.5 * this.random());
  }

  /** Resets the wait after a stable session. */
  reset(): void {
    this.attempt = 0;
  }
}
