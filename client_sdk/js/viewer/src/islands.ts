// Islands of dynamic bodies, by union-find over contacts. As in the solver, static and kinematic bodies join
// no islands. The server sends its 512 strongest contacts; a larger island may appear as several.
import type { Body, ContactPoint } from "takt";

export class Islands {
  private readonly parents = new Map<number, number>();
  private tick = -1;

  /** Replaces the islands by those of a tick's contacts. `bodies` identifies dynamic bodies. */
  update(tick: number, points: readonly ContactPoint[], bodies: Iterable<Body>): void {
    if (tick === this.tick) return;
    this.tick = tick;
    this.parents.clear();
    const dynamic = new Set<number>();
    for (const body of bodies) if (body.motion === "dynamic") dynamic.add(body.index);
    for (const point of points) {
      const a = indexOf(point.bodyA),
        b = indexOf(point.bodyB);
      if (dynamic.has(a)) this.parents.set(a, this.find(a));
      if (dynamic.has(b)) this.parents.set(b, this.find(b));
      if (dynamic.has(a) && dynamic.has(b)) this.join(a, b);
    }
  }

  /** The minimum body index of the island; undefined for a body without contacts. */
  islandOf(body: Body): number | undefined {
    return this.parents.has(body.index) ? this.find(body.index) : undefined;
  }

  private find(index: number): number {
    let root = index;
    for (
      let parent = this.parents.get(root);
      parent !== undefined && parent !== root;
      parent = this.parents.get(root)
    ) {
      root = parent;
    }
    // Path compression keeps long chains of boxes fast.
    for (let at = index; at !== root;) {
      const next = this.parents.get(at) ?? root;
      this.parents.set(at, root);
      at = next;
    }
    return root;
  }

  private join(a: number, b: number): void {
    const rootA = this.find(a),
      rootB = this.find(b);
    this.parents.set(Math.max(rootA, rootB), Math.min(rootA, rootB));
  }
}

function indexOf(id: bigint): number {
  return Number(id & 0xffffffffn);
}
