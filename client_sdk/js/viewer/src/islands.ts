// Which bodies hang together: union-find over the contacts between bodies that forces move. Static and kinematic bodies join nobody, as in the solver.
// It sees the contacts that the server sends, the 512 strongest; beyond that, an island may show as several.
import type { Body, ContactPoint } from "takt";

export class Islands {
  private readonly parents = new Map<number, number>();
  private tick = -1;

  /** Takes the contacts of a tick, once. `bodies` tells who is dynamic. */
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

  /** The lowest body index of the island; undefined for a body that touches nothing. */
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
    // The path is shortened, so that long chains of boxes stay quick.
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
