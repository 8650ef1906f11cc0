// CameraGuide moves the camera when nobody drags it: to the first view of a world, to a view of everything
// (H), again when the page changes its size before a person moved the camera, and along with a body that it
// follows. content.ts selects what a view shows, framing.ts computes the view.
import type { Body, Client, Room } from "takt";
import { reachOf } from "./body_size.js";
import type { Bounds } from "./bounds.js";
import { kFitPitch, kFitYaw } from "./camera_rig.js";
import { contentOf, framingOf, subjectOfAll, subjectOfBulk, subjectOfCamera } from "./content.js";
import type { FramingOptions, PageRect, View } from "./framing.js";
import { freeRegion } from "./framing.js";
import type { Stage } from "./stage.js";
import { Swings } from "./swings.js";
import { largestView } from "./tall_view.js";

/**
 * Time for which the camera follows a world and a page that are still arriving, and the minimum number of
 * frames: a slow page has drawn few when the time is over.
 */
const kPatienceMs = 1500;
const kPatienceFrames = 8;
/** Time for which an untouched first view grows to show what swings, and the interval between two looks. */
const kSwingsMs = 30_000;
const kSwingsIntervalMs = 200;
/** Steps in which a target that lies in the floor moves towards the eye. */
const kTargetSteps = 32;
/** Time of a glide, in which the view is not judged again. */
const kGlideMs = 1000;
/**
 * Pictures: aspect ratio from which a scene's camera is used unchanged, and the maximum factor of distance
 * for a narrower view.
 */
const kWideAspect = 1.3;
const kNarrowFurtherMax = 2.5;
/** Minimum pitch of a view of everything, rad: the floor is a surface, not a line. */
const kPitchMinRad = 0.12;

export interface CameraGuideOptions {
  client: Client;
  stage: Stage;
  /** Six numbers: eye and target, m; null = the room's camera, or one that frames the bulk of the bodies. */
  camera: readonly number[] | null;
  /** For pictures: a scene's camera does not depend on the bodies, so that two ticks have one view. */
  isPicture: boolean;
  /** Rectangles of the page that cover the picture. */
  covers: () => readonly PageRect[];
}

export class CameraGuide {
  /** The camera was moved to this world. */
  isFramed = false;
  private firstBodiesMs: number | undefined;
  /** Frames since then. */
  private frames = 0;
  /** Nobody has moved the camera since it was framed. */
  private isUntouched = true;
  private framedPage = "";
  private readonly swings = new Swings();
  private swingsUntilMs = 0;
  private nextLookMs = 0;
  private followed = 0n;
  private readonly lastPosition = [0, 0, 0];

  constructor(private readonly options: CameraGuideOptions) {}

  get isFollowing(): boolean {
    return this.followed !== 0n;
  }

  /** Another world: its first bodies are framed again. */
  handleNewWorld(): void {
    this.isFramed = false;
    this.isUntouched = true;
    this.firstBodiesMs = undefined;
    this.frames = 0;
    this.followed = 0n;
    this.options.stage.floor.clear();
  }

  /** A person moved the camera. `isPan`: its target too, which ends following. */
  handleTouched(isPan: boolean): void {
    this.isUntouched = false;
    if (isPan) this.followed = 0n;
  }

  /**
   * Frames the first view of a world, and again after a change of the page's size. A large world arrives in
   * parts, and so does the page: the camera is moved until both are whole or the time is over.
   */
  frameFirst(nowMs: number, isWhole: boolean): void {
    const { client, stage } = this.options;
    // A page without a size has no view: it is framed when it has one.
    if (client.bodies().length === 0 || stage.width <= 0 || stage.height <= 0) return;
    this.firstBodiesMs ??= nowMs;
    const isPatient = ++this.frames <= kPatienceFrames || nowMs - this.firstBodiesMs <= kPatienceMs;
    if (this.isFramed && (!this.isUntouched || this.isFollowing)) return;
    const page = this.pageKey(isPatient);
    if (this.isFramed && page === this.framedPage) return;
    this.framedPage = page;
    this.frameScene();
    this.swings.clear();
    this.swingsUntilMs = nowMs + kSwingsMs;
    this.isFramed ||= isWhole || !isPatient;
  }

  /** Widens an untouched first view by what swings out of it; call it once a frame. */
  showSwings(nowMs: number): void {
    const { client, stage, camera, isPicture } = this.options;
    if (!this.isFramed || !this.isUntouched || this.isFollowing || camera || isPicture) return;
    if (nowMs < this.nextLookMs || nowMs >= this.swingsUntilMs) return;
    this.nextLookMs = nowMs + kSwingsIntervalMs;
    const subject = this.sceneSubject();
    this.swings.update(client.bodies(), subject);
    const swinging = this.swings.boxes();
    if (swinging.length === 0) return;
    const { rig } = stage;
    const { content, floorY, options } = this.subjectView(subject, rig.yaw, rig.pitch);
    if (framingOf(swinging, -Infinity, options).shows(rig.eye)) return;
    const view = framingOf([...content, ...swinging], floorY, options).solve();
    if (!view) return;
    // The view comes no nearer: an author may have chosen it from afar. Both eyes are on one axis' direction.
    const away = [0, 1, 2].map((axis) => view.eye[axis]! - view.target[axis]!);
    const distance = Math.hypot(...away);
    const nearer = [0, 1, 2].reduce((sum, axis) => sum + (rig.eye[axis]! - view.eye[axis]!) * away[axis]!, 0);
    const further = 1 + Math.max(0, nearer / distance) / distance;
    const eye = view.target.map((value, axis) => value + away[axis]! * further);
    rig.glideTo(eye, this.targetAbove({ eye: eye as View["eye"], target: view.target }));
    this.nextLookMs = nowMs + kGlideMs;
  }

