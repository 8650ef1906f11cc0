// Short coloured lines as one draw, written anew in every frame in world metres. They are drawn over the
// bodies, so that lines inside bodies are visible.
import type { Object3D } from "three";
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";
import type { FloatingOrigin } from "./floating_origin.js";

export class LineBatch {
  private positions = new Float32Array(0);
  private colours = new Float32Array(0);
  private used = 0;
  private lines: LineSegments | null = null;
  private readonly material = new LineBasicMaterial({
    vertexColors: true,
    depthTest: false,
    transparent: true,
    opacity: 0.9,
    fog: false,
    toneMapped: false,
  });

  constructor(
    private readonly parent: Object3D,
    private readonly origin: FloatingOrigin,
  ) {}

  begin(): void {
    this.used = 0;
  }

  /** Adds a line from (ax, ay, az) to (bx, by, bz), world metres, in a linear colour. */
  add(
    ax: number,
    ay: number,
    az: number,
    bx: number,
    by: number,
    bz: number,
    r: number,
    g: number,
    b: number,
  ): void {
    if (6 * this.used + 6 > this.positions.length) this.grow();
    const at = 6 * this.used++;
    const { positions, colours, origin } = this;
    positions[at] = ax - origin.x;
    positions[at + 1] = ay - origin.y;
    positions[at + 2] = az - origin.z;
    positions[at + 3] = bx - origin.x;
    positions[at + 4] = by - origin.y;
    positions[at + 5] = bz - origin.z;
    for (let end = 0; end < 6; end += 3) {
      colours[at + end] = r;
      colours[at + end + 1] = g;
      colours[at + end + 2] = b;
    }
  }

  finish(): void {
    const lines = this.lines;
    if (!lines) return;
    lines.visible = this.used > 0;
    lines.geometry.setDrawRange(0, 2 * this.used);
    if (this.used === 0) return;
    for (const name of ["position", "color"]) {
      const attribute = lines.geometry.getAttribute(name) as BufferAttribute;
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, 6 * this.used);
      attribute.needsUpdate = true;
    }
  }

  private grow(): void {
    const size = Math.max(6 * 256, 2 * this.positions.length);
    const [positions, colours] = [new Float32Array(size), new Float32Array(size)];
    positions.set(this.positions);
    colours.set(this.colours);
    [this.positions, this.colours] = [positions, colours];
    if (this.lines) {
      this.parent.remove(this.lines);
      this.lines.geometry.dispose();
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(positions, 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute("color", new BufferAttribute(colours, 3).setUsage(DynamicDrawUsage));
    this.lines = new LineSegments(geometry, this.material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 10;
    this.parent.add(this.lines);
  }
}
