// largestView() selects the direction of a view in a picture that is taller than wide. A row of bodies that
// fills a wide picture is a thin strip in a tall one. Seen at an angle, or from higher up, more of the
// picture is covered by bodies. The view's own direction stays unless another one is worth clearly more.
import type { ContentBox } from "./content.js";
import { framingOf } from "./content.js";
import type { Framing, FramingOptions, Region, View } from "./framing.js";
import { kWholeRegion } from "./framing.js";

/**
 * Turns about the vertical, rad, and the factor of a view's worth: an author chose the direction. None goes
 * to an end of a row, from where long bodies are not recognised.
 */
const kTurns: readonly (readonly [number, number])[] = [
  [0, 1],
  [Math.PI / 6, 0.75],
  [-Math.PI / 6, 0.75],
  [Math.PI / 3, 0.8],
  [-Math.PI / 3, 0.8],
];
/** Pitches that are tried where they are above the view's own, rad, and the factor of a view's worth. */
const kPitches: readonly (readonly [number, number])[] = [
  [0.6, 0.75],
  [0.85, 0.65],
];
/** A view that covers this fraction of the picture shows its bodies well: more is worth no more. */
const kCoveredEnough = 0.25;
/** Minimum of the nearest depth by the farthest: of equal bodies none looks much larger than another. */
const kEvennessMin = 0.62;
/** Fraction of the region's width that is full of what is there now; bodies in the air still fall. */
const kFilledAcross = 0.8;
/** Cells across and down of the grid in which the covered part of the picture is counted. */
const kCells = 48;

/** The view of the content in `options` or another direction; undefined without content. */
export function largestView(
  content: readonly ContentBox[],
  floorY: number,
  options: FramingOptions,
): View | undefined {
  let best: View | undefined;
  let bestWorth = -1;
  const pitches = [[options.pitch, 1] as const, ...kPitches.filter(([pitch]) => pitch > options.pitch)];
  for (const [turn, turnWorth] of kTurns) {
    for (const [pitch, pitchWorth] of pitches) {
      const framing = framingOf(content, floorY, { ...options, yaw: options.yaw + turn, pitch });
      const view = framing.solve();
      if (!view) continue;
      const isOwn = turn === 0 && pitch === options.pitch;
      const region = options.region ?? kWholeRegion;
      const isGood =
        framing.evennessOf(view.eye) >= kEvennessMin &&
        fills(framing, view, content, region) &&
        showsFloor(framing, view, floorY, region);
      if (!isOwn && !isGood) continue;
      const covered = coveredFraction(framing, view, content, region);
      const worth = turnWorth * pitchWorth * Math.min(covered, kCoveredEnough);
      if (worth <= bestWorth) continue;
      best = view;
      bestWorth = worth;
    }
  }
  return best;
}

/** Room for motion can be most of a view's content; such a view shows little. */
function fills(
  framing: Framing,
  { eye }: View,
  content: readonly ContentBox[],
  region: Readonly<Region>,
): boolean {
  let left = Infinity,
    right = -Infinity;
  for (const { center, still } of content) {
    const box = framing.regionOf(eye, center, still);
    if (!box) return false;
    left = Math.min(left, box.left);
    right = Math.max(right, box.right);
  }
  return right - left >= kFilledAcross * (region.right - region.left);
}

/** The floor below the view's target is in the region, if there is a floor. */
function showsFloor(
  framing: Framing,
  { eye, target }: View,
  floorY: number,
  region: Readonly<Region>,
): boolean {
  if (!Number.isFinite(floorY)) return true;
  const spot = framing.regionOf(eye, [target[0], floorY, target[2]], [0, 0, 0]);
  return spot !== undefined && spot.bottom >= region.bottom && spot.top <= region.top;
}

/** Fraction of the region's cells that a moving body's rectangle touches. */
function coveredFraction(
  framing: Framing,
  { eye }: View,
  content: readonly ContentBox[],
  region: Readonly<Region>,
): number {
  const covered = new Uint8Array(kCells * kCells);
  const cellOf = (value: number, low: number, high: number) =>
    Math.max(0, Math.min(kCells - 1, Math.floor((kCells * (value - low)) / (high - low))));
  for (const { center, still, moves } of content) {
    const box = moves ? framing.regionOf(eye, center, still) : undefined;
    if (!box) continue;
    const left = cellOf(box.left, region.left, region.right),
      right = cellOf(box.right, region.left, region.right),
      top = cellOf(box.top, region.bottom, region.top);
    for (let row = cellOf(box.bottom, region.bottom, region.top); row <= top; ++row) {
      covered.fill(1, row * kCells + left, row * kCells + right + 1);
    }
  }
  return covered.reduce((sum, cell) => sum + cell, 0) / covered.length;
}