  /** Moves the camera to a view of all bodies and ropes, from the present direction. */
  showAll(): void {
    const { client, stage } = this.options;
    const { rig } = stage;
    this.followed = 0n;
    rig.isFlying = false;
    this.isUntouched = false;
    const subject = subjectOfAll(client.bodies(), client.ropes());
    const view = this.viewOf(subject, rig.yaw, Math.max(kPitchMinRad, rig.pitch));
    if (view) rig.glideTo(view.eye, this.targetAbove(view));
  }

  /** Follows the body from now on; undefined = stops. */
  follow(body: Body | undefined): void {
    this.followed = body?.id ?? 0n;
    if (!body) return;
    const { rig } = this.options.stage;
    this.isUntouched = rig.isFlying = false;
    const [x, y, z] = body.position as unknown as [number, number, number];
    for (let axis = 0; axis < 3; ++axis) this.lastPosition[axis] = body.position[axis]!;
    rig.focus(x, y, z, Math.max(reachOf(body), rig.distance / 12));
  }

  /** Moves the camera with the followed body; call it once a frame. Returns false if the body is gone. */
  update(): boolean {
    if (!this.isFollowing) return true;
    const body = this.options.client.bodies().find(({ id }) => id === this.followed);
    if (!body) {
      this.followed = 0n;
      return false;
    }
    const moved = this.lastPosition.map((value, axis) => body.position[axis]! - value);
    this.options.stage.rig.carry(moved[0]!, moved[1]!, moved[2]!);
    for (let axis = 0; axis < 3; ++axis) this.lastPosition[axis] = body.position[axis]!;
    return true;
  }

  // The size of the page and, while it is young, its covers: they decide its free part. Later a cover may
  // come and go without a move of the camera.
  private pageKey(isPatient: boolean): string {
    const { stage, covers } = this.options;
    const size = `${stage.width} ${stage.height}`;
    if (!isPatient) return this.framedPage.startsWith(`${size};`) ? this.framedPage : `${size};`;
    return `${size};${covers()
      .map(({ left, top, width, height }) => [left, top, width, height].map(Math.round).join(" "))
      .join(";")}`;
  }

  private frameScene(): void {
    const { camera, client, stage } = this.options;
    const { rig } = stage;
    if (camera) return rig.jumpTo(camera.slice(0, 3), camera.slice(3, 6));
    const view = cameraOf(client.room);
    if (view) return this.frameSubject(view);
    const framed = this.viewOf(this.sceneSubject(), kFitYaw, kFitPitch);
    if (framed) rig.jumpTo(framed.eye, this.targetAbove(framed));
  }

  // The subject of the first view of a world.
  private sceneSubject(): Bounds {
    const { client, stage } = this.options;
    const view = cameraOf(client.room);
    if (view) return subjectOfCamera(view.eye, view.target, stage.rig.tangentUp);
    return subjectOfBulk(client.bodies(), client.ropes());
  }

  // A scene's camera is used unchanged where it shows its whole subject in the free part of the picture. A
  // panel over the subject needs another distance from the same side, and a phone often another side.
  private frameSubject({ eye, target }: { eye: readonly number[]; target: readonly number[] }): void {
    const { client, stage, isPicture } = this.options;
    const { rig } = stage;
    const further = isPicture ? Math.min(kNarrowFurtherMax, Math.max(1, kWideAspect / stage.aspect)) : 1;
    rig.jumpTo(
      eye.map((value, axis) => target[axis]! + (value - target[axis]!) * further),
      target,
    );
    if (isPicture) return;
    const { content, floorY, options } = this.subjectView(this.sceneSubject(), rig.yaw, rig.pitch);
    const framing = framingOf(content, floorY, options);
    if (client.bodies().length === 0 || framing.shows(eye)) return;
    const framed = stage.aspect < 1 ? largestView(content, floorY, options) : framing.solve();
    if (framed) rig.jumpTo(framed.eye, this.targetAbove(framed));
  }

  // The target of the same view above the floor: the rig would raise eye and target out of it alike, and the
  // picture with them.
  private targetAbove({ eye, target }: View): View["target"] {
    const at = (fraction: number) =>
      target.map((value, axis) => value + (eye[axis]! - value) * fraction) as View["target"];
    for (let step = 0; step < kTargetSteps; ++step) {
      const point = at(step / kTargetSteps);
      if (this.options.stage.clearanceOf(...point) >= 0) return point;
    }
    return target;
  }

  private viewOf(subject: Bounds, yaw: number, pitch: number): View | undefined {
    const { content, floorY, options } = this.subjectView(subject, yaw, pitch);
    return framingOf(content, floorY, options).solve();
  }

  // The arguments of framingOf() and largestView().
  private subjectView(subject: Bounds, yaw: number, pitch: number) {
    const { client, stage, covers } = this.options;
    stage.floor.update(client.bodies(), client.ropes());
    const content = contentOf(client.bodies(), client.ropes(), subject);
    const options: FramingOptions = {
      yaw,
      pitch,
      tangentUp: stage.rig.tangentUp,
      aspect: stage.aspect,
      region: freeRegion(stage.width, stage.height, covers()),
    };
    const x = subject.center(0),
      z = subject.center(2);
    const floorY = Number.isFinite(x + z) ? stage.floor.heightAt(x, z) : -Infinity;
    return { content, floorY, options };
  }
}

function cameraOf(room: Room | null): { eye: readonly number[]; target: readonly number[] } | undefined {
  if (!room?.cameraEye || !room.cameraTarget) return undefined;
  return { eye: room.cameraEye, target: room.cameraTarget };
}
