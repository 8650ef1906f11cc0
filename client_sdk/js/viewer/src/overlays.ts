// Overlays on the bodies: contact points and normals, joints, bounding boxes, velocities, islands, and the
// newest snapshot beside the interpolated pose. Each has a switch. The client requests inspection data only
// while a switch needs them.
import type { Body, Client, Quadruple } from "takt";
import { reachOf } from "./body_size.js";
import { Bounds } from "./bounds.js";
import { Islands } from "./islands.js";
import type { LineBatch } from "./line_batch.js";
import { addBox, addOutline } from "./outline.js";
import { rotate } from "./rotation.js";
import type { Stage } from "./stage.js";

export const kOverlayNames = ["contacts", "joints", "boxes", "velocity", "islands", "raw"] as const;
export type OverlayName = (typeof kOverlayNames)[number];

/** Length of a velocity's arrow: the displacement in this time. */
const kVelocityArrowS = 0.2;

/** Maximum length of a frame's axes, as a fraction of the smaller body's radius. */
const kAxisFraction = 0.8;
/**
 * By kind: a grab, generic, point, revolute, prismatic, weld, distance, angle, wheel, parallel, motor,
 * target, pulley, gear. Linear colours.
 */
const kJointColours: readonly (readonly [number, number, number])[] = [
  [1, 1, 0.2],
  [0.9, 0.9, 0.9],
  [1, 0.55, 0.05],
  [0.1, 0.85, 0.9],
  [0.65, 0.3, 1],
  [0.95, 0.2, 0.5],
  [0.3, 0.9, 0.35],
  [0.75, 0.75, 0.2],
  [0.2, 0.5, 1],
  [0.5, 0.8, 0.7],
  [1, 0.4, 0.8],
  [1, 0.8, 0.4],
  [0.6, 0.9, 0.1],
  [0.8, 0.5, 0.3],
];
const kMarkEdges: readonly (readonly number[])[] = [1, -1].flatMap((s) => [
  [s, 0, 0, 0, 1, 0],
  [s, 0, 0, 0, -1, 0],
  [s, 0, 0, 0, 0, 1],
  [s, 0, 0, 0, 0, -1],
  [0, s, 0, 0, 0, 1],
  [0, s, 0, 0, 0, -1],
]);

export class Overlays {
  readonly isOn: Record<OverlayName, boolean> = {
    contacts: false,
    joints: false,
    boxes: false,
    velocity: false,
    islands: false,
    raw: false,
  };
  private areJointsWanted = false;
  private readonly islands = new Islands();
  private readonly bounds = new Bounds();
  private readonly axis = [0, 0, 0];
  private readonly reaches: (number | undefined)[] = []; // by body index, while joints are drawn

  constructor(
    private readonly client: Client,
    private readonly stage: Stage,
    private readonly lines: LineBatch,
  ) {
    this.inspect();
  }

  toggle(name: OverlayName): void {
    this.isOn[name] = !this.isOn[name];
    this.stage.islandOf = this.isOn.islands ? (body) => this.islands.islandOf(body) : undefined;
    const isInside = name === "contacts" || name === "islands" || name === "joints";
    if (isInside) this.inspect();
  }

  /** The cords need joint frames, or no longer. */
  setJointsWanted(isWanted: boolean): void {
    if (isWanted === this.areJointsWanted) return;
    this.areJointsWanted = isWanted;
    this.inspect();
  }

  // Ropes are always requested; contacts and joints only while they are displayed, or for the cords.
  private inspect(): void {
    this.client.inspect({
      contacts: this.isOn.contacts || this.isOn.islands,
      joints: this.isOn.joints || this.areJointsWanted,
      ropes: true,
    });
  }

  /** Adds the lines of this frame. */
  draw(): void {
    const { isOn, client } = this;
    // Length of normals and axes: a fraction of the view, so that they are visible from far and small from
    // near.
    const length = 0.035 * this.stage.rig.distance;
    const contacts = client.contacts();
    if (isOn.islands && contacts) this.islands.update(contacts.tick, contacts.items, client.bodies());
    if (isOn.contacts) this.drawContacts(length);
    if (isOn.joints) this.drawJoints(length);
    if (!isOn.boxes && !isOn.velocity && !isOn.raw) return;
    for (const body of client.bodies()) {
      if (isOn.boxes) this.drawBounds(body);
      if (isOn.velocity && body.motion !== "static") this.drawVelocity(body);
      if (isOn.raw && body.motion === "dynamic") {
        addOutline(this.lines, body, body.rawPosition, body.rawRotation, 1, 0.25, 0.6);
      }
    }
  }

