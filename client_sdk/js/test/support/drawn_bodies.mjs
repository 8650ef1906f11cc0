// Support of tests that draw or cast rays: random numbers with a printed seed, and bodies as the SDK has
// them.

/** Uniform in [0, 1), the same for the same seed (Weyl sequence through a 32-bit mixer). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

export function randomRotation(random) {
  for (;;) {
    const q = [0, 1, 2, 3].map(() => 2 * random() - 1);
    const length = Math.hypot(...q);
    if (length > 0.1 && length <= 1) return q.map((value) => value / length);
  }
}

export function shape(kind, dimensions, localPosition = [0, 0, 0], localRotation = [0, 0, 0, 1]) {
  return { kind, dimensions, localPosition, localRotation, rounding: 0, geometry: 0n };
}

export function body(
  index,
  shapes,
  { position = [0, 0, 0], rotation = [0, 0, 0, 1], motion = "dynamic", linearVelocity = [0, 0, 0] } = {},
) {
  return {
    id: (1n << 32n) | BigInt(index),
    index,
    shapes,
    motion,
    player: 0,
    userKind: 0,
    asleep: false,
    position: new Float64Array(position),
    rotation: new Float32Array(rotation),
    linearVelocity: new Float32Array(linearVelocity),
    angularVelocity: new Float32Array(3),
    rawPosition: new Float64Array(position),
    rawRotation: new Float32Array(rotation),
  };
}
