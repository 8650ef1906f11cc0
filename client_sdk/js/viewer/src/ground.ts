// Half-spaces: each is a wide disc on its surface under the camera's target. Its grid of 1 m and 10 m is
// fixed to the world. The disc is invisible from below, so that a camera inside the solid has a view.
import type { Object3D } from "three";
import { CircleGeometry, Color, Mesh, ShaderMaterial, UniformsLib, UniformsUtils, Vector2 } from "three";
import type { FloatingOrigin } from "./floating_origin.js";
import type { Palette } from "./palette.js";
import { fromUpTo, rotate } from "./rotation.js";
import type { Sun } from "./sun.js";

/** The grid repeats after this many metres, so only the remainder must be exact. */
const kPeriodM = 10;

// A plane has one brightness in the light and one in the shadow. Both are computed once and not per pixel,
// because the ground fills much of the picture.
const kVertexShader = `
  #include <common>
  #include <fog_pars_vertex>
  #include <shadowmap_pars_vertex>
  varying vec2 vGrid;
  uniform vec2 gridPhase;
  uniform float radius;
  void main() {
    #include <beginnormal_vertex>
    #include <defaultnormal_vertex>
    vec3 transformed = vec3(position.x * radius, 0.0, position.z * radius);
    vGrid = transformed.xz + gridPhase;
    #include <project_vertex>
    #include <worldpos_vertex>
    #include <shadowmap_vertex>
    #include <fog_vertex>
  }`;

const kFragmentShader = `
  #include <common>
  #include <fog_pars_fragment>
  #include <bsdfs>
  #include <lights_pars_begin>
  #include <shadowmap_pars_fragment>
  #include <shadowmask_pars_fragment>
  varying vec2 vGrid;
  uniform vec3 ground;
  uniform vec3 line;
  uniform vec3 direct;
  uniform vec3 ambient;
  // A line where the coordinate is whole; gone where lines would be closer than two pixels.
  float gridLine(vec2 at, vec2 pixel, float width) {
    vec2 away = abs(fract(at - 0.5) - 0.5);
    vec2 lines = (1.0 - clamp(away / pixel - width, 0.0, 1.0)) * (1.0 - clamp(3.0 * pixel - 0.35, 0.0, 1.0));
    return max(lines.x, lines.y);
  }
  void main() {
    vec2 pixel = fwidth(vGrid);
    float grid = max(0.2 * gridLine(vGrid, pixel, 0.0), 0.36 * gridLine(0.1 * vGrid, 0.1 * pixel, 0.2));
    gl_FragColor = vec4(mix(ground, line, grid) * (direct * getShadowMask() + ambient), 1.0);
    #include <tonemapping_fragment>
    #include <colorspace_fragment>
    #include <fog_fragment>
  }`;

class Plane {
  readonly mesh: Mesh;
  private readonly phase = new Vector2();
  private readonly direct = new Color();
  private readonly ambient = new Color();
  private readonly radius = { value: 1 };
  private readonly rotation = [0, 0, 0, 1];
  private readonly right = [0, 0, 0];
  private readonly forward = [0, 0, 0];

  constructor(geometry: CircleGeometry, ground: Color, line: Color) {
    const material = new ShaderMaterial({
      lights: true,
      fog: true,
      uniforms: UniformsUtils.merge([UniformsLib.lights, UniformsLib.fog]),
      vertexShader: kVertexShader,
      fragmentShader: kFragmentShader,
    });
    // After the merge, which copies: this object shares these values.
    Object.assign(material.uniforms, {
      ground: { value: ground },
      line: { value: line },
      direct: { value: this.direct },
      ambient: { value: this.ambient },
      gridPhase: { value: this.phase },
      radius: this.radius,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1; // after the bodies, which hide much of it
  }

  /**
   * Moves the disc to a half-space through `point` with this outward normal, near (x, y, z); all in the
   * world.
   */
  moveTo(
    point: ArrayLike<number>,
    nx: number,
    ny: number,
    nz: number,
    x: number,
    y: number,
    z: number,
    radius: number,
    origin: FloatingOrigin,
    sun: Sun,
  ): void {
    fromUpTo(nx, ny, nz, this.rotation);
    rotate(this.rotation, 1, 0, 0, this.right);
    rotate(this.rotation, 0, 0, 1, this.forward);
    const height = (x - point[0]!) * nx + (y - point[1]!) * ny + (z - point[2]!) * nz;
    const cx = x - height * nx,
      cy = y - height * ny,
      cz = z - height * nz;
    const along = (axis: number[]) => (cx * axis[0]! + cy * axis[1]! + cz * axis[2]!) % kPeriodM;
    this.phase.set(along(this.right), along(this.forward));
    this.mesh.quaternion.set(this.rotation[0]!, this.rotation[1]!, this.rotation[2]!, this.rotation[3]!);
    this.mesh.position.set(cx - origin.x, cy - origin.y, cz - origin.z);
    this.radius.value = radius;
    sun.reflectedBy(nx, ny, nz, this.direct, this.ambient);
    this.mesh.visible = true;
  }
}

export class Ground {
  private readonly planes: Plane[] = [];
  private readonly colour = new Color();
  private readonly lineColour = new Color();
  private readonly geometry = new CircleGeometry(1, 96);
  private used = 0;

  constructor(
    private readonly parent: Object3D,
    private readonly sun: Sun,
  ) {
    this.geometry.rotateX(-Math.PI / 2);
  }

  setPalette(palette: Palette): void {
    this.colour.set(palette.ground);
    this.lineColour.set(palette.gridLine);
  }

  begin(): void {
    this.used = 0;
  }

  add(
    point: ArrayLike<number>,
    normal: ArrayLike<number>,
    focus: ArrayLike<number>,
    radius: number,
    origin: FloatingOrigin,
  ): void {
    let plane = this.planes[this.used++];
    if (!plane) {
      plane = new Plane(this.geometry, this.colour, this.lineColour);
      this.planes.push(plane);
      this.parent.add(plane.mesh);
    }
    plane.moveTo(
      point,
      normal[0]!,
      normal[1]!,
      normal[2]!,
      focus[0]!,
      focus[1]!,
      focus[2]!,
      radius,
      origin,
      this.sun,
    );
  }

  finish(): void {
    for (let i = this.used; i < this.planes.length; ++i) this.planes[i]!.mesh.visible = false;
  }
}
