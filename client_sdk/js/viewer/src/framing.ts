// Framing computes the view that shows boxes as large as possible within a free part of the picture, from a
// direction. It is exact: each side of the free part is a plane through the eye, and the farthest point of
// each box along a plane's normal decides. freeRegion() returns the part of a picture that no panel covers.
// It knows no bodies, no page and no three.js.

/** A part of the picture in view coordinates: -1 (left, bottom) to 1 (right, top). */
export interface Region {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

export const kWholeRegion: Readonly<Region> = { left: -1, right: 1, bottom: -1, top: 1 };

/** A rectangle of the page, CSS pixels from the upper left corner. */
export interface PageRect {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface View {
  eye: [number, number, number];
  target: [number, number, number];
}

export interface FramingOptions {
  /** Direction from the target to the eye, rad; as in CameraRig. */
  yaw: number;
  pitch: number;
  /** Tangent of half the vertical field of view. */
  tangentUp: number;
  /** Width / height of the picture. */
  aspect: number;
  region?: Readonly<Region>;
}

/** Minimum distance from the eye to the middle of the boxes, m. A grain of sand does not fill the picture. */
const kDistanceMinM = 1;

type Vector = readonly [number, number, number];

export class Framing {
  private readonly away: Vector;
  private readonly right: Vector;
  private readonly up: Vector;
  /** Normals of the four sides, and the maximum of each over all boxes: right, left, top, bottom. */
  private readonly normals: readonly Vector[];
  private readonly farthest = [-Infinity, -Infinity, -Infinity, -Infinity];
  private readonly slopes: readonly number[];
  private nearest = -Infinity;
  private deepest = Infinity;
  private readonly tangentUp: number;
  private readonly aspect: number;

  constructor({ yaw, pitch, tangentUp, aspect, region = kWholeRegion }: FramingOptions) {
    this.tangentUp = tangentUp;
    this.aspect = aspect;
    const sinYaw = Math.sin(yaw),
      cosYaw = Math.cos(yaw),
      sinPitch = Math.sin(pitch),
      cosPitch = Math.cos(pitch);
    this.away = [cosPitch * sinYaw, sinPitch, cosPitch * cosYaw];
    this.right = [cosYaw, 0, -sinYaw];
    this.up = [-sinPitch * sinYaw, cosPitch, -sinPitch * cosYaw];
    const tangentRight = tangentUp * aspect;
    this.slopes = [
      region.right * tangentRight,
      region.left * tangentRight,
      region.top * tangentUp,
      region.bottom * tangentUp,
    ];
    // A point p is left of the right side if (p - eye) . right <= slope (eye - p) . away.
    this.normals = this.slopes.map((slope, side) => {
      const axis = side < 2 ? this.right : this.up;
      const sign = side % 2 === 0 ? 1 : -1;
      return [0, 1, 2].map((i) => sign * (axis[i]! + slope * this.away[i]!)) as unknown as Vector;
    });
  }

  get isEmpty(): boolean {
    return this.nearest === -Infinity;
  }

  /** Adds a box by its centre and half widths, m, world. */
  add(center: ArrayLike<number>, half: ArrayLike<number>): void {
    this.normals.forEach((normal, side) => {
      this.farthest[side] = Math.max(this.farthest[side]!, along(normal, center) + reach(normal, half));
    });
    const depth = along(this.away, center),
      halfDepth = reach(this.away, half);
    this.nearest = Math.max(this.nearest, depth + halfDepth);
    this.deepest = Math.min(this.deepest, depth - halfDepth);
  }

  /**
   * The view; undefined without boxes, or if the picture has no width. The target is on the view's axis, amid
   * the boxes' depth.
   */
  solve(): View | undefined {
    if (this.isEmpty) return undefined;
    const [right, left, top, bottom] = this.farthest as [number, number, number, number];
    const [slopeRight, slopeLeft, slopeTop, slopeBottom] = this.slopes as [number, number, number, number];
    // In the view's axes: right - slopeRight z <= x <= -left - slopeLeft z for an eye at (x, y, z).
    const middle = 0.5 * (this.nearest + this.deepest);
    const z = Math.max(
      (right + left) / (slopeRight - slopeLeft),
      (top + bottom) / (slopeTop - slopeBottom),
      middle + kDistanceMinM,
    );
    const x = 0.5 * (right - slopeRight * z - left - slopeLeft * z);
    const y = 0.5 * (top - slopeTop * z - bottom - slopeBottom * z);
    if (![x, y, z, middle].every(Number.isFinite)) return undefined;
    const at = (depth: number) =>
      [0, 1, 2].map((i) => this.right[i]! * x + this.up[i]! * y + this.away[i]! * depth) as View["eye"];
    return { eye: at(z), target: at(middle) };
  }

