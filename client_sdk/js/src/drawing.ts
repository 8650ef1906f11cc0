// The entry takt/drawing: parts for pages that draw or cast rays themselves. To stay fast in drawing loops,
// these functions do not check their arguments.
export { castRay } from "./ray_cast.js";
export type { GeometryOf } from "./ray_cast.js";
export { surfaceTriangles } from "./surface_triangles.js";
export type { SurfaceTriangles } from "./surface_triangles.js";
export { multiply, rotate, rotateBack } from "./rotation.js";
export type { Numbers } from "./rotation.js";
