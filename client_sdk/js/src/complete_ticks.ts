// Ticks of the newest snapshots that arrived complete and omitted nothing. A body that such a snapshot does
// not name had not changed by its tick.
const kKept = 256;

export class CompleteTicks {
  private readonly ticks: number[] = []; // ascending

  /** Adds a tick. Ticks may come in any order. */
  note(tick: number): void {
    const { ticks } = this;
    let at = ticks.length;
    while (at > 0 && ticks[at - 1]! > tick) --at;
    ticks.splice(at, 0, tick);
    if (ticks.length > kKept) ticks.shift();
  }
  /** Returns the newest tick below `tick`; 0 = none. */
  newestBefore(tick: number): number {
    for (let i = this.ticks.length; i-- > 0;) if (this.ticks[i]! < tick) return this.ticks[i]!;
    return 0;
  }
  get newest(): number {
    return this.ticks.at(-1) ?? 0;
  }
  clear(): void {
    this.ticks.length = 0;
  }
}
