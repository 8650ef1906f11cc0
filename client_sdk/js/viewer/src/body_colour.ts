// Colours of bodies, derived from their ids and so equal in every session and browser. The golden ratio
// spreads them over hue, so that neighbours in a pile differ; their lightness is nearly equal (OKLCH,
// Ottosson 2020). Linear RGB, as three.js takes it. It knows no theme.

export interface Rgb {
  r: number;
  g: number;
  b: number;
}

const kGoldenTurn = 0.6180339887498949;

/** Linear RGB of a lightness in [0, 1], a chroma and a hue in turns; clipped to the gamut. */
export function fromOklch(lightness: number, chroma: number, hueTurns: number): Rgb {
  const a = chroma * Math.cos(hueTurns * 2 * Math.PI);
  const b = chroma * Math.sin(hueTurns * 2 * Math.PI);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  return {
    r: clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    g: clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    b: clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  };
}

/** The colour of a body or an island, from a whole number that identifies it. */
export function colourOf(number: number): Rgb {
  const turn = (number * kGoldenTurn) % 1;
  // Two bands of lightness double the number of distinct colours.
  const lightness = number % 2 === 0 ? 0.74 : 0.65;
  return fromOklch(lightness, 0.125, turn);
}

/** Colour of static bodies: part of the surroundings. */
export const kStaticColour: Rgb = fromOklch(0.72, 0.012, 0.7);
/** Colour of kinematic bodies: machinery. */
export const kKinematicColour: Rgb = fromOklch(0.62, 0.05, 0.7);

/** Brightness and colour that a sleeping body keeps: it differs from its neighbour awake, and is not dull. */
const kAsleepBrightness = 0.86;
const kAsleepColour = 0.7;

/** The colour of a sleeping body: the same hue, paler and slightly darker. */
export function dimmed(colour: Rgb): Rgb {
  const grey = 0.2126 * colour.r + 0.7152 * colour.g + 0.0722 * colour.b;
  const dim = (value: number) => kAsleepBrightness * (kAsleepColour * value + (1 - kAsleepColour) * grey);
  return { r: dim(colour.r), g: dim(colour.g), b: dim(colour.b) };
}