  /**
   * The region that a box takes in the picture of an eye at this point: the rectangle around its projection.
   * Undefined if the box is not in front of the eye.
   */
  regionOf(eye: ArrayLike<number>, center: ArrayLike<number>, half: ArrayLike<number>): Region | undefined {
    const region = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
    for (let corner = 0; corner < 8; ++corner) {
      const offset = [0, 1, 2].map(
        (axis) => center[axis]! - eye[axis]! + ((corner >> axis) % 2 === 1 ? half[axis]! : -half[axis]!),
      );
      const depth = -along(this.away, offset);
      if (depth <= 0) return undefined;
      const x = along(this.right, offset) / (depth * this.tangentUp * this.aspect),
        y = along(this.up, offset) / (depth * this.tangentUp);
      region.left = Math.min(region.left, x);
      region.right = Math.max(region.right, x);
      region.bottom = Math.min(region.bottom, y);
      region.top = Math.max(region.top, y);
    }
    return region;
  }

  /** Depth of the nearest point of the boxes in the view of an eye, by that of the farthest; at most 1. */
  evennessOf(eye: ArrayLike<number>): number {
    const depth = along(this.away, eye);
    return Math.max(0, depth - this.nearest) / (depth - this.deepest);
  }

  /** True if an eye at this point has all boxes within the region. */
  shows(eye: ArrayLike<number>): boolean {
    return this.normals.every((normal, side) => this.farthest[side]! <= along(normal, eye) + 1e-9);
  }
}

/**
 * The free part of a picture of that size (CSS pixels): the maximum rectangle after each cover, largest
 * first, cut a strip off one side. `marginFraction` of the height stays free around it.
 */
export function freeRegion(
  width: number,
  height: number,
  covers: readonly PageRect[],
  marginFraction = 0.03,
): Region {
  let free = { left: 0, top: 0, right: width, bottom: height };
  const bySize = [...covers].sort((a, b) => b.width * b.height - a.width * a.height);
  for (const { left, top, width: wide, height: high } of bySize) {
    const isBeside =
      left >= free.right || left + wide <= free.left || top >= free.bottom || top + high <= free.top;
    if (isBeside || wide <= 0 || high <= 0) continue;
    const candidates = [
      { ...free, right: left },
      { ...free, left: left + wide },
      { ...free, bottom: top },
      { ...free, top: top + high },
    ];
    const area = (rect: typeof free) =>
      Math.max(0, rect.right - rect.left) * Math.max(0, rect.bottom - rect.top);
    free = candidates.reduce((best, rect) => (area(rect) > area(best) ? rect : best));
  }
  const margin = marginFraction * height;
  const x = (pixel: number) => (2 * pixel) / Math.max(1, width) - 1,
    y = (pixel: number) => 1 - (2 * pixel) / Math.max(1, height);
  const region = {
    left: x(free.left + margin),
    right: x(free.right - margin),
    bottom: y(free.bottom - margin),
    top: y(free.top + margin),
  };
  // A page that covers its own picture leaves nothing: then the whole picture counts.
  const isUsable = region.right - region.left > 0.2 && region.top - region.bottom > 0.2;
  return isUsable ? region : { ...kWholeRegion };
}

function along(normal: ArrayLike<number>, point: ArrayLike<number>): number {
  return normal[0]! * point[0]! + normal[1]! * point[1]! + normal[2]! * point[2]!;
}

function reach(normal: ArrayLike<number>, half: ArrayLike<number>): number {
  return Math.abs(normal[0]!) * half[0]! + Math.abs(normal[1]!) * half[1]! + Math.abs(normal[2]!) * half[2]!;
}
