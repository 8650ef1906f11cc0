// All shapes of one kind as one draw. Each frame writes their matrices and colours into one array, which the
// graphics card reads as a texture. The array grows only when the number of shapes reaches a new maximum.
// Materials decide the look of shapes.
//
// The geometry has several copies of the unit shape, and instances of it provide a copy for each shape; a
// vertex finds its shape by instance and copy. Plain instancing costs five times as much on a software
// renderer, which draws every instance separately.
import type { BufferGeometry, Object3D } from "three";
import {
  BufferAttribute,
  DataTexture,
  FloatType,
  InstancedBufferGeometry,
  Mesh,
  NearestFilter,
  RGBAFormat,
} from "three";
import type { ShapeMaterials } from "./shape_material.js";

/** Number of shapes from which the coarse geometry is drawn; none of them is large on the screen then. */
const kCoarseFrom = 1500;
/** Texels of a shape: four columns of its matrix. The unused last row has the colour and one more number. */
const kTexels = 4;
const kShapesPerRow = 64;
/** Approximate vertices of a geometry with copies, so that a few shapes cost little. */
const kVerticesMax = 2048;

interface Level {
  mesh: Mesh<InstancedBufferGeometry>;
  copies: number;
  indicesPerCopy: number;
}

export class ShapePool {
  /** Index of the newest shape's 16 numbers in the array that add() returned. */
  at = 0;
  private array = new Float32Array(0);
  private texture: DataTexture | null = null;
  private readonly fine: Level;
  private readonly coarse: Level;
  private used = 0;

  constructor(
    parent: Object3D,
    private readonly materials: ShapeMaterials,
    fine: BufferGeometry,
    coarse = fine,
  ) {
    this.fine = this.makeLevel(fine);
    this.coarse = coarse === fine ? this.fine : this.makeLevel(coarse);
    parent.add(this.fine.mesh, this.coarse.mesh);
  }

  begin(): void {
    this.used = 0;
  }

  /** Adds a shape and returns the array; `at` is the shape's index. Call `writeMatrix` and `tint` next. */
  add(): Float32Array {
    if (16 * this.used === this.array.length) this.grow();
    this.at = 16 * this.used++;
    return this.array;
  }

  /** Sets the linear colour of the newest shape, and the number that its shader reads as `extra`. */
  tint(r: number, g: number, b: number, extra = 0): void {
    const { array, at } = this;
    array[at + 3] = r;
    array[at + 7] = g;
    array[at + 11] = b;
    array[at + 15] = extra;
  }

  /** Passes the frame's shapes to the graphics card. */
  finish(): void {
    this.fine.mesh.visible = this.coarse.mesh.visible = false;
    if (this.used === 0) return;
    const level = this.used < kCoarseFrom ? this.fine : this.coarse;
    const { mesh, copies, indicesPerCopy } = level;
    mesh.visible = true;
    const instances = Math.ceil(this.used / copies);
    mesh.geometry.instanceCount = instances;
    mesh.geometry.setDrawRange(0, Math.min(this.used, copies) * indicesPerCopy);
    // Copies of the last instance without a shape shrink to a point.
    this.array.fill(0, 16 * this.used, 16 * Math.min(instances * copies, this.array.length / 16));
    this.texture!.needsUpdate = true;
  }

  /** Frees the memory on the graphics card. The pool must not be used afterwards. */
  dispose(parent: Object3D): void {
    for (const { mesh } of new Set([this.fine, this.coarse])) {
      parent.remove(mesh);
      mesh.geometry.dispose();
    }
    this.materials.surface.dispose();
    this.materials.shadow.dispose();
    this.texture?.dispose();
  }

  private makeLevel(unit: BufferGeometry): Level {
    const vertices = unit.getAttribute("position").count;
    const indices = unit.index!;
    // A power of two, so that whole instances fill whole rows and the array never ends inside one.
    const copies = 2 ** Math.max(0, Math.min(6, Math.floor(Math.log2(kVerticesMax / vertices))));
    const geometry = new InstancedBufferGeometry();
    for (const [name, attribute] of Object.entries(unit.attributes)) {
      const { array, itemSize } = attribute as BufferAttribute;
      const repeated = new Float32Array(copies * array.length);
      for (let copy = 0; copy < copies; ++copy) repeated.set(array, copy * array.length);
      geometry.setAttribute(name, new BufferAttribute(repeated, itemSize));
    }
    geometry.setAttribute(
      "copy",
      new BufferAttribute(
        Float32Array.from({ length: copies * vertices }, (_, i) => Math.floor(i / vertices)),
        1,
      ),
    );
    const isSmall = copies * vertices <= 65536;
    const repeated = isSmall
      ? new Uint16Array(copies * indices.count)
      : new Uint32Array(copies * indices.count);
    for (let i = 0; i < repeated.length; ++i) {
      repeated[i] = Math.floor(i / indices.count) * vertices + indices.getX(i % indices.count);
    }
    geometry.setIndex(new BufferAttribute(repeated, 1));
    const mesh = new Mesh(geometry, this.materials.surface);
    mesh.customDepthMaterial = this.materials.shadow;
    mesh.frustumCulled = false; // its bounds would have to be computed in each frame
    mesh.castShadow = mesh.receiveShadow = true;
    // Both levels share both materials, so each draw sets the number of copies.
    const setCopies = () => (this.materials.copies.value = copies);
    mesh.onBeforeRender = mesh.onBeforeShadow = setCopies;
    return { mesh, copies, indicesPerCopy: indices.count };
  }

  private grow(): void {
    const rows = Math.max(1, (2 * this.array.length) / (16 * kShapesPerRow));
    const larger = new Float32Array(16 * kShapesPerRow * rows);
    larger.set(this.array);
    this.array = larger;
    this.texture?.dispose();
    this.texture = new DataTexture(larger, kTexels * kShapesPerRow, rows, RGBAFormat, FloatType);
    this.texture.minFilter = this.texture.magFilter = NearestFilter;
    this.materials.shapes.value = this.texture;
  }
}
