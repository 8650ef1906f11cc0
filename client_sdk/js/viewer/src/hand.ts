// The user's actions in the world: grabs and pulls bodies, throws balls, drives a body with the arrow keys.
// It only sends commands. The server decides their effect, and the viewer displays the server's result.
import { sphere } from "takt";
import type { Body, Client, PickHit, Ray } from "takt";
import { guessedMassKg, reachOf } from "./body_size.js";
import type { CameraRig } from "./camera_rig.js";
import type { LineBatch } from "./line_batch.js";
import { rotate } from "./rotation.js";
import { meetFacingPlane } from "./view_ray.js";

/**
 * Maximum force of a grab in estimated weights of the body: it lifts a body under load but does not fling a
 * pyramid.
 */
const kGrabWeights = 40;
const kGrabForceMinN = 500;
/** Maximum of the default policy (CommandPolicy::max_grab_force_n). */
const kGrabForceMaxN = 200_000;
/** Maximum moves of a grab per second; a server accepts 120 commands a second by default. */
const kMovesPerS = 40;

const kBallRadiusM = 0.25;
const kBallSpeedMS = 22;
const kBallDensityKgM3 = 1500;

/**
 * Force and torque of the arrow keys, as fractions of the estimated weight, and of weight times radius. A
 * cube rolls at friction 0.6.
 */
const kDriveForce = 0.3;
const kDriveTorque = 0.43;
/**
 * Maximum speed of a driven body, in radii and in radians per second: a cube of one metre rolls on the
 * ground.
 */
const kDriveRate = 4;
/**
 * Minimum interval of forces. Each lasts longer than the time since the last one, so that forces overlap at
 * low frame rates.
 */
const kDriveIntervalMs = 50;
const kDriveLastingMsMax = 150;

const kGravityMS2 = 9.81;

export class Hand {
  /** The body clicked last, which arrow keys drive; 0n = none. */
  chosen = 0n;
  private held: { hit: PickHit; target: [number, number, number] } | undefined;
  private lastMoveMs = 0;
  private isMoveDue = false;
  private lastDriveMs = 0;
  private readonly grabPoint = [0, 0, 0];

  constructor(
    private readonly client: Client,
    private readonly rig: CameraRig,
  ) {}

  get heldBody(): bigint {
    return this.held?.hit.body.id ?? 0n;
  }

  /** Returns true if commands take effect. A spectator joins as a player at its first attempt to act. */
  private mayAct(): boolean {
    if (this.client.state !== "joined" || this.client.room?.isPlayback) return false;
    if (!this.client.isSpectator) return true;
    this.client.play();
    return false;
  }

  /** Grabs the body under the ray if it is dynamic. */
  take(ray: Ray): boolean {
    const hit = this.client.pick(ray);
    if (hit?.body.motion !== "dynamic" || !this.mayAct()) return false;
    this.held = { hit, target: hit.point };
    this.chosen = hit.body.id;
    const force = Math.min(
      kGrabForceMaxN,
      Math.max(kGrabForceMinN, kGrabWeights * kGravityMS2 * guessedMassKg(hit.body)),
    );
    this.client.grab(hit.body, hit.pointLocal, hit.point, force);
    return true;
  }

  /** Moves the target of the grab to the ray, in the plane through it that faces the camera. */
  pull(ray: Ray): void {
    if (!this.held) return;
    const target = meetFacingPlane(this.rig, ray, this.held.target);
    if (!target) return;
    this.held.target = target;
    this.isMoveDue = true;
  }

  /** Moves the target of the grab towards the camera (factor < 1) or away from it. */
  reach(factor: number): void {
    if (!this.held) return;
    const { eye } = this.rig;
    this.held.target = this.held.target.map((value, axis) => eye[axis]! + (value - eye[axis]!) * factor) as [
      number,
      number,
      number,
    ];
    this.isMoveDue = true;
  }

  release(): void {
    if (!this.held) return;
    this.held = undefined;
    if (this.mayAct()) this.client.release();
  }

  /** Forgets the grab, after a refusal or in another world. */
  forget(): void {
    this.held = undefined;
  }

  throwBall(ray: Ray): void {
    if (!this.mayAct()) return;
    const along = (distance: number) =>
      ray.origin.map((value, axis) => value + ray.direction[axis]! * distance) as [number, number, number];
    this.client.spawn({
      shape: sphere(kBallRadiusM),
      position: along(2 * kBallRadiusM),
      linearVelocity: ray.direction.map((value) => value * kBallSpeedMS),
      density: kBallDensityKgM3,
      restitution: 0.3,
    });
  }

  /** Pushes and rolls the driven body. `forward` and `right` are -1, 0 or 1, seen from the camera. */
  drive(forward: number, right: number, nowMs: number): void {
    if ((forward === 0 && right === 0) || nowMs - this.lastDriveMs < kDriveIntervalMs) return;
    if (!this.mayAct()) return;
    const body = this.drivenBody();
    if (!body) return;
    const lastingMs = Math.min(kDriveLastingMsMax, 1.3 * (nowMs - this.lastDriveMs));
    this.lastDriveMs = nowMs;
    const ticks = Math.ceil(((this.client.room?.tickRateHz ?? 60) * lastingMs) / 1000);
    const [fx, fz] = this.rig.levelForward();
    const length = Math.hypot(forward, right);
    const x = (fx * forward - fz * right) / length,
      z = (fz * forward + fx * right) / length;
    const reach = reachOf(body);
    // The axis of rolling towards (x, z) is up x direction. The larger of linear and angular speed limits the
    // force.
    const rate = Math.max(
      (body.linearVelocity[0]! * x + body.linearVelocity[2]! * z) / reach,
      body.angularVelocity[0]! * z - body.angularVelocity[2]! * x,
    );
    const fraction = Math.max(0, Math.min(1, 2 * (1 - rate / kDriveRate)));
    if (fraction === 0) return;
    const weight = guessedMassKg(body) * kGravityMS2;
    const force = kDriveForce * fraction * weight,
      torque = kDriveTorque * fraction * weight * reach;
    this.client.force(body, [x * force, 0, z * force], [z * torque, 0, -x * torque], ticks);
  }

  /** The body clicked last, or else the dynamic body with the maximum mass. */
  drivenBody(): Body | undefined {
    let largest: Body | undefined,
      maxMass = 0;
    for (const body of this.client.bodies()) {
      if (body.motion !== "dynamic") continue;
      if (body.id === this.chosen) return body;
      const mass = guessedMassKg(body);
      if (mass > maxMass) [largest, maxMass] = [body, mass];
    }
    return largest;
  }

  /** Sends due moves and draws the grab as a line. Call it once a frame. */
  update(nowMs: number, lines: LineBatch): void {
    const held = this.held;
    if (!held) return;
    if (this.isMoveDue && this.mayAct() && nowMs - this.lastMoveMs >= 1000 / kMovesPerS) {
      this.client.moveGrab(held.target);
      this.lastMoveMs = nowMs;
      this.isMoveDue = false;
    }
    const { body, pointLocal } = held.hit;
    rotate(body.rotation, pointLocal[0], pointLocal[1], pointLocal[2], this.grabPoint);
    const [x, y, z] = held.target;
    lines.add(
      body.position[0]! + this.grabPoint[0]!,
      body.position[1]! + this.grabPoint[1]!,
      body.position[2]! + this.grabPoint[2]!,
      x,
      y,
      z,
      1,
      0.85,
      0.2,
    );
  }
}
