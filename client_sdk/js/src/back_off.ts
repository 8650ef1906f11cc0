// How long to wait before the next attempt: doubling from `firstMs` to `maxMs`, each time a random share between half and all of it, so that the
// clients of a restarted server do not all come at once. It draws no randomness itself.

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

  /** The wait before the next attempt, in milliseconds; counts it. */
  nextMs(): number {
    const whole = Math.min(this.options.firstMs * 2 ** Math.min(this.attempt, 30), this.options.maxMs);
    ++this.attempt;
    return whole * (0.5 + 0.5 * this.random());
  }

  /** A session held: the next failure begins anew. */
  reset(): void {
    this.attempt = 0;
  }
}
