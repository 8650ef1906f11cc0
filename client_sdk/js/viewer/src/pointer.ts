// Mouse, pen and touch on the canvas as gestures: drag a body, orbit, pan, zoom, focus. It converts pixels to
// rays and angles and calls the camera and the hand. It knows no bodies.
import type { CameraRig } from "./camera_rig.js";
import type { Ray } from "takt";
import { viewRay } from "./view_ray.js";

/** Radians per dragged view height. */
const kRotateRad = 3.2;
/** A wheel notch (100 in most browsers) zooms by about a tenth. */
const kZoomPerWheelUnit = 0.001;
/**
 * Bounds of a double tap in time and distance. Touch screens send no dblclick while the page handles
 * gestures.
 */
const kDoubleTapMs = 350;
const kDoubleTapPixels = 25;

export interface PointerTarget {
  /** Returns true if it grabbed a body; the drag then moves the grab. */
  take(ray: Ray): boolean;
  pull(ray: Ray): void;
  reach(factor: number): void;
  release(): void;
  focusOn(ray: Ray): void;
  /** The camera was moved; `isPan`: its target too. */
  cameraMoved(isPan: boolean): void;
}

interface Touching {
  x: number;
  y: number;
}

export class Pointer {
  /** The pointer in view coordinates; a ball is thrown there. */
  readonly at = { x: 0, y: 0 };
  private readonly touching = new Map<number, Touching>();
  private mode: "none" | "grab" | "orbit" | "pan" = "none";
  private lastTap = { timeMs: 0, x: 0, y: 0 };

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly rig: CameraRig,
    private readonly target: PointerTarget,
  ) {
    canvas.addEventListener("pointerdown", (event) => this.handleDown(event));
    canvas.addEventListener("pointermove", (event) => this.handleMove(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      canvas.addEventListener(end, (event) => this.handleUp(event));
    }
    canvas.addEventListener("wheel", (event) => this.handleWheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** The ray through the pointer. */
  ray(): Ray {
    return viewRay(this.rig, this.at.x, this.at.y);
  }

  private handleDown(event: PointerEvent): void {
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    this.touching.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.aim(event);
    if (this.touching.size > 1) return this.begin("pan");
    if (event.button === 2 || event.button === 1 || event.shiftKey) return this.begin("pan");
    if (this.isDoubleTap(event)) {
      this.begin("none");
      return this.target.focusOn(this.ray());
    }
    this.begin(this.target.take(this.ray()) ? "grab" : "orbit");
  }

  private begin(mode: "none" | "orbit" | "pan" | "grab"): void {
    if (this.mode === "grab" && mode !== "grab") this.target.release();
    this.mode = mode;
  }

  private handleMove(event: PointerEvent): void {
    const before = this.touching.get(event.pointerId);
    if (this.touching.size === 0 || this.mode === "grab") this.aim(event);
    if (!before) return;
    const height = Math.max(1, this.canvas.clientHeight);
    const dx = (event.clientX - before.x) / height,
      dy = (event.clientY - before.y) / height;
    if (this.touching.size === 2) this.pinch(event, before);
    before.x = event.clientX;
    before.y = event.clientY;
    // Each finger moves the picture by its part.
    const fraction = 1 / this.touching.size;
    if (this.mode === "grab") this.target.pull(this.ray());
    if (this.mode === "orbit") this.rig.rotate(-dx * kRotateRad, (this.rig.isFlying ? -dy : dy) * kRotateRad);
    if (this.mode === "pan") this.rig.pan(-dx * fraction, dy * fraction);
    if (this.mode === "orbit" || this.mode === "pan") this.target.cameraMoved(this.mode === "pan");
  }

  // Compares the distances between fingers before and after, so it must run before `moved` is updated.
  private pinch(event: PointerEvent, moved: Touching): void {
    for (const other of this.touching.values()) {
      if (other === moved) continue;
      const before = Math.hypot(moved.x - other.x, moved.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      if (before > 5 && after > 5) this.rig.zoom(before / after);
    }
  }

  private handleUp(event: PointerEvent): void {
    if (!this.touching.delete(event.pointerId)) return;
    if (this.touching.size === 0) this.begin("none");
  }

  private handleWheel(event: WheelEvent): void {
    event.preventDefault();
    // A browser may count in lines or pages; this converts them to pixels.
    const pixels = event.deltaY * (event.deltaMode === 1 ? 33 : event.deltaMode === 2 ? 400 : 1);
    const factor = Math.exp(Math.max(-400, Math.min(400, pixels)) * kZoomPerWheelUnit);
    if (this.mode === "grab") return this.target.reach(factor);
    this.rig.zoom(factor);
    this.target.cameraMoved(false);
  }

  private isDoubleTap(event: PointerEvent): boolean {
    const { timeMs, x, y } = this.lastTap;
    const isDouble =
      event.timeStamp - timeMs < kDoubleTapMs &&
      Math.hypot(event.clientX - x, event.clientY - y) < kDoubleTapPixels;
    this.lastTap = isDouble
      ? { timeMs: 0, x: 0, y: 0 }
      : { timeMs: event.timeStamp, x: event.clientX, y: event.clientY };
    return isDouble;
  }

  private aim(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    this.at.x = (2 * (event.clientX - box.left)) / Math.max(1, box.width) - 1;
    this.at.y = 1 - (2 * (event.clientY - box.top)) / Math.max(1, box.height);
  }
}
