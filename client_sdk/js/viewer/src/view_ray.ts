// Rays from points of the view into the world, in doubles; three.js' own unprojection works in binary32.
import { Matrix4 } from "three";
import { viewRay as rayOfMatrix } from "takt";
import type { Ray } from "takt";
import type { CameraRig } from "./camera_rig.js";

/** The ray through (x, y), from -1 (left, bottom) to 1 (right, top) of the view. */
export function viewRay(rig: CameraRig, x: number, y: number): Ray {
  // Without the camera's translation, the direction is exact anywhere in the world.
  const view = rig.camera.matrixWorldInverse.clone().setPosition(0, 0, 0);
  const matrix = new Matrix4().multiplyMatrices(rig.camera.projectionMatrix, view);
  const { direction } = rayOfMatrix(matrix.elements, x, y);
  return { origin: [rig.eye[0]!, rig.eye[1]!, rig.eye[2]!], direction };
}

/** The intersection of the ray with the plane through `point` that faces the camera; undefined = none. */
export function meetFacingPlane(
  rig: CameraRig,
  ray: Ray,
  point: ArrayLike<number>,
): [number, number, number] | undefined {
  const m = rig.camera.matrixWorld.elements;
  const normal = [m[8], m[9], m[10]];
  let height = 0,
    sinking = 0;
  for (let axis = 0; axis < 3; ++axis) {
    height += (ray.origin[axis]! - point[axis]!) * normal[axis]!;
    sinking -= ray.direction[axis]! * normal[axis]!;
  }
  if (sinking < 1e-6) return undefined;
  const distance = height / sinking;
  return [0, 1, 2].map((axis) => ray.origin[axis]! + ray.direction[axis]! * distance) as [
    number,
    number,
    number,
  ];
}
