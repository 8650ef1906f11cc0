// The camera's pose: an orbit (target, direction, distance) in world doubles, which can be dragged, zoomed,
// panned, flown and moved to a body. Inputs set the wanted pose; the displayed pose follows within a fifth of
// a second. It works in angles and metres, not in keys and pixels.
import { PerspectiveCamera } from "three";
import type { FloatingOrigin } from "./floating_origin.js";

const kFieldOfViewDegrees = 45;
/** Just below vertical, where left and right would swap. */
const kPitchMaxRad = 1.55;
const kDistanceMinM = 0.05;
const kDistanceMaxM = 20_000;
/** Time in which the displayed pose covers all but 1/e of the distance to the wanted one. */
const kGlideS = 0.07;
/** Direction of the view of a scene without a camera of its own, rad. */
export const kFitYaw = 0.6;
export const kFitPitch = 0.48;
/** Minimum height of the eye above the floor, m, and as a fraction of the distance to the target. */
const kClearanceM = 0.05;
const kClearanceFraction = 0.02;
/** Halvings of the interval in which the lowest permitted pitch is: to a hundredth of a milliradian. */
const kPitchHalvings = 17;

/** Steps after which a pose is above a slope to a billionth of its depth. */
const kRaisesMax = 30;

/** Height of a point above the floor, m; negative below, Infinity without a floor. */
export type ClearanceOf = (x: number, y: number, z: number) => number;

interface Pose {
  x: number;
  y: number;
  z: number;
  yaw: number;
  pitch: number;
  distance: number;
}

export class CameraRig {
  readonly camera = new PerspectiveCamera(kFieldOfViewDegrees, 1, 0.1, 1000);
  isFlying = false;
  private readonly wanted: Pose = { x: 0, y: 1, z: 0, yaw: 0.6, pitch: 0.4, distance: 20 };
  private readonly shown: Pose = { ...this.wanted };
  /** The displayed target and eye, m, world. */
  readonly target = [0, 0, 0];
  readonly eye = [0, 0, 0];

  /** Moves the camera to `eye`, facing `target`, at once. A pose that is not finite is ignored. */
  jumpTo(eye: ArrayLike<number>, target: ArrayLike<number>): void {
    this.glideTo(eye, target);
    Object.assign(this.shown, this.wanted);
  }

  /**
   * Moves the camera to `eye`, facing `target`, within a fifth of a second. A pose that is not finite is
   * ignored: the displayed pose would never be finite again.
   */
  glideTo(eye: ArrayLike<number>, target: ArrayLike<number>): void {
    const x = eye[0]! - target[0]!,
      y = eye[1]! - target[1]!,
      z = eye[2]! - target[2]!;
    const distance = Math.hypot(x, y, z);
    if (!Number.isFinite(distance)) return;
    const wanted = this.wanted;
    [wanted.x, wanted.y, wanted.z] = [target[0]!, target[1]!, target[2]!];
    wanted.distance = clamp(distance, kDistanceMinM, kDistanceMaxM);
    wanted.pitch = clamp(Math.asin(clamp(y / Math.max(distance, 1e-9), -1, 1)), -kPitchMaxRad, kPitchMaxRad);
    // The shorter way round from the displayed yaw.
    const yaw = Math.atan2(x, z);
    wanted.yaw = yaw + 2 * Math.PI * Math.round((this.shown.yaw - yaw) / (2 * Math.PI));
  }

  /** Moves target and eye at once, m, world: the camera follows something that moved so. */
  carry(x: number, y: number, z: number): void {
    for (const pose of [this.wanted, this.shown]) {
      pose.x += x;
      pose.y += y;
      pose.z += z;
    }
  }

  /** Moves the target to a ball of this radius; the direction of the view stays. */
  focus(x: number, y: number, z: number, radius: number): void {
    [this.wanted.x, this.wanted.y, this.wanted.z] = [x, y, z];
    this.wanted.distance = Math.max(6 * radius, 10 * this.camera.near);
  }

  /** Rotates the eye around the target or, while flying, the target around the eye; radians. */
  rotate(yaw: number, pitch: number): void {
    const wanted = this.wanted;
    const eye = this.isFlying ? this.eyeOf(wanted) : undefined;
    wanted.yaw += yaw;
    wanted.pitch = clamp(wanted.pitch + pitch, -kPitchMaxRad, kPitchMaxRad);
    if (!eye) return;
    const eyeAfter = this.eyeOf(wanted);
    wanted.x += eye[0] - eyeAfter[0];
    wanted.y += eye[1] - eyeAfter[1];
    wanted.z += eye[2] - eyeAfter[2];
  }

  zoom(factor: number): void {
    this.wanted.distance = clamp(this.wanted.distance * factor, kDistanceMinM, kDistanceMaxM);
  }

