// The light: a sun with shadows over the visible part of the scene, and the light of the sky. The shadowed
// volume moves in whole texels of its map and changes its size in steps. Shadow edges therefore do not
// flicker when the camera moves.
import type { Color, Object3D } from "three";
import { DirectionalLight, HemisphereLight } from "three";
import type { Palette } from "./palette.js";

/** Direction to the sun: high, and to the side so that neighbouring faces differ. Unit vector. */
const kTowardsSun = unit(-0.3, 0.82, 0.48);
const kRight = unit(kTowardsSun[2], 0, -kTowardsSun[0]);
const kUp = cross(kTowardsSun, kRight);

export class Sun {
  private readonly sun = new DirectionalLight();
  private readonly sky = new HemisphereLight();
  private mapSize = 2048;

  constructor(parent: Object3D) {
    this.sun.castShadow = true;
    this.sun.shadow.radius = 2;
    this.sun.shadow.intensity = 0.85;
    this.setShadowMapSize(this.mapSize);
    parent.add(this.sun, this.sun.target, this.sky);
  }

  setPalette(palette: Palette): void {
    this.sun.color.set(palette.sun);
    this.sun.intensity = palette.sunIntensity;
    this.sky.color.set(palette.skyLight);
    this.sky.groundColor.set(palette.groundLight);
    this.sky.intensity = palette.skyIntensity;
  }

  /** Texels along an edge of the shadow map; 0 = no shadows. */
  setShadowMapSize(size: number): void {
    this.sun.castShadow = size > 0;
    if (size === 0 || size === this.mapSize) return;
    this.mapSize = size;
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
  }

  /**
   * Light of the sun and of the sky on a matt white plane with this normal: Lambert's law, as in three.js'
   * own materials.
   */
  reflectedBy(nx: number, ny: number, nz: number, direct: Color, ambient: Color): void {
    const facing = Math.max(0, nx * kTowardsSun[0] + ny * kTowardsSun[1] + nz * kTowardsSun[2]);
    direct.copy(this.sun.color).multiplyScalar((this.sun.intensity * facing) / Math.PI);
    ambient
      .copy(this.sky.groundColor)
      .lerp(this.sky.color, 0.5 + 0.5 * ny)
      .multiplyScalar(this.sky.intensity / Math.PI);
  }

  /** Covers this ball with shadows; coordinates relative to the floating origin. */
  cover(x: number, y: number, z: number, radius: number): void {
    const reach = 1.3 ** Math.ceil(Math.log(Math.max(radius, 1)) / Math.log(1.3));
    const texel = (2 * reach) / this.mapSize;
    const along = (axis: readonly number[]) => x * axis[0]! + y * axis[1]! + z * axis[2]!;
    const right = Math.round(along(kRight) / texel) * texel;
    const up = Math.round(along(kUp) / texel) * texel;
    const towards = along(kTowardsSun);
    const coordinate = (axis: 0 | 1 | 2, distance: number) =>
      kRight[axis] * right + kUp[axis] * up + kTowardsSun[axis] * (towards + distance);
    this.sun.target.position.set(coordinate(0, 0), coordinate(1, 0), coordinate(2, 0));
    this.sun.position.set(coordinate(0, 2 * reach), coordinate(1, 2 * reach), coordinate(2, 2 * reach));
    const shadow = this.sun.shadow;
    shadow.mapSize.set(this.mapSize, this.mapSize);
    // An offset of half a texel along the normal prevents lit faces from shadowing themselves at every scale.
    shadow.normalBias = 0.7 * texel;
    shadow.bias = -0.0002;
    const camera = shadow.camera;
    if (camera.right === reach) return;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.1 * reach;
    camera.far = 4 * reach;
    camera.updateProjectionMatrix();
  }
}

type Triple = readonly [number, number, number];

function unit(x: number, y: number, z: number): Triple {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}

function cross(a: Triple, b: Triple): Triple {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
