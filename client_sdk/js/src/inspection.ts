// Sets of contacts and joint frames, which inspect() requests. The server sends a set in parts, and parts may
// be lost. A set is complete once all its parts have arrived; the newest complete set stays until the next
// one.

/** Data beside bodies that the server sends; absent = no. */
export interface InspectOptions {
  contacts?: boolean | undefined;
  joints?: boolean | undefined;
  ropes?: boolean | undefined;
}

interface Part<Item> {
  tick: number;
  total: number;
  part: number;
  partCount: number;
  items: Item[];
}

/** Items of the world at a tick. */
export interface InspectionSet<Item> {
  tick: number;
  /** Items in the world; `items` has the first of them. */
  total: number;
  items: Item[];
}

/** The newest complete set, collected from parts. */
export class Inspection<Item> {
  /** Null until the first complete set. */
  newest: InspectionSet<Item> | null = null;
  private tick = -1;
  private parts: (Item[] | undefined)[] = [];
  private missing = 0;

  handlePart(part: Part<Item>): void {
    if (part.tick < this.tick) return; // a newer set has begun
    if (part.tick > this.tick || this.parts.length !== part.partCount) {
      this.tick = part.tick;
      this.parts = Array.from({ length: part.partCount }, () => undefined);
      this.missing = part.partCount;
    }
    if (this.parts[part.part] !== undefined) return;
    this.parts[part.part] = part.items;
    if (--this.missing === 0) {
      this.newest = { tick: part.tick, total: part.total, items: this.parts.flat() as Item[] };
    }
  }

  /** Call it when the world was replaced, or inspection was switched off. */
  clear(): void {
    this.newest = null;
    this.tick = -1;
    this.parts = [];
  }
}
