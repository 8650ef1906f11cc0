// Contacts and joint frames as a server sends them for inspect(): in parts, some of which may be missing. A set is shown when all its parts are
// here; the newest complete one stays until the next.

interface Part<Item> {
  tick: number;
  total: number;
  part: number;
  partCount: number;
  items: Item[];
}

export interface InspectionSet<Item> {
  tick: number;
  /** of the world at this tick; the set holds the first of them */
  total: number;
  points: Item[];
}

export class Inspection<Item> {
  /** Null until the first complete set. */
  newest: InspectionSet<Item> | null = null;
  private tick = -1;
  private parts: (Item[] | undefined)[] = [];
  private missing = 0;

  handlePart(part: Part<Item>): void {
    if (part.tick < this.tick) return; // overtaken
    if (part.tick > this.tick || this.parts.length !== part.partCount) {
      this.tick = part.tick;
      this.parts = new Array(part.partCount).fill(undefined);
      this.missing = part.partCount;
    }
    if (this.parts[part.part] !== undefined) return;
    this.parts[part.part] = part.items;
    if (--this.missing === 0) this.newest = { tick: part.tick, total: part.total, points: this.parts.flat() as Item[] };
  }

  /** Another world, or nothing wanted any more. */
  clear(): void {
    this.newest = null;
    this.tick = -1;
    this.parts = [];
  }
}
