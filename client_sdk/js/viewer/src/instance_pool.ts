// All shapes of one kind as one instanced mesh. Every frame they are written anew, straight into the arrays that go to the graphics card; memory is
// taken only when there are more of them than ever before. It does not decide what a shape looks like.
import { BufferGeometry, DynamicDrawUsage, InstancedBufferAttribute, InstancedMesh, Material, Object3D } from "three";

/** From this many instances on the coarse geometry is drawn: at that count none of them is large on the screen. */
const kCoarseFrom = 1500;

export interface InstancePoolOptions {
  fine: BufferGeometry;
  coarse?: BufferGeometry;
  material: Material;
  /** Name of a float of each instance that the material's shader reads, and the material that casts shadows with it. */
  extra?: { attribute: string; shadowMaterial: Material };
}

export class InstancePool {
  /** Where in the array that `place` returned the newest instance's 16 numbers go. */
  at = 0;
  private matrices = new Float32Array(0);
  private colours = new Float32Array(0);
  private extras = new Float32Array(0);
  private mesh: InstancedMesh | null = null;
  private extraAttribute: InstancedBufferAttribute | null = null;
  private capacity = 0;
  private used = 0;

  constructor(private readonly parent: Object3D, private readonly options: InstancePoolOptions) {}

  get count(): number {
    return this.used;
  }

  begin(): void {
    this.used = 0;
  }

  /** Makes an instance of that colour. The caller writes its column-major 4 x 4 into the returned array from `at` on. */
  place(r: number, g: number, b: number, extra = 0): Float32Array {
    if (this.used === this.capacity) this.grow();
    const index = this.used++;
    this.colours[3 * index] = r;
    this.colours[3 * index + 1] = g;
    this.colours[3 * index + 2] = b;
    this.extras[index] = extra;
    this.at = 16 * index;
    return this.matrices;
  }

  /** Hands the frame's instances to the graphics card. */
  finish(): void {
    const mesh = this.mesh;
    if (!mesh) return;
    mesh.count = this.used;
    mesh.visible = this.used > 0;
    if (this.used === 0) return;
    if (this.options.coarse) mesh.geometry = this.used < kCoarseFrom ? this.options.fine : this.options.coarse;
    this.upload(mesh.instanceMatrix);
    this.upload(mesh.instanceColor!);
    if (this.extraAttribute) this.upload(this.extraAttribute);
  }

  private upload(attribute: InstancedBufferAttribute): void {
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, this.used * attribute.itemSize);
    attribute.needsUpdate = true;
  }

  private grow(): void {
    this.capacity = Math.max(64, 2 * this.capacity);
    this.matrices = grown(this.matrices, 16 * this.capacity);
    this.colours = grown(this.colours, 3 * this.capacity);
    this.extras = grown(this.extras, this.capacity);
    if (this.mesh) {
      this.parent.remove(this.mesh);
      this.mesh.dispose();
    }
    const mesh = new InstancedMesh(this.options.fine, this.options.material, 0);
    mesh.instanceMatrix = dynamic(this.matrices, 16);
    mesh.instanceColor = dynamic(this.colours, 3);
    mesh.frustumCulled = false;  // its bounds would have to be found anew each frame
    mesh.castShadow = mesh.receiveShadow = true;
    if (this.options.extra) {
      this.extraAttribute = dynamic(this.extras, 1);
      // Geometries cannot be given another attribute array once drawn: clones are.
      this.options.fine = this.options.fine.clone().setAttribute(this.options.extra.attribute, this.extraAttribute);
      this.options.coarse = this.options.coarse?.clone().setAttribute(this.options.extra.attribute, this.extraAttribute);
      mesh.geometry = this.options.fine;
      mesh.customDepthMaterial = this.options.extra.shadowMaterial;
    }
    this.mesh = mesh;
    this.parent.add(mesh);
  }
}

function grown(old: Float32Array<ArrayBuffer>, size: number): Float32Array<ArrayBuffer> {
  const array = new Float32Array(size);
  array.set(old);
  return array;
}

function dynamic(array: Float32Array, itemSize: number): InstancedBufferAttribute {
  const attribute = new InstancedBufferAttribute(array, itemSize);
  attribute.setUsage(DynamicDrawUsage);
  return attribute;
}
