// Volumes and radii of bodies, from their shapes. The server sends no masses: the viewer estimates them from
// the volume at the density of water, the default of scenes. They choose forces and view distances, where a
// factor of three does not matter.
import type { Body } from "takt";

const kGuessedDensityKgM3 = 1000;

export function guessedMassKg(body: Body): number {
  let volume = 0;
  for (const { kind, dimensions } of body.shapes) {
    const [x, y, z] = dimensions;
    if (kind === "sphere") volume += (4 / 3) * Math.PI * x ** 3;
    if (kind === "capsule") volume += Math.PI * x * x * (2 * y + (4 / 3) * x);
    if (kind === "box") volume += 8 * x * y * z;
    if (kind === "cylinder") volume += 2 * Math.PI * x * x * y;
    if (kind === "cone") volume += (2 / 3) * Math.PI * x * x * y;
    if (kind === "hull") volume += 4 * x * y * z; // half of its box
  }
  return Math.max(0.001, kGuessedDensityKgM3 * volume);
}

/** Radius of a ball around the body's origin that contains its shapes, m; half-spaces do not count. */
export function reachOf(body: Body): number {
  let reach = 0.01;
  for (const { kind, dimensions, localPosition } of body.shapes) {
    const [x, y, z] = dimensions;
    const own =
      kind === "sphere"
        ? x
        : kind === "capsule"
          ? x + y
          : kind === "half_space"
            ? 0
            : kind === "cylinder" || kind === "cone"
              ? Math.hypot(x, y)
              : Math.hypot(x, y, z);
    reach = Math.max(reach, own + Math.hypot(localPosition[0], localPosition[1], localPosition[2]));
  }
  return reach;
}
