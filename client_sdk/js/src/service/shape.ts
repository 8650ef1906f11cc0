// Shape is a shape of a body, by its id. It has no state of its own.
import { unsigned64 } from "../argument.js";
import type { ShapeChange } from "./definitions.js";
import { shapeChangeFields } from "./definitions.js";
import type { World } from "./world.js";

export class Shape {
  readonly world: World;
  readonly id: bigint;

  constructor(world: World, id: bigint) {
    this.world = world;
    this.id = unsigned64("Shape(): id", id);
  }

  /** Changes the shape from the next step on. */
  change(change: ShapeChange): Promise<void> {
    return this.world.edit("ChangeShape", () => ({ shape: this.id, ...shapeChangeFields(change) }));
  }
}
