// The background: a gradient from the horizon's colour, into which the ground fades, to the zenith's. It is a
// ball around the camera behind everything else.
import { BackSide, Color, Mesh, ShaderMaterial, SphereGeometry } from "three";
import type { Palette } from "./palette.js";

export class Sky {
  readonly mesh: Mesh;
  private readonly material: ShaderMaterial;

  constructor() {
    this.material = new ShaderMaterial({
      side: BackSide,
      depthWrite: false,
      uniforms: { horizon: { value: new Color() }, zenith: { value: new Color() } },
      vertexShader: `
        varying vec3 direction;
        void main() {
          direction = position;
          // At the far plane: drawn last, only where nothing else is.
          gl_Position = (projectionMatrix * vec4(mat3(modelViewMatrix) * position, 1.0)).xyww;
        }`,
      fragmentShader: `
        varying vec3 direction;
        uniform vec3 horizon;
        uniform vec3 zenith;
        void main() {
          float height = max(0.0, normalize(direction).y);
          gl_FragColor = vec4(mix(horizon, zenith, 1.0 - pow(1.0 - height, 2.5)), 1.0);
          #include <colorspace_fragment>
        }`,
    });
    this.mesh = new Mesh(new SphereGeometry(1, 24, 16), this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 2;
  }

  setPalette(palette: Palette): void {
    (this.material.uniforms.horizon!.value as Color).set(palette.horizon);
    (this.material.uniforms.zenith!.value as Color).set(palette.zenith);
  }
}
