// Draws the world's bodies: adds each shape to the pool of its kind, relative to the floating origin, in its
// body's colour. It also computes the bounds of all bodies, for camera and shadows. It chooses neither camera
// nor light and changes no body.
import type { Object3D } from "three";
import type { Body, Shape } from "takt";
import { colourOf, dimmed, kKinematicColour, kStaticColour } from "./body_colour.js";
import type { Rgb } from "./body_colour.js";
import { Bounds } from "./bounds.js";
import type { FloatingOrigin } from "./floating_origin.js";
import { GeometryPools } from "./geometry_pools.js";
import type { GeometryOf } from "takt/drawing";
import { Ground } from "./ground.js";
import { multiply, rotate, writeMatrix } from "./rotation.js";
import {
  boxGeometry,
  capsuleGeometry,
  coneGeometry,
  cylinderGeometry,
  sphereGeometry,
  standInGeometry,
  stoneGeometry,
} from "./shape_geometry.js";
import type { Sun } from "./sun.js";
import { shapeMaterials } from "./shape_material.js";
import { ShapePool } from "./shape_pool.js";

/** Colours of a body between frames, by body index. A body of another generation replaces them. */
interface BodyColours {
  id: bigint;
  awake: Rgb;
  asleep: Rgb;
  isFixed: boolean;
}

const kGeometryKinds: ReadonlySet<string> = new Set(["hull", "mesh", "height_field"]);

export interface PaintOptions {
  origin: FloatingOrigin;
  /** The camera's target, m, world; the ground reaches `groundRadius` around it. */
  focus: ArrayLike<number>;
  groundRadius: number;
  /** The number that decides a body's colour; undefined = its id. */
  islandOf?: ((body: Body) => number | undefined) | undefined;
  /** Returns the geometry of a digest. */
  geometryOf: GeometryOf;
  /** The grabbed body, which is drawn brighter. */
  highlighted: bigint;
}

export class BodyPainter {
  readonly bounds = new Bounds();
  /** Bodies drawn in the last frame. */
  drawnBodies = 0;
  readonly ground: Ground;
  private readonly spheres: ShapePool;
  private readonly capsules: ShapePool;
  private readonly boxes: ShapePool;
  private readonly cylinders: ShapePool;
  private readonly cones: ShapePool;
  private readonly stones: ShapePool;
  private readonly standIns: ShapePool;
  private readonly pools: readonly ShapePool[];
  private readonly geometries: GeometryPools;
  private readonly colours: (BodyColours | undefined)[] = [];
  private readonly offset = [0, 0, 0];
  private readonly normal = [0, 0, 0];
  private readonly rotation = [0, 0, 0, 1];
  private readonly point = [0, 0, 0];

  constructor(parent: Object3D, sun: Sun) {
    this.ground = new Ground(parent, sun);
    this.spheres = new ShapePool(
      parent,
      shapeMaterials("sphereBand"),
      sphereGeometry(32),
      sphereGeometry(12),
    );
    this.capsules = new ShapePool(
      parent,
      shapeMaterials("roundCoat", { isStretched: true }),
      capsuleGeometry(24),
      capsuleGeometry(8),
    );
    this.boxes = new ShapePool(parent, shapeMaterials("boxEdges"), boxGeometry());
    this.cylinders = new ShapePool(
      parent,
      shapeMaterials("roundCoat"),
      cylinderGeometry(32),
      cylinderGeometry(12),
    );
    this.cones = new ShapePool(parent, shapeMaterials("roundCoat"), coneGeometry(32), coneGeometry(12));
    this.stones = new ShapePool(parent, shapeMaterials("none"), stoneGeometry());
    this.standIns = new ShapePool(parent, shapeMaterials("none"), standInGeometry());
    this.geometries = new GeometryPools(parent);
    this.pools = [
      this.spheres,
      this.capsules,
      this.boxes,
      this.cylinders,
      this.cones,
      this.stones,
      this.standIns,
    ];
  }

  paint(bodies: Iterable<Body>, options: PaintOptions): void {
    this.bounds.clear();
    this.ground.begin();
    for (const pool of this.pools) pool.begin();
    this.geometries.begin();
    this.drawnBodies = 0;
    for (const body of bodies) {
      ++this.drawnBodies;
      this.paintBody(body, options);
    }
    for (const pool of this.pools) pool.finish();
    this.geometries.finish();
    this.ground.finish();
  }

