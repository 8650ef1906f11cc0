// Rays from points of the view into the world, in doubles; three.js' own unprojection works in binary32.
import type { CameraRig } from "./camera_rig.js";
import type { Ray } from "./ray.js";

/** The ray through (x, y), from -1 (left, bottom) to 1 (right, top) of the view. */
export function viewRay(rig: CameraRig, x: number, y: number): Ray {
  const camera = rig.camera;
  const up = Math.tan((camera.fov / 2) * (Math.PI / 180));
  const right = up * camera.aspect;
  // Columns of the camera's rotation: its right, its up and its backward direction.
  const m = camera.matrixWorld.elements;
  const direction = [0, 1, 2].map((axis) => m[axis]! * x * right + m[4 + axis]! * y * up - m[8 + axis]!);
  const length = Math.hypot(...direction);
  return {
    origin: [rig.eye[0]!, rig.eye[1]!, rig.eye[2]!],
    direction: direction.map((value) => value / length) as [number, number, number],
  };
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
