// How finely to draw: resolution and shadows, lowered when frames take too long and raised again when there is time to spare. Software renderers (a
// headless browser, a virtual machine) start low. It measures and decides; the stage does it.

export interface QualityLevel {
  /** At most this many rendered pixels per CSS pixel, edge by edge. */
  pixelRatioMax: number;
  /** 0 = no shadows. */
  shadowMapSize: number;
  /** Bright colours are rolled off instead of cut: a fifth of a frame where the processor draws. */
  isToned: boolean;
}

export const kQualityLevels: readonly QualityLevel[] = [
  { pixelRatioMax: 0.5, shadowMapSize: 0, isToned: false },
  { pixelRatioMax: 0.5, shadowMapSize: 1024, isToned: false },
  { pixelRatioMax: 0.75, shadowMapSize: 1024, isToned: false },
  { pixelRatioMax: 1, shadowMapSize: 1024, isToned: true },
  { pixelRatioMax: 1, shadowMapSize: 2048, isToned: true },
  { pixelRatioMax: 1.5, shadowMapSize: 2048, isToned: true },
  { pixelRatioMax: 2, shadowMapSize: 4096, isToned: true },
];
/** Where a browser that draws with the processor starts, and one with a graphics card. */
export const kSoftwareLevel = 2;
export const kHardwareLevel = 5;

/**
 * Frames longer than the first are too long; shorter than the second, there is time to spare. A processor that draws is asked for less. A level up costs about
 * half as much again, so quick is less than two thirds of slow.
 */
const kSlowFrameMs = { software: 75, hardware: 30 };
const kQuickFrameMs = { software: 45, hardware: 18 };
/** A level is judged by the frames of this long; one that proved too slow is not tried again for a while, twice as long each time. */
const kJudgeMs = 1500;
const kRetryFirstMs = 10_000;

export class Quality {
  private level: number;
  private frameMs = 16;
  private judgedFor = 0;
  private retryAfterMs = kRetryFirstMs;
  private sinceLowered = 0;
  private sinceRaised = Infinity;

  /** `isPinned`: the level stays as it is, for pictures that must not depend on the machine's speed. */
  constructor(
    private readonly renderer: "software" | "hardware",
    private readonly isPinned: boolean,
  ) {
    this.level = isPinned
      ? kQualityLevels.length - 1
      : renderer === "software"
        ? kSoftwareLevel
        : kHardwareLevel;
  }

  get current(): QualityLevel {
    return kQualityLevels[this.level]!;
  }

  get levelIndex(): number {
    return this.level;
  }

  /** After each frame, with the time since the one before. Returns true when the level changed. */
  handleFrame(elapsedMs: number): boolean {
    // A frame that took over a second was a hidden page or a stall, not drawing.
    if (this.isPinned || elapsedMs > 1000) return false;
    this.frameMs += (elapsedMs - this.frameMs) * 0.08;
    this.judgedFor += elapsedMs;
    this.sinceLowered += elapsedMs;
    this.sinceRaised += elapsedMs;
    if (this.judgedFor < kJudgeMs) return false;
    if (this.frameMs > kSlowFrameMs[this.renderer] && this.level > 0) {
      this.change(-1);
      if (this.sinceRaised < 2 * kRetryFirstMs) this.retryAfterMs *= 2;
      this.sinceLowered = 0;
      return true;
    }
    if (
      this.frameMs < kQuickFrameMs[this.renderer] &&
      this.level + 1 < kQualityLevels.length &&
      this.sinceLowered > this.retryAfterMs
    ) {
      this.change(1);
      this.sinceRaised = 0;
      return true;
    }
    return false;
  }

  private change(by: number): void {
    this.level += by;
    this.judgedFor = 0;
    this.frameMs = 0.5 * (kSlowFrameMs[this.renderer] + kQuickFrameMs[this.renderer]);
  }
}
