// Ticks of the last snapshots that arrived whole and left nothing out: what such a snapshot does not name had not changed by then.
const kKept = 256;

export class CompleteTicks {
  private readonly ticks: number[] = []; // ascending

  /** In any order. */
  note(tick: number): void {
    const { ticks } = this;
    let at = ticks.length;
    while (at > 0 && ticks[at - 1]! > tick) --at;
    ticks.splice(at, 0, tick);
    if (ticks.length > kKept) ticks.shift();
  }
  /** 0 = none. */
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