  private coloursOf(body: Body): BodyColours {
    const known = this.colours[body.index];
    if (known?.id === body.id) return known;
    const isFixed = body.motion !== "dynamic";
    const own =
      body.motion === "static"
        ? kStaticColour
        : body.motion === "kinematic"
          ? kKinematicColour
          : colourOf(Number(body.id & 0xffffffffn) + 7 * Number(body.id >> 32n));
    const colours = { id: body.id, awake: own, asleep: isFixed ? own : dimmed(own), isFixed };
    this.colours[body.index] = colours;
    return colours;
  }

  private paintBody(body: Body, options: PaintOptions): void {
    const colours = this.coloursOf(body);
    let colour = body.asleep ? colours.asleep : colours.awake;
    if (options.islandOf && !colours.isFixed) {
      const island = options.islandOf(body);
      colour = island === undefined ? kStaticColour : colourOf(island);
    }
    const lift = body.id === options.highlighted ? 0.25 : 0;
    const r = colour.r + lift,
      g = colour.g + lift,
      b = colour.b + lift;
    for (const shape of body.shapes) this.paintShape(body, shape, options, r, g, b);
  }

  private paintShape(body: Body, shape: Shape, options: PaintOptions, r: number, g: number, b: number): void {
    const local = shape.localPosition;
    const offset = this.offset;
    const point = this.point;
    rotate(body.rotation, local[0], local[1], local[2], offset);
    // The origin is subtracted in double precision, before the numbers become binary32.
    point[0] = body.position[0]! + offset[0]!;
    point[1] = body.position[1]! + offset[1]!;
    point[2] = body.position[2]! + offset[2]!;
    const size = shape.dimensions;
    if (shape.kind === "half_space") {
      rotate(body.rotation, size[0], size[1], size[2], this.normal);
      this.ground.add(point, this.normal, options.focus, options.groundRadius, options.origin);
      return;
    }
    multiply(body.rotation, shape.localRotation, this.rotation);
    const x = point[0] - options.origin.x,
      y = point[1] - options.origin.y,
      z = point[2] - options.origin.z;
    const rotation = this.rotation;
    const first = size[0];
    if (shape.kind === "sphere") {
      writeMatrix(this.spheres.add(), this.spheres.at, rotation, x, y, z, first, first, first);
      this.spheres.tint(r, g, b);
      this.bounds.add(point, first);
    } else if (shape.kind === "capsule") {
      writeMatrix(this.capsules.add(), this.capsules.at, rotation, x, y, z, first, first, first);
      this.capsules.tint(r, g, b, size[1] / first);
      this.bounds.add(point, first + size[1]);
    } else if (shape.kind === "box") {
      writeMatrix(this.boxes.add(), this.boxes.at, rotation, x, y, z, first, size[1], size[2]);
      this.boxes.tint(r, g, b);
      this.bounds.add(point, Math.max(first, size[1], size[2]));
    } else if (shape.kind === "cylinder" || shape.kind === "cone") {
      const pool = shape.kind === "cylinder" ? this.cylinders : this.cones;
      writeMatrix(pool.add(), pool.at, rotation, x, y, z, first, size[1], first);
      pool.tint(r, g, b);
      this.bounds.add(point, Math.max(first, size[1]));
    } else if (kGeometryKinds.has(shape.kind)) {
      const pool = this.geometries.poolOf(shape, options.geometryOf);
      if (pool) {
        writeMatrix(pool.add(), pool.at, rotation, x, y, z, 1, 1, 1);
        pool.tint(r, g, b);
      } else {
        // The geometry was too large to be sent: draw its box, or for a hull a stone that fills the box.
        const standIn = shape.kind === "hull" ? this.stones : this.boxes;
        writeMatrix(standIn.add(), standIn.at, rotation, x, y, z, first, size[1], size[2]);
        standIn.tint(r, g, b);
      }
      this.bounds.addShape(body, shape);
    } else {
      // A kind of a later protocol: draw an octahedron of its size.
      const reach = Math.max(0.05, first, size[1], size[2]);
      writeMatrix(this.standIns.add(), this.standIns.at, rotation, x, y, z, reach, reach, reach);
      this.standIns.tint(1, 0.1, 0.75);
      this.bounds.add(point, reach);
    }
  }
}