  /**
   * Moves target and eye in the view's own directions, as fractions of the height of the view at the target.
   */
  pan(right: number, up: number): void {
    const height = 2 * this.tangentUp * this.wanted.distance;
    this.move(right * height, up * height, 0);
  }

  /** Moves target and eye in the view's own directions, metres. */
  move(right: number, up: number, forward: number): void {
    const { yaw, pitch } = this.wanted;
    const sinYaw = Math.sin(yaw),
      cosYaw = Math.cos(yaw),
      sinPitch = Math.sin(pitch),
      cosPitch = Math.cos(pitch);
    this.wanted.x += right * cosYaw - up * sinPitch * sinYaw - forward * cosPitch * sinYaw;
    this.wanted.y += up * cosPitch - forward * sinPitch;
    this.wanted.z += -right * sinYaw - up * sinPitch * cosYaw - forward * cosPitch * cosYaw;
  }

  get distance(): number {
    return this.shown.distance;
  }

  /** Direction from the wanted target to the wanted eye, rad. */
  get yaw(): number {
    return this.wanted.yaw;
  }
  get pitch(): number {
    return this.wanted.pitch;
  }

  /** Tangent of half the vertical field of view. */
  get tangentUp(): number {
    return Math.tan((kFieldOfViewDegrees / 2) * (Math.PI / 180));
  }

  /** Horizontal unit vector away from the viewer: (x, z). */
  levelForward(): [number, number] {
    return [-Math.sin(this.shown.yaw), -Math.cos(this.shown.yaw)];
  }

  /**
   * Moves the displayed pose towards the wanted one and sets the camera. `reach`: minimum visible radius, m.
   * The eye stays above the floor of `clearanceOf`.
   */
  update(seconds: number, reach: number, clearanceOf?: ClearanceOf): void {
    if (clearanceOf) this.keepAbove(this.wanted, clearanceOf);
    const fraction = 1 - Math.exp(-seconds / kGlideS);
    for (const key of ["x", "y", "z", "yaw", "pitch", "distance"] as const) {
      this.shown[key] += (this.wanted[key] - this.shown[key]) * fraction;
    }
    const shown = this.shown;
    if (clearanceOf) this.keepAbove(shown, clearanceOf);
    this.target[0] = shown.x;
    this.target[1] = shown.y;
    this.target[2] = shown.z;
    const level = Math.cos(shown.pitch) * shown.distance;
    this.eye[0] = shown.x + Math.sin(shown.yaw) * level;
    this.eye[1] = shown.y + Math.sin(shown.pitch) * shown.distance;
    this.eye[2] = shown.z + Math.cos(shown.yaw) * level;
    const camera = this.camera;
    camera.near = clamp(shown.distance / 200, 0.005, 1);
    camera.far = Math.max(300, 3 * reach, 12 * shown.distance);
    camera.updateProjectionMatrix();
  }

  /** Sets the three.js camera relative to the floating origin. */
  setCamera(origin: FloatingOrigin): void {
    const camera = this.camera;
    camera.position.set(this.eye[0]! - origin.x, this.eye[1]! - origin.y, this.eye[2]! - origin.z);
    camera.rotation.set(-this.shown.pitch, this.shown.yaw, 0, "YXZ");
    camera.updateMatrixWorld();
  }

  // Raises the target out of the floor. Then raises the pitch, or the whole pose if no pitch suffices.
  private keepAbove(pose: Pose, clearanceOf: ClearanceOf): void {
    raise(pose, () => -clearanceOf(pose.x, pose.y, pose.z));
    const clearanceMin = kClearanceM + kClearanceFraction * pose.distance;
    const missingAt = (pitch: number) => clearanceMin - clearanceOf(...this.eyeOf({ ...pose, pitch }));
    if (missingAt(pose.pitch) <= 0) return;
    let low = pose.pitch,
      high = kPitchMaxRad;
    if (missingAt(high) > 0) return raise(pose, () => missingAt(pose.pitch));
    for (let i = 0; i < kPitchHalvings; ++i) {
      const middle = 0.5 * (low + high);
      if (missingAt(middle) > 0) low = middle;
      else high = middle;
    }
    pose.pitch = high;
  }

  private eyeOf(pose: Pose): [number, number, number] {
    const level = Math.cos(pose.pitch) * pose.distance;
    return [
      pose.x + Math.sin(pose.yaw) * level,
      pose.y + Math.sin(pose.pitch) * pose.distance,
      pose.z + Math.cos(pose.yaw) * level,
    ];
  }
}

/** Raises the pose until nothing is missing. On a slope, each step covers at least half of the rest. */
function raise(pose: Pose, missing: () => number): void {
  for (let step = 0; step < kRaisesMax; ++step) {
    const rest = missing();
    if (rest <= 0) return;
    pose.y += rest;
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