  private drawContacts(length: number): void {
    const cross = 0.25 * length;
    for (const {
      position: [x, y, z],
      normal: [nx, ny, nz],
    } of this.client.contacts()?.items ?? []) {
      this.lines.add(x - cross, y, z, x + cross, y, z, 1, 0.75, 0);
      this.lines.add(x, y - cross, z, x, y + cross, z, 1, 0.75, 0);
      this.lines.add(x, y, z - cross, x, y, z + cross, 1, 0.75, 0);
      this.lines.add(x, y, z, x + nx * length, y + ny * length, z + nz * length, 1, 0.1, 0.05);
    }
  }

  // A line between the anchors, the axes of frame a and, half as long, those of frame b. Their difference is
  // the joint's freedom or error.
  private drawJoints(longest: number): void {
    this.reaches.length = 0;
    for (const body of this.client.bodies()) this.reaches[body.index] = reachOf(body);
    for (const joint of this.client.jointFrames()?.items ?? []) {
      const {
        anchorA: [ax, ay, az],
        anchorB: [bx, by, bz],
      } = joint;
      const length = Math.min(longest, kAxisFraction * this.minReach(joint.bodyA, joint.bodyB));
      const [r, g, b] = joint.isTorn
        ? [1, 0.15, 0.1]
        : joint.isOff
          ? [0.45, 0.45, 0.45]
          : (kJointColours[joint.kind] ?? kJointColours[0]!);
      this.lines.add(ax, ay, az, bx, by, bz, r, g, b);
      this.drawMark(ax, ay, az, 0.3 * length, r, g, b);
      this.drawAxes(ax, ay, az, joint.rotation, length);
      if (joint.kind === 0) continue;
      this.drawMark(bx, by, bz, 0.3 * length, r, g, b);
      this.drawAxes(bx, by, bz, joint.rotationB, 0.5 * length);
    }
  }

  // The radius of the smaller body, so that frames of small bodies do not cover them.
  private minReach(bodyA: bigint, bodyB: bigint): number {
    const reach = (id: bigint) =>
      id === 0n ? Infinity : (this.reaches[Number(id & 0xffffffffn)] ?? Infinity);
    return Math.min(reach(bodyA), reach(bodyB));
  }

  private drawAxes(x: number, y: number, z: number, rotation: Quadruple, length: number): void {
    const axis = this.axis;
    for (let i = 0; i < 3; ++i) {
      rotate(rotation, i === 0 ? length : 0, i === 1 ? length : 0, i === 2 ? length : 0, axis);
      this.lines.add(
        x,
        y,
        z,
        x + axis[0]!,
        y + axis[1]!,
        z + axis[2]!,
        i === 0 ? 1 : 0.1,
        i === 1 ? 0.9 : 0.1,
        i === 2 ? 1 : 0.1,
      );
    }
  }

  // Draws the edges of an octahedron.
  private drawMark(x: number, y: number, z: number, size: number, r: number, g: number, b: number): void {
    for (const [ux, uy, uz, vx, vy, vz] of kMarkEdges) {
      this.lines.add(
        x + ux! * size,
        y + uy! * size,
        z + uz! * size,
        x + vx! * size,
        y + vy! * size,
        z + vz! * size,
        r,
        g,
        b,
      );
    }
  }

  private drawVelocity(body: Body): void {
    const [x, y, z] = body.position as ArrayLike<number> as [number, number, number];
    const [vx, vy, vz] = body.linearVelocity as ArrayLike<number> as [number, number, number];
    if (vx * vx + vy * vy + vz * vz < 1e-4) return;
    this.lines.add(
      x,
      y,
      z,
      x + vx * kVelocityArrowS,
      y + vy * kVelocityArrowS,
      z + vz * kVelocityArrowS,
      0.1,
      0.9,
      0.3,
    );
  }

  private drawBounds(body: Body): void {
    const { bounds, lines } = this;
    bounds.clear();
    for (const shape of body.shapes) bounds.addShape(body, shape);
    if (bounds.isEmpty) return;
    const [x0, y0, z0] = bounds.low as [number, number, number],
      [x1, y1, z1] = bounds.high as [number, number, number];
    addBox(x0, y0, z0, x1, y1, z1, (ax, ay, az, bx, by, bz) =>
      lines.add(ax, ay, az, bx, by, bz, 0.2, 0.55, 1),
    );
  }
}
