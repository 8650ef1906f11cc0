// The drawn scene: renderer, camera, sky, sun and bodies, with one draw() a frame. It reads a list of bodies
// and knows no connection, mouse or panel.
import {
  BasicShadowMap,
  Fog,
  NeutralToneMapping,
  NoToneMapping,
  PCFShadowMap,
  Scene,
  WebGLRenderer,
} from "three";
import type { Body, Rope } from "takt";
import { BodyPainter } from "./body_painter.js";
import { CameraRig } from "./camera_rig.js";
import { FloatingOrigin } from "./floating_origin.js";
import { Floor } from "./floor.js";
import type { GeometryOf } from "takt/drawing";
import { kPalettes } from "./palette.js";
import type { ThemeName } from "./palette.js";
import { RopePainter } from "./rope_painter.js";
import { Quality } from "./quality.js";
import { Sky } from "./sky.js";
import { Sun } from "./sun.js";

export interface StageOptions {
  canvas: HTMLCanvasElement;
  theme: ThemeName;
  /** "auto" follows the machine's speed; "high" is fixed, for pictures. */
  quality: "auto" | "high";
}

/** Minimum radius of a rope, as a fraction of the distance to the camera's target: about a pixel. */
const kMinRopeFraction = 0.0009;

const kSoftwareRenderers = /swiftshader|llvmpipe|softpipe|software|basic render/i;

export class Stage {
  readonly rig = new CameraRig();
  readonly origin = new FloatingOrigin();
  readonly floor = new Floor();
  /** The camera stays above the floor. */
  isFloorSolid = true;
  readonly painter: BodyPainter;
  /** Ropes to draw with the bodies. */
  ropes: readonly Rope[] = [];
  private readonly ropePainter: RopePainter;
  readonly scene = new Scene();
  /** Name of the graphics system, for the panel. */
  readonly rendererName: string;
  highlighted = 0n;
  /** Returns the geometry of a digest. */
  geometryOf: GeometryOf = () => undefined;
  islandOf: ((body: Body) => number | undefined) | undefined;
  private readonly renderer: WebGLRenderer;
  private readonly sky = new Sky();
  private readonly sun: Sun;
  private readonly quality: Quality;
  private readonly fog = new Fog(0, 1, 2);
  private readonly canvas: HTMLCanvasElement;
  private drawnWidth = 0;
  private drawnHeight = 0;
  /** Height of a point above the floor, m: Floor.clearance(). */
  readonly clearanceOf = (x: number, y: number, z: number): number =>
    this.floor.clearance(x, y, z, this.geometryOf);

  /** Throws if the browser has no WebGL 2. */
  constructor(options: StageOptions) {
    this.canvas = options.canvas;
    const isPinned = options.quality === "high";
    // Antialiasing is fixed at the creation of the canvas' context. Software renderers go without it.
    const isSoftware = kSoftwareRenderers.test(probeRenderer());
    this.renderer = new WebGLRenderer({
      canvas: options.canvas,
      antialias: isPinned || !isSoftware,
      powerPreference: "high-performance",
    });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = isSoftware && !isPinned ? BasicShadowMap : PCFShadowMap;
    this.rendererName = nameOf(this.renderer.getContext());
    this.quality = new Quality(isSoftware ? "software" : "hardware", isPinned);
    this.scene.fog = this.fog;
    this.scene.add(this.sky.mesh);
    this.sun = new Sun(this.scene);
    this.painter = new BodyPainter(this.scene, this.sun);
    this.ropePainter = new RopePainter(this.scene);
    this.setTheme(options.theme);
    this.applyQuality();
  }

  /** Size of the picture on the page, CSS pixels. */
  get width(): number {
    return this.canvas.clientWidth;
  }
  get height(): number {
    return this.canvas.clientHeight;
  }
  /** Width / height; 0 = the picture has no size. */
  get aspect(): number {
    return this.height > 0 ? this.width / this.height : 0;
  }

  get qualityLevel(): number {
    return this.quality.levelIndex;
  }

  setTheme(theme: ThemeName): void {
    const palette = kPalettes[theme];
    this.fog.color.set(palette.horizon);
    this.sky.setPalette(palette);
    this.sun.setPalette(palette);
    this.painter.ground.setPalette(palette);
  }

  /** Draws one frame. `seconds`: time since the last one; `beforeRender` may add overlays. */
  draw(bodies: Iterable<Body>, seconds: number, beforeRender?: () => void): void {
    this.resize();
    const rig = this.rig;
    const bounds = this.painter.bounds;
    const radius = bounds.radius;
    const reach = Math.min(radius, 4 * rig.distance) + rig.distance;
    this.floor.update(bodies, this.ropes);
    rig.update(seconds, reach, this.isFloorSolid ? this.clearanceOf : undefined);
    this.origin.follow(rig.target[0]!, rig.target[1]!, rig.target[2]!);
    rig.setCamera(this.origin);
    const far = rig.camera.far;
    this.fog.near = 0.25 * far;
    this.fog.far = 0.98 * far;
    this.painter.paint(bodies, {
      origin: this.origin,
      focus: rig.target,
      groundRadius: far,
      islandOf: this.islandOf,
      geometryOf: this.geometryOf,
      highlighted: this.highlighted,
    });
    this.ropePainter.paint(this.ropes, this.origin, kMinRopeFraction * rig.distance, this.painter.bounds);
    this.lightBodies();
    beforeRender?.();
    this.renderer.render(this.scene, rig.camera);
  }

  /**
   * Lowers or raises the quality, before each frame, by the time since the previous one. A new quality clears
   * the picture until the next draw.
   */
  handleFrameTime(elapsedMs: number): void {
    if (this.quality.handleFrame(elapsedMs)) this.applyQuality();
  }

  // Casts shadows over all bodies or, if they are spread wide, over the surroundings of the camera's target.
  private lightBodies(): void {
    const { rig, origin } = this;
    const bounds = this.painter.bounds;
    const near = 1.2 * rig.distance;
    if (bounds.isEmpty) {
      return this.sun.cover(
        rig.target[0]! - origin.x,
        rig.target[1]! - origin.y,
        rig.target[2]! - origin.z,
        near,
      );
    }
    const isWhole = bounds.radius <= near;
    const center = (axis: 0 | 1 | 2) => (isWhole ? bounds.center(axis) : rig.target[axis]!);
    this.sun.cover(
      center(0) - origin.x,
      center(1) - origin.y,
      center(2) - origin.z,
      Math.min(bounds.radius, near),
    );
  }

  private applyQuality(): void {
    const level = this.quality.current;
    this.renderer.setPixelRatio(Math.min(globalThis.devicePixelRatio, level.pixelRatioMax));
    this.renderer.toneMapping = level.isToned ? NeutralToneMapping : NoToneMapping;
    this.sun.setShadowMapSize(level.shadowMapSize);
    this.drawnWidth = 0; // forces a new drawing buffer
  }

  private resize(): void {
    const { width, height } = this;
    if (width === this.drawnWidth && height === this.drawnHeight) return;
    this.drawnWidth = width;
    this.drawnHeight = height;
    this.renderer.setSize(width, height, false);
    this.rig.camera.aspect = width / Math.max(1, height);
    this.rig.camera.updateProjectionMatrix();
  }
}

function probeRenderer(): string {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return "";
  const name = nameOf(context);
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return name;
}

function nameOf(context: WebGLRenderingContext | WebGL2RenderingContext): string {
  const info = context.getExtension("WEBGL_debug_renderer_info");
  return String(context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER));
}
