// The drawn scene: renderer, camera, sky, sun and bodies, one `draw` a frame. It reads a list of bodies and knows nothing of connections, mice or panels.
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
import { boundsOfBulk } from "./bounds.js";
import { CameraRig } from "./camera_rig.js";
import { FloatingOrigin } from "./floating_origin.js";
import type { GeometryOf } from "./geometry_pools.js";
import { kPalettes } from "./palette.js";
import type { ThemeName } from "./palette.js";
import { RopePainter } from "./rope_painter.js";
import { Quality } from "./quality.js";
import { Sky } from "./sky.js";
import { Sun } from "./sun.js";

export interface StageOptions {
  canvas: HTMLCanvasElement;
  theme: ThemeName;
  /** "auto" follows the machine's speed; "high" is pinned, for pictures. */
  quality: "auto" | "high";
}

/** Names of renderers that compute pictures without a graphics card. */
/** The thinnest rope, as a share of the distance to what the camera looks at: about a pixel. */
const kMinRopeFraction = 0.0009;

const kSoftwareRenderers = /swiftshader|llvmpipe|softpipe|software|basic render/i;

export class Stage {
  readonly rig = new CameraRig();
  readonly origin = new FloatingOrigin();
  readonly painter: BodyPainter;
  /** To be drawn with the bodies. */
  ropes: readonly Rope[] = [];
  private readonly ropePainter: RopePainter;
  readonly scene = new Scene();
  /** Of the graphics system, for the panel. */
  readonly rendererName: string;
  highlighted = 0n;
  /** What a shape's digest names. */
  geometryOf: GeometryOf = () => undefined;
  islandOf: ((body: Body) => number | undefined) | undefined;
  private readonly renderer: WebGLRenderer;
  private readonly sky = new Sky();
  private readonly sun: Sun;
  private readonly quality: Quality;
  private readonly fog = new Fog(0, 1, 2);
  private readonly canvas: HTMLCanvasElement;
  private width = 0;
  private height = 0;

  /** Throws when the browser has no WebGL 2. */
  constructor(options: StageOptions) {
    this.canvas = options.canvas;
    const isPinned = options.quality === "high";
    // Smoothing of edges is chosen once, when the canvas gets its context: not where the processor would have to do it.
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

  get aspect(): number {
    return this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight);
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

  /** Looks at the bodies, at once; at the bulk of them where some have rolled or flown far away. */
  fitCamera(bodies: Iterable<Body>): void {
    const bulk = boundsOfBulk(bodies);
    if (!bulk.isEmpty) this.rig.fit(bulk.low, bulk.high, this.aspect);
  }

  /** One frame. `seconds` since the last; `beforeRender` may add what is drawn over the bodies. */
  draw(bodies: Iterable<Body>, seconds: number, beforeRender?: () => void): void {
    this.resize();
    const rig = this.rig;
    const bounds = this.painter.bounds;
    const radius = bounds.radius;
    const reach = Math.min(radius, 4 * rig.distance) + rig.distance;
    rig.update(seconds, reach);
    this.origin.follow(rig.target[0]!, rig.target[1]!, rig.target[2]!);
    rig.place(this.origin);
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

  /** Before each frame is drawn, with the time since the one before it: lowers or raises the quality. A new quality empties the picture until the next draw. */
  handleFrameTime(elapsedMs: number): void {
    if (this.quality.handleFrame(elapsedMs)) this.applyQuality();
  }

  // Shadows over all bodies, or over what is near the camera's target where the bodies are spread wide.
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
    this.width = 0; // the drawing buffer is set anew
  }

  private resize(): void {
    const width = this.canvas.clientWidth,
      height = this.canvas.clientHeight;
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
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
